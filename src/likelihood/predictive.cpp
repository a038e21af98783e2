// The distribution of a new y: the likelihood averaged over a Gaussian latent.     (Section 3.5)
// Densities are tilted normalizers; means, variances and distribution functions are Gaussian
// averages; quantiles and modes are searched for. Discrete families are summed, not integrated.
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "likelihood/base.hpp"
#include "likelihood/gaussian_average.hpp"
#include "likelihood/landmarks.hpp"
#include "likelihood/latent_rule.hpp"
#include "numeric/bracket.hpp"
#include "numeric/constants.hpp"
#include "numeric/special.hpp"

namespace ggpm::internal {
namespace {

constexpr double kLineEnd = 746;  // e^-746 is 0, e^710 infinite
constexpr double kLogLargest = 709.78;
// Of the thirds of a LatentRule; the whole is right to the cube of it.
constexpr double kAgreement = 1e-4;
// Enough for slopes, and to tell probabilities from each other that differ by a tie or more.
constexpr double kRoughAgreement = 5e-3, kTie = 1e-6;
constexpr double kFewCounts = 12;  // up to there one after another

class Mixture final : public Predictive {
 public:
  Mixture(const LikelihoodBase& likelihood, const Row& row, double mean, double variance)
      : likelihood_(likelihood),
        row_(as_observed(row, likelihood.domain())),
        known_(row),
        latent_mean_(mean),
        latent_variance_(variance) {
    row_.weight = known_.weight = 1;
    std::tie(bottom_, top_) = support(likelihood, row);
  }

  // About the conditional mean at the latent mean, so that nothing cancels.
  double mean() const override {
    const double center = likelihood_.mean(row_, latent_mean_);
    if (likelihood_.is_exact_regression() || latent_variance_ <= 0 || !std::isfinite(center))
      return center;
    return center + shift_from(center);
  }
  // Law of total variance. No more than half of the square is lost: a mean is within a deviation of
  // its median. Each average has a range of its own: e^2eta may be too large for a double where e^eta
  // is not.
  double variance() const override {
    const double noise = likelihood_.variance(row_, latent_mean_);
    const double center = likelihood_.mean(row_, latent_mean_);
    if (latent_variance_ <= 0 || !std::isfinite(center) || std::isnan(noise)) return noise;
    if (likelihood_.is_exact_regression()) return latent_variance_ + noise;
    const double shift = shift_from(center);
    const double square = average([&](double eta) {
      const double d = likelihood_.mean(row_, eta) - center;
      return d * d;
    });
    const double scatter = average([&](double eta) { return likelihood_.variance(row_, eta); });
    const bool beyond = std::isinf(square) || std::isinf(shift * shift) || std::isinf(scatter);
    return beyond ? kInfinity : square - shift * shift + scatter;
  }

  // Of a censored row: of what is known of y.
  double log_density(double y) const override { return log_density_of(known_, y); }

  double cdf(double y) const override {
    if (y < bottom_) return 0;
    if (y >= top_) return 1;
    if (latent_variance_ <= 0) return likelihood_.cdf(row_, latent_mean_, y);
    if (likelihood_.is_exact_regression())
      return std::erfc((latent_mean_ - y) / (std::sqrt(2.0) * total_sd())) / 2;
    if (const LatentRule::Average few = quick_cdf(y); quick(few, kAgreement))
      return std::clamp(few.value, 0.0, 1.0);
    const auto f = [&](std::span<const double> eta, numeric::Values<1>& out) {
      for (std::size_t i = 0; i < eta.size(); ++i) out[i][0] = likelihood_.cdf(row_, eta[i], y);
    };
    // As a function of eta it is a step at the peak of p(y | eta), and as wide as that.
    Row row = row_;
    row.y = likelihood_.discrete() ? std::floor(y) : y;
    const Landmarks marks(likelihood_, row, latent_variance_);
    const double average =
        gaussian_average<1>(f, latent_mean_, latent_variance_, marks.points()).value[0];
    return std::clamp(average, 0.0, 1.0);
  }

