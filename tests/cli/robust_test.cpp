// Signals, full disks, closed descriptors, other locales, absurd but legal tables.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "cli/process.hpp"
#include "ggpm/data.hpp"
#include "ggpm/model.hpp"
#include "support/close.hpp"

namespace ggpm::internal {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing_support::file_contents;
using testing_support::run_command;
using testing_support::RunningCommand;
using testing_support::Shell;
using testing_support::TemporaryFolder;
using testing_support::write_file;

std::size_t files_in(const std::string& folder) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    (void)entry;
    ++count;
  }
  return count;
}

TEST(Interrupt, SavesTheBestModelSoFar) {
  const TemporaryFolder folder;
  const std::string data = folder.file("d.csv"), model = folder.file("m.ggpm");
  write_file(data, run_command({"simulate", "--rows", "300", "--dimensions", "3"}).out);
  RunningCommand fit({"fit",
                      data,
                      "--target",
                      "y",
                      "--likelihood",
                      "poisson",
                      "--inference",
                      "ep",
                      "--restarts",
                      "5000",
                      "--kernel",
                      "rbf(ard=true) + linear",
                      "-o",
                      model},
                     folder.file("out"),
                     folder.file("error"));
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  fit.signal(SIGINT);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(fit.wait(20), 130) << file_contents(folder.file("error"));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(took.count(), 3);  // 1 s on a machine that does nothing else
  EXPECT_THAT(file_contents(folder.file("error")), HasSubstr("interrupted: the best model so far"));
  const auto shown = run_command({"show", model, "--json"});
  ASSERT_EQ(shown.exit_code, 0) << shown.error;
  EXPECT_TRUE(json::parse(shown.out)["interrupted"].get<bool>());
  EXPECT_EQ(files_in(folder.path().string()), 4U);  // nothing temporary
}

// 6,000 rows of a dense K: one factorization alone takes longer than a person waits.
TEST(Interrupt, IsHeardInsideOfALargeFactorization) {
  const TemporaryFolder folder;
  const std::string data = folder.file("d.csv");
  std::string table = "x,y\n";
  for (int i = 0; i < 6000; ++i)
    table += std::to_string(i % 997) + "." + std::to_string(i) + "," + std::to_string(i % 3) + "\n";
  write_file(data, table);
  for (const int signal : {SIGINT, SIGTERM}) {
    RunningCommand fit({"fit",
                        data,
                        "--target",
                        "y",
                        "--likelihood",
                        "poisson",
                        "--engine",
                        "dense",
                        "--no-optimize",
                        "-o",
                        folder.file("m.ggpm")},
                       folder.file("out"),
                       folder.file("error"));
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    fit.signal(signal);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(fit.wait(20), 130) << file_contents(folder.file("error"));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(took.count(), 3);  // tenths of a second on a machine that does nothing else
    EXPECT_THAT(file_contents(folder.file("error")), HasSubstr("interrupted"));
  }
}

TEST(Resume, GoesOnAfterTheProcessWasKilled) {
  const TemporaryFolder folder;
  const std::string data = folder.file("d.csv"), part = folder.file("part");
  write_file(data, run_command({"simulate", "--rows", "800", "--dimensions", "3"}).out);
  const std::vector<std::string> fit = {"fit",
                                        data,
                                        "--target",
                                        "y",
                                        "--likelihood",
                                        "poisson",
                                        "--kernel",
                                        "rbf(ard=true)",
                                        "--restarts",
                                        "5",
                                        "--quiet",
                                        "--json"};
  std::vector<std::string> kept = fit;
  kept.insert(kept.end(), {"--resume", part});
  for (const int milliseconds : {700, 300, 1100}) {
    RunningCommand running(kept, folder.file("out"), folder.file("error"));
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    running.signal(SIGKILL);
    running.wait(20);
  }
  const auto whole = run_command(fit), resumed = run_command(kept);
  ASSERT_EQ(resumed.exit_code, 0) << resumed.error;
  EXPECT_NEAR(json::parse(resumed.out)["log_marginal"].get<double>(),
              json::parse(whole.out)["log_marginal"].get<double>(),
              1e-3);
  kept.insert(kept.end(), {"--seed", "2"});
  const auto refused = run_command(kept);
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.error, HasSubstr("is of a fit to other rows"));
}

