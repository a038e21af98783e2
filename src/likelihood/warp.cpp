#include "likelihood/warp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace ggpm::internal {
namespace {

constexpr double kLargestShift = 10;  // of a step, in standard deviations of y

double log1p_exp(double x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

// log(1 - tanh(x)^2) without overflow.
double log_sech2(double x) {
  const double a = std::abs(x);
  return 2 * (std::log(2.0) - a - std::log1p(std::exp(-2 * a)));
}

}  // namespace

Warp Warp::parse(std::string_view text) {
  Warp warp;
  warp.text_ = std::string(text);
  if (text == "log") {
    warp.kind_ = Kind::log;
  } else if (text == "logit") {
    warp.kind_ = Kind::logit;
  } else if (text == "arctanh") {
    warp.kind_ = Kind::arctanh;
  } else if (text.starts_with("tanh:")) {
    int steps = 0;
    const auto [end, error] = std::from_chars(text.data() + 5, text.data() + text.size(), steps);
    if (error != std::errc() || end != text.data() + text.size() || steps < 1 || steps > kMostSteps)
      throw UsageError(fmt::format(
          "warp '{}': the number of steps is a whole number from 1 to {}", text, kMostSteps));
    warp.kind_ = Kind::tanh;
    for (int i = 0; i < steps; ++i) {
      const double place = (i + 1.0) / (steps + 1.0);  // spread between -1.5 and 1.5 deviations
      warp.values_.insert(warp.values_.end(), {0.3, 1, 3 * (0.5 - place)});
    }
  } else {
    throw UsageError(
        fmt::format("unknown warp '{}'; there are log, logit, arctanh and tanh:3", text));
  }
  return warp;
}

Domain Warp::domain() const {
  switch (kind_) {
    case Kind::log:
      return Domain::positive;
    case Kind::logit:
    case Kind::arctanh:
      return Domain::proportion;
    case Kind::tanh:
      break;
  }
  return Domain::real;
}

bool Warp::contains(double y) const {
  if (!std::isfinite(y)) return false;
  switch (domain()) {
    case Domain::positive:
      return y > 0;
    case Domain::proportion:
      return y > 0 && y < 1;
    default:
      return true;
  }
}

Warp Warp::suited_to(std::span<const Row> rows) const {
  if (kind_ != Kind::tanh || rows.empty()) return *this;
  double mean = 0, square = 0, largest = 0;
  for (const Row& row : rows) largest = std::max(largest, std::abs(row.y));
  if (largest == 0) return *this;
  const auto n = static_cast<double>(rows.size());
  for (const Row& row : rows) mean += row.y / largest / n;
  for (const Row& row : rows) square += std::pow(row.y / largest - mean, 2) / n;
  // Equal outputs have no spread to measure in; their size will do.
  const double spread = square > 1e-24 ? std::sqrt(square) : 1;
  return with_constants(mean * largest, spread * largest);
}

Warp Warp::with_constants(double center, double scale) const {
  if (!std::isfinite(center) || !(scale > 0) || std::isinf(scale))
    throw DataError(
        fmt::format("warp '{}': center {} and scale {} are impossible", text_, center, scale));
  Warp warp = *this;
  warp.center_ = center;
  warp.scale_ = scale;
  return warp;
}

std::vector<Parameter> Warp::parameters() const {
  std::vector<Parameter> out;
  for (std::size_t i = 0; i + 2 < values_.size(); i += 3) {
    const auto add = [&](char letter, double value, bool positive, double lower, double upper) {
      const std::string list = fmt::format("warp.{}", letter);
      out.push_back({.name = fmt::format("{}[{}]", list, i / 3 + 1),
                     .value = value,
                     .positive = positive,
                     .lower = lower,
                     .upper = upper,
                     .role = Role::warp,
                     .list = list});
    };
    add('a', values_[i], true, 1e-4, 1e3);
    add('b', values_[i + 1], true, 1e-2, 50);
    add('c', values_[i + 2], false, -kLargestShift, kLargestShift);
  }
  return out;
}

Warp Warp::with_values(std::span<const double> values) const {
  if (values.size() != values_.size())
    throw UsageError(
        fmt::format("warp '{}' has {} parameters, not {}", text_, values_.size(), values.size()));
  Warp warp = *this;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i]) || (i % 3 != 2 && !(values[i] > 0)))
      throw UsageError(
          fmt::format("warp '{}': parameter {} cannot be {}", text_, i + 1, values[i]));
    warp.values_[i] = values[i];
  }
  return warp;
}

