#include "likelihood/warp.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "ggpm/model.hpp"
#include "model/simulate.hpp"
#include "support/close.hpp"

namespace ggpm::internal {
namespace {

class Warps : public testing::TestWithParam<const char*> {
 protected:
  static std::vector<double> inside(const Warp& warp) {
    if (warp.domain() == Domain::real) return {-3, -0.2, 0, 1, 7};
    if (warp.domain() == Domain::positive) return {1e-6, 0.3, 1, 50};
    return {1e-6, 0.2, 0.5, 0.999};
  }
};

TEST_P(Warps, InverseUndoes) {
  const Warp warp = Warp::parse(GetParam());
  for (const double y : inside(warp)) EXPECT_CLOSE(warp.inverse(warp.at(y).z), y, 1e-12);
}

TEST_P(Warps, SlopeIsTheDerivative) {
  const Warp warp = Warp::parse(GetParam());
  for (const double y : inside(warp)) {
    const double h = 1e-6 * std::max(1e-3, std::min(std::abs(y), std::abs(1 - y)));
    const double slope = (warp.at(y + h).z - warp.at(y - h).z) / (2 * h);
    EXPECT_CLOSE(warp.at(y).log_slope, std::log(slope), 1e-5) << y;
  }
}

INSTANTIATE_TEST_SUITE_P(All,
                         Warps,
                         testing::Values("log", "logit", "arctanh", "tanh:1", "tanh:3"),
                         [](const auto& tested) {
                           return testing_support::test_name(tested.param);
                         });

TEST(Warp, UnknownOnesAreRefused) {
  for (const char* text : {"sqrt", "tanh", "tanh:0", "tanh:-1", "tanh:2x", "tanh:999"})
    EXPECT_THROW(Warp::parse(text), UsageError) << text;
}

// A step that is as steep as learning allows, where outputs are whole numbers. Over y the density has died out at both
// ends, so that sums at even distances have all digits.
TEST(WarpedModel, MomentsBesideSteepSteps) {
  const auto likelihood = make_warped(*make_likelihood("gaussian"), "tanh:3");
  likelihood->set_constants(std::vector<double>{10, 3});
  likelihood->set_parameters(
      std::vector<double>{0.75, 0.57, 2.7, 1.0, 2.1, 1.6, 1.9, 0.21, 50, -0.4});
  for (const double mean : {-2.0, 0.3, 4.0})
    for (const double variance : {1e-4, 0.1, 30.0}) {
      const auto predictive = likelihood->predictive({}, mean, variance);
      const double low = predictive->quantile(1e-18), high = 2 * predictive->quantile(0.5) - low;
      const double end = std::max(high, predictive->quantile(1 - 1e-16));
      constexpr int kSteps = 200'000;
      const double center = predictive->mean();
      double first = 0, second = 0;
      for (int i = 0; i <= kSteps; ++i) {
        const double y = low + (end - low) * i / kSteps;
        const double mass = std::exp(predictive->log_density(y)) * (end - low) / kSteps;
        first += mass * y;
        second += mass * (y - center) * (y - center);
      }
      EXPECT_CLOSE(center, first, 1e-10) << mean << " " << variance;
      EXPECT_CLOSE(predictive->variance(), second, 1e-9) << mean << " " << variance;
    }
}

TEST(WarpedModel, LogIsRegressionOnTheLogarithm) {
  Dataset data = testing_support::simulate("gamma-shape", 30, 1, 2);
  const Specification warped{.kernel = "rbf(0.7, 0.9)", .warp = "log"};
  FitOptions options;
  options.optimize = false;
  const auto model = GeneralizedGP::fit(data, warped, options);
  double jacobian = 0;
  Dataset logs = data;
  for (double& y : logs.observed.y) {
    jacobian -= std::log(y);
    y = std::log(y);
  }
  const auto plain = GeneralizedGP::fit(
      logs, {.kernel = "rbf(0.7, 0.9)", .inference = InferenceMethod::exact}, options);
  EXPECT_CLOSE(model.log_marginal(), plain.log_marginal() + jacobian, 1e-12);

  const Predictions p = model.predictive({data.X.topRows(4)}),
                    z = plain.predictive({data.X.topRows(4)});
  const Vector mu = z.mean(), s2 = z.variance();
  for (Index i = 0; i < 4; ++i) {  // log-normal
    EXPECT_CLOSE(p.mean()[i], std::exp(mu[i] + s2[i] / 2), 1e-9);
    EXPECT_CLOSE(p.variance()[i], std::expm1(s2[i]) * std::exp(2 * mu[i] + s2[i]), 1e-8);
    EXPECT_CLOSE(p.mode()[i], std::exp(mu[i] - s2[i]), 1e-6);
    EXPECT_CLOSE(p.quantile(0.5)[i], std::exp(mu[i]), 1e-12);
  }
}

TEST(WarpedModel, DensityIntegratesToOneAndMatchesTheCdf) {
  for (const char* warp : {"log", "logit", "arctanh", "tanh:2"}) {
    const std::string likelihood =
        Warp::parse(warp).domain() == Domain::proportion ? "beta" : "gamma-shape";
    const Dataset data = testing_support::simulate(likelihood, 25, 1, 3);
    FitOptions options;
    options.restarts = 2;
    options.threads = 1;
    const auto model = GeneralizedGP::fit(data, {.warp = warp}, options);
    EXPECT_EQ(model.inference(), InferenceMethod::exact);
    const Predictions p = model.predictive({data.X.topRows(1)});
    const auto row = p.row(0);
    const double low = row->quantile(1e-7), high = row->quantile(1 - 1e-7);
    double mass = 0, first = 0;
    constexpr int kSteps = 400000;
    for (int i = 0; i < kSteps; ++i) {
      const double y = low + (high - low) * (i + 0.5) / kSteps;
      const double density = std::exp(row->log_density(y)) * (high - low) / kSteps;
      mass += density;
      first += density * y;
    }
    EXPECT_NEAR(mass, 1, 1e-4) << warp;
    EXPECT_NEAR(first, row->mean(), 1e-3 * std::abs(first)) << warp;
    EXPECT_CLOSE(row->cdf(row->quantile(0.3)), 0.3, 1e-9);
  }
}

TEST(WarpedModel, GradientOfTheWarpMatchesDifferences) {
  const Dataset data = testing_support::simulate("gamma-shape", 20, 1, 5);
  FitOptions options;
  options.optimize = false;
  const auto model = GeneralizedGP::fit(data, {.warp = "tanh:2"}, options);
  Vector at(model.parameters().size());
  for (Index i = 0; i < at.size(); ++i) {
    const Parameter p = model.parameters()[static_cast<std::size_t>(i)].parameter;
    at[i] = p.positive ? std::log(p.value) : p.value;
  }
  Vector gradient;
  model.log_marginal_at(at, &gradient);
  for (Index i = 0; i < at.size(); ++i) {
    Vector up = at, down = at;
    up[i] += 1e-5;
    down[i] -= 1e-5;
    const double difference = (model.log_marginal_at(up) - model.log_marginal_at(down)) / 2e-5;
    EXPECT_CLOSE(gradient[i], difference, 1e-6) << i;
  }
}

// log p in eta and in every parameter, against differences of log p itself.
TEST(WarpedGaussian, DerivativesMatchDifferences) {
  for (const char* name : {"log", "tanh:1", "tanh:3"}) {
    const auto likelihood =
        make_warped(*make_likelihood("gaussian", {}, {.dispersion = 0.4}), name);
    const Row row{.y = 0.7};
    const auto at = [&](const Likelihood& l, double eta) {
      LogDensity out;
      l.log_density({&row, 1}, {&eta, 1}, Derivatives::dispersion, {&out, 1});
      return out;
    };
    const double eta = 0.3, h = 1e-6;
    const LogDensity here = at(*likelihood, eta);
    EXPECT_CLOSE(
        here.d1, (at(*likelihood, eta + h).value - at(*likelihood, eta - h).value) / (2 * h), 1e-7);
    EXPECT_CLOSE(
        here.d2, (at(*likelihood, eta + h).d1 - at(*likelihood, eta - h).d1) / (2 * h), 1e-7);
    std::vector<double> values;
    for (const Parameter& p : likelihood->parameters()) values.push_back(p.value);
    for (std::size_t k = 0; k < values.size(); ++k) {
      const auto moved = [&](double by) {
        std::vector<double> other = values;
        other[k] += by;
        const auto copy = likelihood->clone();
        copy->set_parameters(other);
        return at(*copy, eta);
      };
      const LogDensity up = moved(h), down = moved(-h);
      EXPECT_CLOSE(here.dphi[k], (up.value - down.value) / (2 * h), 1e-6) << name << k;
      EXPECT_CLOSE(here.d1_dphi[k], (up.d1 - down.d1) / (2 * h), 1e-6) << name << k;
      EXPECT_CLOSE(here.d2_dphi[k], (up.d2 - down.d2) / (2 * h), 1e-6) << name << k;
    }
  }
}

// Nothing but the exact method is offered to users; the others agree where it is a Gaussian in eta.
TEST(WarpedGaussian, EveryMethodFindsTheExactPosterior) {
  const Dataset data = testing_support::simulate("gamma-shape", 12, 1, 7);
  const auto likelihood =
      make_warped(*make_likelihood("gaussian", {}, {.dispersion = 0.3}), "tanh:2");
  Inference inference(data.X, data.observed);
  const Kernel kernel = Kernel::parse("rbf(1.2, 0.8)").bind(1);
  const Inferred exact =
      inference.evaluate(kernel, Mean(), *likelihood, {.method = InferenceMethod::exact});
  for (const InferenceMethod method : {InferenceMethod::taylor,
                                       InferenceMethod::laplace,
                                       InferenceMethod::ep,
                                       InferenceMethod::kld}) {
    const Inferred other = inference.evaluate(kernel, Mean(), *likelihood, {.method = method});
    EXPECT_CLOSE(other.log_marginal, exact.log_marginal, 1e-8) << to_string(method);
    EXPECT_CLOSE(other.posterior.mean, exact.posterior.mean, 1e-7);
    EXPECT_CLOSE(other.gradient.dispersion, exact.gradient.dispersion, 1e-6);
  }
}

TEST(PhiArray, KeepsAnyNumberThroughCopiesAndMoves) {
  PhiArray few = {1, 2}, many(5);
  for (std::size_t k = 0; k < 5; ++k) many[k] = 10.0 + static_cast<double>(k);
  PhiArray copy = many;
  copy = few;
  EXPECT_EQ(copy[1], 2);
  copy = many;
  const PhiArray moved = std::move(copy);
  for (std::size_t k = 0; k < 5; ++k) EXPECT_EQ(moved[k], 10.0 + static_cast<double>(k));
  many = PhiArray();
  EXPECT_EQ(many[0], 0);
}

// Only families whose tails are known can say how probable a bound is.
TEST(Rows, ThatAreCensoredAreRefusedByFamiliesWithoutTails) {
  const std::set<std::string> tails = {
      "gaussian", "student-t", "exponential", "weibull", "log-logistic", "log-normal"};
  std::vector<std::unique_ptr<Likelihood>> all;
  for (const LikelihoodInfo& info : likelihood_table()) all.push_back(make_likelihood(info.name));
  all.push_back(make_warped(*make_likelihood("gaussian"), "log"));
  for (const auto& likelihood : all)
    for (const Row& row : {Row{.y = 1, .censored = 1}, Row{.y = 1, .upper = 3}}) {
      if (likelihood.get() != all.back().get() && tails.contains(likelihood->name()))
        EXPECT_NO_THROW(likelihood->check({&row, 1})) << likelihood->name();
      else
        EXPECT_THROW(likelihood->check({&row, 1}), DataError) << likelihood->name();
    }
}

TEST(Rows, HaveAWeightInEveryLikelihoodIfItIsPositive) {
  for (const LikelihoodInfo& info : likelihood_table()) {
    const auto likelihood = make_likelihood(info.name);
    const double y = likelihood->domain() == Domain::proportion ? 0.5 : 1;
    const Row twice{.y = y, .weight = 2}, never{.y = y, .weight = -1};
    EXPECT_NO_THROW(likelihood->check({&twice, 1})) << info.name;
    EXPECT_THROW(likelihood->check({&never, 1}), DataError) << info.name;
  }
}

TEST(WarpedModel, NeedsTheGaussianLikelihood) {
  EXPECT_THROW(GeneralizedGP::fit(testing_support::simulate("poisson", 5, 1, 1),
                                  {.likelihood = "poisson", .warp = "log"},
                                  {}),
               UsageError);
  Dataset data = testing_support::simulate("gaussian", 5, 1, 1);
  data.observed.y[2] = 0;
  EXPECT_THROW(GeneralizedGP::fit(data, {.warp = "log"}, {}), DataError);
}

}  // namespace
}  // namespace ggpm::internal