TEST(Interrupt, LeavesNoPredictionsHalfWritten) {
  const Shell shell;
  shell.run(
      "ggpm fit examples/counts.csv --target n --likelihood poisson --restarts 0 -o m.ggpm; "
      "(echo x; seq 1 300000) > big.csv");
  RunningCommand predict(
      {"predict", shell.file("m.ggpm"), shell.file("big.csv"), "-o", shell.file("p.csv")},
      shell.file("o"),
      shell.file("e"));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  predict.signal(SIGINT);
  EXPECT_EQ(predict.wait(20), 130);
  EXPECT_FALSE(std::filesystem::exists(shell.file("p.csv")));
  EXPECT_EQ(shell.run("ls | grep -c tmp").out, "0\n");
}

TEST(Kill, LeavesTheOldModelOrTheNew) {
  const TemporaryFolder folder;
  const std::string data = folder.file("d.csv"), model = folder.file("m.ggpm");
  write_file(data, run_command({"simulate", "--rows", "40"}).out);
  const auto words = [&](const std::string& kernel) {
    return std::vector<std::string>{"fit",
                                    data,
                                    "--target",
                                    "y",
                                    "--likelihood",
                                    "poisson",
                                    "--no-optimize",
                                    "--quiet",
                                    "--kernel",
                                    kernel,
                                    "-o",
                                    model};
  };
  const std::vector<std::string> fits[] = {words("rbf"), words("matern32 + linear")};
  std::string whole[2];
  for (const std::size_t k : {0U, 1U}) {
    ASSERT_EQ(run_command(fits[k]).exit_code, 0);
    whole[k] = file_contents(model);
  }
  ASSERT_NE(whole[0], whole[1]);
  std::mt19937 random(7);
  for (int i = 0; i < 40; ++i) {
    RunningCommand fit(fits[random() % 2], folder.file("out"), folder.file("error"));
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 40));
    fit.signal(SIGKILL);
    fit.wait(10);
    const std::string left = file_contents(model);
    ASSERT_TRUE(left == whole[0] || left == whole[1]) << i;
  }
}

TEST(Output, IsCheckedUntilItIsOut) {
  const Shell shell;
  const std::string fit =
      "ggpm fit examples/counts.csv --target n --likelihood poisson --no-optimize ";
  for (const std::string& line : {fit + "--json >/dev/full",
                                  fit + "-o /dev/full",
                                  fit + "-o examples/counts.csv/m.ggpm",
                                  fit + "-o /",
                                  fit + "--json >&-",
                                  std::string("ggpm likelihoods >/dev/full"),
                                  std::string("ggpm --help >/dev/full"),
                                  std::string("ggpm fit --help >/dev/full")}) {
    const auto result = shell.run(line);
    EXPECT_EQ(result.exit_code, 3) << line << result.error;
    EXPECT_THAT(result.error, HasSubstr("cannot be")) << line;
  }
  // A full standard error harms nobody, and a closed one neither.
  for (const std::string& line : {fit + "2>/dev/full", fit + "2>&-", fit + "<&-"})
    EXPECT_EQ(shell.run(line).exit_code, 0) << line;
  EXPECT_EQ(shell.run("ggpm fit - --target n <&-").exit_code, 3);
}

TEST(Output, WithoutStandardOutputKeepsTheModelWhole) {
  const Shell shell;
  const std::string fit =
      "ggpm fit examples/counts.csv --target n --likelihood poisson "
      "--no-optimize -o ";
  EXPECT_EQ(shell.run(fit + "a.ggpm").exit_code, 0);
  EXPECT_EQ(shell.run(fit + "b.ggpm >&- 2>&-").exit_code, 3);
  EXPECT_EQ(shell.run("ggpm show b.ggpm").exit_code, 0);
}

