// EP: normalizer and moments of p(y | eta) N(eta | mean, variance), by quadrature that is centered
// and scaled on this product, not on the Gaussian: with y far from the cavity the mass can be
// anywhere.
#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <limits>
#include <numbers>

#include "likelihood/base.hpp"
#include "likelihood/phi_nodes.hpp"
#include "numeric/bracket.hpp"
#include "numeric/constants.hpp"
#include "numeric/integrate.hpp"
#include "numeric/special.hpp"

namespace ggpm::internal {
namespace {

constexpr double kDrop = 38;  // the integrand is cut where it is e^-38 of its maximum
constexpr double kNoisy = 1e-9, kUnresolved = 0.25;  // errors of its logarithm
// Three integrals, or 3 + one or two with those of d/dphi from number `first` on, which only a
// gradient needs.
template <std::size_t Components>
class TiltedIntegral {
  static constexpr bool kWithPhi = Components > 3;

 public:
  TiltedIntegral(
      const LikelihoodBase& likelihood, const Row& row, double mean, double variance, int first)
      : likelihood_(likelihood),
        row_(row),
        mean_(mean),
        variance_(variance),
        dphi_(likelihood.dispersions(), first) {}

  Tilted compute() {
    find_peaks();
    double low = find_end(peaks_[0], -1);
    double high = find_end(peaks_[0], 1);
    for (std::size_t i = 1; i < peak_count_; ++i) {
      low = std::min(low, find_end(peaks_[i], -1));
      high = std::max(high, find_end(peaks_[i], 1));
    }
    const double center = peaks_[0].eta;
    const double width = peaks_[0].width;
    const double noise = rounding(peaks_[0]);
    if (noise > kUnresolved) return needle(peaks_[0]);
    const double slack = rounding_of_values(peaks_[0]);
    const bool simple = peak_count_ == 1 && high - low <= 60 * width;
    const auto integrand = [&](std::span<const double> eta, numeric::Values<Components>& out) {
      likelihood_.values(row_, eta, value_.data(), dphi_.data());
      for (std::size_t i = 0; i < eta.size(); ++i) {
        // Relative to the peak, with the squares taken together: far out both are huge.
        const double away = eta[i] - center;
        const double gap = away * (eta[i] - mean_ + (center - mean_)) / (2 * variance_);
        double exponent = value_[i] - peaks_[0].value - gap;
        if (slack > kNoisy && exponent > -745 - 64 * slack) exponent = rise(eta[i]);
        const double w = exponent > -745 ? std::exp(exponent) : 0;
        if (!(w > 0)) {
          out[i] = {};
          continue;
        }
        const double x = away / width;
        out[i][0] = w;
        out[i][1] = w * x;
        out[i][2] = w * x * x;
        for (std::size_t k = 3; k < Components; ++k) out[i][k] = w * dphi_(i, k - 3);
      }
    };
    numeric::Integral<Components> integral;
    if (simple)
      integral = numeric::trapezoid<Components>(integrand, low, high, std::max(1e-7, noise), 128);
    if (!simple || !integral.converged) {
      std::array<double, 2 + 5 * kMostPeaks> points{};
      std::size_t count = 0;
      points[count++] = low;
      points[count++] = high;
      for (std::size_t i = 0; i < peak_count_; ++i) {
        for (const double k : {-20.0, -4.0, 0.0, 4.0, 20.0}) {
          const double point = peaks_[i].eta + k * peaks_[i].width;
          if (point > low && point < high) points[count++] = point;
        }
      }
      std::sort(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(count));
      integral = numeric::adaptive<Components>(integrand,
                                               std::span<const double>(points.data(), count),
                                               std::max(slack > kNoisy ? 1e-8 : 1e-10, noise));
    }
    return moments(integral, center, width);
  }

 private:
  static constexpr std::size_t kMostPeaks = 3;
  struct Peak {
    double eta, width;
    double value, height;  // log p there, and the log integrand
  };
  struct Look {
    Peak peak;
    double slope, curvature;  // of the log integrand; curvature > 0 near a maximum
    double newton() const {   // length of Newton's step to the maximum; infinite if it has none
      const bool known = curvature > 0 && curvature < kInfinity;
      const double step = known ? std::abs(slope) / curvature : kInfinity;
      return std::isnan(step) ? kInfinity : step;
    }
  };

  double log_integrand(double eta) {
    double value = 0;
    likelihood_.values(row_, std::span<const double>(&eta, 1), &value, nullptr);
    return with_gaussian(eta, value);
  }
  double with_gaussian(double eta, double value) const {
    const double d = eta - mean_;
    const double result = value - d * d / (2 * variance_);
    return std::isnan(result) ? -kInfinity : result;
  }

