// What holds for all methods alike.
#include "ggpm/inference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "inference/method.hpp"
#include "inference/problems.hpp"
#include "support/brute_likelihood.hpp"
#include "support/close.hpp"

namespace ggpm::internal {
namespace {

using namespace testing_support;

// Every approximation of the registry that exists for these outputs.
std::vector<InferenceMethod> approximations(const Likelihood& likelihood, const SmallProblem& p) {
  std::vector<InferenceMethod> out;
  for (const InferenceInfo& info : inference_table()) {
    if (info.method == InferenceMethod::exact || info.method == InferenceMethod::mcmc) continue;
    try {
      const auto check = find_method(info.method).check;
      if (check != nullptr) check(likelihood, p.rows);
      out.push_back(info.method);
    } catch (const UsageError&) {
      continue;
    }
  }
  return out;
}

Kernel rbf() { return Kernel::parse("rbf(variance=1.3, lengthscale=0.9)").bind(2); }

TEST(Inference, AllMethodsAreExactForAGaussianLikelihood) {
  const auto likelihood = make_likelihood("gaussian", "", {.dispersion = 0.2});
  const SmallProblem p = small_problem(*likelihood, 40, 1);
  const Mean mean = Mean::parse("constant(value=0.3)").bind(2);
  Inference inference(p.X, p.observed());
  const Inferred exact =
      inference.evaluate(rbf(), mean, *likelihood, {.method = InferenceMethod::exact});

  // An explicit inverse, for a start.
  Matrix K;
  rbf().gram(p.X, K);
  K.diagonal().array() += 0.2;
  Vector r(40);
  for (Index i = 0; i < 40; ++i) r[i] = p.rows[std::size_t(i)].y - p.offset[i] - 0.3;
  const Vector alpha = testing_support::inverse_of(K) * r;
  const double expected =
      -0.5 * r.dot(alpha) - 0.5 * std::log(testing_support::determinant_of(2 * M_PI * K));
  EXPECT_CLOSE(exact.log_marginal, expected, 1e-11);

  for (const InferenceMethod method : approximations(*likelihood, p)) {
    const Inferred other = inference.evaluate(rbf(), mean, *likelihood, {.method = method});
    SCOPED_TRACE(std::string(to_string(method)));
    EXPECT_CLOSE(other.log_marginal, exact.log_marginal, 1e-10);
    EXPECT_CLOSE(other.posterior.mean, exact.posterior.mean, 1e-10);
    EXPECT_CLOSE(other.posterior.variance, exact.posterior.variance, 1e-10);
    EXPECT_CLOSE(other.posterior.alpha, exact.posterior.alpha, 1e-9);
    EXPECT_CLOSE(other.posterior.cavity_mean, exact.posterior.cavity_mean, 1e-9);
    EXPECT_CLOSE(other.gradient.kernel, exact.gradient.kernel, 1e-9);
    EXPECT_CLOSE(other.gradient.mean, exact.gradient.mean, 1e-9);
    EXPECT_CLOSE(other.gradient.dispersion, exact.gradient.dispersion, 1e-9);
  }
}

TEST(Inference, RefusesWhatDoesNotExist) {
  const auto laplace = make_likelihood("laplace");
  const SmallProblem p = small_problem(*laplace, 5, 2);
  Inference inference(p.X, Observations::of(p.rows));
  for (const auto method : {InferenceMethod::taylor, InferenceMethod::laplace}) {
    try {
      inference.evaluate(rbf(), Mean(), *laplace, {.method = method});
      ADD_FAILURE() << "no exception";
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("ep or kld"), std::string::npos) << error.what();
    }
  }
  const auto poisson = make_likelihood("poisson");
  EXPECT_THROW(inference.evaluate(rbf(), Mean(), *poisson, {.method = InferenceMethod::exact}),
               UsageError);
  EXPECT_THROW(parse_inference("newton"), UsageError);
  EXPECT_THROW(Inference(Matrix(3, 1), {.y = Vector::Zero(2)}), UsageError);
  EXPECT_THROW(Inference(Matrix(0, 1), {}), UsageError);
}

TEST(Inference, NamesReadBack) {
  int number = 0;
  for (const InferenceInfo& info : inference_table()) {
    EXPECT_EQ(info.method, static_cast<InferenceMethod>(number++)) << "as in the enum";
    EXPECT_EQ(to_string(info.method), info.name);
    EXPECT_EQ(parse_inference(info.name), info.method);
    EXPECT_FALSE(find_method(info.method).label.empty() || info.title.empty()) << info.name;
  }
  EXPECT_THROW((void)to_string(static_cast<InferenceMethod>(number)), UsageError);
}

TEST(Inference, OfNothingButThePriorIsThePrior) {
  // A likelihood so flat that the data say nothing.
  const auto likelihood = make_likelihood("student-t", "", {.dispersion = 1e8});
  const SmallProblem p = small_problem(*make_likelihood("gaussian"), 6, 3);
  for (const InferenceMethod method : approximations(*likelihood, p)) {
    const Inferred q = Inference(p.X, Observations::of(p.rows))
                           .evaluate(rbf(), Mean(), *likelihood, {.method = method});
    EXPECT_CLOSE(q.posterior.variance, Vector::Constant(6, 1.3), 1e-9) << to_string(method);
    EXPECT_CLOSE(q.posterior.mean, Vector::Zero(6), 1e-9);
  }
}

TEST(Inference, GivesTheSameBitsAgain) {
  const auto likelihood = make_likelihood("negative-binomial", "log", {.dispersion = 0.5});
  const SmallProblem p = small_problem(*likelihood, 30, 4);
  for (const InferenceMethod method : approximations(*likelihood, p)) {
    Inference one(p.X, p.observed()), two(p.X, p.observed());
    const InferenceOptions options{.method = method};
    const Inferred a = one.evaluate(rbf(), Mean(), *likelihood, options);
    one.evaluate(Kernel::parse("rbf(lengthscale=3)").bind(2), Mean(), *likelihood, options);
    const Inferred b = one.evaluate(rbf(), Mean(), *likelihood, options);  // used buffers
    const Inferred c = two.evaluate(rbf(), Mean(), *likelihood, options);
    for (const Inferred* other : {&b, &c}) {
      EXPECT_EQ(a.log_marginal, other->log_marginal);
      EXPECT_EQ(a.posterior.mean, other->posterior.mean);
      EXPECT_EQ(a.gradient.kernel, other->gradient.kernel);
    }
  }
}

TEST(Inference, DoesNotDependOnTheOrderOfRows) {
  const auto likelihood = make_likelihood("student-t", "", {.dispersion = 0.2});
  const SmallProblem p = small_problem(*likelihood, 25, 5);
  SmallProblem reversed = p;
  reversed.X = p.X.colwise().reverse().eval();
  std::reverse(reversed.rows.begin(), reversed.rows.end());
  for (const InferenceMethod method : approximations(*likelihood, p)) {
    const InferenceOptions options{.method = method, .tolerance = 1e-11};
    const Inferred a =
        Inference(p.X, Observations::of(p.rows)).evaluate(rbf(), Mean(), *likelihood, options);
    const Inferred b = Inference(reversed.X, Observations::of(reversed.rows))
                           .evaluate(rbf(), Mean(), *likelihood, options);
    EXPECT_CLOSE(a.log_marginal, b.log_marginal, 1e-9) << to_string(method);
    EXPECT_CLOSE(a.posterior.mean, b.posterior.mean.reverse(), 1e-8);
    EXPECT_CLOSE(a.gradient.kernel, b.gradient.kernel, 1e-8);
  }
}

TEST(Inference, OffsetAndMeanAreTheSameThing) {
  const auto likelihood = make_likelihood("poisson");
  const SmallProblem p = small_problem(*likelihood, 20, 6);
  for (const InferenceMethod method : approximations(*likelihood, p)) {
    const InferenceOptions options{.method = method};
    Observations shifted = Observations::of(p.rows);
    shifted.offset = Vector::Constant(20, 0.7);
    const Inferred a = Inference(p.X, shifted).evaluate(rbf(), Mean(), *likelihood, options);
    const Inferred b =
        Inference(p.X, Observations::of(p.rows))
            .evaluate(rbf(), Mean::parse("constant(value=0.7)").bind(2), *likelihood, options);
    EXPECT_EQ(a.log_marginal, b.log_marginal) << to_string(method);
    EXPECT_EQ(a.posterior.mean, b.posterior.mean);
  }
}

TEST(Inference, WarmStartsReachTheSameAnswerInFewerFactorizations) {
  for (const char* name : {"poisson", "bernoulli", "gamma-shape", "student-t"}) {
    const auto likelihood = make_likelihood(name);
    const SmallProblem p = small_problem(*likelihood, 60, 7);
    Inference inference(p.X, Observations::of(p.rows));
    const Kernel near = Kernel::parse("rbf(variance=1.35, lengthscale=0.92)").bind(2);
    for (const InferenceMethod method :
         {InferenceMethod::laplace, InferenceMethod::ep, InferenceMethod::kld}) {
      const InferenceOptions options{.method = method, .tolerance = 1e-10};
      const Inferred cold = inference.evaluate(near, Mean(), *likelihood, options);
      const Inferred there = inference.evaluate(rbf(), Mean(), *likelihood, options);
      const Inferred warm =
          inference.evaluate(near, Mean(), *likelihood, options, &there.posterior);
      EXPECT_CLOSE(warm.log_marginal, cold.log_marginal, 1e-9) << name << to_string(method);
      EXPECT_CLOSE(warm.posterior.mean, cold.posterior.mean, 1e-7);
      EXPECT_LT(warm.report.factorizations, cold.report.factorizations)
          << name << to_string(method);
    }
  }
}

TEST(Inference, LatentWithoutPriorVarianceStaysWhereItIs) {
  // A linear kernel knows the function at the origin.
  const Kernel linear = Kernel::parse("linear(variance=2)").bind(1);
  Matrix X(3, 1);
  X << 0.0, 1.0, -0.5;
  for (const char* name : {"poisson", "bernoulli", "laplace", "beta"}) {
    const auto likelihood = make_likelihood(name);
    const double y = likelihood->domain() == Domain::proportion ? 0.3 : 1.0;
    for (const InferenceMethod method :
         {InferenceMethod::laplace, InferenceMethod::ep, InferenceMethod::kld}) {
      if (!likelihood->differentiable() && method == InferenceMethod::laplace) continue;
      const Inferred q = Inference(X, {.y = Vector::Constant(3, y)})
                             .evaluate(linear, Mean(), *likelihood, {.method = method});
      EXPECT_NEAR(q.posterior.mean[0], 0, 1e-12) << name << to_string(method);
      EXPECT_LT(q.posterior.variance[0], 1e-12);
      EXPECT_TRUE(q.gradient.kernel.allFinite());
    }
  }
}

TEST(Inference, InterruptsByAnException) {
  const auto likelihood = make_likelihood("poisson");
  const SmallProblem p = small_problem(*likelihood, 20, 8);
  InferenceOptions options{.method = InferenceMethod::ep};
  options.on_iteration = [](const Progress& progress) {
    if (progress.iteration == 2) throw std::runtime_error("stop");
  };
  Inference inference(p.X, Observations::of(p.rows));
  EXPECT_THROW(inference.evaluate(rbf(), Mean(), *likelihood, options), std::runtime_error);
  options.on_iteration = {};
  EXPECT_EQ(inference.evaluate(rbf(), Mean(), *likelihood, options).report.outcome,
            Outcome::converged);
}

TEST(Inference, SaysThatItStoppedShort) {
  const auto likelihood = make_likelihood("poisson");
  const SmallProblem p = small_problem(*likelihood, 20, 9);
  for (const InferenceMethod method : {InferenceMethod::laplace, InferenceMethod::kld}) {
    const Inferred q =
        Inference(p.X, Observations::of(p.rows))
            .evaluate(rbf(), Mean(), *likelihood, {.method = method, .max_iterations = 1});
    EXPECT_EQ(q.report.outcome, Outcome::iteration_limit) << to_string(method);
    EXPECT_EQ(q.report.iterations, 1) << to_string(method);
    EXPECT_FALSE(q.report.detail.empty());
    EXPECT_TRUE(q.report.usable());
  }
}

// As a negative binomial at latents of 700 and more: finite, but its second derivative overflows.
class Steep final : public BruteLikelihood {
 public:
  std::unique_ptr<Likelihood> clone() const override { return std::make_unique<Steep>(*this); }
  std::string name() const override { return "steep"; }
  bool dispersed() const override { return false; }
  double point(double y) const override { return y; }
  double fisher_information(const Row&, double) const override { return infinity; }
  LogDensity at(double, double eta) const override {
    LogDensity l;
    l.value = -eta * eta;
    l.d1 = -2 * eta;
    l.d2 = -infinity;
    return l;
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
};

TEST(Inference, LaplaceRefusesACurvatureThatIsNotFinite) {
  const SmallProblem p = small_problem(*make_likelihood("gaussian"), 10, 3);
  EXPECT_THROW(Inference(p.X, Observations::of(p.rows))
                   .evaluate(rbf(), Mean(), Steep(), {.method = InferenceMethod::laplace}),
               NumericalError);
}

}  // namespace
}  // namespace ggpm::internal