TEST(Output, FollowsALinkAndTakesAnyName) {
  const Shell shell;
  const std::string fit =
      "ggpm fit examples/counts.csv --target n --likelihood poisson "
      "--no-optimize -o ";
  EXPECT_EQ(
      shell.run("touch real; ln -s real link; " + fit + "link && test -L link && ggpm show real")
          .exit_code,
      0);
  EXPECT_EQ(shell.run(fit + "$'\\xff\\xfe' && ggpm show $'\\xff\\xfe'").exit_code, 0);
}

TEST(Locale, ChangesNothing) {
  const Shell shell;
  const std::string fit =
      "ggpm fit examples/counts.csv --target n --likelihood poisson "
      "--no-optimize --quiet --json | sed 's/\"seconds\":.*//'";
  const auto plain = shell.run(fit);
  const auto german = shell.run("export LC_ALL=de_DE.UTF-8 LC_NUMERIC=de_DE; " + fit);
  EXPECT_EQ(german.exit_code, 0);
  EXPECT_EQ(german.out, plain.out);
}

TEST(Pipes, CarryATableFromCommandToCommand) {
  const Shell shell;
  const auto result = shell.run(
      "set -e -o pipefail; ggpm simulate --likelihood beta --dispersion 0.1 --rows 40 | tee d.csv |"
      " ggpm fit - --target y --restarts 1 -o m.ggpm --json >/dev/null;"
      " ggpm predict m.ggpm - < d.csv | ggpm describe -");
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(result.out, HasSubstr("40 rows, 7 columns"));
}

struct Absurd {
  std::string name, table;
  std::vector<std::string> words;
};

class AbsurdTable : public testing::TestWithParam<Absurd> {};

// An answer that is finite, whatever it is.
TEST_P(AbsurdTable, HasAFiniteAnswer) {
  const TemporaryFolder folder;
  const std::string model = folder.file("m.ggpm"), data = folder.file("d.csv");
  write_file(data, GetParam().table);
  std::vector<std::string> words = {
      "fit", data, "--target", "y", "--restarts", "1", "--json", "-o", model};
  words.insert(words.end(), GetParam().words.begin(), GetParam().words.end());
  const auto fitted = run_command(words);
  ASSERT_EQ(fitted.exit_code, 0) << fitted.error;
  EXPECT_TRUE(json::parse(fitted.out)["log_marginal"].is_number());
  const auto predicted = run_command({"predict", model, data});
  ASSERT_EQ(predicted.exit_code, 0) << predicted.error;
  const Table table = parse_csv(predicted.out, "predicted");
  for (const char* name : {"q0.025", "q0.5", "q0.975", "log_density"})
    EXPECT_TRUE(numeric_column(table, name).allFinite()) << name;
  for (const char* name : {"mean", "sd"})  // may be too large for a number, which is said
    for (Index i = 0; i < table.rows(); ++i)
      EXPECT_TRUE(std::isfinite(table.column(name).numbers[static_cast<std::size_t>(i)]) ||
                  (table.column(name).missing(i) && !predicted.error.empty()))
          << name;
}

// Nothing but zeros: the marginal likelihood grows with the variance without end, the mean of new
// counts with it.
TEST(ZeroCounts, HaveAFiniteMeanByEveryInference) {
  const Shell shell;
  write_file(shell.file("d.csv"), "x,n,y\n1,9,0\n2,9,0\n3,9,0\n4,9,0\n5,9,0\n");
  for (const std::string likelihood : {"poisson",
                                       "linear-poisson",
                                       "negative-binomial",
                                       "zero-inflated-poisson",
                                       "binomial --trials n"})
    for (const std::string inference : {"laplace", "ep", "kld"}) {
      const auto result = shell.run(fmt::format(
          "ggpm fit d.csv --target y --inputs x --likelihood {} --inference {} --restarts 1 "
          "--max-evaluations 30 --quiet -o m.ggpm >/dev/null && ggpm predict m.ggpm d.csv",
          likelihood,
          inference));
      ASSERT_EQ(result.exit_code, 0) << likelihood << " " << inference << ": " << result.error;
      const Table table = parse_csv(result.out, "predicted");
      for (const char* name : {"mean", "sd", "q0.025", "q0.5", "q0.975", "log_density"})
        EXPECT_TRUE(numeric_column(table, name).allFinite()) << likelihood << inference << name;
    }
}

