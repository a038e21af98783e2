#include "likelihood/families/warped_gaussian.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>

#include "likelihood/families/gaussian.hpp"
#include "likelihood/gaussian_average.hpp"
#include "numeric/random.hpp"
#include "numeric/special.hpp"

namespace ggpm::internal {
namespace {

// The distribution of y = f^-1(z) for z Gaussian.
class WarpedPredictive final : public Predictive {
 public:
  WarpedPredictive(const Warp& warp, double mean, double variance)
      : warp_(warp), mean_(mean), sd_(std::sqrt(variance)) {}

  double mean() const override { return moments()[0]; }
  double variance() const override { return moments()[1]; }

  double log_density(double y) const override {
    if (!warp_.contains(y)) return -std::numeric_limits<double>::infinity();
    const Warp::Point p = warp_.at(y);
    const double r = (p.z - mean_) / sd_;
    return p.log_slope - 0.5 * r * r - std::log(sd_) - numeric::kLog2Pi / 2;
  }

  double cdf(double y) const override {
    if (!warp_.contains(y)) return y > 0 ? 1 : 0;
    return 0.5 * std::erfc(-(warp_.at(y).z - mean_) / sd_ / std::sqrt(2.0));
  }

  double quantile(double p) const override {
    if (p <= 0 || p >= 1) {
      const double end = p <= 0 ? 0 : 1;
      if (warp_.domain() == Domain::proportion) return end;
      if (p <= 0 && warp_.domain() == Domain::positive) return 0;
      return (p <= 0 ? -1 : 1) * std::numeric_limits<double>::infinity();
    }
    return warp_.inverse(mean_ + sd_ * numeric::ndtri(p));
  }

  // The highest maximum of the density in y, scanned in z between far quantiles, then polished.
  double mode() const override {
    const auto height = [&](double z) { return log_density(warp_.inverse(z)); };
    constexpr int kScan = 121;
    const double low = mean_ - 6 * sd_, step = 12 * sd_ / (kScan - 1);
    int best = -1;
    double best_value = -std::numeric_limits<double>::infinity();
    double before = height(low), here = height(low + step);
    for (int i = 1; i + 1 < kScan; ++i) {
      const double next = height(low + (i + 1) * step);
      if (here >= before && here >= next && here > best_value) {
        best = i;
        best_value = here;
      }
      before = here;
      here = next;
    }
    if (best < 0) return std::numeric_limits<double>::quiet_NaN();  // rises to an end
    const double center = low + best * step;
    std::uintmax_t steps = 200;
    const auto top = boost::math::tools::brent_find_minima(
        [&](double z) { return -height(z); }, center - step, center + step, 40, steps);
    return warp_.inverse(top.first);
  }

  double sample(std::mt19937_64& random) const override {
    return quantile(numeric::uniform(random));
  }

 private:
  std::array<double, 2> moments() const {
    const double center = warp_.inverse(mean_);
    if (warp_.size() > 0) return moments_by_y(center);
    const auto f = [&](std::span<const double> z, numeric::Values<2>& out) {
      for (std::size_t i = 0; i < z.size(); ++i) {
        const double d = warp_.inverse(z[i]) - center;
        out[i] = {d, d * d};
      }
    };
    const auto average = gaussian_average<2>(f, mean_, sd_ * sd_).value;
    return {center + average[0], average[1] - average[0] * average[0]};
  }

  // A step that is steep in y has corners in z, and every value of the inverse is a search: over y the density is known, and
  // where it bends as well.
  std::array<double, 2> moments_by_y(double center) const {
    constexpr double kFar = 8.6;  // standard deviations
    const auto f = [&](std::span<const double> y, numeric::Values<2>& out) {
      for (std::size_t i = 0; i < y.size(); ++i) {
        const double d = y[i] - center, density = std::exp(log_density(y[i]));
        out[i] = {d * density, d * d * density};
      }
    };
    const double low = warp_.inverse(mean_ - kFar * sd_), high = warp_.inverse(mean_ + kFar * sd_);
    std::vector<double> points = warp_.bends();
    std::erase_if(points, [&](double y) { return !(y > low && y < high); });
    points.insert(points.end(), {low, center, high});
    std::sort(points.begin(), points.end());
    const auto average = numeric::adaptive<2>(f, points, kAverageTolerance).value;
    return {center + average[0], average[1] - average[0] * average[0]};
  }

