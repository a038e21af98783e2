#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/process.hpp"
#include "ggpm/data.hpp"
#include "support/close.hpp"

namespace ggpm::internal {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing_support::CommandResult;
using testing_support::file_contents;
using testing_support::run_command;
using testing_support::TemporaryFolder;

using Words = std::vector<std::string>;

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const Words kQuick = {"fit", "-", "--target", "y", "--json", "--restarts", "2"};

json fit_json(const Words& more, const std::string& table) {
  const CommandResult result = run_command(kQuick + more, table);
  EXPECT_EQ(result.exit_code, 0) << result.error;
  return result.exit_code == 0 ? json::parse(result.out) : json();
}

std::string simulated(const Words& more) {
  const CommandResult result = run_command(Words{"simulate", "--rows", "30"} + more);
  EXPECT_EQ(result.exit_code, 0) << result.error;
  return result.out;
}

TEST(Fit, AnswersWithTheContractOfTheDesign) {
  const json fitted = fit_json({"--likelihood", "gamma-shape", "--inference", "laplace"},
                               simulated({"--likelihood", "gamma-shape"}));
  for (const char* key : {"likelihood",
                          "link",
                          "inference",
                          "n",
                          "d",
                          "log_marginal",
                          "converged",
                          "iterations",
                          "hyperparameters",
                          "gradient",
                          "latent",
                          "optima",
                          "seconds"})
    EXPECT_TRUE(fitted.contains(key)) << key;
  EXPECT_EQ(fitted["likelihood"], "gamma-shape");
  EXPECT_EQ(fitted["link"], "log");
  EXPECT_EQ(fitted["inference"], "laplace");
  EXPECT_EQ(fitted["n"], 30);
  EXPECT_EQ(fitted["d"], 1);
  EXPECT_TRUE(fitted["converged"].get<bool>());
  EXPECT_EQ(fitted["latent"]["mean"].size(), 30U);
  EXPECT_GT(fitted["hyperparameters"]["dispersion"].get<double>(), 0);
  EXPECT_LT(std::abs(fitted["gradient"]["kernel"]["rbf.lengthscale"].get<double>()), 0.05);
  EXPECT_CLOSE(fitted["optima"][0]["log_marginal"].get<double>(),
               fitted["log_marginal"].get<double>(),
               1e-8);
  EXPECT_TRUE(std::isfinite(fitted["loo"]["log_density"].get<double>()));
}

TEST(Fit, UsesGivenHyperparametersAsTheyAre) {
  const json fitted = fit_json({"--likelihood",
                                "gaussian",
                                "--kernel",
                                "rbf(variance=2.5, lengthscale=[0.5, 3])",
                                "--mean",
                                "constant(1.5)",
                                "--dispersion",
                                "0.7",
                                "--no-optimize"},
                               simulated({"--likelihood", "gaussian", "--dimensions", "2"}));
  const json& h = fitted["hyperparameters"];
  EXPECT_EQ(h["kernel"]["rbf.variance"], 2.5);
  EXPECT_EQ(h["kernel"]["rbf.lengthscale"], (std::vector<double>{0.5, 3}));
  EXPECT_EQ(h["mean"]["mean.value"], 1.5);
  EXPECT_EQ(h["dispersion"], 0.7);
  EXPECT_FALSE(fitted["optimized"].get<bool>());
  EXPECT_EQ(fitted["gradient"]["kernel"]["rbf.lengthscale"].size(), 2U);
}

TEST(Fit, HoldsAFixedDispersion) {
  const json fitted = fit_json({"--likelihood", "gaussian", "--dispersion", "fixed(0.7)"},
                               simulated({"--likelihood", "gaussian"}));
  EXPECT_EQ(fitted["hyperparameters"]["dispersion"], 0.7);
}

TEST(Fit, TakesAnExposureForTheOffsetOfItsLogarithm) {
  std::string table = "x,e,logs,y\n";
  for (int i = 0; i < 12; ++i) {
    const double e = 1 + i % 4;
    table += std::to_string(i) + "," + format_number(e) + "," + format_number(std::log(e)) + "," +
             std::to_string(i % 5 + i % 3) + "\n";
  }
  const Words common = {"--inputs", "x", "--no-optimize", "--inference", "ep", "--likelihood"};
  const json exposure = fit_json(common + Words{"poisson", "--exposure", "e"}, table);
  const json offset = fit_json(common + Words{"poisson", "--offset", "logs"}, table);
  const json neither = fit_json(common + Words{"poisson"}, table);
  EXPECT_CLOSE(exposure["log_marginal"].get<double>(), offset["log_marginal"].get<double>(), 1e-10);
  EXPECT_GT(
      std::abs(exposure["log_marginal"].get<double>() - neither["log_marginal"].get<double>()),
      0.1);
  EXPECT_EQ(run_command(kQuick + common + Words{"gaussian", "--exposure", "e"}, table).exit_code,
            2);
}

TEST(Fit, ReadsSuccessesAsCountsOrFractions) {
  const std::string counts = "x,N,y\n1,4,1\n2,8,8\n3,5,0\n4,4,3\n5,2,1\n";
  const std::string fractions = "x,N,y\n1,4,0.25\n2,8,1\n3,5,0\n4,4,0.75\n5,2,0.5\n";
  const Words words = {"--trials", "N", "--no-optimize", "--inference", "ep"};
  const json a = fit_json(words, counts), b = fit_json(words, fractions);
  EXPECT_THAT(a["likelihood"], testing::AnyOf("binomial", "beta-binomial"));
  EXPECT_EQ(a["likelihood"], b["likelihood"]);
  EXPECT_EQ(a["log_marginal"], b["log_marginal"]);
  EXPECT_EQ(a["columns"]["inputs"], Words{"x"});
  // As rare events are written; as fractions all eight trials would have been successes.
  const auto rare = run_command(kQuick + words, "x,N,y\n1,4,0\n2,8,1\n");
  EXPECT_THAT(rare.error, HasSubstr("read as numbers of successes"));
  const json as_fractions = fit_json(words, "x,N,y\n1,4,0\n2,8,0.125\n");
  EXPECT_EQ(json::parse(rare.out)["log_marginal"], as_fractions["log_marginal"]);
}

TEST(Fit, ReadsTwoClassesAsTheyAreWritten) {
  const Words words = {"--no-optimize", "--inference", "laplace"};
  const json zeros = fit_json(words, "x,y\n1,0\n2,0\n3,1\n4,1\n5,0\n");
  EXPECT_EQ(zeros["likelihood"], "bernoulli");
  for (const std::string table :
       {"x,y\n1,no\n2,no\n3,yes\n4,yes\n5,no\n", "x,y\n1,-1\n2,-1\n3,1\n4,1\n5,-1\n"}) {
    const json other = fit_json(words, table);
    EXPECT_EQ(other["likelihood"], "bernoulli");
    EXPECT_EQ(other["log_marginal"], zeros["log_marginal"]);
  }
  EXPECT_EQ(run_command(kQuick, "x,y\n1,a\n2,b\n3,c\n").exit_code, 3);
}

TEST(Fit, SqueezesProportionsOnlyWhenAsked) {
  const std::string table = "x,y\n1,0\n2,0.4\n3,0.7\n4,1\n";
  const Words words = {"--likelihood", "beta", "--no-optimize"};
  const auto refused = run_command(kQuick + words, table);
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.error, HasSubstr("row 1, column 'y': 0"));
  EXPECT_EQ(fit_json(words + Words{"--squeeze"}, table)["n"], 4);
}

