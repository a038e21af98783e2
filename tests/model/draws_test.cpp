#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ggpm/model.hpp"
#include "model/simulate.hpp"
#include "support/close.hpp"

namespace ggpm::internal {
namespace {

using testing_support::simulate;

GeneralizedGP fitted(const std::string& likelihood) {
  FitOptions as_given;
  as_given.optimize = false;
  return GeneralizedGP::fit(simulate(likelihood, 20, 1, 4),
                            {.likelihood = likelihood, .kernel = "rbf(0.8, 0.6)"},
                            as_given);
}

TEST(Draws, OfTheLatentHaveItsMeanAndCovariance) {
  const GeneralizedGP model = fitted("poisson");
  const Dataset rows{.X = Matrix{{-1.0}, {-0.8}, {0.5}, {3.0}}};
  constexpr Index kCount = 20000;
  const Matrix draws = model.draw(rows, kCount, 7);
  Vector mean, variance;
  model.latent(rows, mean, variance);
  const Matrix covariance = model.latent_covariance(rows);
  const Matrix centered = draws.colwise() - mean;
  const double scale = variance.maxCoeff() / std::sqrt(static_cast<double>(kCount));
  EXPECT_CLOSE(draws.rowwise().mean(), mean, 5 * std::sqrt(variance.maxCoeff() / kCount));
  // The variance of a product of two normals is at most twice that of one squared.
  EXPECT_CLOSE(Matrix(centered * centered.transpose() / kCount), covariance, 5 * 1.5 * scale);
}

TEST(Draws, AreFunctionsEqualRowsHaveEqualValues) {
  const GeneralizedGP model = fitted("poisson");
  const Matrix draws = model.draw({.X = Matrix{{0.4}, {3.0}, {0.4}}}, 50, 1, Drawn::mean);
  EXPECT_LT((draws.row(0) - draws.row(2)).cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_GT((draws.row(0) - draws.row(1)).cwiseAbs().maxCoeff(), 0.1);
}

TEST(Draws, OfMeansAndOutcomesBelongToTheLatentOnes) {
  const GeneralizedGP model = fitted("poisson");
  const Dataset rows{.X = Matrix{{-1.0}, {0.5}}, .observed = {.exposure = Vector{{1, 10}}}};
  const Matrix latent = model.draw(rows, 400, 3), mean = model.draw(rows, 400, 3, Drawn::mean),
               outcome = model.draw(rows, 400, 3, Drawn::outcome);
  EXPECT_CLOSE(Vector(mean.row(0)), Vector(latent.row(0).array().exp()), 1e-12);
  EXPECT_CLOSE(Vector(mean.row(1)), Vector(10 * latent.row(1).array().exp()), 1e-12);
  EXPECT_EQ(outcome, outcome.array().floor().matrix());
  const Vector rest = (outcome - mean).row(1);
  EXPECT_LT(std::abs(rest.mean()), 5 * std::sqrt(mean.row(1).mean() / 400));
}

TEST(Draws, AreThoseOfTheirSeed) {
  const GeneralizedGP model = fitted("gamma-shape");
  const Dataset rows{.X = Matrix{{-1.0}, {0.5}}};
  EXPECT_EQ(model.draw(rows, 3, 5, Drawn::outcome), model.draw(rows, 3, 5, Drawn::outcome));
  EXPECT_NE(model.draw(rows, 3, 5), model.draw(rows, 3, 6));
  EXPECT_EQ(model.draw(rows, 5, 5).leftCols(3), model.draw(rows, 3, 5));
  EXPECT_THROW(model.draw(rows, -1, 5), UsageError);
}

}  // namespace
}  // namespace ggpm::internal