  double quantile(double p) const override {
    if (!(p > 0 && p < 1)) return p <= 0 ? bottom_ : top_;
    if (latent_variance_ <= 0) return likelihood_.quantile(row_, latent_mean_, p);
    if (likelihood_.is_exact_regression()) return latent_mean_ + total_sd() * numeric::ndtri(p);
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
  double observed_log_density(double y) const { return log_density_of(row_, y); }
  double log_density_of(Row row, double y) const {
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

  // ---- By the fixed rule of few latent points

  // Rules that agree say nothing about a function with a corner.
  bool quick(LatentRule::Average average, double agreement) const {
    return likelihood_.differentiable() && average.within(agreement);
  }
  const LatentRule& rule() const {
    if (!rule_) rule_.emplace(latent_mean_, latent_variance_);
    return *rule_;
  }
  LatentRule::Values densities(double y) const {  // of y at the points
    LatentRule::Values p;
    Row row = row_;
    row.y = y;
    likelihood_.values(row, rule().eta(), p.data(), nullptr);
    for (double& x : p) x = std::exp(x);
    return p;
  }
  // Of small counts the sum of the densities, which is kept.
  LatentRule::Average quick_cdf(double y) const {
    if (likelihood_.discrete() && y - bottom_ < kFewCounts) return count(std::floor(y)).upto;
    LatentRule::Values p;
    for (std::size_t i = 0; i < p.size(); ++i) p[i] = likelihood_.cdf(row_, rule().eta()[i], y);
    return LatentRule::of(p);
  }
  struct Count {
    LatentRule::Average density, upto;
  };
  const Count& count(double y) const {
    const auto k = static_cast<std::size_t>(y - bottom_);
    while (known_counts_ <= k) {
      const LatentRule::Values p = densities(bottom_ + static_cast<double>(known_counts_));
      for (std::size_t i = 0; i < p.size(); ++i) upto_[i] += p[i];
      counts_[known_counts_++] = {LatentRule::of(p), LatentRule::of(upto_)};
    }
    return counts_[k];
  }
  double density(double y) const {
    const LatentRule::Average few = LatentRule::of(densities(y));
    return quick(few, kRoughAgreement) ? few.value : std::exp(observed_log_density(y));
  }
  double height(double y) const {
    const bool small = likelihood_.discrete() && y - bottom_ < kFewCounts;
    const LatentRule::Average few = small ? count(y).density : LatentRule::of(densities(y));
    const bool exact = quick(few, likelihood_.discrete() ? kRoughAgreement : kAgreement);
    return exact && few.value > 0 ? std::log(few.value) : observed_log_density(y);
  }
  double total_sd() const {  // of a Gaussian latent with Gaussian noise
    return std::sqrt(latent_variance_ + likelihood_.variance(row_, latent_mean_));
  }

  double shift_from(double center) const {
    return average([&](double eta) { return likelihood_.mean(row_, eta) - center; });
  }

  // Infinite where the function is too large for a double at an eta that matters: the largest
  // double, weighted as there, counts against the average.
  template <class F>
  double average(const F& function) const {
    LatentRule::Values values;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = function(rule().eta()[i]);
    if (const LatentRule::Average few = LatentRule::of(values); quick(few, kAgreement))
      return few.value;
    double overflow = 0, nearest = kInfinity;
    const auto f = [&](std::span<const double> eta, numeric::Values<1>& out) {
      for (std::size_t i = 0; i < eta.size(); ++i) {
        out[i][0] = function(eta[i]);
        if (!std::isinf(out[i][0])) continue;
        overflow = out[i][0];
        nearest = std::min(nearest, std::abs(eta[i] - latent_mean_));
      }
    };
    const double value = gaussian_average<1>(f, latent_mean_, latent_variance_).value[0];
    const double weighted = kLogLargest - nearest * nearest / (2 * latent_variance_);
    const bool matters = !(weighted < std::log(std::abs(value)) + std::log(1e-12));
    return overflow != 0 && matters ? overflow : value;
  }

  // Latent quantile pushed through the likelihood: a start that has the right magnitude.
  double guess(double p) const {
    const double z = std::clamp(numeric::ndtri(p), -8.0, 8.0);
    const double sd = std::sqrt(latent_variance_);
    return likelihood_.quantile(row_, latent_mean_ + 0.7 * z * sd, p);
  }

  // The smallest y with cdf(y) >= p: from the guess by steps that grow until they pass it, then
  // between the two by interpolation, and by halving where that is slow.
  double discrete_quantile(double p) const {
    if (const double y = small_quantile(p); !std::isnan(y)) return y;
    const double most = std::min(top_, std::numeric_limits<double>::max());
    const double start = nearer(guess(p), p);
    double high = std::clamp(std::isnan(start) ? bottom_ : start, bottom_, most), low = bottom_ - 1;
    double at_low = -p, at_high = cdf(high) - p;
    double step = first_step(high, at_high);
    if (at_high >= 0) {
      for (double y = high - 1; y >= bottom_; step = longer(step)) {
        const double gap = cdf(y) - p;
        (gap < 0 ? low : high) = y;
        (gap < 0 ? at_low : at_high) = gap;
        if (gap < 0) break;
        y = std::max(std::floor(y - step), y > bottom_ ? bottom_ : bottom_ - 1);
      }
    } else {
      for (; at_high < 0; step = longer(step)) {
        if (high >= most) return top_;
        low = high;
        at_low = at_high;
        high = std::min(most, std::ceil(high + step));
        at_high = cdf(high) - p;
      }
    }
    for (int i = 0; high - low > 1; ++i) {
      double y = std::floor(low + (high - low) * (at_low / (at_low - at_high)));
      if (i % 3 == 2 || !(y > low && y < high)) y = std::floor(numeric::between(low, high));
      if (y <= low || y >= high) break;
      const double gap = cdf(y) - p;
      (gap >= 0 ? high : low) = y;
      // The other end counts half (Illinois), so that it moves as well.
      if (gap >= 0) {
        at_high = gap;
        at_low /= 2;
      } else {
        at_low = gap;
        at_high /= 2;
      }
    }
    return high;
  }
  // From the bottom one after another; NaN where it is not among the small counts, or a near tie.
  double small_quantile(double p) const {
    for (double y = bottom_; y < bottom_ + kFewCounts && y <= top_; ++y) {
      const LatentRule::Average upto = count(y).upto;
      if (!quick(upto, kRoughAgreement) || std::abs(upto.value - p) < kTie) return kNaN;
      if (upto.value > p) return y;
    }
    return kNaN;
  }
  // Of small counts the quantile by a rule of a few latent points: nearly always that of the accurate
  // one, which then needs two values to see it.
  double nearer(double y, double p) const {
    constexpr double kSmall = 64;
    constexpr int kSteps = 16;
    if (!(y >= bottom_ && y < kSmall)) return y;
    int step = 0;
    while (step < kSteps && y > bottom_ && coarse_cdf(y - 1) >= p) --y, ++step;
    if (step > 0) return y;
    while (step < kSteps && y < top_ && coarse_cdf(y) < p) ++y, ++step;
    return y;
  }
  static double longer(double step) { return step < 1e6 ? 2 * step : step * step; }
  // Of large counts as far as the density says.
  double first_step(double y, double gap) const {
    if (y < 64) return 1;
    const double newton = std::abs(gap) / std::exp(observed_log_density(y));
    return std::isfinite(newton) ? std::max(1.0, std::ceil(1.1 * newton)) : 1;
  }

  // A coordinate in which the support is the real line, and no finite y is far from another.
  double to_line(double y) const {
    switch (likelihood_.domain()) {
      case Domain::positive:
      case Domain::nonnegative:
        return std::log(y);
      case Domain::proportion:
        return std::log(y) - std::log1p(-y);
      default:
        return std::asinh((y - line_center()) / line_scale());
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
        return line_center() + line_scale() * std::sinh(x);
    }
  }
  double line_slope(double y) const {  // dy/dx
    switch (likelihood_.domain()) {
      case Domain::positive:
      case Domain::nonnegative:
        return y;
      case Domain::proportion:
        return y * (1 - y);
      default:
        return std::hypot(line_scale(), y - line_center());
    }
  }
  double line_center() const {
    const double center = likelihood_.mode(row_, latent_mean_);
    return std::isfinite(center) ? center : 0;
  }
  double line_scale() const { return std::max(std::sqrt(latent_variance_), 1e-100); }

  // Newton with the density as slope, inside a bracket: first on a coarse rule of a few latent
  // points, which costs a fifth, then on the accurate distribution function.
  double continuous_quantile(double p) const {
    double x = to_line(guess(p));
    if (!(std::abs(x) < kLineEnd)) x = 0;
    const double near = solve(x, 1e-4, [&](double y) { return coarse_cdf(y) - p; });
    x = solve(
        std::isnan(near) ? x : near,
        1e-12,
        [&](double y) { return cdf(y) - p; },
        1e-6 * std::min(p, 1 - p));
    if (std::abs(x) >= kLineEnd) return x > 0 ? top_ : bottom_;
    return from_line(x);
  }

  // Root of the increasing gap(from_line(x)) to `tolerance` in gap, from a start; +-kLineEnd if it
  // is beyond. Newton's steps where each leaves less than half of the gap; else steps that double,
  // until there is a bracket, and then halves of that. From a gap below `last` a step of Newton leaves
  // its square, which nobody has to look at.
  template <class Gap>
  double solve(double x, double tolerance, const Gap& gap, double last = 0) const {
    double low = -kInfinity, high = kInfinity, step = 0.5, before = kInfinity;
    x = std::clamp(x, -kLineEnd, kLineEnd);
    for (int i = 0; i < 200; ++i) {
      const double y = from_line(x);
      const double g = gap(y);
      if (std::abs(g) < tolerance) return x;
      (g > 0 ? high : low) = x;
      if (std::abs(x) >= kLineEnd && (x > 0) == (g < 0)) return x;
      const double newton = -g / (density(y) * line_slope(y));
      const bool contracts = std::abs(g) < before / 2;
      double next = x + newton;
      if (std::abs(g) < last && std::abs(newton) < 1e-3) return next;
      if (std::isfinite(high - low)) {
        if (!(contracts && next > low && next < high)) next = low + (high - low) / 2;
      } else if (!(contracts && std::abs(newton) < 4 * step)) {
        next = std::clamp(x + (g > 0 ? -step : step), -kLineEnd, kLineEnd);
        step *= 2;
      }
      if (std::abs(next - x) <= 4e-16 * std::max(1.0, std::abs(x))) return next;
      before = std::abs(g);
      x = next;
    }
    return kNaN;
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
    double highest = -kInfinity;
    const double sd = std::sqrt(latent_variance_);
    // The ways up meet: most heights are asked for again and again.
    std::vector<std::pair<double, double>> known;
    const auto height_at = [&](double at) {
      for (const auto& [y, value] : known)
        if (y == at) return value;
      known.emplace_back(at, height(at));
      return known.back().second;
    };
    for (const double z : {0.0, -1.0, 1.0, -2.0, 2.0}) {
      constexpr double kLargest = 1e300;  // an infinite start would never come back
      double y = std::clamp(
          likelihood_.mode(row_, latent_mean_ + z * sd), bottom_, std::min(top_, kLargest));
      if (std::isnan(y)) continue;
      double value = height_at(y);
      for (double step = std::max(1.0, std::floor(0.05 * y)); step >= 1;
           step = std::floor(step / 2)) {
        for (const double direction : {-1.0, 1.0}) {
          for (;;) {
            const double next = y + direction * step;
            if (next < bottom_ || next > top_) break;
            const double trial = height_at(next);
            // Of small counts equal heights differ by rounding: the first stays.
            if (!(trial > value + (next - bottom_ < kFewCounts ? kTie : 0))) break;
            y = next;
            value = trial;
          }
        }
      }
      if (value > highest + (y - bottom_ < kFewCounts ? kTie : 0)) {
        best = y;
        highest = value;
      }
    }
    // Where nearly all trials succeed, the last count may stand out alone.
    if (std::isfinite(top_) && height_at(top_) > highest + kTie) best = top_;
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
    const auto height_at = [&](double x) { return height(from_line(x)); };
    constexpr std::size_t kScan = 25;
    const double sd = std::sqrt(latent_variance_);
    double low = to_line(likelihood_.quantile(row_, latent_mean_ - 2 * sd, 0.02));
    double high = to_line(likelihood_.quantile(row_, latent_mean_ + 2 * sd, 0.98));
    const double center =
        std::clamp(to_line(likelihood_.mean(row_, latent_mean_)), -kLineEnd, kLineEnd);
    low = std::max(low, center - 60);
    high = std::min(high, center + 60);
    const double step = (high - low) / (kScan - 1);
    std::array<double, kScan> value;
    for (std::size_t i = 0; i < kScan; ++i)
      value[i] = height_at(low + static_cast<double>(i) * step);
    double best = kNaN;
    double best_value = -kInfinity;
    const auto polish = [&](double from, double to) {
      std::uintmax_t steps = 60;
      const auto top = boost::math::tools::brent_find_minima(
          [&](double z) { return -height_at(z); }, from, to, 26, steps);
      if (!(-top.second > best_value)) return;
      best = from_line(top.first);
      best_value = -top.second;
    };
    for (std::size_t i = 1; i + 1 < kScan; ++i) {
      if (value[i] < value[i - 1] || value[i] < value[i + 1] || value[i] < best_value) continue;
      const double x = low + static_cast<double>(i) * step;
      polish(x - step, x + step);
    }
    // A skewed density of an uncertain latent has its mode far out: e^(m - v) for a log-normal. One that
    // rises without end at a boundary has none there.
    const auto at_boundary = [&](double y) {
      return !(y - bottom_ >= std::numeric_limits<double>::min()) || !(top_ - y >= 1e-10);
    };
    const auto walk = [&](double end, double out, double here, double inside) {
      double before = end - out;
      if (!(here > inside)) return;
      while (std::abs(end) < kLineEnd) {
        const double next = std::clamp(end + out, -kLineEnd, kLineEnd);
        if (at_boundary(from_line(next))) return;
        const double there = height_at(next);
        if (!(there > here)) return polish(std::min(before, next), std::max(before, next));
        before = end;
        end = next;
        here = there;
        out *= 2;
      }
    };
    walk(low, -step, value[0], value[1]);
    walk(high, step, value[kScan - 1], value[kScan - 2]);
    return best;
  }

  const LikelihoodBase& likelihood_;
  Row row_, known_;  // to be asked about any y, and as given
  double latent_mean_, latent_variance_;
  double bottom_ = 0, top_ = 0;
  mutable std::optional<LatentRule> rule_;
  mutable std::array<Count, static_cast<std::size_t>(kFewCounts)> counts_;
  mutable std::size_t known_counts_ = 0;
  mutable LatentRule::Values upto_{};  // of the counts that are known, at the points
};

}  // namespace

std::unique_ptr<Predictive> LikelihoodBase::predictive(const Row& row,
                                                       double latent_mean,
                                                       double latent_variance) const {
  return std::make_unique<Mixture>(*this, row, latent_mean, latent_variance);
}

}  // namespace ggpm::internal
