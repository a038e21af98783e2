#include "model/checked_predictive.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "likelihood/base.hpp"
#include "numeric/constants.hpp"

namespace ggpm::internal {
namespace {

class CheckedPredictive final : public Predictive {
 public:
  CheckedPredictive(std::unique_ptr<Predictive> predictive, PredictiveFacts facts)
      : predictive_(std::move(predictive)), facts_(facts) {}

  double mean() const override {
    if (!facts_.has_mean) return kNaN;
    const double value = predictive_->mean();
    if (std::isinf(value)) return kNaN;
    if (!inside(value)) fail("mean", value);
    return value;
  }
  double variance() const override {
    if (!facts_.has_variance) return kNaN;
    const double value = predictive_->variance();
    if (value == std::numeric_limits<double>::infinity()) return kNaN;
    if (!(value >= 0)) fail("variance", value);
    return value;
  }
  double mode() const override {
    const double value = predictive_->mode();
    if (!std::isnan(value) && !inside(value)) fail("mode", value);
    return value;
  }
  double log_density(double y) const override {
    const double value = predictive_->log_density(y);
    if (!std::isfinite(value)) fail(fmt::format("log density of y = {}", y), value);
    return value;
  }
  double cdf(double y) const override {
    const double value = predictive_->cdf(y);
    if (!(value >= 0 && value <= 1)) fail(fmt::format("probability of y <= {}", y), value);
    return value;
  }
  double quantile(double p) const override {
    const double value = predictive_->quantile(p);
    // The ends of the support may be infinite; nothing else.
    if (!(p <= 0 || p >= 1) && !inside(value)) fail(fmt::format("{} quantile", p), value);
    return value;
  }
  double sample(std::mt19937_64& random) const override {
    const double value = predictive_->sample(random);
    if (!inside(value)) fail("sample", value);
    return value;
  }

 private:
  bool inside(double y) const { return std::isfinite(y) && y >= facts_.low && y <= facts_.high; }
  [[noreturn]] void fail(const std::string& what, double value) const {
    const std::string found = std::isinf(value) ? "is beyond the range of doubles"
                              : std::isnan(value)
                                  ? "cannot be computed in doubles"
                                  : fmt::format("comes out as {}, which cannot be", value);
    throw NumericalError(
        {.source = std::string(facts_.source), .row = facts_.row},
        fmt::format("{}the {} {}; the latent function there is {:.6g} with standard deviation "
                    "{:.6g}: look for extreme outputs, offsets or hyperparameters",
                    facts_.left_out ? "left out: " : "",
                    what,
                    found,
                    facts_.latent_mean,
                    std::sqrt(facts_.latent_variance)));
  }

  std::unique_ptr<Predictive> predictive_;
  PredictiveFacts facts_;
};

}  // namespace

PredictiveFacts predictive_facts(const Likelihood& likelihood,
                                 const Row& row,
                                 double latent_mean,
                                 double latent_variance) {
  const auto [low, high] = support(likelihood, row);
  return {.latent_mean = latent_mean,
          .latent_variance = latent_variance,
          .low = low,
          .high = high,
          .has_mean = !std::isnan(likelihood.mean(row, latent_mean)),
          .has_variance = !std::isnan(likelihood.variance(row, latent_mean))};
}

std::unique_ptr<Predictive> make_checked_predictive(std::unique_ptr<Predictive> predictive,
                                                    PredictiveFacts facts) {
  return std::make_unique<CheckedPredictive>(std::move(predictive), facts);
}

}  // namespace ggpm::internal
