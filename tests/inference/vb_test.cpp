// Variational bounds: parabolas below each log density.
#include <gtest/gtest.h>

#include "inference/bound.hpp"
#include "inference/problems.hpp"
#include "support/close.hpp"

namespace ggpm::internal {
namespace {

using namespace testing_support;

class Vb : public testing::TestWithParam<std::string> {
 protected:
  static Inferred evaluate(const Matrix& X,
                           const Observations& observed,
                           const Likelihood& likelihood,
                           InferenceMethod method,
                           double log_lengthscale = 0) {
    const std::vector values = {1.4, std::exp(log_lengthscale)};
    const Kernel kernel = Kernel::parse("rbf").bind(X.cols()).with_values(values);
    return Inference(X, observed)
        .evaluate(kernel, Mean(), likelihood, {.method = method, .tolerance = 1e-11});
  }
  std::unique_ptr<Likelihood> likelihood_ =
      make_likelihood(GetParam(), "", {.learn_df = GetParam() == "student-t"});
};

TEST_P(Vb, IsBelowTheBoundOfKldWhichIsBelowTheTruth) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    const SmallProblem p = small_problem(*likelihood_, 20, seed);
    const double vb = evaluate(p.X, p.observed(), *likelihood_, InferenceMethod::vb).log_marginal;
    const double kld = evaluate(p.X, p.observed(), *likelihood_, InferenceMethod::kld).log_marginal;
    EXPECT_LT(vb, kld + 1e-9) << "seed " << seed;
    EXPECT_GT(vb, kld - 5) << "seed " << seed;  // and it is no bad one
  }
}

TEST_P(Vb, EndsWhereEveryParabolaIsTangentAtItsMarginal) {
  const SmallProblem p = small_problem(*likelihood_, 15, 4);
  const Inferred found = evaluate(p.X, p.observed(), *likelihood_, InferenceMethod::vb);
  ASSERT_EQ(found.report.outcome, Outcome::converged) << found.report.detail;
  const Posterior& q = found.posterior;
  for (Index i = 0; i < p.X.rows(); ++i) {
    const Row& row = p.rows[static_cast<std::size_t>(i)];
    const double center = likelihood_->domain() == Domain::real ? row.y : 0;
    const double xi = std::sqrt(std::pow(q.mean[i] - center, 2) + q.variance[i]);
    const std::vector<Row> both = {row, row};
    const std::vector<double> eta = {center - xi, center + xi};
    std::vector<LogDensity> at(2);
    likelihood_->log_density(both, eta, Derivatives::second, at);
    EXPECT_CLOSE(q.sites.precision[i], (at[0].d1 - at[1].d1) / (2 * xi), 1e-8);
    // The site touches log p at both ends, and is below it between and beyond them.
    const auto site = [&](double x) {
      return (q.sites.shift[i] - 0.5 * q.sites.precision[i] * x) * x;
    };
    const double level = at[1].value - site(eta[1]);
    EXPECT_CLOSE(at[0].value, site(eta[0]) + level, 1e-8);
    for (const double x :
         {center - 3 * xi, center - 0.3 * xi, center + 0.6 * xi, center + 5 * xi}) {
      LogDensity there;
      likelihood_->log_density({&row, 1}, {&x, 1}, Derivatives::value, {&there, 1});
      EXPECT_LE(site(x) + level, there.value + 1e-9) << x;
    }
  }
}

TEST_P(Vb, HasTheGradientOfDifferences) {
  const SmallProblem p = small_problem(*likelihood_, 12, 5);
  const double h = 1e-4;
  const auto bound = [&](const Likelihood& likelihood, double log_lengthscale) {
    return evaluate(p.X, p.observed(), likelihood, InferenceMethod::vb, log_lengthscale)
        .log_marginal;
  };
  const Gradient gradient = evaluate(p.X, p.observed(), *likelihood_, InferenceMethod::vb).gradient;
  EXPECT_CLOSE(
      gradient.kernel[1], (bound(*likelihood_, h) - bound(*likelihood_, -h)) / (2 * h), 1e-6);
  const std::vector<Parameter> parameters = likelihood_->parameters();
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const auto moved = [&](double step) {
      const std::unique_ptr<Likelihood> out = likelihood_->clone();
      std::vector<double> values;
      for (const Parameter& parameter : parameters) values.push_back(parameter.value);
      values[k] *= std::exp(step);
      out->set_parameters(values);
      return bound(*out, 0);
    };
    EXPECT_CLOSE(gradient.dispersion[static_cast<Index>(k)], (moved(h) - moved(-h)) / (2 * h), 1e-6)
        << parameters[k].name;
  }
}

TEST_P(Vb, TakesAWeightForSoManyCopies) {
  const SmallProblem p = small_problem(*likelihood_, 6, 6);
  std::vector<Row> weighted = p.rows, copied = p.rows;
  Matrix X(8, p.X.cols());
  X << p.X, p.X.row(2), p.X.row(2);
  weighted[2].weight = 3;
  copied.insert(copied.end(), 2, p.rows[2]);
  const Inferred a = evaluate(p.X, Observations::of(weighted), *likelihood_, InferenceMethod::vb);
  const Inferred b = evaluate(X, Observations::of(copied), *likelihood_, InferenceMethod::vb);
  EXPECT_CLOSE(a.log_marginal, b.log_marginal, 1e-8);
  EXPECT_CLOSE(a.posterior.mean, b.posterior.mean.head(6), 1e-7);
}

INSTANTIATE_TEST_SUITE_P(Families,
                         Vb,
                         testing::Values("bernoulli", "binomial", "laplace", "student-t"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(VbOfGaussianOutputs, IsExact) {
  const auto likelihood = make_likelihood("gaussian");
  const SmallProblem p = small_problem(*likelihood, 10, 7);
  const Kernel kernel = Kernel::parse("rbf").bind(p.X.cols());
  Inference inference(p.X, p.observed());
  const auto value = [&](InferenceMethod method) {
    return inference.evaluate(kernel, Mean(), *likelihood, {.method = method}).log_marginal;
  };
  EXPECT_CLOSE(value(InferenceMethod::vb), value(InferenceMethod::exact), 1e-9);
}

TEST(VbOfOtherFamilies, IsRefusedWithASentence) {
  for (const auto& [name, link] : {std::pair{"poisson", ""},
                                   std::pair{"negative-binomial", ""},
                                   std::pair{"bernoulli", "probit"}}) {
    const auto likelihood = make_likelihood(name, link);
    const SmallProblem p = small_problem(*likelihood, 5, 8);
    const Kernel kernel = Kernel::parse("rbf").bind(p.X.cols());
    try {
      Inference(p.X, p.observed())
          .evaluate(kernel, Mean(), *likelihood, {.method = InferenceMethod::vb});
      FAIL() << name;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("use kld"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace ggpm::internal
