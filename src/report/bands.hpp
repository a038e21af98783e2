// A curve with nested bands, along numbers or over the levels of a text.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "report/subject.hpp"

namespace ggpm::internal::report {

inline constexpr std::array<double, 3> kBandLevels = {0.95, 0.8, 0.5};

// quantile(p) of everything that is to be drawn, one number for each place.
using Quantiles = std::function<std::vector<double>(double p)>;

void add_bands(Chart& chart,
               const Input& input,
               const std::vector<double>& places,
               const Quantiles& quantile,
               const std::vector<double>& middle,
               const std::string& middle_name);

// Title and categories of an input.
Axis axis_of(const Input& input);

}  // namespace ggpm::internal::report
