#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/process.hpp"

namespace ggpm {
namespace {

using testing::HasSubstr;
using testing_support::Shell;

TEST(Diagnose, PrintsAVerdictAndWritesTheDraws) {
  const Shell shell;
  ASSERT_EQ(shell
                .run("ggpm fit examples/counts.csv --target n --likelihood poisson --inference "
                     "laplace --restarts 0 --quiet -o m.ggpm")
                .exit_code,
            0);
  const auto result = shell.run("ggpm diagnose m.ggpm --draws 300 --draws-file draws.csv --quiet");
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(result.out, HasSubstr("Laplace puts"));
  EXPECT_THAT(result.out, HasSubstr("\nlaplace "));
  const std::string draws = shell.run("cat draws.csv").out;
  EXPECT_THAT(draws, testing::StartsWith("chain,draw,latent1,latent2,"));
  EXPECT_EQ(std::count(draws.begin(), draws.end(), '\n'), 1 + 4 * 300);
  const auto again = shell.run("ggpm diagnose m.ggpm --draws 300 --threads 2 --quiet");
  EXPECT_EQ(again.out, result.out);
}

TEST(Diagnose, RefusesBadUseWithASentence) {
  const Shell shell;
  for (const auto& [arguments, words] :
       std::vector<std::pair<std::string, std::string>>{{"m.ggpm --draws 2", "--draws"},
                                                        {"m.ggpm --chains 1", "--chains"},
                                                        {"m.ggpm --seconds 0", "--seconds"},
                                                        {"", "MODEL"}}) {
    const auto result = shell.run("ggpm diagnose " + arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    EXPECT_THAT(result.error, HasSubstr(words));
  }
  EXPECT_EQ(shell.run("ggpm diagnose missing.ggpm").exit_code, 3);
}

}  // namespace
}  // namespace ggpm
