// The docs say what the tables of the library say: options, inference methods, families by domain.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "ggpm/choose.hpp"
#include "ggpm/inference.hpp"
#include "ggpm/options.hpp"

namespace ggpm {
namespace {

using testing::HasSubstr;

std::string page(const std::string& name) {
  std::ifstream file(GGPM_GOLDEN_DIR "/../../docs/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// | `--max-evaluations N` | `max_evaluations` | 200 | Of the log marginal, in each run |
std::string options_table() {
  std::string out = "| command | Python, C++ | default | |\n|---|---|---|---|\n";
  for (const OptionInfo& option : fit_options()) {
    std::string words = option.name;
    std::replace(words.begin(), words.end(), '_', '-');
    if (option.fallback == "true") words = "no-" + words;
    std::string value = option.value.empty() ? "" : " " + option.value;
    for (std::size_t at = value.find('|'); at != std::string::npos; at = value.find('|', at + 2))
      value.insert(at, "\\");
    out += fmt::format(
        "| `--{}{}` | `{}` | {} | {} |\n", words, value, option.name, option.fallback, option.help);
  }
  return out;
}

TEST(OptionsPage, HasTheTableOfTheLibrary) {
  EXPECT_THAT(page("options.md"), HasSubstr("\n" + options_table() + "\n"))
      << "docs/options.md should have:\n"
      << options_table();
}

TEST(OptionsPage, HasTheMethodsOfTheLibrary) {
  std::string table = "| method | | needs |\n|---|---|---|\n";
  for (const InferenceInfo& info : inference_table())
    table += fmt::format("| `{}` | {} | {} |\n", info.name, info.title, info.needs);
  EXPECT_THAT(page("options.md"), HasSubstr("\n" + table + "\n")) << table;
  for (const InferenceInfo& info : inference_table())
    EXPECT_THAT(page("concepts.md"), HasSubstr(fmt::format("\n| `{}` |", info.name)));
}

TEST(OptionsPage, IsWhereTheOtherPagesPointTo) {
  for (const char* name : {"command.md", "python.md", "README.md"})
    EXPECT_THAT(page(name), HasSubstr("(options.md)")) << name;
}

TEST(CommandPage, HasTheFamiliesOfEveryDomain) {
  const std::string text = page("command.md");
  for (const LikelihoodInfo& info : likelihood_table())
    EXPECT_THAT(text,
                HasSubstr(fmt::format("| `{}` |\n",
                                      fmt::join(automatic_likelihoods(info.domain), "`, `"))));
}

}  // namespace
}  // namespace ggpm
