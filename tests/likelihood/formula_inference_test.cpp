// Every inference method takes a formula for what it says.
#include <gtest/gtest.h>

#include "ggpm/inference.hpp"
#include "support/close.hpp"

namespace ggpm {
namespace {

constexpr const char* kPoisson = R"toml([likelihood]
domain = "count"
a = "1"
b = "exp(theta)"
c = "-lgamma(y+1)"
T = "y"
theta = "eta"
)toml";
constexpr const char* kGamma = R"toml([likelihood]
domain = "positive"
a = "phi"
b = "-log(-theta)"
c = "(1/phi - 1)*log(y) - log(phi)/phi - lgamma(1/phi)"
T = "y"
theta = "-exp(-eta)"
)toml";
constexpr const char* kWeibull = R"toml([likelihood]
domain = "positive"
a = "1"
b = "-log(-theta)"
c = "log(2*y)"
T = "y^2"
theta = "-exp(-2*eta)"
)toml";

constexpr InferenceMethod kMethods[] = {
    InferenceMethod::taylor, InferenceMethod::laplace, InferenceMethod::ep, InferenceMethod::kld};

class Problem {
 public:
  Problem() {
    Matrix X(9, 1);
    std::vector<Row> rows;
    for (Index i = 0; i < X.rows(); ++i) {
      X(i, 0) = 0.4 * static_cast<double>(i);
      rows.push_back({.y = 1 + static_cast<double>((5 * i) % 7)});
    }
    inference_ = std::make_unique<Inference>(X, Observations::of(rows));
  }
  Inferred operator()(const Likelihood& likelihood, InferenceMethod method, double variance = 1.3) {
    const std::string kernel = "rbf(variance=" + std::to_string(variance) + ", lengthscale=0.9)";
    return inference_->evaluate(
        Kernel::parse(kernel).bind(1), Mean(), likelihood, {.method = method});
  }

 private:
  std::unique_ptr<Inference> inference_;
};

void expect_equal(const Likelihood& formula, const Likelihood& built_in) {
  Problem problem;
  for (const InferenceMethod method : kMethods) {
    SCOPED_TRACE(to_string(method));
    const Inferred expected = problem(built_in, method);
    const Inferred actual = problem(formula, method);
    EXPECT_CLOSE(actual.log_marginal, expected.log_marginal, 1e-8);
    EXPECT_CLOSE(actual.posterior.mean, expected.posterior.mean, 1e-7);
    EXPECT_CLOSE(actual.posterior.variance, expected.posterior.variance, 1e-7);
    EXPECT_CLOSE(actual.gradient.kernel, expected.gradient.kernel, 1e-6);
    EXPECT_CLOSE(actual.gradient.dispersion, expected.gradient.dispersion, 1e-6);
  }
}

TEST(FormulaInference, PoissonEqualsTheBuiltInOne) {
  expect_equal(*make_likelihood(kPoisson), *make_likelihood("poisson"));
}

TEST(FormulaInference, GammaEqualsTheBuiltInOneWithItsDispersion) {
  expect_equal(*make_likelihood(kGamma, {}, {.dispersion = 0.4}),
               *make_likelihood("gamma-shape", {}, {.dispersion = 0.4}));
}

TEST(FormulaInference, WeibullConvergesWithTheRightGradient) {
  const auto weibull = make_likelihood(kWeibull);
  Problem problem;
  for (const InferenceMethod method : kMethods) {
    SCOPED_TRACE(to_string(method));
    const Inferred here = problem(*weibull, method, 1.25);
    EXPECT_EQ(here.report.outcome, Outcome::converged) << here.report.detail;
    const double h = 1e-3;  // std::to_string has six decimals
    const double slope = (problem(*weibull, method, 1.25 + h).log_marginal -
                          problem(*weibull, method, 1.25 - h).log_marginal) /
                         (2 * h);
    EXPECT_CLOSE(here.gradient.kernel[0], 1.25 * slope, 1e-5);  // in the logarithm
  }
}

}  // namespace
}  // namespace ggpm
