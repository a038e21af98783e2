// The example at the top of ggpm/model.hpp is the code below, line by line.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "ggpm/model.hpp"
#include "support/files.hpp"

namespace ggpm {
namespace {

// The lines of a file that begin with `prefix`, without it.
std::vector<std::string> lines_with(const std::string& path, const std::string& prefix) {
  std::ifstream file(path);
  std::vector<std::string> out;
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(prefix)) out.push_back(line.substr(prefix.size()));
  return out;
}

TEST(ModelHeader, HasAnExampleThatRuns) {
  const testing_support::TemporaryFolder scratch;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(scratch.path());
  Matrix X(5, 1), Z(2, 1);
  X << 0, 1, 2, 3, 4;
  Z << 1.5, 3.5;
  Vector y(5);
  y << 0, 2, 1, 4, 6;
  // clang-format off
  Dataset data{.X = X, .observed = {.y = y}};
  GeneralizedGP model = GeneralizedGP::fit(data, {.likelihood = "poisson", .kernel = "rbf"});
  Predictions p = model.predictive({.X = Z});
  Vector rate = p.mean(), highest = p.quantile(0.975);
  save_model({.model = model}, "counts.ggpm");
  SavedModel again = load_model("counts.ggpm");
  // clang-format on
  std::filesystem::current_path(before);
  EXPECT_LT(rate(0), rate(1));
  EXPECT_TRUE((highest.array() > rate.array()).all());
  EXPECT_EQ(again.model.predictive({.X = Z}).mean(), rate);

  const std::vector<std::string> example =
      lines_with(GGPM_GOLDEN_DIR "/../../include/ggpm/model.hpp", "//   ");
  const std::vector<std::string> code = lines_with(__FILE__, "  ");
  ASSERT_GE(example.size(), 6U);
  for (const std::string& line : example)
    EXPECT_NE(std::find(code.begin(), code.end(), line), code.end()) << line;
}

}  // namespace
}  // namespace ggpm
