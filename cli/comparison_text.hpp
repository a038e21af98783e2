// A comparison as a table for a person, as JSON and as CSV.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "ggpm/data.hpp"
#include "ggpm/study.hpp"

namespace ggpm::cli {

// Columns as wide as their widest cell; the first is left-aligned.
std::string aligned_table(std::vector<std::vector<std::string>> rows);

std::string trial_line(const Trial& trial,
                       std::size_t count,
                       std::size_t total,
                       std::size_t splits);

// The parts of what a person sees: a header and a row for each candidate; fits that failed; who is
// as good as the best, by the pairwise tests (candidate, ranks, p, p after Holm); the Friedman
// test.
std::string comparison_heading(std::size_t splits, Index train);
std::vector<std::vector<std::string>> comparison_table(const Summary& summary);
std::vector<std::string> failure_lines(const Summary& summary);
std::vector<std::vector<std::string>> pairs_table(const Summary& summary);
std::string friedman_line(std::string_view score, const Friedman& test);

std::string comparison_text(const Summary& summary, std::size_t splits, Index train);
nlohmann::ordered_json comparison_json(const Summary& summary, std::span<const Trial> trials);
std::string trials_csv(std::span<const Trial> trials, CsvText text = CsvText::as_it_is);

}  // namespace ggpm::cli
