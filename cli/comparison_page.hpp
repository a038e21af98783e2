// A comparison as a page.
#pragma once

#include <span>
#include <string>

#include "ggpm/study.hpp"
#include "report/page.hpp"

namespace ggpm::cli {

report::Page comparison_page(const Summary& summary,
                             std::span<const Trial> trials,
                             const std::string& target,
                             const std::string& heading);

}  // namespace ggpm::cli
