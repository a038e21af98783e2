// Real, positive and fractional y: integrals in u with y = sinh u, e^u, 1/(1 + e^-u), in which
// tails and poles at the ends of the support become exponential tails.
#include <algorithm>
#include <boost/math/tools/roots.hpp>

#include "likelihood/outcome/outcome.hpp"
#include "numeric/constants.hpp"
#include "numeric/integrate.hpp"
#include "numeric/special.hpp"

namespace ggpm::internal::outcomes {
namespace {

// The line u and its y.
struct Line {
  Domain domain;

  bool half() const { return domain == Domain::positive || domain == Domain::nonnegative; }
  // As far as y and its distance from the bounds are doubles.
  double low() const { return domain == Domain::real ? -700 : -740; }
  double high() const { return domain == Domain::proportion ? 36 : 700; }
  double y(double u) const {
    if (domain == Domain::real) return std::sinh(u);
    return half() ? std::exp(u) : 1 / (1 + std::exp(-u));
  }
  double u(double y) const {
    if (domain == Domain::real) return std::asinh(y);
    return half() ? std::log(y) : std::log(y) - std::log1p(-y);
  }
  double log_slope(double u) const {  // log dy/du
    if (half()) return u;
    const double size = std::abs(u);
    if (domain == Domain::real) return size + std::log1p(std::exp(-2 * size)) - std::log(2.0);
    return -size - 2 * std::log1p(std::exp(-size));
  }
};

class Continuous final : public Outcome {
 public:
  Continuous(Domain domain, const DensityOfY& density) : line_{domain}, density_(density) {
    find_peak();
    low_ = find_end(-1, 0);
    high_ = find_end(1, 0);
  }

  double total() const override { return mass(low_, high_); }
  double mean() const override {
    const auto m = moments(1);
    return line_.y(peak_) + scale() * m[1] / m[0];
  }
  double variance() const override {
    const auto m = moments(2);
    const double d = m[1] / m[0];
    return scale() * scale() * (m[2] / m[0] - d * d);
  }

  double cdf(double y) const override {
    if (std::isnan(y) || !std::isfinite(top_)) return kNaN;
    if (line_.domain != Domain::real && y <= 0) return 0;
    if (line_.domain == Domain::proportion && y >= 1) return 1;
    const double u = line_.u(y);
    if (u <= low_) return 0;
    if (u >= high_) return 1;
    // From the nearer end, unless mass is lost beyond it.
    const auto lost = [&](double end) { return height(end) > top_ - kDrop; };
    const bool lower = lost(high_) || (u < peak_ && !lost(low_));
    return std::clamp(lower ? mass(low_, u) : 1 - mass(u, high_), 0.0, 1.0);
  }

  // From the nearer end, so that small tails keep their digits.
  double quantile(double p) const override {
    if (!std::isfinite(top_)) return kNaN;
    const bool lower = p < 0.5;
    const double all = total();
    const auto gap = [&](double u) { return lower ? mass(low_, u) - p : (1 - p) - mass(u, high_); };
    const double at_low = lower ? -p : (1 - p) - all;
    const double at_high = lower ? all - p : 1 - p;
    if (!(at_low < 0)) return line_.y(low_);
    if (!(at_high > 0)) return line_.y(high_);
    std::uintmax_t steps = 200;
    const auto bracket = boost::math::tools::toms748_solve(
        gap, low_, high_, at_low, at_high, boost::math::tools::eps_tolerance<double>(46), steps);
    return line_.y((bracket.first + bracket.second) / 2);
  }

  double average(const std::function<double(double)>& f) const override {
    return std::exp(top_) * integrate<1>(low_, high_, [&](double u, double w) {
             return std::array<double, 1>{w * f(line_.y(u))};
           })[0];
  }

  // Of the density of y itself, which has its maximum elsewhere than that of u.
  double mode() const override {
    constexpr int kScan = 400;
    const auto height = [&](double u) { return safe(density_(line_.y(u))); };
    const double step = (high_ - low_) / kScan;
    double best = kNaN;
    double best_height = -kInfinity;
    double before = height(low_);
    double here = height(low_ + step);
    for (int i = 1; i < kScan; ++i) {
      const double after = height(low_ + step * (i + 1));
      if (here >= before && here >= after && here > best_height) {
        best = low_ + step * i;
        best_height = here;
      }
      before = here;
      here = after;
    }
    if (std::isnan(best)) return line_.half() ? 0 : kNaN;
    return line_.y(climb(height, best - step, best + step, 0));
  }

 private:
  static double safe(double x) { return std::isnan(x) ? -kInfinity : x; }
  double height(double u) const { return safe(density_(line_.y(u)) + line_.log_slope(u)); }
  // A length of y, to keep its powers in range.
  double scale() const { return line_.y(peak_ + width_) - line_.y(peak_ - width_); }
  double distance(double u) const { return (line_.y(u) - line_.y(peak_)) / scale(); }

