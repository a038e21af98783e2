#include "data/standardize.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ggpm::internal::data {

// Works with differences to the first value, divided by four (a power of two is exact, and two
// numbers a quarter as large cannot overflow) and then by the largest of them: |d| <= 1.
//   center = x_0 + 4 largest mean(d),   scale = 4 largest sqrt(mean((d - mean(d))^2))
Standardization standardization(std::span<const double> x) {
  if (x.empty()) return {.constant = true};
  const double first = x[0];
  // Numbers near the lower end of the range would lose bits by the division: leave those alone.
  double magnitude = 0;
  for (const double value : x) magnitude = std::max(magnitude, std::abs(value));
  const double quarter = magnitude > 1 ? 0.25 : 1;
  double largest = 0;
  for (const double value : x)
    largest = std::max(largest, std::abs(value * quarter - first * quarter));
  if (largest == 0) return {.center = first, .scale = 1, .constant = true};

  const auto n = static_cast<double>(x.size());
  const auto difference = [&](double value) {
    return (value * quarter - first * quarter) / largest;
  };
  double sum = 0;
  for (const double value : x) sum += difference(value);
  const double mean = sum / n;
  double squares = 0;
  for (const double value : x) {
    const double centered = difference(value) - mean;
    squares += centered * centered;
  }
  Standardization result;
  result.center = (first * quarter + largest * mean) / quarter;
  result.scale = largest * std::sqrt(squares / n) / quarter;
  // The spread of 0 and 5e-324 is below the smallest double.
  if (result.scale < std::numeric_limits<double>::min())
    return {.center = first, .scale = 1, .constant = true};
  return result;
}

double standardized(double x, double center, double scale) {
  const double difference = x - center;
  if (std::isfinite(difference)) return difference / scale;
  return (x * 0.25 - center * 0.25) / scale * 4;
}

}  // namespace ggpm::internal::data