TEST(Fit, DropsIncompleteRowsOnlyWhenAsked) {
  const std::string table = "x,y\n1,3\nNA,2\n3,NA\n4,1\n5,2\n";
  const auto refused = run_command(kQuick + Words{"--no-optimize"}, table);
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.error, HasSubstr("row 2"));
  const auto dropped = run_command(
      kQuick + Words{"--no-optimize", "--likelihood", "poisson", "--missing", "drop"}, table);
  EXPECT_EQ(json::parse(dropped.out)["n"], 3);
  EXPECT_THAT(dropped.error, HasSubstr("2 of 5 rows"));
}

TEST(Fit, ChoosesALikelihoodAndSaysWhy) {
  const auto result = run_command(kQuick, simulated({"--likelihood", "poisson"}));
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(result.error, HasSubstr("→ count"));
  EXPECT_THAT(result.error, HasSubstr("leave-one-out log density"));
  EXPECT_THAT(result.error, HasSubstr("note: inference "));
  const auto quiet = run_command(kQuick + Words{"--quiet"}, simulated({"--likelihood", "poisson"}));
  EXPECT_EQ(quiet.out.substr(0, 30), result.out.substr(0, 30));
  EXPECT_THAT(quiet.error, testing::Not(HasSubstr("note: ")));
}

TEST(Fit, ChoosesAKernelAndSaysThatItCould) {
  const std::string data = simulated({"--likelihood", "gaussian"});
  const auto unasked = run_command(kQuick, data);
  EXPECT_THAT(unasked.error, HasSubstr("note: kernel rbf + constant; --kernel auto also tries"));
  for (const std::string likelihood : {"auto", "gaussian"}) {
    const auto asked =
        run_command(kQuick + Words{"--kernel", "auto", "--likelihood", likelihood}, data);
    ASSERT_EQ(asked.exit_code, 0) << asked.error;
    EXPECT_THAT(asked.error, HasSubstr("constant, by the log marginal on"));
    EXPECT_THAT(asked.error, testing::Not(HasSubstr("also tries")));
  }
}

