#include "ggpm/score.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ggpm/simulate.hpp"
#include "model/simulate.hpp"

namespace ggpm::internal {
namespace {

GeneralizedGP scored_model(const std::string& likelihood) {
  return GeneralizedGP::fit(testing_support::simulate(likelihood, 60, 1, 3),
                            {.likelihood = likelihood, .inference = InferenceMethod::laplace},
                            {.restarts = 1, .threads = 1});
}

const Vector& outputs(const GeneralizedGP& model) { return model.observations().y; }

TEST(ScoreSum, OfBlocksIsThatOfAllRows) {
  const GeneralizedGP model = scored_model("poisson");
  const Vector y = outputs(model);
  ScoreSum whole, parts;
  whole.add(model.predictive({.X = model.inputs()}), y);
  parts.add(model.predictive({.X = model.inputs().topRows(25)}), y.head(25));
  parts.add(model.predictive({.X = model.inputs().bottomRows(35)}), y.tail(35));
  EXPECT_EQ(whole.count(), 60);
  EXPECT_NEAR(whole.nlp().mean(), parts.nlp().mean(), 1e-12);
  EXPECT_NEAR(whole.nlp().error(), parts.nlp().error(), 1e-12);
  EXPECT_EQ(whole.pit().histogram, parts.pit().histogram);
  EXPECT_NEAR(whole.pit().distance, parts.pit().distance, 1e-12);
}

TEST(Pit, OfCountsIsDrawnBetweenTheStepsOfTheirDistribution) {
  const GeneralizedGP model = scored_model("poisson");
  const Vector y = outputs(model);
  const Predictions predictions = model.predictive({.X = model.inputs()});
  EXPECT_TRUE(is_discrete(predictions.domain()));
  const Vector below = predictions.cdf(y.array() - 1), upto = predictions.cdf(y);
  std::mt19937_64 random(1);
  const Vector pit = draw_pit(below, upto, random);
  EXPECT_TRUE((pit.array() > below.array()).all() && (pit.array() < upto.array()).all());
  ScoreSum scores;
  scores.add(predictions, y);
  EXPECT_EQ(scores.pit().distance, summarize_pit(pit).distance);
}

TEST(Pit, OfContinuousOutputsHasNoChance) {
  const GeneralizedGP model = scored_model("gamma-shape");
  const Vector y = outputs(model);
  const Predictions predictions = model.predictive({.X = model.inputs()});
  ScoreSum one({.seed = 1}), other({.seed = 2});
  one.add(predictions, y);
  other.add(predictions, y);
  EXPECT_EQ(one.pit().mean, other.pit().mean);
  EXPECT_DOUBLE_EQ(one.pit().mean, predictions.cdf(y).mean());
}

TEST(GradientCheck, AgreesWithDifferences) {
  const GradientCheck check = check_gradient(scored_model("negative-binomial"));
  EXPECT_EQ(check.names.back(), "dispersion");
  EXPECT_EQ(check.gradient.size(), check.differences.size());
  EXPECT_LT(check.largest, 1e-5);
}

TEST(Simulate, DrawsTheCovarianceOfTheKernel) {
  const Matrix X = Vector::LinSpaced(3, 0, 1);
  const Kernel kernel = Kernel::parse("rbf(2, 0.5)").bind(1);
  Matrix K;
  kernel.gram(X, K);
  std::mt19937_64 random(4);
  Matrix sum = Matrix::Zero(3, 3);
  constexpr int kDraws = 20000;
  for (int k = 0; k < kDraws; ++k) {
    const Vector f = draw_function(kernel, X, random);
    sum += f * f.transpose();
  }
  EXPECT_LT((sum / kDraws - K).cwiseAbs().maxCoeff(), 0.1);  // 2 sqrt(2 / 20000) = 0.02 a sd
}

TEST(Simulate, OfEqualRowsDrawsOneValue) {
  const Matrix X = Matrix::Ones(5, 2);
  std::mt19937_64 random(1);
  const Vector f = draw_function(Kernel::parse("rbf").bind(2), X, random);
  EXPECT_LT((f.array() - f(0)).abs().maxCoeff(), 1e-4);
}

TEST(Simulate, MultipliesTheMeanByTheExposure) {
  const auto likelihood = make_likelihood("poisson");
  const Matrix X = Matrix::Zero(4000, 1);
  std::mt19937_64 random(2);
  const Simulated data = simulate(Kernel::parse("constant(1e-6)").bind(1),
                                  Mean::parse("constant(1)").bind(1),
                                  *likelihood,
                                  {.X = X, .observed = {.exposure = Vector::Constant(4000, 3)}},
                                  random);
  EXPECT_NEAR(data.y.mean(), 3 * std::exp(1), 0.2);
}

TEST(Simulate, FromAFittedModelIsReproducible) {
  const GeneralizedGP model = scored_model("poisson");
  const Dataset rows{.X = model.inputs()};
  EXPECT_EQ(simulate(model, rows, 7).y, simulate(model, rows, 7).y);
  EXPECT_NE(simulate(model, rows, 7).y, simulate(model, rows, 8).y);
}

}  // namespace
}  // namespace ggpm::internal
