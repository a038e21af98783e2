// The variational engine: KLD on it is a lower bound of KLD on the kernel's own prior.
#include "gram/variational.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ggpm/inference.hpp"
#include "parallel/threads.hpp"

namespace ggpm::internal {
namespace {

struct Random {
  Random(const char* family, Index n, unsigned seed)
      : likelihood(make_likelihood(family)), X(std::make_shared<Matrix>(n, 2)) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform;
    for (double& x : X->reshaped()) x = uniform(random);
    for (Index i = 0; i < n; ++i) {
      Row row;
      const double eta = std::sin(6 * (*X)(i, 0)) + (*X)(i, 1);
      row.y = likelihood->sample(row, eta, random);
      rows.push_back(row);
    }
  }
  Inferred infer(const std::shared_ptr<const Engine>& engine, const Kernel& kernel) const {
    InferenceOptions options;
    options.method = InferenceMethod::kld;
    options.tolerance = 1e-10;
    return Inference(engine, Observations::of(rows)).evaluate(kernel, Mean(), *likelihood, options);
  }
  std::shared_ptr<const Engine> engine(const char* name,
                                       const Kernel& kernel,
                                       Index points = 0) const {
    return make_engine({.name = name, .inducing = points}, X, kernel);
  }
  std::unique_ptr<Likelihood> likelihood;
  std::shared_ptr<Matrix> X;
  std::vector<Row> rows;
};

Kernel kernel_of(const char* text) { return Kernel::parse(text).bind(2); }

constexpr const char* kFamilies[] = {"poisson", "bernoulli", "gamma-shape", "student-t"};
constexpr const char* kKernels[] = {"matern32(1, 0.3)",
                                    "rbf(2, [0.2, 0.6]) + white(0.1)",
                                    "matern12(0.5, 0.2) + linear(0.7) + constant(1)"};

TEST(Variational, IsNeverAboveTheBoundOfTheDenseEngine) {
  unsigned seed = 0;
  for (const char* family : kFamilies)
    for (const char* text : kKernels)
      for (const Index points : {3, 12, 40}) {
        const Random problem(family, 60, ++seed);
        const Kernel kernel = kernel_of(text);
        const double dense = problem.infer(problem.engine("dense", kernel), kernel).log_marginal;
        const Inferred bound = problem.infer(problem.engine("variational", kernel, points), kernel);
        EXPECT_LE(bound.log_marginal, dense + 1e-7) << family << ' ' << text << ' ' << points;
        EXPECT_GT(bound.log_marginal, dense - 100) << family << ' ' << text << ' ' << points;
      }
}

TEST(Variational, WithEveryRowAPointIsTheDenseEngine) {
  for (const char* family : kFamilies) {
    const Random problem(family, 50, 7);
    const Kernel kernel = kernel_of("matern32(1.2, 0.3)");
    const Inferred dense = problem.infer(problem.engine("dense", kernel), kernel);
    const Inferred bound = problem.infer(problem.engine("variational", kernel, 50), kernel);
    EXPECT_NEAR(bound.log_marginal, dense.log_marginal, 1e-5) << family;
    EXPECT_LT((bound.posterior.mean - dense.posterior.mean).cwiseAbs().maxCoeff(), 1e-4) << family;
    EXPECT_LT((bound.posterior.variance - dense.posterior.variance).cwiseAbs().maxCoeff(), 1e-4)
        << family;
    EXPECT_LT((bound.gradient.kernel - dense.gradient.kernel).cwiseAbs().maxCoeff(), 1e-3)
        << family;
  }
}

TEST(Variational, GradientIsThatOfTheBound) {
  for (const char* family : {"poisson", "bernoulli"})
    for (const char* text : kKernels) {
      const Random problem(family, 40, 11);
      const Kernel kernel = kernel_of(text);
      const auto engine = problem.engine("variational", kernel, 10);
      const Vector gradient = problem.infer(engine, kernel).gradient.kernel;
      std::vector<double> values;
      for (const Parameter& p : kernel.parameters()) values.push_back(p.value);
      for (std::size_t k = 0; k < values.size(); ++k) {
        constexpr double kStep = 1e-4;
        const auto at = [&](double step) {
          std::vector<double> moved = values;
          moved[k] *= std::exp(step);
          return problem.infer(engine, kernel.with_values(moved)).log_marginal;
        };
        const double slope = (at(kStep) - at(-kStep)) / (2 * kStep);
        EXPECT_NEAR(gradient[static_cast<Index>(k)], slope, 1e-5 * (1 + std::abs(slope)))
            << family << ' ' << text << ' ' << kernel.parameters()[k].name;
      }
    }
}

TEST(Variational, PredictsAtItsRowsWhatItInferred) {
  const Random problem("poisson", 80, 3);
  const Kernel kernel = kernel_of("matern32(1, 0.3) + constant(1)");
  const auto engine = problem.engine("variational", kernel, 15);
  const Posterior q = problem.infer(engine, kernel).posterior;
  const auto conditional = engine->condition(kernel, q);
  Vector shift, variance;
  conditional->predict(*problem.X, shift, variance);
  EXPECT_LT((shift + q.prior_mean - q.mean).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((variance - q.variance).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((conditional->covariance(*problem.X).diagonal() - variance).cwiseAbs().maxCoeff(),
            1e-9);
  const auto again = restore_engine(engine->options(), problem.X, engine->arrays());
  Vector same;
  again->condition(kernel, q)->predict(*problem.X, same, variance);
  EXPECT_EQ((same - shift).cwiseAbs().maxCoeff(), 0);
}

TEST(Variational, ThreadsDoNotChangeABit) {
  const Random problem("bernoulli", 1200, 5);
  const Kernel kernel = kernel_of("matern32(1, 0.3)");
  const auto engine = problem.engine("variational", kernel, 20);
  const auto value = [&](int threads) {
    const BlasThreads own(threads);
    const Inferred out = problem.infer(engine, kernel);
    return std::pair(out.log_marginal, Vector(out.gradient.kernel));
  };
  const auto one = value(1), two = value(2);
  EXPECT_EQ(one.first, two.first);
  EXPECT_EQ((one.second - two.second).cwiseAbs().maxCoeff(), 0);
}

}  // namespace
}  // namespace ggpm::internal
