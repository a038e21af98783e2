// EP: normalizer and moments of p(y | eta) N(eta | mean, variance), by quadrature that is centered
// and scaled on this product, not on the Gaussian: with y far from the cavity the mass can be
// anywhere.
#include <algorithm>
#include <limits>

#include "likelihood/base.hpp"
#include "numeric/integrate.hpp"
#include "numeric/special.hpp"

namespace ggpm {
namespace {

constexpr double kDrop = 38;  // the integrand is cut where it is e^-38 of its maximum
// Three integrals, or 3 + kMaxDispersions with those of d/dphi, which only a gradient needs.
template <std::size_t Components>
class TiltedIntegral {
  static constexpr bool kWithPhi = Components > 3;

 public:
  TiltedIntegral(const LikelihoodBase& likelihood, const Row& row, double mean, double variance)
      : likelihood_(likelihood), row_(row), mean_(mean), variance_(variance) {}

  Tilted compute() {
    find_peaks();
    const double top = top_;
    double low = find_end(peaks_[0], -1, top);
    double high = find_end(peaks_[0], 1, top);
    bool simple = peak_count_ == 1;
    for (std::size_t i = 1; i < peak_count_; ++i) {
      low = std::min(low, find_end(peaks_[i], -1, top));
      high = std::max(high, find_end(peaks_[i], 1, top));
    }
    const double center = peaks_[0].eta;
    const double width = peaks_[0].width;
    if (high - low > 60 * width) simple = false;
    const auto integrand = [&](std::span<const double> eta, numeric::Values<Components>& out) {
      likelihood_.values(row_, eta, value_.data(), kWithPhi ? dphi_.data() : nullptr);
      for (std::size_t i = 0; i < eta.size(); ++i) {
        const double d = eta[i] - mean_;
        const double exponent = value_[i] - d * d / (2 * variance_) - top;
        const double w = exponent > -745 ? std::exp(exponent) : 0;
        if (!(w > 0)) {
          out[i] = {};
          continue;
        }
        const double x = (eta[i] - center) / width;
        out[i][0] = w;
        out[i][1] = w * x;
        out[i][2] = w * x * x;
        for (std::size_t k = 3; k < Components; ++k) out[i][k] = w * dphi_[i][k - 3];
      }
    };
    numeric::Integral<Components> integral;
    if (simple) integral = numeric::trapezoid<Components>(integrand, low, high, 1e-7, 128);
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
      integral = numeric::adaptive<Components>(
          integrand, std::span<const double>(points.data(), count), 1e-10);
    }
    return moments(integral, center, width, top);
  }

 private:
  static constexpr std::size_t kMostPeaks = 3;
  struct Peak {
    double eta, height, width;
  };

  double log_integrand(double eta) {
    double value = 0;
    likelihood_.values(row_, std::span<const double>(&eta, 1), &value, nullptr);
    const double d = eta - mean_;
    const double result = value - d * d / (2 * variance_);
    return std::isnan(result) ? -std::numeric_limits<double>::infinity() : result;
  }

  // Climbs to a local maximum of the log integrand by Newton steps inside a shrinking trust
  // interval.
  Peak climb(double start) {
    double eta = start;
    double height = log_integrand(eta);
    const double sd = std::sqrt(variance_);
    double radius = 8 * sd + std::abs(start - mean_);
    LogDensity l;
    for (int i = 0; i < 100; ++i) {
      likelihood_.at(row_, std::span<const double>(&eta, 1), Derivatives::second, std::span(&l, 1));
      const double slope = l.d1 - (eta - mean_) / variance_;
      const double curvature = 1 / variance_ - l.d2;
      double step = curvature > 0 ? slope / curvature : slope * variance_;
      if (!std::isfinite(step)) step = mean_ - eta;
      step = std::clamp(step, -radius, radius);
      const double scale =
          curvature > 0 && std::isfinite(curvature) ? 1 / std::sqrt(curvature) : sd;
      // A tenth of a width is enough: the integral does not need the maximum, only its place.
      if (std::abs(step) < 0.1 * scale) return {eta, height, std::min(scale, sd * 4)};
      bool moved = false;
      for (int halving = 0; halving < 60; ++halving, step /= 2) {
        const double trial = log_integrand(eta + step);
        if (trial > height) {
          eta += step;
          height = trial;
          moved = true;
          break;
        }
      }
      if (!moved) return {eta, height, std::min(scale, sd * 4)};
    }
    return {eta, height, sd};
  }

  void find_peaks() {
    const double first = likelihood_.peak(row_);
    add(climb(mean_));
    if (!likelihood_.log_concave() && std::isfinite(first)) add(climb(first));
    if (peak_count_ == 2 && peaks_[1].height > peaks_[0].height) std::swap(peaks_[0], peaks_[1]);
    top_ = peaks_[0].height;
  }

  void add(const Peak& peak) {
    for (std::size_t i = 0; i < peak_count_; ++i) {
      if (std::abs(peak.eta - peaks_[i].eta) < std::min(peak.width, peaks_[i].width)) return;
    }
    peaks_[peak_count_++] = peak;
  }

  // Outward from a peak until the integrand has dropped by kDrop: doubling, then a few bisections.
  double find_end(const Peak& peak, double direction, double top) {
    double inside = 0;
    double step = 6 * peak.width;
    while (log_integrand(peak.eta + direction * step) > top - kDrop &&
           step < 1e4 * std::sqrt(variance_)) {
      inside = step;
      step *= 1.6;
    }
    for (int i = 0; i < 3 && step - inside > 0.1 * step; ++i) {
      const double middle = (inside + step) / 2;
      (log_integrand(peak.eta + direction * middle) > top - kDrop ? inside : step) = middle;
    }
    return peak.eta + direction * step;
  }

  Tilted moments(const numeric::Integral<Components>& integral,
                 double center,
                 double width,
                 double top) {
    const auto& v = integral.value;
    const double z = v[0];
    const double m = v[1] / z;
    Tilted out;
    out.log_z = top + std::log(z) - (numeric::kLog2Pi + std::log(variance_)) / 2;
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
  double top_ = 0;
  std::array<Peak, kMostPeaks> peaks_{};
  std::size_t peak_count_ = 0;
  std::array<double, numeric::kNodes> value_;
  std::array<PhiArray, numeric::kNodes> dphi_{};
};

}  // namespace

void LikelihoodBase::tilted(std::span<const Row> rows,
                            std::span<const double> mean,
                            std::span<const double> variance,
                            std::span<Tilted> out,
                            Dphi wanted) const {
  const bool with_phi = wanted == Dphi::wanted && dispersions() > 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (closed_tilted(rows[i], mean[i], variance[i], out[i])) continue;
    out[i] =
        with_phi
            ? TiltedIntegral<3 + kMaxDispersions>(*this, rows[i], mean[i], variance[i]).compute()
            : TiltedIntegral<3>(*this, rows[i], mean[i], variance[i]).compute();
  }
}

}  // namespace ggpm