  const Warp& warp_;
  double mean_, sd_;
};

}  // namespace

WarpedGaussian::WarpedGaussian(Warp warp, double phi) : warp_(std::move(warp)), phi_(phi) {
  dispersions_ = 1 + static_cast<int>(warp_.size());
}

std::vector<std::pair<std::string, std::string>> WarpedGaussian::labels() const {
  return {{"likelihood", "gaussian"}, {"link", "identity"}, {"warp", warp_.text()}};
}

std::vector<Parameter> WarpedGaussian::parameters() const {
  std::vector<Parameter> out = {dispersion_parameter(phi_)};
  const std::vector<Parameter> more = warp_.parameters();
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

void WarpedGaussian::set_parameters(std::span<const double> values) {
  warp_ = warp_.with_values(values.subspan(1));
  phi_ = values[0];
}

void WarpedGaussian::adapt_to(std::span<const Row> rows) { warp_ = warp_.suited_to(rows); }

void WarpedGaussian::set_constants(std::span<const double> values) {
  warp_ = warp_.with_constants(values[0], values[1]);
}

void WarpedGaussian::check(std::span<const Row> rows) const {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto number = static_cast<Index>(i) + 1;
    check_parts(*this, rows[i], number);
    if (warp_.contains(rows[i].y)) continue;
    throw DataError(
        {.row = number, .argument = "y"},
        fmt::format("{}; warp '{}' needs {}",
                    rows[i].y,
                    warp_.text(),
                    domain() == Domain::positive     ? "numbers > 0"
                    : domain() == Domain::proportion ? "numbers strictly between 0 and 1"
                                                     : "finite numbers"));
  }
}

void WarpedGaussian::add_warp(const Slopes& f, double slope, PhiArray& dphi) const {
  if (warp_.size() == 0) return;
  const double of_noise = dphi[0];
  dphi.resize(1 + warp_.size());
  dphi[0] = of_noise;
  for (std::size_t k = 0; k < warp_.size(); ++k) dphi[k + 1] = f.log_slope[k] - slope * f.z[k];
}

WarpedGaussian::Slopes WarpedGaussian::slopes(double y) const {
  Slopes f;
  warp_.derivatives(y, f.z, f.log_slope);
  return f;
}

void WarpedGaussian::plain_at(const Row& row,
                              std::span<const double> eta,
                              Derivatives wanted,
                              std::span<LogDensity> out) const {
  const Warp::Point p = warp_.at(row.y);
  const families::Gaussian::AtRow gaussian(phi_, {.y = p.z});
  const bool all = wanted == Derivatives::dispersion && warp_.size() > 0;
  const Slopes f = all ? slopes(row.y) : Slopes();
  for (std::size_t i = 0; i < eta.size(); ++i) {
    const families::DensityInMean l = gaussian.all(eta[i]);
    LogDensity& o = out[i];
    o = {};
    o.value = l.value + p.log_slope;
    o.d1 = l.mean.d1;
    o.d2 = l.mean.d2;
    if (all)
      for (PhiArray* part : {&o.d1_dphi, &o.d2_dphi}) part->resize(1 + warp_.size());
    o.dphi[0] = l.dphi;
    o.d1_dphi[0] = l.mean.d1_phi;
    o.d2_dphi[0] = l.mean.d2_phi;
    if (!all) continue;
    add_warp(f, o.d1, o.dphi);
    for (std::size_t k = 0; k < warp_.size(); ++k) o.d1_dphi[k + 1] = f.z[k] / phi_;
  }
}

void WarpedGaussian::plain_values(const Row& row,
                                  std::span<const double> eta,
                                  double* value,
                                  PhiArray* dphi) const {
  const Warp::Point p = warp_.at(row.y);
  const families::Gaussian::AtRow gaussian(phi_, {.y = p.z});
  const Slopes f = dphi != nullptr ? slopes(row.y) : Slopes();
  for (std::size_t i = 0; i < eta.size(); ++i) {
    value[i] = gaussian.value(eta[i]) + p.log_slope;
    if (dphi == nullptr) continue;
    dphi[i][0] = gaussian.dphi(eta[i]);
    for (std::size_t k = 0; k < warp_.size(); ++k)
      dphi[i][k + 1] = f.log_slope[k] - (p.z - eta[i]) / phi_ * f.z[k];
  }
}

bool WarpedGaussian::closed_tilted(const Row& row,
                                   double mean,
                                   double variance,
                                   Tilted& out) const {
  const Warp::Point p = warp_.at(row.y);
  families::Gaussian::tilted<links::Identity>(mean, variance, phi_, {.y = p.z}, out);
  out.log_z += p.log_slope;
  add_warp(slopes(row.y), (p.z - out.mean) / phi_, out.dphi);
  return true;
}

bool WarpedGaussian::closed_expected(const Row& row,
                                     double mean,
                                     double variance,
                                     Expected& out) const {
  const Warp::Point p = warp_.at(row.y);
  out = families::Gaussian::expected(mean, variance, phi_, {.y = p.z});
  out.value += p.log_slope;
  add_warp(slopes(row.y), out.d1, out.dphi);
  return true;
}

std::unique_ptr<Predictive> WarpedGaussian::predictive(const Row&,
                                                       double latent_mean,
                                                       double latent_variance) const {
  return std::make_unique<WarpedPredictive>(warp_, latent_mean, latent_variance + phi_);
}

double WarpedGaussian::mean(const Row&, double eta) const {
  return WarpedPredictive(warp_, eta, phi_).mean();
}
double WarpedGaussian::variance(const Row&, double eta) const {
  return WarpedPredictive(warp_, eta, phi_).variance();
}
double WarpedGaussian::mode(const Row&, double eta) const {
  return WarpedPredictive(warp_, eta, phi_).mode();
}
double WarpedGaussian::typical(const Row&, double eta) const { return warp_.inverse(eta); }
double WarpedGaussian::cdf(const Row&, double eta, double y) const {
  return WarpedPredictive(warp_, eta, phi_).cdf(y);
}
double WarpedGaussian::quantile(const Row&, double eta, double p) const {
  return WarpedPredictive(warp_, eta, phi_).quantile(p);
}
double WarpedGaussian::canonical_point(const Row& row, PhiArray& dphi) const {
  const Slopes f = slopes(row.y);
  for (std::size_t k = 0; k < warp_.size(); ++k) dphi[k + 1] = f.z[k];
  return warp_.at(row.y).z;
}

}  // namespace ggpm::internal

namespace ggpm {

using namespace internal;

std::unique_ptr<Likelihood> make_warped(const Likelihood& gaussian, std::string_view warp) {
  if (!gaussian.is_exact_regression())
    throw UsageError(fmt::format(
        "warp '{}' transforms the outputs of a standard GP: it needs the likelihood 'gaussian' "
        "with link 'identity', not '{}' with '{}'",
        warp,
        gaussian.name(),
        gaussian.link()));
  return std::make_unique<WarpedGaussian>(Warp::parse(warp), gaussian.parameters().front().value);
}

}  // namespace ggpm
