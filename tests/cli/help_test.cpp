// The help texts: their examples work, and the completion offers what they show.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "cli/process.hpp"

namespace ggpm::internal {
namespace {

using testing::HasSubstr;
using testing_support::run_command;
using testing_support::Shell;

const std::vector<std::string> kSubcommands = {"fit",
                                               "predict",
                                               "score",
                                               "show",
                                               "simulate",
                                               "describe",
                                               "likelihoods",
                                               "kernels",
                                               "inferences",
                                               "options",
                                               "report",
                                               "diagnose"};

// Lines behind "Examples:" that begin with "  ggpm", with their continuations.
std::vector<std::string> examples_of(const std::string& help) {
  std::vector<std::string> examples;
  std::istringstream lines(help.substr(help.find("Examples:")));
  bool continues = false;
  for (std::string line; std::getline(lines, line);) {
    if (continues)
      examples.back() += "\n" + line;
    else if (line.starts_with("  ggpm"))
      examples.push_back(line);
    else
      continue;
    continues = line.ends_with("\\");
  }
  return examples;
}

class Help : public testing::TestWithParam<std::string> {};

TEST_P(Help, HasExamplesThatWork) {
  const auto help = run_command({GetParam(), "--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_EQ(help.error, "");
  const std::vector<std::string> examples = examples_of(help.out);
  EXPECT_FALSE(examples.empty());
  const Shell shell;
  for (const std::string& example : examples) {
    const auto result = shell.run("set -e -o pipefail; " + example);
    EXPECT_EQ(result.exit_code, 0) << example << "\n" << result.error;
    EXPECT_TRUE(!result.out.empty() || example.find(" -o ") != std::string::npos) << example;
  }
}

INSTANTIATE_TEST_SUITE_P(Every, Help, testing::ValuesIn(kSubcommands), [](const auto& test) {
  return test.param;
});

TEST(Help, OfTheCommandListsTheSubcommandsAndExitCodes) {
  const auto help = run_command({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const std::string& name : kSubcommands) EXPECT_THAT(help.out, HasSubstr("\n  " + name));
  EXPECT_THAT(help.out, HasSubstr("Exit codes"));
  const Shell shell;
  for (const std::string& example : examples_of(help.out))
    EXPECT_EQ(shell.run(example).exit_code, 0) << example;
}

TEST(Completion, OffersSubcommandsOptionsNamesAndColumns) {
  const std::string script = (std::filesystem::path(GGPM_GOLDEN_DIR).parent_path().parent_path() /
                              "completions" / "ggpm.bash")
                                 .string();
  const Shell shell;
  const auto offered = [&](const std::string& words, int at) {
    return shell
        .run("source '" + script + "'; COMP_WORDS=(" + words + "); COMP_CWORD=" +
             std::to_string(at) + "; _ggpm 2>/dev/null; printf '%s\\n' \"${COMPREPLY[@]}\"")
        .out;
  };
  EXPECT_EQ(offered("ggpm pre", 1), "predict\n");
  EXPECT_EQ(offered("ggpm fit --restar", 2), "--restarts\n");
  EXPECT_EQ(offered("ggpm fit --likelihood inv", 3), "inverse-gaussian\n");
  EXPECT_EQ(offered("ggpm fit --kernel per", 3), "periodic\n");
  EXPECT_EQ(offered("ggpm fit --inference l", 3), "laplace\n");
  EXPECT_EQ(offered("ggpm fit --expansion ca", 3), "canonical\n");
  EXPECT_EQ(offered("ggpm fit --mean con", 3), "constant\n");
  EXPECT_EQ(offered("ggpm fit --likelihood linear-p", 3), "linear-poisson\n");
  EXPECT_EQ(offered("ggpm fit examples/counts.csv --target n", 4), "n\n");
  EXPECT_EQ(offered("ggpm fit exam", 2), "examples\n");
}

}  // namespace
}  // namespace ggpm::internal
