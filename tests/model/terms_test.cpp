#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "ggpm/model.hpp"
#include "model/simulate.hpp"
#include "support/close.hpp"

namespace ggpm::internal {
namespace {

using testing_support::as_given;
using testing_support::simulate;

TEST(Terms, AddUpToTheLatentFunction) {
  const GeneralizedGP model = GeneralizedGP::fit(simulate("poisson", 25, 2, 3),
                                                 {.likelihood = "poisson",
                                                  .kernel = "rbf(0.5) + linear * rbf + rbf(1, 3)",
                                                  .mean = "linear(0.3, 1)"},
                                                 as_given());
  const Dataset rows{.X = Matrix::Random(7, 2)};
  Vector sum = Vector::Zero(7), mean, variance;
  std::vector<std::string> names;
  for (const TermPrediction& term : model.terms(rows)) {
    names.push_back(term.name);
    sum += term.mean;
    EXPECT_GE(term.variance.minCoeff(), 0);
  }
  EXPECT_THAT(names, testing::ElementsAre("prior", "rbf", "linear*rbf#2", "rbf#3"));
  model.latent(rows, mean, variance);
  EXPECT_CLOSE(sum, mean, 1e-10);
}

// k(z) - k_j(Z, X) (K + P^-1)^-1 k_j(X, Z), the summand's own covariance with the data.
TEST(Terms, HaveTheVarianceOfTheGaussianWithItsSites) {
  const GeneralizedGP model =
      GeneralizedGP::fit(simulate("poisson", 20, 1, 4),
                         {.likelihood = "poisson", .kernel = "rbf(0.8, 0.6) + linear(0.5)"},
                         as_given());
  const Matrix Z = Matrix::Random(5, 1);
  Matrix K, cross;
  model.kernel().gram(model.inputs(), K);
  K.diagonal() += model.posterior().sites.precision.cwiseInverse();
  const std::vector<TermPrediction> terms = model.terms({.X = Z});
  const std::vector<KernelTerm> kernels = model.kernel().terms();
  ASSERT_EQ(terms.size(), 2U);
  for (std::size_t j = 0; j < 2; ++j) {
    kernels[j].kernel.cross(model.inputs(), Z, cross);
    const Matrix explained = cross.transpose() * K.inverse() * cross;
    EXPECT_CLOSE(
        terms[j].variance, Vector(kernels[j].kernel.diagonal(Z) - explained.diagonal()), 1e-9);
  }
}

TEST(Terms, NeedAnEngineThatHoldsThem) {
  const GeneralizedGP model =
      GeneralizedGP::fit(simulate("gaussian", 60, 1, 4),
                         {.kernel = "rbf + linear", .engine = {.name = "tree"}},
                         as_given());
  EXPECT_THROW(model.terms({.X = Matrix::Zero(1, 1)}), UsageError);
}

// Bayesian regression with weights N(0, v) and an intercept N(0, u), in closed form.
TEST(Coefficients, AreThoseOfLinearRegressionInUnitsOfTheColumns) {
  Dataset data = simulate("gaussian", 30, 2, 3);
  data.columns = {"age", "dose"};
  const SavedModel saved{
      .model = GeneralizedGP::fit(data,
                                  {.likelihood_options = {.dispersion = 0.5},
                                   .kernel = "linear(variance=[2, 0.7]) + constant(3)"},
                                  as_given()),
      .design = Design({{.name = "age", .center = 40, .scale = 10}, {.name = "dose"}})};
  Matrix A(30, 3);
  A << data.X, Vector::Ones(30);
  const Vector prior{{2, 0.7, 3}};
  Matrix precision = A.transpose() * A / 0.5;
  precision.diagonal() += prior.cwiseInverse();
  const Matrix covariance = precision.inverse();
  const Vector w = covariance * A.transpose() * data.observed.y / 0.5;
  const std::vector<Coefficient> c = compute_coefficients(saved, 0.9);
  ASSERT_EQ(c.size(), 3U);
  const Vector unit{{10, 1, 1}};
  const char* inputs[] = {"age", "dose", "intercept"};
  for (Index k = 0; k < 3; ++k) {
    const Coefficient& found = c[static_cast<std::size_t>(k)];
    EXPECT_EQ(found.input, inputs[k]);
    EXPECT_CLOSE(found.estimate, w[k] / unit[k], 1e-9);
    EXPECT_CLOSE(found.standard_error, std::sqrt(covariance(k, k)) / unit[k], 1e-9);
    EXPECT_CLOSE(found.upper - found.lower, 2 * 1.6448536269514722 * found.standard_error, 1e-9);
  }
  EXPECT_EQ(c[0].term, "linear");
  EXPECT_EQ(c[2].term, "constant");
}

// With a kernel that is noise to them, learned weights are generalized least squares.
TEST(Coefficients, OfTheMeanHaveTheErrorsOfTheirCurvature) {
  Dataset data = simulate("gaussian", 40, 2, 5);
  data.columns = {"a", "b"};
  FitOptions options;
  options.restarts = 0;
  options.tolerance = 1e-10;
  const SavedModel saved{.model = GeneralizedGP::fit(
                             data,
                             {.likelihood_options = {.parameters = {{"dispersion", 0.5, true}}},
                              .kernel = "fixed(rbf(0.8, 0.6))",
                              .mean = "linear(columns=[b])"},
                             options)};
  Matrix K, A(40, 2);
  saved.model.kernel().gram(data.X, K);
  K.diagonal().array() += 0.5;
  A << data.X.col(1), Vector::Ones(40);
  const Matrix covariance = Matrix(A.transpose() * K.inverse() * A).inverse();
  const Vector w = covariance * A.transpose() * K.inverse() * data.observed.y;
  const std::vector<Coefficient> c = compute_coefficients(saved);
  ASSERT_EQ(c.size(), 2U);
  EXPECT_EQ(c[0].input, "b");
  EXPECT_EQ(c[1].input, "intercept");
  for (Index k = 0; k < 2; ++k) {
    EXPECT_CLOSE(c[static_cast<std::size_t>(k)].estimate, w[k], 1e-4);
    EXPECT_CLOSE(c[static_cast<std::size_t>(k)].standard_error, std::sqrt(covariance(k, k)), 1e-4);
  }
}

TEST(Coefficients, OfASumOfMeansHaveOneIntercept) {
  Dataset data = simulate("gaussian", 30, 2, 5);
  data.columns = {"a", "b"};
  const SavedModel saved{
      .model = GeneralizedGP::fit(
          data, {.kernel = "rbf", .mean = "constant + linear(columns=[b])"}, {.restarts = 0})};
  const std::vector<Coefficient> c = compute_coefficients(saved);
  ASSERT_EQ(c.size(), 2U);
  EXPECT_EQ(c[0].input, "intercept");
  EXPECT_EQ(c[1].input, "b");
}

}  // namespace
}  // namespace ggpm::internal
