// Centre and scale of a column: stored with the model, applied to new rows.
#pragma once

#include <span>

namespace ggpm::data {

struct Standardisation {
  double centre = 0;
  double scale = 1;
  bool constant = false;  // then the scale is 1
};

// Mean and standard deviation (divided by n) of finite numbers, for any magnitude: neither 1e308
// beside -1e308 nor 1e-300 beside 0 leaves the range, and an offset of 1e15 costs no digits.
Standardisation standardisation(std::span<const double> x);

// (x - centre) / scale, also where x - centre is beyond the range of double.
double standardised(double x, double centre, double scale);

}  // namespace ggpm::data
