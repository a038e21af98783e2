// A reproduction in words: for the terminal, for docs/reproduction.md, as a page with plots.
#pragma once

#include <string>
#include <vector>

#include "experiments/reproduction.hpp"

namespace ggpm::paper {

// "yes" or "no"; empty where nothing is expected.
std::string verdict(const Cell& cell);

// Words of a row, in the order of kCellHeader.
extern const std::vector<std::string> kCellHeader;
std::vector<std::string> words_of(const Cell& cell);

// The same for tests; ranks and p in one cell.
extern const std::vector<std::string> kTestHeader;
std::vector<std::string> words_of(const RankTest& test);

std::string agreement_line(const Reproduction& result);  // "76 of 90 figures agree (84 %); ..."
std::string cells_csv(const Reproduction& result);
std::string tests_csv(const Reproduction& result);
// One line for each experiment, the header first: what came out, with which options, how long.
std::vector<std::vector<std::string>> summary(const std::vector<Reproduction>& results);
std::string markdown_table(const std::vector<std::vector<std::string>>& rows);
std::string as_markdown(const Reproduction& result);  // a section of docs/reproduction.md
std::string as_page(const Reproduction& result);      // HTML

}  // namespace ggpm::paper