TEST(Fit, GivesTheSameBytesForTheSameSeed) {
  const TemporaryFolder folder;
  const std::string table = simulated({"--likelihood", "negative-binomial"});
  for (const char* name : {"a.ggpm", "b.ggpm"}) {
    const auto result = run_command({"fit",
                                     "-",
                                     "--target",
                                     "y",
                                     "--likelihood",
                                     "negative-binomial",
                                     "--restarts",
                                     "4",
                                     "--threads",
                                     "1",
                                     "--quiet",
                                     "-o",
                                     folder.file("m.ggpm")},
                                    table);
    ASSERT_EQ(result.exit_code, 0) << result.error;
    std::filesystem::rename(folder.file("m.ggpm"), folder.file(name));
  }
  EXPECT_TRUE(file_contents(folder.file("a.ggpm")) == file_contents(folder.file("b.ggpm")));
}

TEST(Fit, SaysThatItDidNotConverge) {
  const auto result = run_command(
      kQuick + Words{"--likelihood", "poisson", "--restarts", "0", "--max-evaluations", "2"},
      simulated({"--likelihood", "poisson"}));
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_FALSE(json::parse(result.out)["converged"].get<bool>());
  EXPECT_THAT(result.error, HasSubstr("converged"));
}

TEST(Fit, ChecksItsGradient) {
  const json fitted = fit_json({"--likelihood",
                                "beta",
                                "--inference",
                                "ep",
                                "--check-gradient",
                                "--no-optimize",
                                "--dispersion",
                                "0.1"},
                               simulated({"--likelihood", "beta", "--dispersion", "0.1"}));
  EXPECT_LT(fitted["gradient_check"]["largest_difference"].get<double>(), 1e-5);
  EXPECT_EQ(fitted["gradient_check"]["parameters"].size(), 4U);
}

TEST(Fit, RefusesMoreMemoryThanAllowed) {
  const auto result = run_command(kQuick + Words{"--likelihood", "poisson", "--memory", "1K"},
                                  simulated({"--likelihood", "poisson"}));
  EXPECT_EQ(result.exit_code, 3) << result.error;
  EXPECT_EQ(result.out, "");
}

TEST(Fit, WarpsTheTarget) {
  const json fitted = fit_json({"--likelihood", "gaussian", "--warp", "log"},
                               simulated({"--likelihood", "gamma-shape"}));
  EXPECT_EQ(fitted["warp"], "log");
  EXPECT_EQ(fitted["inference"], "exact");
}

TEST(Fit, WithAWeightIsTheFitWithCopies) {
  const Words given = {
      "--likelihood", "poisson", "--inference", "laplace", "--no-optimize", "--no-standardize"};
  const json one = fit_json(given + Words{"--weights", "w"}, "x,y,w\n0,3,2\n1,5,1\n2,1,3\n3,4,0\n");
  const json all = fit_json(given, "x,y\n0,3\n0,3\n1,5\n2,1\n2,1\n2,1\n");
  EXPECT_EQ(one["n"], 3);
  EXPECT_CLOSE(one["log_marginal"].get<double>(), all["log_marginal"].get<double>(), 1e-10);
}

TEST(Fit, OfCensoredTimesIsPredictedAndScored) {
  const TemporaryFolder folder;
  const std::string model = folder.file("m.ggpm");
  std::string table = "x,y,c,u\n";
  for (int i = 0; i < 24; ++i)
    table += fmt::format("{},{},{},{}\n", i, 1 + i % 7, i % 5 == 0 ? 1 : 0, i % 6 == 1 ? "9" : "");
  const json fitted = fit_json({"--censored", "c", "--upper", "u", "-o", model}, table);
  EXPECT_EQ(fitted["n"], 24);
  EXPECT_NE(fitted["inference"], "exact");
  const CommandResult predicted = run_command({"predict",
                                               model,
                                               "-",
                                               "--survival",
                                               "2,4",
                                               "--columns",
                                               "median,q0.5,survival2,survival4,log_density"},
                                              "x,y,c,u\n3,2,1,\n3,2,0,4\n3,2,0,\n");
  ASSERT_EQ(predicted.exit_code, 0) << predicted.error;
  const Table out = parse_csv(predicted.out, "predictions");
  EXPECT_EQ(out.column("median").numbers, out.column("q0.5").numbers);
  const std::vector<double>& density = out.column("log_density").numbers;
  const double at2 = out.column("survival2").numbers[0], at4 = out.column("survival4").numbers[0];
  EXPECT_NEAR(density[0], std::log(at2), 1e-8);
  EXPECT_NEAR(density[1], std::log(at2 - at4), 1e-8);
  const CommandResult scored = run_command({"score", model, "-", "--json"}, table);
  ASSERT_EQ(scored.exit_code, 0) << scored.error;
  EXPECT_GT(json::parse(scored.out)["censored"], 5);
  EXPECT_GE(json::parse(scored.out)["c_index"], 0);
  // Without the columns every row counts as observed.
  const CommandResult plain = run_command({"predict", model, "-"}, "x\n3\n");
  EXPECT_EQ(plain.exit_code, 0) << plain.error;
}

