// The distribution of a new y: the likelihood averaged over a Gaussian latent.     (Section 3.5)
// Densities are tilted normalizers; means, variances and distribution functions are Gaussian
// averages; quantiles and modes are searched for. Discrete families are summed, not integrated.
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>

#include "likelihood/base.hpp"
#include "likelihood/gaussian_average.hpp"
#include "numeric/special.hpp"

namespace ggpm {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

class Mixture final : public Predictive {
 public:
  Mixture(const LikelihoodBase& likelihood, const Row& row, double mean, double variance)
      : likelihood_(likelihood), row_(row), latent_mean_(mean), latent_variance_(variance) {
    std::tie(bottom_, top_) = support(likelihood, row);
  }

  double mean() const override {
    if (std::isnan(moments_[0])) compute_moments();
    return moments_[0];
  }
  double variance() const override {
    if (std::isnan(moments_[0])) compute_moments();
    return moments_[1];
  }

  double log_density(double y) const override {
    Row row = row_;
    row.y = y;
    if (latent_variance_ <= 0) {
      double value = 0;
      likelihood_.values(row, std::span<const double>(&latent_mean_, 1), &value, nullptr);
      return value;
    }
    Tilted tilted;
    likelihood_.tilted(std::span<const Row>(&row, 1),
                       std::span<const double>(&latent_mean_, 1),
                       std::span<const double>(&latent_variance_, 1),
                       std::span<Tilted>(&tilted, 1),
                       Dphi::skip);
    return tilted.log_z;
  }

  double cdf(double y) const override {
    if (y < bottom_) return 0;
    if (y >= top_) return 1;
    if (latent_variance_ <= 0) return likelihood_.cdf(row_, latent_mean_, y);
    const auto f = [&](std::span<const double> eta, numeric::Values<1>& out) {
      for (std::size_t i = 0; i < eta.size(); ++i) out[i][0] = likelihood_.cdf(row_, eta[i], y);
    };
    return std::clamp(gaussian_average<1>(f, latent_mean_, latent_variance_).value[0], 0.0, 1.0);
  }

  double quantile(double p) const override {
    if (!(p > 0 && p < 1)) return p <= 0 ? bottom_ : top_;
    if (latent_variance_ <= 0) return likelihood_.quantile(row_, latent_mean_, p);
    if (likelihood_.domain() == Domain::nonnegative && p <= cdf(0)) return 0;
    return likelihood_.discrete() ? discrete_quantile(p) : continuous_quantile(p);
  }

  double mode() const override {
    return likelihood_.discrete() ? discrete_mode() : continuous_mode();
  }

  double sample(std::mt19937_64& random) const override {
    std::normal_distribution<double> normal;
    const double eta = latent_mean_ + std::sqrt(latent_variance_) * normal(random);
    return likelihood_.sample(row_, eta, random);
  }

 private:
  // Law of total variance, about the conditional mean at the latent mean so that nothing cancels.
  void compute_moments() const {
    const double center = likelihood_.mean(row_, latent_mean_);
    if (latent_variance_ <= 0 || std::isnan(center)) {
      moments_ = {center, likelihood_.variance(row_, latent_mean_)};
      return;
    }
    const bool has_variance = !std::isnan(likelihood_.variance(row_, latent_mean_));
    const auto f = [&](std::span<const double> eta, numeric::Values<3>& out) {
      for (std::size_t i = 0; i < eta.size(); ++i) {
        const double d = likelihood_.mean(row_, eta[i]) - center;
        out[i] = {d, d * d, has_variance ? likelihood_.variance(row_, eta[i]) : 0};
      }
    };
    const auto average = gaussian_average<3>(f, latent_mean_, latent_variance_).value;
    moments_[0] = center + average[0];
    moments_[1] = has_variance ? average[2] + (average[1] - average[0] * average[0]) : kNaN;
  }

  // Latent quantile pushed through the likelihood: a start that has the right magnitude.
  double guess(double p) const {
    const double z = std::clamp(numeric::ndtri(p), -8.0, 8.0);
    const double sd = std::sqrt(latent_variance_);
    return likelihood_.quantile(row_, latent_mean_ + 0.7 * z * sd, p);
  }

  double discrete_quantile(double p) const {
    double high = std::max(bottom_, guess(p));
    double low = high - 1;
    for (double step = 1; low >= bottom_ && cdf(low) >= p; step *= 2) {
      high = low;
      low -= step;
    }
    low = std::max(low, bottom_ - 1);
    for (double step = 1; high < top_ && cdf(high) < p && high < 1e300; step *= 2) {
      low = high;
      high = std::min(top_, high + step);
    }
    while (high - low > 1) {
      const double middle = std::floor(low + (high - low) / 2);
      if (middle <= low || middle >= high) break;
      (cdf(middle) >= p ? high : low) = middle;
    }
    return high;
  }

  // In a coordinate in which the support is the real line.
  double to_line(double y) const {
    switch (likelihood_.domain()) {
      case Domain::positive:
      case Domain::nonnegative:
        return std::log(y);
      case Domain::proportion:
        return std::log(y) - std::log1p(-y);
      default:
        return y;
    }
  }
  double from_line(double x) const {
    switch (likelihood_.domain()) {
      case Domain::positive:
      case Domain::nonnegative:
        return std::exp(x);
      case Domain::proportion:
        return 1 / (1 + std::exp(-x));
      default:
        return x;
    }
  }

