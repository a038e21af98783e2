// --json against the schemas of docs/schema, by an independent validator.
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/process.hpp"

namespace ggpm::internal {
namespace {

using testing_support::Shell;

const std::string kValidate =
    "/usr/bin/python3 -c 'import json, sys, jsonschema; "
    "jsonschema.validate(json.load(sys.stdin), json.load(open(sys.argv[1])))' ";

TEST(Schema, HoldsForEveryJsonThatIsPrinted) {
  const Shell shell;
  const std::string schemas =
      (std::filesystem::path(GGPM_GOLDEN_DIR).parent_path().parent_path() / "docs" / "schema")
          .string();
  const std::string fit = "ggpm fit examples/counts.csv --target n --restarts 2 --json ";
  for (const auto& [command, schema] : std::vector<std::pair<std::string, std::string>>{
           {fit + "--likelihood poisson -o m.ggpm", "fit"},
           {fit + "--likelihood student-t --learn-df --kernel 'rbf + linear' --mean linear", "fit"},
           {fit + "--likelihood negative-binomial --no-optimize --check-gradient", "fit"},
           {fit + "--warp tanh:2", "fit"},
           {fit + "--likelihood gaussian", "fit"},
           {"ggpm show m.ggpm --json", "fit"},
           {"ggpm score m.ggpm examples/counts.csv --json", "score"},
           {"ggpm diagnose m.ggpm --all --draws 200 --json", "diagnose"},
           {"ggpm likelihoods --json", "likelihoods"},
           {"ggpm kernels --json", "kernels"},
           {"ggpm inferences --json", "inferences"},
           {"ggpm options --json", "options"}}) {
    const auto result = shell.run("set -o pipefail; { " + command + "; } | " + kValidate + "'" +
                                  schemas + "/" + schema + ".json'");
    EXPECT_EQ(result.exit_code, 0) << command << "\n" << result.error;
  }
}

}  // namespace
}  // namespace ggpm::internal