TEST(Fit, OfGroupsTakesNewOnesForTheirPrior) {
  const TemporaryFolder folder;
  const std::string model = folder.file("m.ggpm");
  std::string table = "site,y\n";
  for (int i = 0; i < 240; ++i) table += fmt::format("s{},{}\n", i % 120, (i % 120) % 9);
  fit_json({"--likelihood",
            "gaussian",
            "--kernel",
            "group(variance=2, columns=[site])",
            "--no-optimize",
            "-o",
            model},
           table);
  const CommandResult predicted = run_command(
      {"predict", model, "-", "--latent", "--columns", "latent_mean,latent_sd"}, "site\nnew\ns8\n");
  ASSERT_EQ(predicted.exit_code, 0) << predicted.error;
  const Table out = parse_csv(predicted.out, "predictions");
  EXPECT_EQ(out.column("latent_mean").numbers[0], 0);
  EXPECT_NEAR(out.column("latent_sd").numbers[0], std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(out.column("latent_mean").numbers[1], 8 * 2 / 2.5, 1e-9);  // two rows of variance 1
}

TEST(Fit, OfNamedLevelsPredictsTheirProbabilities) {
  const TemporaryFolder folder;
  const std::string model = folder.file("m.ggpm");
  std::string table = "x,y\n";
  const char* names[] = {"low", "mid", "high"};
  for (int i = 0; i < 30; ++i) table += fmt::format("{},{}\n", i, names[(i / 10 + i % 4 / 3) % 3]);
  const json fitted =
      fit_json({"--levels", "low,mid,high", "--inference", "laplace", "-o", model}, table);
  EXPECT_EQ(fitted["likelihood"], "ordinal");
  const CommandResult predicted =
      run_command({"predict", model, "-", "--columns", "mode,p_low,p_mid,p_high"}, "x\n2\n25\n");
  ASSERT_EQ(predicted.exit_code, 0) << predicted.error;
  const Table out = parse_csv(predicted.out, "predictions");
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(out.column("p_low").numbers[i] + out.column("p_mid").numbers[i] +
                    out.column("p_high").numbers[i],
                1,
                1e-8);
  EXPECT_GT(out.column("p_low").numbers[0], out.column("p_low").numbers[1]);
  EXPECT_TRUE(out.column("mode").is_text);
  const CommandResult unordered =
      run_command({"fit", "-", "--target", "y", "--likelihood", "ordinal"}, table);
  EXPECT_EQ(unordered.exit_code, 2);
  EXPECT_THAT(unordered.error, HasSubstr("--levels"));
}

TEST(Fit, OfAFormulaIsThatOfItsParts) {
  std::string table = "n,a,site,years\n";
  for (int i = 0; i < 20; ++i) table += fmt::format("{},{},s{},{}\n", i % 6, i, i % 4, 1 + i % 3);
  const Words options = {
      "--likelihood", "poisson", "--inference", "laplace", "--no-optimize", "--json"};
  const CommandResult one = run_command(
      Words{"fit", "-", "--formula", "n ~ rbf(a) + group(site) + offset(log(years))"} + options,
      table);
  ASSERT_EQ(one.exit_code, 0) << one.error;
  const CommandResult parts =
      run_command(Words{"fit",
                        "-",
                        "--target",
                        "n",
                        "--inputs",
                        "a,site",
                        "--exposure",
                        "years",
                        "--kernel",
                        "rbf(columns=[a]) + group(columns=[site]) + constant"} +
                      options,
                  table);
  ASSERT_EQ(parts.exit_code, 0) << parts.error;
  EXPECT_EQ(json::parse(one.out)["log_marginal"], json::parse(parts.out)["log_marginal"]);
  EXPECT_EQ(run_command({"fit", "-", "--formula", "n ~ rbf(a)", "--target", "n"}, table).exit_code,
            2);
  EXPECT_EQ(run_command({"fit", "-", "--formula", "n ~ rbf(a"}, table).exit_code, 2);
}

}  // namespace
}  // namespace ggpm::internal
