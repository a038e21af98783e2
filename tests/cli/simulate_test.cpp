#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ggpm/data.hpp"
#include "support/command.hpp"

namespace ggpm {
namespace {

using testing::HasSubstr;
using testing_support::run_command;
using testing_support::TemporaryFolder;

TEST(Simulate, DrawsTheSameDataForTheSameSeed) {
  const auto first = run_command({"simulate", "--rows", "20", "--seed", "5"});
  EXPECT_EQ(first.exit_code, 0) << first.error;
  EXPECT_EQ(first.error, "");
  const Table table = parse_csv(first.out, "simulated");
  EXPECT_EQ(table.rows(), 20);
  EXPECT_THAT(table.names(), testing::ElementsAre("x", "y"));
  EXPECT_EQ(run_command({"simulate", "--rows", "20", "--seed", "5"}).out, first.out);
  EXPECT_NE(run_command({"simulate", "--rows", "20", "--seed", "6"}).out, first.out);
}

TEST(Simulate, DrawsOutputsOfTheDomainOfEveryLikelihood) {
  for (const std::string name : {"gaussian",
                                 "gamma-shape",
                                 "gamma-scale",
                                 "inverse-gaussian",
                                 "poisson",
                                 "com-poisson",
                                 "negative-binomial",
                                 "binomial",
                                 "bernoulli",
                                 "beta",
                                 "laplace",
                                 "student-t"}) {
    std::vector<std::string> words = {"simulate", "--rows", "30", "--likelihood", name};
    words.insert(words.end(), {"--kernel", "rbf(0.3, 2)", "--dispersion", "0.2"});
    if (name == "binomial") words.insert(words.end(), {"--trials", "9"});
    const auto result = run_command(words);
    ASSERT_EQ(result.exit_code, 0) << name << ": " << result.error;
    const Vector y = numeric_column(parse_csv(result.out, name), "y");
    EXPECT_EQ(y.size(), 30);
    const bool counts = name == "poisson" || name == "binomial";
    EXPECT_TRUE(!counts || ((y.array() == y.array().floor()).all() && y.minCoeff() >= 0)) << name;
    EXPECT_TRUE(name != "beta" || (y.minCoeff() > 0 && y.maxCoeff() < 1));
  }
}

TEST(Simulate, TakesInputsExposureAndOffsetFromATable) {
  const std::string table = "a,e,o,s\n1,1000,0.5,u\n2,1,0,v\n3,2000,-1,u\n";
  const auto result = run_command({"simulate",
                                   "-",
                                   "--inputs",
                                   "a",
                                   "--exposure",
                                   "e",
                                   "--offset",
                                   "o",
                                   "--kernel",
                                   "rbf(0.01)",
                                   "--latent"},
                                  table);
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const Table drawn = parse_csv(result.out, "drawn");
  EXPECT_THAT(drawn.names(), testing::ElementsAre("a", "e", "o", "s", "y", "latent"));
  EXPECT_GT(numeric_column(drawn, "y")(0), 1000);
  EXPECT_LT(numeric_column(drawn, "y")(1), 20);
}

TEST(Simulate, SurvivesEqualRows) {
  const auto result = run_command({"simulate", "-"}, "a\n1\n1\n1\n1\n");
  EXPECT_EQ(result.exit_code, 0) << result.error;
}

TEST(Simulate, RefusesWithASentence) {
  EXPECT_THAT(run_command({"simulate", "--likelihood", "poison"}).error,
              HasSubstr("unknown likelihood 'poison'; did you mean 'poisson'?"));
  EXPECT_EQ(run_command({"simulate", "--kernel", "rbf("}).exit_code, 2);
  EXPECT_EQ(run_command({"simulate", "--rows", "0"}).exit_code, 2);
  EXPECT_EQ(run_command({"simulate", "--range", "3,1"}).exit_code, 2);
  EXPECT_EQ(run_command({"simulate", "/nowhere/x.csv"}).exit_code, 3);
  const auto overflow = run_command({"simulate", "--mean", "constant(5000)"});
  EXPECT_EQ(overflow.exit_code, 4) << overflow.out.substr(0, 100);
  EXPECT_EQ(overflow.out, "");
}

TEST(Simulate, WritesAFileWhole) {
  const TemporaryFolder folder;
  EXPECT_EQ(run_command({"simulate", "-o", folder.file("x.csv")}).exit_code, 0);
  EXPECT_EQ(read_csv(folder.file("x.csv")).rows(), 100);
  EXPECT_EQ(run_command({"simulate", "-o", folder.file("x.csv/below")}).exit_code, 3);
}

}  // namespace
}  // namespace ggpm
