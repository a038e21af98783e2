// Center and scale of a column: stored with the model, applied to new rows.
#pragma once

#include <span>

namespace ggpm::internal::data {

struct Standardization {
  double center = 0;
  double scale = 1;
  bool constant = false;  // then the scale is 1
};

// Mean and standard deviation (divided by n) of finite numbers, for any magnitude: neither 1e308
// beside -1e308 nor 1e-300 beside 0 leaves the range, and an offset of 1e15 costs no digits.
Standardization standardization(std::span<const double> x);

// (x - center) / scale, also where x - center is beyond the range of double.
double standardized(double x, double center, double scale);

}  // namespace ggpm::internal::data
