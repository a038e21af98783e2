#include "model/warped_predictive.hpp"

#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>

#include "likelihood/gaussian_average.hpp"
#include "numeric/random.hpp"
#include "numeric/special.hpp"

namespace ggpm {
namespace {

class WarpedPredictive final : public Predictive {
 public:
  WarpedPredictive(const Warp& warp, double mean, double variance)
      : warp_(warp), mean_(mean), sd_(std::sqrt(variance)) {}

  double mean() const override { return moments()[0]; }
  double variance() const override { return moments()[1]; }

  double log_density(double y) const override {
    if (!inside(y)) return -std::numeric_limits<double>::infinity();
    const Warp::Point p = warp_.at(y);
    const double r = (p.z - mean_) / sd_;
    return p.log_slope - 0.5 * r * r - std::log(sd_) - numeric::kLog2Pi / 2;
  }

  double cdf(double y) const override {
    if (!inside(y)) return y > 0 ? 1 : 0;
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
  bool inside(double y) const {
    switch (warp_.domain()) {
      case Domain::positive:
        return y > 0;
      case Domain::proportion:
        return y > 0 && y < 1;
      default:
        return true;
    }
  }

  std::array<double, 2> moments() const {
    const double center = warp_.inverse(mean_);
    const auto f = [&](std::span<const double> z, numeric::Values<2>& out) {
      for (std::size_t i = 0; i < z.size(); ++i) {
        const double d = warp_.inverse(z[i]) - center;
        out[i] = {d, d * d};
      }
    };
    const auto average = gaussian_average<2>(f, mean_, sd_ * sd_).value;
    return {center + average[0], average[1] - average[0] * average[0]};
  }

  const Warp& warp_;
  double mean_, sd_;
};

}  // namespace

std::unique_ptr<Predictive> make_warped_predictive(const Warp& warp, double mean, double variance) {
  return std::make_unique<WarpedPredictive>(warp, mean, variance);
}

}  // namespace ggpm
