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

// Adaptive Gauss-Kronrod on [points.front(), points.back()], bisected where it is needed; `points`
// (increasing) should contain whatever a first look could miss, such as narrow peaks.
template <std::size_t K, class F>
Integral<K> adaptive(const F& f, std::span<const double> points, double tolerance) {
  struct Panel {
    double low, high, error;  // error: worst component, relative to the magnitude of the first look
    std::array<double, K> value, magnitude, errors;
  };
  constexpr std::size_t kMaxPanels = 192;
  constexpr double kUnknown = std::numeric_limits<double>::infinity();  // the error of no number
  std::array<Panel, kMaxPanels> panels;
  std::size_t count = 0;
  const KronrodRule& rule = kronrod21();
  Values<K> values;
  std::array<double, kNodes> x;
  const auto measure = [&](double low, double high) {
    Panel panel{low, high, 0, {}, {}, {}};
    const double half = (high - low) / 2;
    const double center = low + half;
    for (std::size_t i = 0; i < rule.size; ++i) x[i] = center + half * rule.node[i];
    f(std::span<const double>(x.data(), rule.size), values);
    for (std::size_t k = 0; k < K; ++k) {
      double gauss = 0;
      for (std::size_t i = 0; i < rule.size; ++i) {
        panel.value[k] += rule.kronrod[i] * values[i][k] * half;
        panel.magnitude[k] += rule.kronrod[i] * std::abs(values[i][k]) * half;
        gauss += rule.gauss[i] * values[i][k] * half;
      }
      panel.errors[k] = std::abs(panel.value[k] - gauss);
    }
    return panel;
  };
  // Halves that agree with their whole and differ from the Gauss rule by as much as it does: that is
  // rounding, which no further halves make smaller (QUADPACK's test of roundoff). Near a corner an
  // estimate may fail to fall once, so that agreement means the digits that integrals promise.
  const auto settle = [](const Panel& whole, Panel& left, Panel& right) {
    constexpr double kAgree = 1e-9, kNoLess = 0.9;
    for (std::size_t k = 0; k < K; ++k) {
      const double change = std::abs(left.value[k] + right.value[k] - whole.value[k]);
      if (change <= kAgree * std::abs(whole.value[k]) &&
          left.errors[k] + right.errors[k] >= kNoLess * whole.errors[k])
        left.errors[k] = right.errors[k] = 0;
    }
  };
  for (std::size_t i = 0; i + 1 < points.size() && count < kMaxPanels; ++i) {
    if (points[i + 1] > points[i]) panels[count++] = measure(points[i], points[i + 1]);
  }
  Integral<K> out;
  for (;;) {
    out.value = {};
    out.magnitude = {};
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < K; ++k) {
        out.value[k] += panels[i].value[k];
        out.magnitude[k] += panels[i].magnitude[k];
      }
    }
    std::size_t worst = 0;
    double worst_error = -1;
    for (std::size_t i = 0; i < count; ++i) {
      double error = 0;
      for (std::size_t k = 0; k < K; ++k) {
        if (out.magnitude[k] == 0) continue;
        const double relative = panels[i].errors[k] / out.magnitude[k];
        error = std::max(error, std::isnan(relative) ? kUnknown : relative);
      }
      if (!(error <= worst_error)) {
        worst_error = error;
        worst = i;
      }
    }
    // |Kronrod - Gauss| is far above the error of the Kronrod rule itself.
    out.converged = worst_error <= tolerance;
    if (out.converged || count == kMaxPanels) return out;
    const Panel split = panels[worst];
    const double middle = split.low + (split.high - split.low) / 2;
    if (!(middle > split.low && middle < split.high)) return out;
    panels[worst] = measure(split.low, middle);
    panels[count++] = measure(middle, split.high);
    settle(split, panels[worst], panels[count - 1]);
  }
}

}  // namespace ggpm::internal::numeric
