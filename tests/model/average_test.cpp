// Models whose answers are averages: over hyperparameters, over draws of the latents.
#include <gtest/gtest.h>

#include <cmath>

#include "ggpm/model.hpp"
#include "ggpm/options.hpp"
#include "ggpm/summary.hpp"
#include "model/simulate.hpp"
#include "model/state.hpp"
#include "support/close.hpp"

namespace ggpm {
namespace {

using namespace testing_support;

GeneralizedGP integrated(const std::string& likelihood, Index n = 25) {
  FitOptions options;
  options.restarts = 3;
  options.hyperparameters = HyperparameterUse::integrate;
  return GeneralizedGP::fit(
      simulate(likelihood, n, 1, 3), {.likelihood = likelihood, .kernel = "rbf"}, options);
}

GeneralizedGP sampled(const std::string& likelihood, Index n, bool optimize = true) {
  FitOptions options;
  options.restarts = 3;
  options.optimize = optimize;
  return GeneralizedGP::fit(
      simulate(likelihood, n, 1, 3),
      {.likelihood = likelihood, .kernel = "rbf", .inference = InferenceMethod::mcmc},
      options);
}

Dataset new_rows() {
  Dataset rows{.X = Matrix(4, 1)};
  rows.X << -1.5, -0.2, 0.9, 3.5;
  rows.observed.y = Vector::Constant(4, 1);
  return rows;
}

// ---- Hyperparameters integrated

class Integrated : public testing::TestWithParam<std::string> {};

TEST_P(Integrated, PredictsTheMixtureOfItsPoints) {
  const GeneralizedGP model = integrated(GetParam());
  const internal::ModelState& state = model.state();
  ASSERT_GT(state.members.size(), 4U);
  const Dataset rows = new_rows();
  const Predictions p = model.predictive(rows);
  Vector density = Vector::Zero(4), below = density, mean = density, square = density;
  const Vector& y = rows.observed.y;
  for (const internal::Member& member : state.members) {
    const Predictions one = GeneralizedGP(member.state).predictive(rows);
    density += member.weight * one.log_density(y).array().exp().matrix();
    below += member.weight * one.cdf(y);
    mean += member.weight * one.mean();
    square += member.weight * (one.variance() + one.mean().cwiseAbs2());
  }
  EXPECT_CLOSE(p.log_density(y), density.array().log().matrix(), 1e-10);
  EXPECT_CLOSE(p.cdf(y), below, 1e-10);
  EXPECT_CLOSE(p.mean(), mean, 1e-10);
  EXPECT_CLOSE(p.variance(), square - mean.cwiseAbs2(), 1e-8);
  for (const double probability : {0.025, 0.5, 0.975}) {
    const Vector q = p.quantile(probability);
    const Vector reached = p.cdf(q);
    EXPECT_TRUE((reached.array() >= probability - 1e-8).all()) << reached.transpose();
    if (GetParam() == "gaussian")
      EXPECT_CLOSE(reached, Vector::Constant(4, probability), 1e-7);
    else
      EXPECT_TRUE((p.cdf(q.array() - 1).array() < probability).all());
  }
  expect_sane(model, rows, GetParam());
}

TEST_P(Integrated, LeavesOutARowWithWeightsThatDoNotKnowIt) {
  const GeneralizedGP model = integrated(GetParam());
  const LeaveOneOutScores loo = model.loo();
  const internal::ModelState& state = model.state();
  Vector inverse = Vector::Zero(model.rows());
  for (const internal::Member& member : state.members)
    inverse +=
        member.weight * (-GeneralizedGP(member.state).loo().log_density).array().exp().matrix();
  EXPECT_CLOSE(loo.log_density, -inverse.array().log().matrix(), 1e-9);
  EXPECT_TRUE((loo.cdf.array() >= loo.cdf_below.array()).all());
}

TEST_P(Integrated, IsLoadedAsItWasSaved) {
  const GeneralizedGP model = integrated(GetParam());
  const SavedModel saved{.model = model};
  const std::string bytes = to_bytes(saved);
  const SavedModel loaded = from_bytes(bytes);
  EXPECT_EQ(to_bytes(loaded), bytes);
  const Dataset rows = new_rows();
  EXPECT_EQ(loaded.model.predictive(rows).mean(), model.predictive(rows).mean());
  EXPECT_EQ(loaded.model.loo().log_density, model.loo().log_density);
  EXPECT_EQ(loaded.model.integrated()->log_evidence, model.integrated()->log_evidence);
  EXPECT_NE(summary_text(loaded, {}).find("averages over"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Families,
                         Integrated,
                         testing::Values("gaussian", "poisson"),
                         [](const auto& test) { return test_name(test.param); });

TEST(IntegratedModel, IsLessCertainThanThatOfTheOptimum) {
  const GeneralizedGP model = integrated("gaussian", 15);
  Dataset far = new_rows();
  far.X << 4, 5, 6, 7;
  const Vector optimum = [&] {
    Vector mean, variance;
    model.state().predictor().predict(far.X, Vector::Zero(4), mean, variance);
    return variance;
  }();
  EXPECT_TRUE((model.predictive(far).latent_variance().array() > optimum.array()).all());
}

TEST(IntegratedModel, DrawsFunctionsWithItsOwnMoments) {
  const GeneralizedGP model = integrated("gaussian", 15);
  const Dataset rows = new_rows();
  const Matrix draws = model.draw(rows, 4000, 1);
  const Predictions p = model.predictive(rows);
  const Vector mean = draws.rowwise().mean();
  for (Index i = 0; i < 4; ++i) {
    const double sd = std::sqrt(p.latent_variance()[i]);
    EXPECT_NEAR(mean[i], p.latent_mean()[i], 5 * sd / std::sqrt(4000.0));
    EXPECT_NEAR(model.latent_covariance(rows)(i, i), p.latent_variance()[i], 1e-9 + 1e-9 * sd);
  }
}

TEST(IntegratedModel, RefusesWhatContradictsItself) {
  FitOptions options;
  options.hyperparameters = HyperparameterUse::integrate;
  const Dataset data = simulate("gaussian", 10, 1, 1);
  options.optimize = false;
  EXPECT_THROW(GeneralizedGP::fit(data, {}, options), UsageError);
  options.optimize = true;
  EXPECT_THROW(GeneralizedGP::fit(data, {.inference = InferenceMethod::mcmc}, options), UsageError);
}

// ---- Latents sampled

TEST(SampledModel, OfGaussianOutputsIsExactRegression) {
  const GeneralizedGP model = sampled("gaussian", 20);
  EXPECT_EQ(model.inference(), InferenceMethod::mcmc);
  Specification exact = model.specification();
  exact.inference = InferenceMethod::exact;
  FitOptions options;
  options.restarts = 3;
  const GeneralizedGP truth = GeneralizedGP::fit(simulate("gaussian", 20, 1, 3), exact, options);
  EXPECT_CLOSE(model.log_marginal(), truth.log_marginal(), 1e-6);
  const Dataset rows = new_rows();
  const Predictions a = model.predictive(rows), b = truth.predictive(rows);
  const Vector sd = b.latent_variance().cwiseSqrt();
  for (Index i = 0; i < 4; ++i) {
    EXPECT_NEAR(a.latent_mean()[i], b.latent_mean()[i], 5 * sd[i] / std::sqrt(900.0));
    EXPECT_NEAR(a.latent_variance()[i] / b.latent_variance()[i], 1, 0.25);
    EXPECT_NEAR(a.cdf(b.quantile(0.9))[i], 0.9, 0.03);
  }
  const LeaveOneOutScores left = model.loo(), exactly = truth.loo();
  EXPECT_NEAR(left.total, exactly.total, 1.0);
}

TEST(SampledModel, IsLoadedAsItWasSavedAndKnowsItsErrors) {
  const GeneralizedGP model = sampled("bernoulli", 30, false);
  ASSERT_TRUE(model.sampled());
  EXPECT_GT(model.sampled()->log_marginal_error, 0);
  EXPECT_LT(model.sampled()->r_hat, 1.01);
  const SavedModel saved{.model = model};
  const std::string bytes = to_bytes(saved);
  const SavedModel loaded = from_bytes(bytes);
  EXPECT_EQ(to_bytes(loaded), bytes);
  EXPECT_EQ(loaded.model.inference(), InferenceMethod::mcmc);
  const Dataset rows = new_rows();
  EXPECT_EQ(loaded.model.predictive(rows).mean(), model.predictive(rows).mean());
  EXPECT_NE(summary_text(loaded, {}).find("annealed"), std::string::npos);
  EXPECT_THROW(model.terms(rows), UsageError);
}

TEST(SampledModel, SaysWhatItLearnedWithAndRefusesATree) {
  const GeneralizedGP model = sampled("poisson", 12, false);
  ASSERT_FALSE(model.report().choices.empty());
  EXPECT_NE(model.report().choices.back().find("learned with ep"), std::string::npos);
  Specification tree{.likelihood = "poisson", .inference = InferenceMethod::mcmc};
  tree.engine.name = "tree";
  EXPECT_THROW(GeneralizedGP::fit(simulate("poisson", 40, 1, 1), tree), UsageError);
}

TEST(SampledModel, AnswersARowTheSameWhateverItsNeighbors) {
  const GeneralizedGP model = sampled("poisson", 12, false);
  const Dataset rows = new_rows();
  const std::vector<Index> fourth = {3};
  const Dataset last = rows.subset(fourth);
  // Products of another shape round otherwise (with AVX-512, not with AVX2), which K^-1 enlarges: other draws
  // would show in the second digit.
  EXPECT_CLOSE(model.predictive(rows).mean()[3], model.predictive(last).mean()[0], 1e-10);
}

}  // namespace
}  // namespace ggpm