Warp::Point Warp::at(double y) const {
  switch (kind_) {
    case Kind::log:
      return {std::log(y), -std::log(y)};
    case Kind::logit:
      return {std::log(y) - std::log1p(-y), -std::log(y) - std::log1p(-y)};
    case Kind::arctanh:
      return {(std::log(y) - std::log1p(-y)) / 2, -std::log(y) - std::log1p(-y) - std::log(2.0)};
    case Kind::tanh:
      break;
  }
  const double s = (y - center_) / scale_;
  double z = s, slope = 1;
  for (std::size_t i = 0; i < values_.size(); i += 3) {
    const double x = values_[i + 1] * (s + values_[i + 2]);
    z += values_[i] * std::tanh(x);
    slope += values_[i] * values_[i + 1] * std::exp(log_sech2(x));
  }
  return {z, std::log(slope) - std::log(scale_)};
}

void Warp::derivatives(double y, std::span<double> dz, std::span<double> dlog_slope) const {
  const double s = (y - center_) / scale_;
  double slope = 1;
  for (std::size_t i = 0; i < values_.size(); i += 3) {
    const double a = values_[i], b = values_[i + 1], shifted = s + values_[i + 2];
    const double t = std::tanh(b * shifted), sech2 = std::exp(log_sech2(b * shifted));
    slope += a * b * sech2;
    dz[i] = t;
    dz[i + 1] = a * sech2 * shifted;
    dz[i + 2] = a * sech2 * b;
    dlog_slope[i] = b * sech2;
    dlog_slope[i + 1] = a * sech2 * (1 - 2 * b * t * shifted);
    dlog_slope[i + 2] = -2 * a * b * b * t * sech2;
  }
  for (std::size_t i = 0; i < values_.size(); ++i) dlog_slope[i] /= slope;
}

double Warp::inverse(double z) const {
  switch (kind_) {
    case Kind::log:
      return std::exp(z);
    case Kind::logit:
      return std::exp(-log1p_exp(-z));
    case Kind::arctanh:
      return std::exp(-log1p_exp(-2 * z));
    case Kind::tanh:
      break;
  }
  // s + (something between -A and A) = z, A the sum of the a: a bracket. Newton inside it.
  double total = 0;
  for (std::size_t i = 0; i < values_.size(); i += 3) total += values_[i];
  double low = z - total, high = z + total, s = z;
  for (int step = 0; step < 200; ++step) {
    const Point p = at(center_ + scale_ * s);
    (p.z > z ? high : low) = s;
    double next = s - (p.z - z) / std::exp(p.log_slope + std::log(scale_));
    if (!(next > low && next < high)) next = low + (high - low) / 2;
    if (std::abs(next - s) <= 4 * std::numeric_limits<double>::epsilon() * (std::abs(s) + 1e-300) ||
        next == low || next == high) {
      s = next;
      break;
    }
    s = next;
  }
  return center_ + scale_ * s;
}

std::vector<double> Warp::bends() const {
  constexpr double kWide = 3;  // there tanh is 0.995
  std::vector<double> out;
  for (std::size_t i = 0; i < values_.size(); i += 3)
    for (const double x : {-kWide, 0.0, kWide})
      out.push_back(center_ + scale_ * (x / values_[i + 1] - values_[i + 2]));
  return out;
}

}  // namespace ggpm::internal