  // Golden section; ends when the bracket is flat to `flat`, or cannot shrink.
  template <class Height>
  static double climb(const Height& height, double low, double high, double flat) {
    constexpr double kGolden = 0.61803398874989484820;
    double x = high - kGolden * (high - low);
    double y = low + kGolden * (high - low);
    double at_x = height(x);
    double at_y = height(y);
    for (int i = 0; i < 80; ++i) {
      const double middle = low + (high - low) / 2;
      if (flat > 0 && std::abs(height(middle) - std::min(at_x, at_y)) < flat) return middle;
      if (high - low <= 1e-9 * (1 + std::abs(middle))) return middle;
      if (at_x >= at_y) {
        high = y;
        y = x;
        at_y = at_x;
        x = high - kGolden * (high - low);
        at_x = height(x);
      } else {
        low = x;
        x = y;
        at_x = at_y;
        y = low + kGolden * (high - low);
        at_y = height(y);
      }
    }
    return low + (high - low) / 2;
  }

  // Both ways from 0, in longer steps where it goes down and nothing is left.
  void find_peak() {
    constexpr double kStep = 0.5;
    peak_ = 0;
    top_ = height(0);
    for (const double direction : {-1.0, 1.0}) {
      double before = height(0);
      double step = kStep;
      for (double u = direction * step; u > line_.low() && u < line_.high();
           u += direction * step) {
        const double here = height(u);
        if (here > top_) {
          top_ = here;
          peak_ = u;
        } else if (here < before && here < top_ - kDrop) {
          if (here < top_ - kHopeless) break;
          step *= 1.5;
        }
        before = here;
      }
    }
    if (!std::isfinite(top_)) return;
    const auto heights = [this](double u) { return height(u); };
    const double better = climb(heights, peak_ - kStep, peak_ + kStep, 0.01);
    if (height(better) > top_) {
      peak_ = better;
      top_ = height(better);
    }
    for (width_ = kStep; width_ > 1e-12 * (1 + std::abs(peak_)); width_ /= 2) {
      if (std::min(height(peak_ - width_), height(peak_ + width_)) > top_ - 2) break;
    }
  }

  // Where density times |y|^order has died out; infinite if it does not.
  double find_end(double direction, int order) const {
    if (!std::isfinite(top_)) return peak_;
    const double limit = direction < 0 ? line_.low() : line_.high();
    const auto level = [&](double u) {
      return height(u) + order * std::log1p(std::abs(distance(u)));
    };
    double most = top_;
    double step = 6 * width_;
    for (;; step *= 1.4) {
      const double u = peak_ + direction * step;
      if (direction * (u - limit) >= 0) break;
      const double here = level(u);
      if (here < most - kDrop) return u;
      most = std::max(most, here);
    }
    const bool unbounded = line_.domain == Domain::real || (line_.half() && direction > 0);
    if (order > 0 && unbounded) return direction * kInfinity;
    return limit;
  }

  template <std::size_t K, class Weights>
  std::array<double, K> integrate(double low, double high, const Weights& weights) const {
    if (!std::isfinite(top_) || !(low < high)) return {};
    std::array<double, 7> points{};
    std::size_t count = 0;
    points[count++] = low;
    for (const double k : {-20.0, -4.0, 0.0, 4.0, 20.0}) {
      const double point = peak_ + k * width_;
      if (point > low && point < high) points[count++] = point;
    }
    points[count++] = high;
    const auto f = [&](std::span<const double> u, numeric::Values<K>& out) {
      for (std::size_t i = 0; i < u.size(); ++i) {
        const double w = std::exp(height(u[i]) - top_);
        out[i] = w > 0 ? weights(u[i], w) : std::array<double, K>{};
      }
    };
    return numeric::adaptive<K>(f, std::span<const double>(points.data(), count), kAccuracy).value;
  }

  double mass(double low, double high) const {
    return std::exp(top_) *
           integrate<1>(low, high, [](double, double w) { return std::array<double, 1>{w}; })[0];
  }
  std::array<double, 3> moments(int order) const {
    const double low = find_end(-1, order);
    const double high = find_end(1, order);
    if (!std::isfinite(low) || !std::isfinite(high)) return {kNaN, kNaN, kNaN};
    return integrate<3>(low, high, [&](double u, double w) {
      const double d = distance(u);
      return std::array<double, 3>{w, w * d, order > 1 ? w * d * d : 0};
    });
  }

  Line line_;
  const DensityOfY& density_;
  double peak_ = 0, top_ = 0, width_ = 1, low_ = 0, high_ = 0;  // in u
};

}  // namespace

std::unique_ptr<Outcome> make_continuous(Domain domain, const DensityOfY& density) {
  return std::make_unique<Continuous>(domain, density);
}

}  // namespace ggpm::internal::outcomes
