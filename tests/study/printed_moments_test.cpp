#include "experiments/printed_moments.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace ggpm::paper {
namespace {

// With nu = 1 a COM-Poisson is a Poisson distribution, and the printed moments are exact.
TEST(PrintedMoments, AreExactForNu1) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  Dataset data{.X = Matrix(12, 2), .observed = {.y = Vector(12)}, .columns = {"a", "b"}};
  for (double& x : data.X.reshaped()) x = normal(random);
  for (Index i = 0; i < 12; ++i) data.observed.y[i] = static_cast<double>(1 + i % 5);
  for (const bool linear : {false, true}) {
    Specification s{
        .likelihood = linear ? "linear-com-poisson" : "com-poisson",
        .kernel =
            "poly(variance=0.3, offset=fixed(1), degree=1) + rbf(variance=0.7, lengthscale=1.4)",
        .inference = InferenceMethod::taylor};
    s.expansion.point = ExpansionPoint::canonical;
    s.likelihood_options.dispersion = 1;
    const GeneralizedGP model =
        GeneralizedGP::fit(data, s, {.optimize = false, .threads = 1, .standard_errors = false});
    EXPECT_NEAR(printed_moments_log_marginal(
                    data, linear, {std::log(0.3), std::log(0.7), std::log(1.4), 0}),
                model.log_marginal(),
                1e-8);
  }
}

TEST(PrintedMoments, HaveNoTargetsWhereTheMeanWouldBeNegative) {
  Dataset data{.X = Matrix::Ones(2, 1), .observed = {.y = Vector::Ones(2)}};
  EXPECT_LT(printed_moments_log_marginal(data, false, {0, 0, 0, std::log(0.3)}), -1e9);
}

}  // namespace
}  // namespace ggpm::paper
