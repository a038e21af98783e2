// Every way to fail: the code, one line of at most 200 characters, nothing on standard output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/process.hpp"

namespace ggpm::internal {
namespace {

using testing::HasSubstr;
using testing_support::run_command;
using testing_support::TemporaryFolder;

struct Failure {
  std::string name;
  int code;
  std::vector<std::string> words;
  std::string input;
  std::string says;
};

const std::string kCounts = "x,y\n1,3\n2,0\n3,5\n4,1\n";

std::vector<std::string> fit_words(std::vector<std::string> more) {
  more.insert(more.begin(), {"fit", "-", "--target", "y"});
  return more;
}

const std::vector<Failure> kFailures = {
    {"NoSubcommand", 2, {}, "", "subcommand"},
    {"UnknownSubcommand", 2, {"fitt"}, "", "did you mean 'fit'?"},
    {"UnknownOption", 2, fit_words({"--kernle", "rbf"}), kCounts, "did you mean '--kernel'?"},
    {"UnknownOptionWithValue", 2, fit_words({"--sead=3"}), kCounts, "did you mean '--seed'?"},
    {"NoData", 2, {"fit", "--target", "y"}, "", "DATA"},
    {"NoTarget", 2, {"fit", "-"}, kCounts, "--target"},
    {"NoValue", 2, fit_words({"--kernel"}), kCounts, "--kernel"},
    {"TwoTables", 2, {"fit", "a.csv", "b.csv", "--target", "y"}, "", "'b.csv'"},
    {"UnknownLikelihood", 2, fit_words({"--likelihood", "gausian"}), kCounts, "'gaussian'"},
    {"UnknownLink", 2, fit_words({"--likelihood", "poisson", "--link", "cube"}), kCounts, "cube"},
    {"UnknownInference", 2, fit_words({"--inference", "newton"}), kCounts, "laplace"},
    {"UnknownKernel", 2, fit_words({"--kernel", "rfb"}), kCounts, "rfb"},
    {"KernelParameter", 2, fit_words({"--kernel", "rbf(lenghtscale=2)"}), kCounts, "lengthscale"},
    {"KernelNan", 2, fit_words({"--kernel", "rbf(lengthscale=nan)"}), kCounts, "nan"},
    {"KernelNegative", 2, fit_words({"--kernel", "rbf(variance=-1)"}), kCounts, "-1"},
    {"UnknownMean", 2, fit_words({"--mean", "quadratic"}), kCounts, "quadratic"},
    {"BadRestarts", 2, fit_words({"--restarts", "many"}), kCounts, "--restarts: 'many'"},
    {"OctalSeed", 2, fit_words({"--seed", "0x10"}), kCounts, "--seed: '0x10'"},
    {"BadDispersion", 2, fit_words({"--dispersion", "-1"}), kCounts, "--dispersion"},
    {"NanDispersion", 2, fit_words({"--dispersion", "nan"}), kCounts, "--dispersion"},
    {"BadDf", 2, fit_words({"--df", "0"}), kCounts, "--df"},
    {"BadMemory", 2, fit_words({"--memory", "lots"}), kCounts, "--memory"},
    {"BadMissing", 2, fit_words({"--missing", "ignore"}), kCounts, "--missing"},
    {"LaplaceOfLaplace",
     2,
     fit_words({"--likelihood", "laplace", "--inference", "laplace"}),
     kCounts,
     "ep"},
    {"TargetIsInput", 2, fit_words({"--inputs", "x,y"}), kCounts, "'y'"},
    {"TargetIsOffset", 2, fit_words({"--offset", "y"}), kCounts, "'y'"},
    {"BinomialWithoutTrials", 2, fit_words({"--likelihood", "binomial"}), kCounts, "--trials"},
    {"TrialsOfPoisson",
     2,
     fit_words({"--likelihood", "poisson", "--trials", "x"}),
     "x,z,y\n1,1,1\n2,1,1\n",
     "--trials"},
    {"NoFile", 3, {"fit", "/nowhere/x.csv", "--target", "y"}, "", "/nowhere/x.csv"},
    {"Folder", 3, {"fit", "/tmp", "--target", "y"}, "", "/tmp"},
    {"Empty", 3, fit_words({}), "", "standard input"},
    {"HeaderOnly", 3, fit_words({}), "x,y\n", "standard input"},
    {"OneColumn", 3, fit_words({}), "y\n1\n2\n", "input"},
    {"UnknownTarget", 3, {"fit", "-", "--target", "z"}, kCounts, "'z'"},
    {"UnknownInput", 3, fit_words({"--inputs", "xx"}), kCounts, "'xx'"},
    {"NanInput", 3, fit_words({}), "x,y\n1,3\nnan,0\n", "row 2, column 'x'"},
    {"InfiniteInput", 3, fit_words({}), "x,y\n1,3\n1e999,0\n", "row 2, column 'x'"},
    {"EmptyTarget", 3, fit_words({}), "x,y\n1,3\n2,\n", "row 2, column 'y'"},
    {"NegativeCount",
     3,
     fit_words({"--likelihood", "poisson"}),
     "x,y\n1,3\n2,-2\n",
     "row 2, column 'y': -2"},
    {"BrokenCount",
     3,
     fit_words({"--likelihood", "poisson"}),
     "x,y\n1,3.0\n2,3.0000001\n",
     "row 2, column 'y': 3.0000001"},
    {"ZeroGamma",
     3,
     fit_words({"--likelihood", "gamma-shape"}),
     "x,y\n1,3\n2,0\n",
     "row 2, column 'y': 0"},
    {"MoreSuccessesThanTrials",
     3,
     fit_words({"--trials", "N"}),
     "x,N,y\n1,3,2\n2,3,4\n",
     "row 2, column 'y': 4"},
    {"NoTrials", 3, fit_words({"--trials", "N"}), "x,N,y\n1,3,2\n2,0,0\n", "row 2, column 'N': 0"},
    {"BrokenTrials",
     3,
     fit_words({"--trials", "N"}),
     "x,N,y\n1,3,2\n2,2.5,2\n",
     "row 2, column 'N': 2.5"},
    {"ZeroExposure",
     3,
     fit_words({"--likelihood", "poisson", "--exposure", "e"}),
     "x,e,y\n1,1,2\n2,0,2\n",
     "row 2, column 'e': 0"},
    {"TextTarget", 3, fit_words({}), "x,y\n1,a\n2,b\n3,c\n", "column 'y'"},
    {"ShortRow", 3, fit_words({}), "x,y\n1,2\n3\n", "row 2"},
    {"SameNames", 3, fit_words({}), "x,x,y\n1,2,3\n", "'x'"},
    {"OutputBelowAFile",
     3,
     fit_words({"--no-optimize", "-o", "/dev/null/m.ggpm"}),
     kCounts,
     "/dev/null/m.ggpm"},
    {"OutputIsAFolder", 3, fit_words({"--no-optimize", "-o", "/tmp"}), kCounts, "/tmp"},
    {"OutputIsFull", 3, fit_words({"--no-optimize", "-o", "/dev/full"}), kCounts, "/dev/full"},
    {"NoModel", 3, {"predict", "/nowhere/m.ggpm", "-"}, kCounts, "/nowhere/m.ggpm"},
    {"NoModelToShow", 3, {"show", "/nowhere/m.ggpm"}, "", "/nowhere/m.ggpm"},
    {"Overflow", 4, {"simulate", "--mean", "constant(5000)"}, "", "simulate"},
};

class Fails : public testing::TestWithParam<Failure> {};

TEST_P(Fails, WithItsCodeAndOneSentence) {
  const Failure& failure = GetParam();
  const auto result = run_command(failure.words, failure.input);
  EXPECT_EQ(result.exit_code, failure.code);
  EXPECT_EQ(result.out, "");
  std::string error = result.error;  // notes may come before
  while (error.starts_with("note: ")) error.erase(0, error.find('\n') + 1);
  EXPECT_THAT(error, testing::StartsWith("ggpm: "));
  EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 1) << error;
  EXPECT_LE(error.size(), 201U) << error;
  EXPECT_THAT(error, HasSubstr(failure.says));
}

INSTANTIATE_TEST_SUITE_P(Command, Fails, testing::ValuesIn(kFailures), [](const auto& test) {
  return test.param.name;
});

TEST(Fails, BrieflyEvenForLongNames) {
  const auto result = run_command({"fit", std::string(5000, 'a'), "--target", "y"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_LE(result.error.size(), 201U);
  EXPECT_THAT(result.error, HasSubstr("too long"));
}

TEST(Fails, OnNestedAndEndlessKernels) {
  std::string nested(1000, '(');
  nested += "rbf";
  nested.append(1000, ')');
  for (const std::string& kernel : {std::string(100000, '('), nested}) {
    const auto result = run_command(fit_words({"--kernel", kernel}), kCounts);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_LE(result.error.size(), 201U);
  }
}

TEST(Fails, WithoutObeyingWhatItRepeats) {
  const auto result = run_command(fit_words({"--inputs", "\x1b[2J\n\x07"}), kCounts);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(std::count_if(result.error.begin(),
                          result.error.end(),
                          [](char c) { return static_cast<unsigned char>(c) < 32; }),
            1);
}

}  // namespace
}  // namespace ggpm::internal
