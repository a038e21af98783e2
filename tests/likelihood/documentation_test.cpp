// docs/likelihoods.md says what the program does.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "ggpm/likelihood.hpp"

namespace ggpm {
namespace {

std::string page() {
  std::ifstream file(GGPM_GOLDEN_DIR "/../../docs/likelihoods.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(LikelihoodPage, HasEveryFamilyWithItsLinksInOrder) {
  const std::string text = page();
  for (const LikelihoodInfo& info : likelihood_table()) {
    const std::size_t start = text.find("\n| `" + info.name + "` |");
    ASSERT_NE(start, std::string::npos) << info.name;
    const std::string row = text.substr(start, text.find('\n', start + 1) - start);
    std::string links;
    for (const std::string& link : info.links) {
      links += (links.empty() ? "`" : ", `") + link + "`";
    }
    EXPECT_NE(row.find("| " + links + " |"), std::string::npos) << row;
    EXPECT_EQ(row.find("| –") == std::string::npos, !info.dispersion.empty()) << row;
  }
}

TEST(LikelihoodPage, ItsFormulasAreLikelihoods) {
  const std::string text = page();
  int formulas = 0;
  for (std::size_t at = text.find("```toml\n"); at != std::string::npos;
       at = text.find("```toml\n", at + 1)) {
    const std::size_t start = at + 8;
    const std::string formula = text.substr(start, text.find("```", start) - start);
    EXPECT_NO_THROW(make_likelihood(formula)) << formula;
    ++formulas;
  }
  EXPECT_GE(formulas, 4);
}

}  // namespace
}  // namespace ggpm
