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

std::string comparison_text(const Summary& summary, std::size_t splits, Index train);
nlohmann::ordered_json comparison_json(const Summary& summary, std::span<const Trial> trials);
std::string trials_csv(std::span<const Trial> trials, CsvText text = CsvText::as_it_is);

}  // namespace ggpm::cli