  // Newton with the density as slope, inside a bracket: first on a coarse rule of a few latent
  // points, which costs a fifth, then on the accurate distribution function.
  double continuous_quantile(double p) const {
    const double limit = likelihood_.domain() == Domain::real ? 1e300 : 740;
    double x = to_line(guess(p));
    if (!(std::abs(x) < limit)) x = 0;
    x = solve(x, limit, 1e-4, [&](double y) { return coarse_cdf(y) - p; });
    x = solve(x, limit, 1e-12, [&](double y) { return cdf(y) - p; });
    return from_line(x);
  }

  // Root of the increasing gap(from_line(x)) to `tolerance` in gap, from a start.
  template <class Gap>
  double solve(double x, double limit, double tolerance, const Gap& gap) const {
    double low = -limit;
    double high = limit;
    double step = likelihood_.domain() == Domain::real
                      ? std::sqrt(latent_variance_) + 1e-3 * std::abs(x) + 1e-12
                      : 0.5;
    for (int i = 0; i < 100; ++i) {
      const double y = from_line(x);
      const double g = gap(y);
      if (std::abs(g) < tolerance) return x;
      (g > 0 ? high : low) = x;
      const double slope = std::exp(log_density(y)) * line_slope(y);
      double next = x - g / slope;
      if (!(std::abs(next - x) < 4 * step)) next = x + (g > 0 ? -1 : 1) * (step *= 2);
      if (!(next > low && next < high)) next = low + (high - low) / 2;
      if (std::abs(next - x) <= 4e-16 * std::abs(x)) return next;
      x = next;
    }
    return x;
  }
  double line_slope(double y) const {  // dy/dx
    switch (likelihood_.domain()) {
      case Domain::positive:
      case Domain::nonnegative:
        return y;
      case Domain::proportion:
        return y * (1 - y);
      default:
        return 1;
    }
  }
  double coarse_cdf(double y) const {
    double sum = 0;
    double total = 0;
    for (double z = -4.2; z < 4.3; z += 0.7) {
      const double w = std::exp(-z * z / 2);
      sum += w * likelihood_.cdf(row_, latent_mean_ + z * std::sqrt(latent_variance_), y);
      total += w;
    }
    return sum / total;
  }

  // Starts from the conditional modes across the latent's spread, uphill from each.
  double discrete_mode() const {
    double best = kNaN;
    double height = -std::numeric_limits<double>::infinity();
    const double sd = std::sqrt(latent_variance_);
    for (const double z : {0.0, -1.0, 1.0, -2.0, 2.0}) {
      double y = std::clamp(likelihood_.mode(row_, latent_mean_ + z * sd), bottom_, top_);
      double value = log_density(y);
      for (double step = std::max(1.0, std::floor(0.05 * y)); step >= 1;
           step = std::floor(step / 2)) {
        for (const double direction : {-1.0, 1.0}) {
          for (;;) {
            const double next = y + direction * step;
            if (next < bottom_ || next > top_) break;
            const double trial = log_density(next);
            if (!(trial > value)) break;
            y = next;
            value = trial;
          }
        }
      }
      if (value > height) {
        best = y;
        height = value;
      }
    }
    return best;
  }

  // Highest interior maximum: scan the density over where y is likely, polish the best local
  // maximum.
  double continuous_mode() const {
    if (latent_variance_ <= 0) {
      const double mode = likelihood_.mode(row_, latent_mean_);
      return mode > bottom_ && mode < top_ ? mode : kNaN;
    }
    if (likelihood_.symmetric_about_eta()) return latent_mean_;
    const auto height = [&](double x) { return log_density(from_line(x)); };
    constexpr std::size_t kScan = 25;
    const double sd = std::sqrt(latent_variance_);
    double low = to_line(likelihood_.quantile(row_, latent_mean_ - 2 * sd, 0.02));
    double high = to_line(likelihood_.quantile(row_, latent_mean_ + 2 * sd, 0.98));
    const double center = to_line(likelihood_.mean(row_, latent_mean_));
    low = std::max(low, center - 60);
    high = std::min(high, center + 60);
    const double step = (high - low) / (kScan - 1);
    std::array<double, kScan> value;
    for (std::size_t i = 0; i < kScan; ++i) value[i] = height(low + static_cast<double>(i) * step);
    double best = kNaN;
    double best_value = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 1; i + 1 < kScan; ++i) {
      if (value[i] < value[i - 1] || value[i] < value[i + 1] || value[i] < best_value) continue;
      const double x = low + static_cast<double>(i) * step;
      std::uintmax_t steps = 60;
      const auto top = boost::math::tools::brent_find_minima(
          [&](double z) { return -height(z); }, x - step, x + step, 26, steps);
      best = from_line(top.first);
      best_value = -top.second;
    }
    return best;
  }

  const LikelihoodBase& likelihood_;
  Row row_;
  double latent_mean_, latent_variance_;
  double bottom_ = 0, top_ = 0;
  mutable std::array<double, 2> moments_ = {kNaN, kNaN};
};

}  // namespace

std::unique_ptr<Predictive> LikelihoodBase::predictive(const Row& row,
                                                       double latent_mean,
                                                       double latent_variance) const {
  return std::make_unique<Mixture>(*this, row, latent_mean, latent_variance);
}

}  // namespace ggpm