std::string repeated(const std::string& row, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += row;
  return out;
}

INSTANTIATE_TEST_SUITE_P(
    Given,
    AbsurdTable,
    testing::Values(
        Absurd{"OneRow", "x,y\n1,3\n", {"--likelihood", "poisson"}},
        Absurd{"TwoRows", "x,y\n1,3\n2,0\n", {}},
        Absurd{"ConstantInput", "x,z,y\n1,5,3\n2,5,0\n3,5,4\n", {"--likelihood", "poisson"}},
        Absurd{"AllConstant", "x,y\n5,3\n5,0\n5,4\n", {"--likelihood", "poisson"}},
        Absurd{"EqualColumns", "a,b,y\n1,1,3\n2,2,0\n3,3,4\n", {"--likelihood", "poisson"}},
        Absurd{"EqualRows", "x,y\n" + repeated("2,3\n", 30), {"--likelihood", "poisson"}},
        Absurd{"CloseRowsFarOutputs",
               "x,y\n0,0\n1e-10,1000\n2e-10,0\n1,3\n",
               {"--likelihood", "gaussian"}},
        Absurd{"HugeScale", "x,y\n1e150,3\n2e150,0\n3e150,4\n", {"--likelihood", "poisson"}},
        Absurd{"TinyScale", "x,y\n1e-150,3\n2e-150,0\n3e-150,4\n", {"--likelihood", "poisson"}},
        Absurd{"BothEnds", "x,y\n1e308,3\n-1e308,0\n0,4\n", {"--likelihood", "poisson"}},
        Absurd{"ZeroCounts", "x,y\n1,0\n2,0\n3,0\n4,0\n", {"--likelihood", "poisson"}},
        Absurd{"WideCounts",
               "x,y\n1,0\n2,1\n3,1000\n4,1000000\n5,1000000000\n",
               {"--likelihood", "poisson"}},
        Absurd{"OneClass", "x,y\n1,1\n2,1\n3,1\n", {}},
        Absurd{"Separable", "x,y\n1,0\n2,0\n3,1\n4,1\n", {}},
        Absurd{"ConstantTarget", "x,y\n1,2.5\n2,2.5\n3,2.5\n", {"--likelihood", "gaussian"}},
        Absurd{"Outlier", "x,y\n1,0.1\n2,-0.2\n3,1e6\n4,0.1\n5,0\n", {"--likelihood", "student-t"}},
        Absurd{"CountsNear1e9",
               "x,y\n1,1389975333\n2,1289975333\n3,1100000001\n4,999999999\n5,1389000000\n",
               {"--likelihood", "poisson"}},
        Absurd{"ComPoissonNear1e9",
               "x,y\n1,1389975333\n2,1289975333\n3,1100000001\n4,999999999\n5,1389000000\n",
               {"--likelihood", "com-poisson", "--inference", "laplace"}},
        Absurd{"TrialsOf1e15",
               "x,y,n\n1,1000000000000000,2000000000000000\n2,1010000000000000,2000000000000000\n"
               "3,1020000000000000,2000000000000000\n",
               {"--likelihood", "binomial", "--trials", "n"}},
        Absurd{"TextInput", "x,s,y\n1,a,3\n2,b,0\n3,a,4\n", {"--likelihood", "poisson"}},
        Absurd{"WholeAsReal", "x,y\n1,\"3\"\n2,3.0\n3,4\n", {"--likelihood", "poisson"}}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace ggpm::internal
