// A reproduction in words: for the terminal, for docs/reproduction.md, as a page with plots.
#pragma once

#include <string>
#include <vector>

#include "experiments/reproduction.hpp"

namespace ggpm::paper {

// "yes" or "no"; empty where nothing is expected.
std::string verdict(const Cell& cell);

// A header and a row for each figure of the paper. Where it has several columns of ours, they stand
// side by side with the difference in standard errors; a figure within the tolerance has a star.
std::vector<std::vector<std::string>> cell_table(const std::vector<Cell>& cells);
std::string figure(double value, double sd);  // "1.1 ± 0.2"

// Of every table and column: how many figures are near, and on which side.
std::vector<std::vector<std::string>> share_table(const std::vector<Cell>& cells);
std::string share_of(int part, int whole);  // "12 of 30 (40 %)"; empty: of nothing

// The same for tests; ranks and p in one cell.
std::vector<std::vector<std::string>> test_table(const std::vector<RankTest>& tests);

std::string agreement_line(const Reproduction& result);  // "76 of 90 figures agree (84 %); ..."
std::string cells_csv(const Reproduction& result);
std::string tests_csv(const Reproduction& result);
std::string markdown_table(const std::vector<std::vector<std::string>>& rows);
std::string as_markdown(const Reproduction& result);  // a page of docs/reproduction/
std::string picture_name(const Reproduction& result, const report::Chart& chart);  // beside it
std::string as_svg(const report::Chart& chart);
std::string as_page(const Reproduction& result);  // HTML

}  // namespace ggpm::paper