  Look look(double eta) {
    LogDensity l;
    likelihood_.at(row_, std::span<const double>(&eta, 1), Derivatives::second, std::span(&l, 1));
    const double sd = std::sqrt(variance_);
    const double curvature = 1 / variance_ - l.d2;
    const double width = curvature > 0 && std::isfinite(curvature) ? 1 / std::sqrt(curvature) : sd;
    double slope = l.d1 - (eta - mean_) / variance_;
    // Only far out can a slope be lost to an overflow; the way back is to the peak, or to zero.
    if (std::isnan(slope)) slope = (std::isfinite(own_peak_) ? own_peak_ : 0) - eta;
    return {{eta, std::min(width, 4 * sd), l.value, with_gaussian(eta, l.value)}, slope, curvature};
  }

  // To a local maximum of the log integrand, uphill: Newton's steps between the points where the
  // slope is known to be positive and to be negative. A step that gains little is replaced by
  // halving that interval, or, as long as it is open, by twice the last one, so that no distance
  // takes more than some tens of steps.
  Peak climb(double start) {
    constexpr int kMostSteps = 300;
    double below = -kInfinity, above = kInfinity;
    double move = 8 * std::sqrt(variance_) + std::abs(start - mean_), before = kInfinity;
    Look here = look(start);
    for (int i = 0; i < kMostSteps; ++i) {
      const double eta = here.peak.eta, newton = here.newton();
      // A tenth of a width is enough: the integral does not need the maximum, only its place.
      if (here.slope == 0 || (here.curvature > 0 && newton < 0.1 * here.peak.width)) break;
      const double sign = here.slope > 0 ? 1 : -1;
      (sign > 0 ? below : above) = eta;
      const bool contracts = newton < before / 2;
      const double length = i == 0 ? std::min(newton, move) : contracts ? newton : 2 * move;
      double next = eta + sign * length;
      if ((own_peak_ - eta) * sign > 0 && (next - own_peak_) * sign > 0) next = own_peak_;
      if (std::isfinite(above - below) && !(contracts && next > below && next < above))
        next = numeric::between(below, above);
      if (next == eta || !std::isfinite(next)) break;
      const Look there = look(next);
      if (passes_a_peak(here.peak, there.peak)) {
        (sign > 0 ? above : below) = next;
        before = 0;
        continue;
      }
      move = std::abs(next - eta);
      before = newton;
      here = there;
    }
    return here.peak;
  }

  // Uphill, and lower there: of several peaks the way is to the first one, not to one beyond it that
  // may be far lower.
  bool passes_a_peak(const Peak& here, const Peak& there) const {
    return !likelihood_.log_concave() &&
           there.height < here.height - 1e3 * rounding_of_values(here);
  }

  void find_peaks() {
    own_peak_ = likelihood_.peak(as_observed(row_, likelihood_.domain()));
    add(climb(mean_));
    if (!likelihood_.log_concave() && std::isfinite(own_peak_)) {
      add(climb(own_peak_));
      look_between();
    }
    std::sort(peaks_.begin(),
              peaks_.begin() + static_cast<std::ptrdiff_t>(peak_count_),
              [](const Peak& a, const Peak& b) { return a.height > b.height; });
    top_ = peaks_[0].height;
    while (peaks_[peak_count_ - 1].height < top_ - kDrop) --peak_count_;
  }

  // Where the Gaussian and the peak of p are far apart, a climb from either may step over a maximum
  // between them that is higher than where it ends.
  void look_between() {
    constexpr double kFarApart = 4;  // standard deviations
    constexpr std::size_t kPoints = 31;
    const double near = kFarApart / 2 * std::sqrt(variance_);
    const double ratio = std::pow(std::abs(own_peak_ - mean_) / near, 1.0 / (kPoints + 1));
    if (!(std::abs(own_peak_ - mean_) > 2 * near)) return;
    std::array<double, kPoints> eta;
    double away = own_peak_ > mean_ ? near : -near;
    for (double& point : eta) point = mean_ + (away *= ratio);
    likelihood_.values(row_, eta, value_.data(), nullptr);
    double highest = peaks_[0].height, start = mean_;
    if (peak_count_ == 2) highest = std::max(highest, peaks_[1].height);
    for (std::size_t i = 0; i < kPoints; ++i) {
      const double height = with_gaussian(eta[i], value_[i]);
      if (!(height > highest)) continue;
      highest = height;
      start = eta[i];
    }
    if (start != mean_) add(climb(start));
  }

  void add(const Peak& peak) {
    for (std::size_t i = 0; i < peak_count_; ++i) {
      if (std::abs(peak.eta - peaks_[i].eta) < std::min(peak.width, peaks_[i].width)) return;
    }
    peaks_[peak_count_++] = peak;
  }

