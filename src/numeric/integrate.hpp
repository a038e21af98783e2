// One-dimensional integrals of several functions at once, to a stated accuracy.
//
// The integrand is asked for many points in one call, so that a likelihood can evaluate them in a
// loop without a virtual call each, and writes K numbers for each point.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace ggpm::internal::numeric {

inline constexpr std::size_t kNodes = 64;  // the most points asked for in one call

// Values of K functions at up to kNodes points.
template <std::size_t K>
using Values = std::array<std::array<double, K>, kNodes>;

template <std::size_t K>
struct Integral {
  std::array<double, K> value{};
  std::array<double, K>
      magnitude{};  // integral of the absolute values: the scale of rounding errors
  bool converged = false;
};

// Nodes and weights of the 10-point Gauss and 21-point Kronrod rules on [-1, 1], from Boost.
struct KronrodRule {
  static constexpr std::size_t size = 21;
  std::array<double, size> node, kronrod, gauss;
};
const KronrodRule& kronrod21();

// Trapezoidal rule on [low, high], halved until two rules agree to `tolerance` relative to the
// magnitude. For an analytic integrand that has died out at both ends it converges faster than any
// power of the step; `converged` is false where it is not of that kind.
template <std::size_t K, class F>
Integral<K> trapezoid(
    const F& f, double low, double high, double tolerance, std::size_t most = 256) {
  Integral<K> out;
  Values<K> values;
  std::array<double, kNodes> x;
  std::array<double, K> sum{}, magnitude{};
  // Over 17 standard deviations of a Gaussian the first rule is right to 1e-12 already, so that the
  // second only has to say so.
  std::size_t intervals = 24;
  const auto add = [&](double start, double step, std::size_t count) {
    while (count > 0) {
      const std::size_t batch = std::min(count, kNodes);
      for (std::size_t i = 0; i < batch; ++i) x[i] = start + step * static_cast<double>(i);
      f(std::span<const double>(x.data(), batch), values);
      for (std::size_t i = 0; i < batch; ++i) {
        for (std::size_t k = 0; k < K; ++k) {
          sum[k] += values[i][k];
          magnitude[k] += std::abs(values[i][k]);
        }
      }
      start += step * static_cast<double>(batch);
      count -= batch;
    }
  };
  double step = (high - low) / static_cast<double>(intervals);
  add(low + step, step, intervals - 1);
  for (;;) {
    std::array<double, K> previous;
    for (std::size_t k = 0; k < K; ++k) previous[k] = sum[k] * step;
    add(low + step / 2, step, intervals);
    intervals *= 2;
    step /= 2;
    out.converged = true;
    for (std::size_t k = 0; k < K; ++k) {
      out.value[k] = sum[k] * step;
      out.magnitude[k] = magnitude[k] * step;
      // The error falls at least quadratically from one rule to the next.
      const double change = std::abs(out.value[k] - previous[k]) / out.magnitude[k];
      if (out.magnitude[k] != 0 && !(change < tolerance)) out.converged = false;
    }
    if (out.converged || intervals >= most) return out;
  }
}

// The intervals of adaptive(), and what they add up to.
template <std::size_t K, class F>
class Panels {
  struct Panel {
    double low, high;
    std::array<double, K> value, magnitude, errors;
  };

 public:
  explicit Panels(const F& f) : f_(f) {}

  bool full() const { return count_ == kMost; }
  std::size_t size() const { return count_; }
  const Integral<K>& sum() const { return sum_; }
  double worst_error() const { return worst_error_; }  // of a panel, relative to the magnitude
  double error() const { return error_; }              // of all panels

  void add(double low, double high) { panels_[count_++] = measure(low, high); }

  // False where the worst panel is between neighboring doubles.
  bool split() {
    const double low = panels_[worst_].low, high = panels_[worst_].high;
    const double middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) return false;
    panels_[worst_] = measure(low, middle);
    add(middle, high);
    return true;
  }

  void judge() {
    sum_ = {};
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t k = 0; k < K; ++k) {
        sum_.value[k] += panels_[i].value[k];
        sum_.magnitude[k] += panels_[i].magnitude[k];
      }
    }
    worst_error_ = -1;
    error_ = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const double error = relative_error(panels_[i]);
      error_ += error;
      if (error <= worst_error_) continue;
      worst_error_ = error;
      worst_ = i;
    }
  }

 private:
  static constexpr std::size_t kMost = 192;

  // Of the worst component; infinite if it is no number.
  double relative_error(const Panel& panel) const {
    double worst = 0;
    for (std::size_t k = 0; k < K; ++k) {
      if (sum_.magnitude[k] == 0) continue;
      const double relative = panel.errors[k] / sum_.magnitude[k];
      worst = std::max(worst,
                       std::isnan(relative) ? std::numeric_limits<double>::infinity() : relative);
    }
    return worst;
  }

  Panel measure(double low, double high) {
    const KronrodRule& rule = kronrod21();
    Panel panel{low, high, {}, {}, {}};
    const double half = (high - low) / 2;
    const double center = low + half;
    for (std::size_t i = 0; i < rule.size; ++i) x_[i] = center + half * rule.node[i];
    f_(std::span<const double>(x_.data(), rule.size), values_);
    for (std::size_t k = 0; k < K; ++k) {
      double gauss = 0;
      for (std::size_t i = 0; i < rule.size; ++i) {
        panel.value[k] += rule.kronrod[i] * values_[i][k] * half;
        panel.magnitude[k] += rule.kronrod[i] * std::abs(values_[i][k]) * half;
        gauss += rule.gauss[i] * values_[i][k] * half;
      }
      panel.errors[k] = std::abs(panel.value[k] - gauss);
    }
    return panel;
  }

  const F& f_;
  std::array<Panel, kMost> panels_;
  std::size_t count_ = 0, worst_ = 0;
  double worst_error_ = -1, error_ = 0;
  Integral<K> sum_;
  Values<K> values_;
  std::array<double, kNodes> x_;
};

// Adaptive Gauss-Kronrod on [points.front(), points.back()], bisected where it is needed; `points`
// (increasing) should contain whatever a first look could miss, such as narrow peaks.
//
// Bisecting makes the errors of whatever has a shape fall, those of a jump to half each time. Those
// of noise only move to more panels: where twice as many have not halved their sum, more of them
// tell nothing, and what there is is as good as it gets.
template <std::size_t K, class F>
Integral<K> adaptive(const F& f, std::span<const double> points, double tolerance) {
  constexpr std::size_t kFirstLook = 8;
  Panels<K, F> panels(f);
  for (std::size_t i = 0; i + 1 < points.size() && !panels.full(); ++i)
    if (points[i + 1] > points[i]) panels.add(points[i], points[i + 1]);
  std::size_t look = std::max(kFirstLook, panels.size());
  double before = std::numeric_limits<double>::quiet_NaN();  // the errors when there were half
  for (;;) {
    panels.judge();
    Integral<K> out = panels.sum();
    // |Kronrod - Gauss| is far above the error of the Kronrod rule itself.
    out.converged = panels.worst_error() <= tolerance;
    if (out.converged || panels.full()) return out;
    if (panels.size() == look) {
      if (panels.error() > before / 2 || before == std::numeric_limits<double>::infinity())
        return out;
      before = panels.error();
      look *= 2;
    }
    if (!panels.split()) return out;
  }
}

}  // namespace ggpm::internal::numeric
