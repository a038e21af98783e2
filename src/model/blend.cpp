#include "model/blend.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/bracket.hpp"
#include "numeric/constants.hpp"
#include "numeric/random.hpp"

namespace ggpm::internal {
namespace {

constexpr double kRelative = 1e-12;  // of a quantile
constexpr double kSameProbability = 1e-11;
constexpr std::size_t kFew = 9;  // of very many parts, that stand for all of them at first

// Where the increasing gap crosses 0, between a point below it and one that is not. By interpolation
// (Illinois), and by halving where that is slow.
template <class Gap>
double crossing(
    double low, double high, double at_low, double at_high, bool whole, const Gap& gap) {
  for (int i = 0; i < 400; ++i) {
    const double width = high - low;
    if (whole ? width <= 1 : width <= kRelative * std::max(std::abs(low), std::abs(high))) break;
    double y = low + width * (at_low / (at_low - at_high));
    if (i % 3 == 2 || !(y > low && y < high)) y = numeric::between(low, high);
    if (whole) y = std::clamp(std::floor(y), low + 1, high - 1);
    if (!(y > low && y < high)) break;
    const double here = gap(y);
    if (!whole && std::abs(here) < kSameProbability) return y;
    if (here >= 0) {
      high = y;
      at_high = here;
      at_low /= 2;
    } else {
      low = y;
      at_low = here;
      at_high /= 2;
    }
  }
  return high;
}

class MixturePredictive final : public Predictive {
 public:
  MixturePredictive(std::vector<WeightedPredictive> parts, bool whole)
      : parts_(std::move(parts)), whole_(whole) {}

  double mean() const override {
    return sum([](const Predictive& p) { return p.mean(); });
  }
  // About the mean of all, so that nothing cancels.
  double variance() const override {
    const double center = mean();
    return sum([&](const Predictive& p) {
      const double off = p.mean() - center;
      return p.variance() + off * off;
    });
  }
  double log_density(double y) const override {
    std::vector<double> terms;
    double top = -kInfinity;
    for (const auto& [weight, of] : parts_) {
      terms.push_back(std::log(weight) + of->log_density(y));
      top = std::max(top, terms.back());
    }
    if (!std::isfinite(top)) return top;
    double total = 0;
    for (const double term : terms) total += std::exp(term - top);
    return top + std::log(total);
  }
  double cdf(double y) const override {
    return std::clamp(sum([&](const Predictive& p) { return p.cdf(y); }), 0.0, 1.0);
  }

  // Between the smallest and the largest of the parts; a few of very many mostly tell them.
  double quantile(double p) const override {
    const auto gap = [&](double y) { return cdf(y) - p; };
    for (const std::size_t step : {few_step(), std::size_t{1}}) {
      double low = kInfinity, high = -kInfinity;
      for (std::size_t k = 0; k < parts_.size(); k += step) {
        const double q = parts_[k].of->quantile(p);
        low = std::min(low, q);
        high = std::max(high, q);
      }
      if (!(p > 0 && p < 1) || !(low < high)) {
        if (step == 1) return low;
        continue;
      }
      const double at_low = gap(low), at_high = gap(high);
      if (step > 1 && (at_low >= 0 || at_high < 0)) continue;
      if (at_low >= 0) return low;  // an atom
      return crossing(low, high, at_low, std::max(at_high, 0.0), whole_, gap);
    }
    return kNaN;
  }

  // From the highest of the parts' modes uphill, by steps that are halved.
  double mode() const override {
    double best = kNaN, height = -kInfinity, low = kInfinity, high = -kInfinity;
    for (std::size_t k = 0; k < parts_.size(); k += few_step()) {
      const double y = parts_[k].of->mode();
      if (std::isnan(y)) continue;
      low = std::min(low, y);
      high = std::max(high, y);
      if (const double here = log_density(y); here > height) {
        best = y;
        height = here;
      }
    }
    const double smallest = whole_ ? 1 : 1e-6 * (high - low);
    for (double step = whole_ ? std::ceil((high - low) / 4) : (high - low) / 4;
         step >= smallest && step > 0;) {
      bool moved = false;
      for (const double y : {best - step, best + step}) {
        if (!(y >= low && y <= high)) continue;
        if (const double here = log_density(y); here > height) {
          best = y;
          height = here;
          moved = true;
        }
      }
      if (!moved) step = whole_ ? std::floor(step / 2) : step / 2;
    }
    return best;
  }

  double sample(std::mt19937_64& random) const override {
    double left = numeric::uniform(random);
    for (const auto& [weight, of] : parts_)
      if ((left -= weight) < 0) return of->sample(random);
    return parts_.back().of->sample(random);
  }

 private:
  std::size_t few_step() const { return std::max<std::size_t>(1, parts_.size() / kFew); }
  template <class Question>
  double sum(const Question& question) const {
    double out = 0;
    for (const auto& [weight, of] : parts_) out += weight * question(*of);
    return out;
  }

  std::vector<WeightedPredictive> parts_;
  bool whole_;
};

}  // namespace

Vector Blend::mean() const {
  Vector out = Vector::Zero(parts.front().mean.size());
  for (const BlendPart& part : parts) out += part.weight * part.mean;
  return out;
}

Vector Blend::variance() const {
  const Vector center = mean();
  Vector out = Vector::Zero(center.size());
  for (const BlendPart& part : parts)
    out += part.weight * (part.variance + (part.mean - center).cwiseAbs2());
  return out;
}

std::unique_ptr<Predictive> make_mixture(std::vector<WeightedPredictive> parts,
                                         const Likelihood& likelihood) {
  return std::make_unique<MixturePredictive>(std::move(parts), is_discrete(likelihood.domain()));
}

double BlendedMean::above(double threshold) const {
  double out = 0;
  for (const Part& part : parts_) out += part.weight * part.of.above(threshold);
  return out;
}

double BlendedMean::quantile(double p) const {
  double low = kInfinity, high = -kInfinity;
  for (const Part& part : parts_) {
    const double q = part.of.quantile(p);
    if (std::isnan(q)) return kNaN;
    low = std::min(low, q);
    high = std::max(high, q);
  }
  if (!(low < high)) return low;
  const auto gap = [&](double mean) { return 1 - above(mean) - p; };
  const double at_low = gap(low);
  return at_low >= 0 ? low : crossing(low, high, at_low, std::max(gap(high), 0.0), false, gap);
}

}  // namespace ggpm::internal