  // How well the logarithm of the integrand can be known. Its values are rounded as log p and the
  // square are; what it rises from one place to another is known better, by its slope; no better
  // than eta itself.
  double rounding_of_values(const Peak& p) const {
    const double d = p.eta - mean_;
    return 4 * std::numeric_limits<double>::epsilon() *
           (std::abs(p.value) + d * d / (2 * variance_));
  }
  double rounding(const Peak& p) const {
    const double by_slope =
        4 * std::numeric_limits<double>::epsilon() * std::abs(p.eta - mean_) / variance_ * p.width;
    return std::min(by_slope, rounding_of_values(p)) +
           4 * std::numeric_limits<double>::epsilon() * std::abs(p.eta) / p.width;
  }
  double rise(double to) {  // from the maximum
    using Gauss = boost::math::quadrature::gauss<double, 20>;
    constexpr std::size_t kHalf = 10;
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < peak_count_; ++i)
      if (std::abs(to - peaks_[i].eta) < std::abs(to - peaks_[nearest].eta)) nearest = i;
    const double from = peaks_[nearest].eta;
    const double half = (to - from) / 2;
    std::array<double, 2 * kHalf> eta;
    std::array<LogDensity, 2 * kHalf> l;
    for (std::size_t k = 0; k < kHalf; ++k) {
      eta[2 * k] = from + half * (1 - Gauss::abscissa()[k]);
      eta[2 * k + 1] = from + half * (1 + Gauss::abscissa()[k]);
    }
    likelihood_.at(row_, eta, Derivatives::second, l);
    double sum = peaks_[nearest].height - top_;
    for (std::size_t k = 0; k < eta.size(); ++k)
      sum += half * Gauss::weights()[k / 2] * (l[k].d1 - (eta[k] - mean_) / variance_);
    return sum;
  }

  // Narrower than the spacing of doubles: eta cannot be moved inside it, so its height is known
  // only where the likelihood's own peak hits it, or where half the square of the distance from the
  // maximum, in widths, is nothing beside that height.
  Tilted needle(const Peak& p) {
    constexpr double kNothing = 1e-9;
    const Look at = look(p.eta);
    numeric::Integral<Components> integral;
    const double away = std::abs(at.slope) * p.width;
    const bool known = away * away < std::max(1.0, kNothing * std::abs(top_));
    integral.value[0] = known ? std::sqrt(2 * std::numbers::pi) * p.width
                              : std::numeric_limits<double>::quiet_NaN();
    integral.value[2] = integral.value[0];
    if constexpr (kWithPhi) {
      likelihood_.values(row_, std::span(&p.eta, 1), value_.data(), dphi_.data());
      for (std::size_t k = 3; k < Components; ++k)
        integral.value[k] = integral.value[0] * dphi_(0, k - 3);
    }
    return moments(integral, p.eta, p.width);
  }

  // Outward from a peak until the integrand has dropped by kDrop: doubling, then a few bisections.
  double find_end(const Peak& peak, double direction) {
    double inside = 0;
    double step = 6 * peak.width;
    while (log_integrand(peak.eta + direction * step) > top_ - kDrop &&
           step < 1e4 * std::sqrt(variance_)) {
      inside = step;
      step *= 1.6;
    }
    for (int i = 0; i < 3 && step - inside > 0.1 * step; ++i) {
      const double middle = (inside + step) / 2;
      (log_integrand(peak.eta + direction * middle) > top_ - kDrop ? inside : step) = middle;
    }
    return peak.eta + direction * step;
  }

  Tilted moments(const numeric::Integral<Components>& integral, double center, double width) {
    const auto& v = integral.value;
    // Infinite only above a maximum that was not found: unknown, for the caller to refuse.
    const double z = std::isfinite(v[0]) ? v[0] : std::numeric_limits<double>::quiet_NaN();
    const double m = v[1] / z;
    Tilted out;
    out.log_z = top_ + std::log(z) - (numeric::kLog2Pi + std::log(variance_)) / 2;
    out.mean = center + width * m;
    out.variance = width * width * (v[2] / z - m * m);
    out.d1 = (out.mean - mean_) / variance_;
    out.d2 = (out.variance / variance_ - 1) / variance_;
    for (std::size_t k = 3; k < Components; ++k) out.dphi[k - 3] = v[k] / z;
    return out;
  }

  const LikelihoodBase& likelihood_;
  const Row& row_;
  double mean_, variance_;
  double own_peak_ = 0;  // of log p in eta
  double top_ = 0;
  std::array<Peak, kMostPeaks> peaks_{};
  std::size_t peak_count_ = 0;
  std::array<double, numeric::kNodes> value_;
  PhiNodes<kWithPhi> dphi_;
};

}  // namespace

void LikelihoodBase::tilted(std::span<const Row> rows,
                            std::span<const double> mean,
                            std::span<const double> variance,
                            std::span<Tilted> out,
                            Dphi wanted) const {
  const int count = wanted == Dphi::wanted ? dispersions() : 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool plain = rows[i].weight == 1 && !rows[i].is_censored();
    if (plain && closed_tilted(rows[i], mean[i], variance[i], out[i])) continue;
    // Noise around eta sees differences only: from the mean they have the digits that eta has not where
    // the noise is much smaller than eta.
    Row row = rows[i];
    double center = mean[i];
    const bool moves = symmetric_about_eta() && domain() == Domain::real && !row.is_censored() &&
                       std::isfinite(row.y - center);
    if (moves) {
      row.y -= center;
      center = 0;
    }
    with_dispersions(count, out[i], [&](auto more, int first) {
      return TiltedIntegral<3 + more.value>(*this, row, center, variance[i], first).compute();
    });
    if (moves) out[i].mean += mean[i];
  }
}

}  // namespace ggpm::internal
