#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "cli/process.hpp"
#include "ggpm/data.hpp"

namespace ggpm::internal {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing_support::file_contents;
using testing_support::run_command;
using testing_support::RunningCommand;
using testing_support::TemporaryFolder;
using testing_support::write_file;

// Counts near the line 2 + 2 x with a fifth of the variance of a Poisson distribution.
std::string counts(const TemporaryFolder& folder) {
  const std::string path = folder.file("counts.csv");
  const auto drawn = run_command({"simulate",
                                  "--likelihood",
                                  "linear-com-poisson",
                                  "--dispersion",
                                  "5",
                                  "--mean",
                                  "linear(2, 2)",
                                  "--kernel",
                                  "constant(1e-6)",
                                  "--rows",
                                  "50",
                                  "-o",
                                  path});
  EXPECT_EQ(drawn.exit_code, 0) << drawn.error;
  return path;
}

std::vector<std::string> words(const std::string& path, std::vector<std::string> more) {
  std::vector<std::string> out = {"compare", path, "--target", "y", "--restarts", "1"};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

TEST(CompareCommand, RecommendsTheModelTheDataCameFrom) {
  const TemporaryFolder folder;
  const auto result = run_command(words(counts(folder),
                                        {"--likelihoods",
                                         "poisson,linear-poisson,com-poisson,linear-com-poisson",
                                         "--kernels",
                                         "linear + constant",
                                         "--splits",
                                         "4",
                                         "--csv",
                                         folder.file("trials.csv"),
                                         "--json"}));
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const json out = json::parse(result.out);
  EXPECT_EQ(out["best"], "linear-com-poisson, laplace, linear + constant");
  EXPECT_EQ(out["candidates"].size(), 4U);
  EXPECT_EQ(out["friedman"]["splits"], 4);
  EXPECT_LT(out["friedman"]["nlp"]["p"], 0.05);
  const Table trials = read_csv(folder.file("trials.csv"));
  EXPECT_EQ(trials.rows(), 16);
  EXPECT_TRUE(trials.has("coverage"));
}

TEST(CompareCommand, ShowsAFailedCandidateAsARow) {
  const TemporaryFolder folder;
  const auto result = run_command(
      words(counts(folder),
            {"--likelihoods", "poisson,beta", "--folds", "2", "--kernels", "rbf(1, 2), linear"}));
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(result.out, HasSubstr("beta, laplace, linear: 2 of 2 fits failed: "));
  EXPECT_THAT(result.out, HasSubstr("poisson, laplace, rbf(1, 2)"));
  EXPECT_THAT(result.out, HasSubstr("recommended: poisson"));
  EXPECT_THAT(result.error, HasSubstr("[8/8]"));
}

TEST(CompareCommand, GoesOnAfterAnInterruption) {
  const TemporaryFolder folder;
  const std::string path = counts(folder), kept = folder.file("kept.jsonl");
  const std::vector<std::string> once = {"compare",
                                         path,
                                         "--target",
                                         "y",
                                         "--likelihoods",
                                         "poisson,com-poisson",
                                         "--inferences",
                                         "laplace,ep",
                                         "--restarts",
                                         "5",
                                         "--splits",
                                         "10",
                                         "--threads",
                                         "1",
                                         "--json",
                                         "--resume",
                                         kept};
  RunningCommand running(once, folder.file("out"), folder.file("error"));
  const auto lines = [&] {
    const std::string text = file_contents(kept);
    return std::count(text.begin(), text.end(), '\n');
  };
  for (int i = 0; i < 4000 && lines() < 4; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  running.signal(SIGINT);
  EXPECT_EQ(running.wait(60), 130) << file_contents(folder.file("error"));
  const auto before = lines();
  EXPECT_GE(before, 4);
  EXPECT_LT(before, 41);
  EXPECT_THAT(file_contents(folder.file("error")), HasSubstr("the same command goes on"));
  const auto rest = run_command(once);
  ASSERT_EQ(rest.exit_code, 0) << rest.error;
  EXPECT_EQ(json::parse(rest.out)["trials"].size(), 40U);
  EXPECT_EQ(lines(), 41);
  EXPECT_THAT(rest.error, HasSubstr(std::to_string(before - 1) + " trials are done"));
  EXPECT_EQ(run_command(words(path, {"--resume", kept})).exit_code, 3);  // another study
}

TEST(CompareCommand, DoesNotTakeFinishedTrialsForOthers) {
  const TemporaryFolder folder;
  const std::string path = counts(folder), kept = folder.file("kept.jsonl");
  const std::string formula = folder.file("f.toml");
  const auto write_formula = [&](const std::string& theta) {
    write_file(formula,
               "[likelihood]\ndomain = \"count\"\na = \"1\"\nb = \"exp(theta)\"\n"
               "c = \"-lgamma(y+1)\"\nT = \"y\"\ntheta = \"" +
                   theta + "\"\n");
  };
  const auto compared = [&](std::vector<std::string> more) {
    std::vector<std::string> all = {
        "--likelihoods", "poisson," + formula, "--splits", "2", "--json"};
    all.insert(all.end(), more.begin(), more.end());
    const auto result = run_command(words(path, std::move(all)));
    EXPECT_EQ(result.exit_code, 0) << result.error;
    json out = json::parse(result.out);
    for (json& trial : out["trials"]) trial.erase("seconds");
    return out["trials"];
  };
  write_formula("eta");
  const json first = compared({"--resume", kept});
  EXPECT_EQ(compared({"--resume", kept}), first);
  EXPECT_EQ(compared({"--resume", kept, "--point", "mode"}), compared({"--point", "mode"}));
  EXPECT_NE(compared({"--resume", kept, "--point", "mode"}), first);
  EXPECT_EQ(compared({"--resume", kept}), first);  // both are kept
  write_formula("log(1 + exp(eta))");
  EXPECT_EQ(compared({"--resume", kept}), compared({}));
  EXPECT_NE(compared({"--resume", kept}), first);
}

TEST(CompareCommand, PartsTogetherAreTheWhole) {
  const TemporaryFolder folder;
  const std::string path = counts(folder);
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> all = {"--likelihoods", "poisson,com-poisson", "--splits", "3"};
    all.insert(all.end(), more.begin(), more.end());
    return run_command(words(path, std::move(all)));
  };
  const auto without_seconds = [](const std::string& text) {
    json out = json::parse(text);
    for (const char* list : {"trials", "candidates"})
      for (json& item : out[list]) item.erase("seconds");
    return out;
  };
  std::vector<std::string> files;
  for (const std::string k : {"1", "2", "3", "4"}) {
    files.push_back(folder.file(k));
    const auto part = run({"--part", k + "/4", "--resume", files.back()});
    ASSERT_EQ(part.exit_code, 0) << part.error;
    const std::string own = k <= "2" ? "2 of 6" : "1 of 6";  // six trials in four parts
    EXPECT_THAT(part.out, HasSubstr("part " + k + " of 4: " + own + " trials"));
  }
  const std::string three = files[0] + "," + files[1] + "," + files[3],
                    all = three + "," + files[2];
  const auto whole = run({"--json"}), merged = run({"--json", "--merge", all});
  ASSERT_EQ(merged.exit_code, 0) << merged.error;
  EXPECT_EQ(without_seconds(merged.out), without_seconds(whole.out));
  const auto incomplete = run({"--merge", three});
  EXPECT_EQ(incomplete.exit_code, 3);
  EXPECT_THAT(incomplete.error, HasSubstr("1 of 6 trials are in no file"));
  EXPECT_EQ(run({"--merge", folder.file("none")}).exit_code, 3);
  EXPECT_EQ(run({"--part", "1/2"}).exit_code, 2) << "nowhere to keep trials";
  EXPECT_EQ(run({"--part", "3/2", "--resume", folder.file("x")}).exit_code, 2);
}

TEST(CompareCommand, RefusesWithASentence) {
  const TemporaryFolder folder;
  const std::string path = counts(folder);
  const auto refuses = [&](std::vector<std::string> more, int code, const std::string& message) {
    const auto result = run_command(words(path, std::move(more)));
    EXPECT_EQ(result.exit_code, code) << result.error;
    EXPECT_THAT(result.error, HasSubstr(message));
    EXPECT_EQ(result.out, "");
  };
  refuses({"--train", "50"}, 2, "train: 50 of 50 rows leaves nothing to test with");
  refuses({"--train", "1.5"}, 2, "neither a share such as 0.7 nor a number of rows");
  refuses({"--folds", "51"}, 2, "folds");
  refuses({"--kernels", "rbf,"}, 2, "--kernels: a part between commas is empty");
  refuses({"--likelihoods", "poison"}, 2, "did you mean 'poisson'?");
  refuses({"--inferences", "guess"}, 2, "guess");
  write_file(folder.file("other.txt"), "hello\n");
  refuses({"--resume", folder.file("other.txt")}, 3, "not a trial of ggpm compare");
}

TEST(ReproduceCommand, ListsItsExperimentsAndNamesMissingData) {
  const auto list = run_command({"reproduce"});
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_THAT(list.out, HasSubstr("rainfall"));
  EXPECT_EQ(run_command({"reproduce", "nothing"}).exit_code, 2);
  const TemporaryFolder folder;
  const auto missing =
      run_command({"reproduce", "rainfall", "--data", folder.path().string(), "--quiet"});
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_THAT(missing.error, HasSubstr("tokyo_rainfall.csv: not found"));
  EXPECT_THAT(missing.error, HasSubstr("Kitagawa"));
}

TEST(ReproduceCommand, FindsTheLinearComPoissonBestInFigure1) {
  const TemporaryFolder folder;
  const auto result = run_command({"reproduce",
                                   "links",
                                   "--splits",
                                   "2",
                                   "--restarts",
                                   "1",
                                   "--quiet",
                                   "-o",
                                   folder.path().string()});
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(result.out, HasSubstr("yes: the linearized COM-Poisson has the best NLP"));
  EXPECT_EQ(read_csv(folder.file("links.csv")).rows(), 12);
  EXPECT_EQ(read_csv(folder.file("links-series.csv")).rows(), 61);
}

TEST(CompareCommand, RespectsGroupsTimeAndPlaces) {
  const TemporaryFolder folder;
  std::string table = "patient,day,x,y\n";
  for (int i = 0; i < 30; ++i)
    table += "p" + std::to_string(i % 6) + "," + std::to_string(i) + "," + std::to_string(i % 5) +
             "," + std::to_string(i % 4) + "\n";
  const std::string path = folder.file("rows.csv");
  write_file(path, table);
  for (const std::vector<std::string>& split :
       {std::vector<std::string>{"--group", "patient", "--folds", "3"},
        {"--time", "day", "--folds", "3", "--inputs", "x"},
        {"--blocks", "day,x", "--folds", "3", "--inputs", "x"}}) {
    std::vector<std::string> more = {"--likelihoods", "poisson", "--json"};
    more.insert(more.end(), split.begin(), split.end());
    const auto result = run_command(words(path, more));
    ASSERT_EQ(result.exit_code, 0) << result.error;
    EXPECT_EQ(json::parse(result.out)["trials"].size(), 3U);
  }
  const auto both = run_command(words(path, {"--group", "patient", "--time", "day"}));
  EXPECT_EQ(both.exit_code, 2);
}

}  // namespace
}  // namespace ggpm::internal
