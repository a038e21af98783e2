// Averages over one Gaussian latent by a fixed rule of few points, for what the distribution of a new
// y asks again and again. Steps of 0.35 standard deviations. Every third point is a rule by itself, of
// which there are three, and all have to agree: the error of a trapezoidal rule is a wave in the place
// of its points, which two rules may meet where it is 0, three never. For an analytic function the
// whole has the cube of their difference. Where they do not agree (a likelihood much narrower than the
// latent, functions that outgrow the Gaussian), the caller takes gaussian_average instead.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace ggpm::internal {

class LatentRule {
 public:
  static constexpr std::size_t kPoints = 47;
  using Values = std::array<double, kPoints>;

  LatentRule(double mean, double variance) {
    const double sd = std::sqrt(variance);
    for (std::size_t i = 0; i < kPoints; ++i) eta_[i] = mean + sd * table().z[i];
  }

  const Values& eta() const { return eta_; }

  struct Average {
    double value = 0;
    double change = 0;  // the largest difference of a third from the whole, of the variation
    bool within(double agreement) const { return change < agreement; }  // not where it is NaN
  };
  // Of the difference from the value in the middle: what a step far from it adds is compared with
  // itself, not with the whole.
  static Average of(const Values& f) {
    const Table& rule = table();
    const double middle = f[kPoints / 2];
    std::array<double, 3> third{};
    double variation = 0;
    for (std::size_t i = 0; i < kPoints; ++i) {
      const double term = rule.weight[i] * (f[i] - middle);
      third[i % 3] += term;
      variation += std::abs(term);
    }
    if (variation == 0) return {.value = middle, .change = 0};
    // What lies beyond the ends is less than the terms there.
    const double ends =
        rule.weight[0] * (std::abs(f[0] - middle) + std::abs(f[kPoints - 1] - middle));
    const double negligible = std::max(1e-12 * variation, 1e-15 * std::abs(middle));
    if (!std::isfinite(variation) || !(ends <= negligible))
      return {.value = 0, .change = std::nan("")};
    const double all = third[0] + third[1] + third[2];
    double change = 0;
    for (const double part : third) change = std::max(change, std::abs(3 * part - all));
    return {middle + all, change / variation};
  }

 private:
  struct Table {
    Values z, weight;
    Table() {
      constexpr double kStep = 17.0 / 48;
      constexpr std::size_t kMiddle = kPoints / 2;
      for (std::size_t i = 0; i < kPoints; ++i) {
        z[i] = kStep * (static_cast<double>(i) - static_cast<double>(kMiddle));
        weight[i] = kStep * 0.39894228040143267794 * std::exp(-z[i] * z[i] / 2);
      }
    }
  };
  static const Table& table() {
    static const Table only;
    return only;
  }

  Values eta_;
};

}  // namespace ggpm::internal
