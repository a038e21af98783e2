// What a model has that nobody asked for: an intercept.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ggpm/model.hpp"
#include "model/simulate.hpp"
#include "support/close.hpp"

namespace ggpm::internal {
namespace {

using testing_support::uniform;

// Deaths at a rate of 0.002 a person, in places of very different sizes.
Dataset deaths(Index n, unsigned seed) {
  std::mt19937_64 random(seed);
  const auto poisson = make_likelihood("poisson");
  Dataset data{.X = Matrix(n, 1)};
  data.observed.y.resize(n);
  data.observed.exposure.resize(n);
  for (Index i = 0; i < n; ++i) {
    data.X(i, 0) = uniform(random);
    data.observed.exposure[i] = 1000 + 20000 * uniform(random);
    data.observed.y[i] = poisson->sample({}, std::log(0.002 * data.observed.exposure[i]), random);
  }
  return data;
}

FitOptions quick() { return {.restarts = 3, .threads = 1}; }

TEST(Defaults, ExtrapolateToTheMeanRate) {
  const Dataset data = deaths(40, 1);
  Dataset far{.X = Matrix::Constant(1, 1, 1e3)};
  far.observed.exposure = Vector::Constant(1, 1e6);
  for (const InferenceMethod method : {InferenceMethod::laplace, InferenceMethod::ep}) {
    const auto model =
        GeneralizedGP::fit(data, {.likelihood = "poisson", .inference = method}, quick());
    // The median: what the rate may do so far away makes the mean of its exponential larger.
    const double median = model.predictive(far).quantile(0.5)[0];
    // Within a factor of e, where e^0 a person is 500 times the rate.
    EXPECT_LT(std::abs(std::log(median / 2000)), 1)
        << to_string(method) << " " << model.kernel().text();
  }
  const auto plain = GeneralizedGP::fit(
      data,
      {.likelihood = "poisson", .kernel = "rbf", .inference = InferenceMethod::laplace},
      quick());
  EXPECT_GT(plain.predictive(far).quantile(0.5)[0], 1e5);  // e^0 a person: what it is for
}

TEST(Defaults, DoNotDependOnTheUnitOfTheOutput) {
  Dataset data = testing_support::simulate("gaussian", 30, 1, 3);
  const auto fitted_mean = [&](double unit, double zero) {
    Dataset other = data;
    other.observed.y = data.observed.y * unit + Vector::Constant(30, zero);
    const GeneralizedGP model = GeneralizedGP::fit(other, {}, quick());
    return Vector((model.predictive({.X = data.X}).mean().array() - zero) / unit);
  };
  const Vector mean = fitted_mean(1, 0);
  EXPECT_CLOSE(fitted_mean(1000, 0), mean, 1e-3);
  EXPECT_CLOSE(fitted_mean(1e-3, 0), mean, 1e-3);
  // Far from zero the intercept is not drawn to it, however far.
  EXPECT_CLOSE(fitted_mean(1000, 5e6), fitted_mean(1000, 5e5), 1e-2);
}

TEST(Defaults, SayNothingOfAnInterceptThatIsNotNeeded) {
  Dataset data = testing_support::simulate("gaussian", 40, 1, 5);
  data.observed.y.array() -= data.observed.y.mean();
  const GeneralizedGP model = GeneralizedGP::fit(data, {}, quick());
  for (const Warning& warning : model.warnings())
    EXPECT_EQ(warning.text.find("constant"), std::string::npos) << warning.text;
}

}  // namespace
}  // namespace ggpm::internal
