// Sites one at a time, and engines that cannot.
#include "inference/sequential.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "gram/engine.hpp"
#include "inference/problems.hpp"
#include "support/close.hpp"

namespace ggpm::internal {
namespace {

using namespace testing_support;

// The dense answers, without updates of single sites and without a factor to be taken along.
class PlainGram final : public Gram {
 public:
  explicit PlainGram(std::unique_ptr<Gram> dense) : dense_(std::move(dense)) {}
  void build(const Kernel& kernel) override { dense_->build(kernel); }
  const RowsHere& rows() const override { return dense_->rows(); }
  double jitter() const override { return dense_->jitter(); }
  int factorizations() const override { return dense_->factorizations(); }
  const Vector& diagonal() const override { return dense_->diagonal(); }
  void multiply(const Vector& x, Vector& Kx) const override { dense_->multiply(x, Kx); }
  bool condition(const Sites& sites,
                 const Vector& mean,
                 Compute compute,
                 Conditioned& out) override {
    return dense_->condition(sites, mean, compute, out);
  }
  void add_marginals(const Sites& sites, Conditioned& out) override {
    dense_->add_marginals(sites, out);
  }
  void shrink(Vector& x) const override { dense_->shrink(x); }
  std::unique_ptr<SiteUpdates> one_by_one(const Sites&, const Conditioned&) override {
    return nullptr;
  }
  Vector pull_back(const Kernel& kernel, const Vector& alpha, const Vector& v) override {
    return dense_->pull_back(kernel, alpha, v);
  }
  std::unique_ptr<const Conditional> take_conditional(const Kernel&, const Vector&) override {
    return nullptr;
  }

 private:
  std::unique_ptr<Gram> dense_;
};

class PlainEngine final : public Engine {
 public:
  explicit PlainEngine(std::shared_ptr<const Matrix> X)
      : Engine({.name = "plain"}, X), dense_(make_engine({.name = "dense"}, X, kernels::rbf())) {}
  EngineCost cost() const override { return dense_->cost(); }
  std::unique_ptr<Gram> make_gram() const override {
    return std::make_unique<PlainGram>(dense_->make_gram());
  }
  std::unique_ptr<const Conditional> condition(const Kernel& kernel,
                                               const Posterior& posterior) const override {
    return dense_->condition(kernel, posterior);
  }
  std::shared_ptr<const Engine> subset(const std::vector<Index>& rows) const override {
    return dense_->subset(rows);
  }

 private:
  std::shared_ptr<const Engine> dense_;
};

bool tried(const Report& report, const char* fallback) {
  return std::find(report.fallbacks.begin(), report.fallbacks.end(), fallback) !=
         report.fallbacks.end();
}

// Outliers of a student-t at equal inputs under a wide prior: sweeps of all sites oscillate.
SmallProblem conflict(unsigned seed) {
  const auto likelihood = make_likelihood("student-t", "", {.dispersion = 0.05, .df = 2});
  SmallProblem p = small_problem(*likelihood, 14, seed);
  for (Index i = 7; i < 14; ++i) p.X.row(i) = p.X.row(i - 7);
  for (std::size_t i = 7; i < 14; ++i) p.rows[i].y = -3 * p.rows[i - 7].y + 5;
  return p;
}

TEST(Sequential, AnEngineMayDeclineAndTheReportSaysSo) {
  const auto likelihood = make_likelihood("student-t", "", {.dispersion = 0.05, .df = 2});
  const Kernel kernel = Kernel::parse("rbf(variance=25, lengthscale=1.5)").bind(2);
  for (const InferenceMethod method : {InferenceMethod::ep}) {
    int declined = 0, offered = 0;
    for (unsigned seed = 0; seed < 12; ++seed) {
      const SmallProblem p = conflict(seed);
      InferenceOptions options{.method = method, .max_iterations = 400};
      Inference dense(p.X, Observations::of(p.rows));
      Inference plain(std::make_shared<const PlainEngine>(std::make_shared<const Matrix>(p.X)),
                      Observations::of(p.rows));
      const Report with = dense.evaluate(kernel, Mean(), *likelihood, options).report;
      const Inferred q = plain.evaluate(kernel, Mean(), *likelihood, options);
      EXPECT_FALSE(tried(with, kNoSequential));
      EXPECT_FALSE(tried(q.report, kSequential)) << seed;
      offered += tried(with, kSequential);
      declined += tried(q.report, kNoSequential);
      EXPECT_TRUE(q.posterior.mean.allFinite());
      if (q.report.outcome != Outcome::converged && tried(q.report, kNoSequential) &&
          !tried(q.report, "kld")) {
        EXPECT_NE(q.report.detail.find("one site at a time"), std::string::npos);
      }
    }
    EXPECT_GT(declined, 0) << to_string(method);
    EXPECT_GT(offered, 0) << to_string(method);
  }
}

// A climb over such data asks for EP's fixed point at every step, and there is none.
TEST(Ep, IsNotAskedAgainAndAgainWhereItHasNoFixedPoint) {
  const auto likelihood = make_likelihood("student-t", "", {.dispersion = 0.05, .df = 2});
  const Kernel kernel = Kernel::parse("rbf(variance=25, lengthscale=1.5)").bind(2);
  const InferenceOptions options{.method = InferenceMethod::ep, .max_iterations = 400};
  int without = 0;
  for (unsigned seed = 0; seed < 12; ++seed) {
    const SmallProblem p = conflict(seed);
    Inference inference(p.X, Observations::of(p.rows));
    const Inferred first = inference.evaluate(kernel, Mean(), *likelihood, options);
    if (!tried(first.report, kKldInstead)) continue;
    ++without;
    const double kld = Inference(p.X, Observations::of(p.rows))
                           .evaluate(kernel, Mean(), *likelihood, {.method = InferenceMethod::kld})
                           .log_marginal;
    for (int k = 1; k <= 11; ++k) {
      const Inferred q = inference.evaluate(kernel, Mean(), *likelihood, options, &first.posterior);
      SCOPED_TRACE("seed " + std::to_string(seed) + ", evaluation " + std::to_string(k));
      ASSERT_FALSE(q.report.fallbacks.empty());
      EXPECT_EQ(q.report.fallbacks.back(), kKldInstead);
      EXPECT_NE(q.report.detail.find("the result is that of kld"), std::string::npos);
      EXPECT_NEAR(q.log_marginal, kld, 1e-6 * (1 + std::abs(kld)));
      const bool asked = k < 3 || k == 10;  // three times, then one time in ten
      EXPECT_EQ(tried(q.report, "double loop"), asked);
      if (asked)
        EXPECT_GE(q.report.iterations, first.report.iterations);
      else
        EXPECT_LT(q.report.iterations, first.report.iterations / 4);
    }
    // A cold evaluation asks whatever came before.
    EXPECT_TRUE(
        tried(inference.evaluate(kernel, Mean(), *likelihood, options).report, "double loop"));
  }
  EXPECT_GT(without, 0);
}

// Where the engine leaves no factor, the predictor makes one: the same function.
TEST(Inference, ItsPredictorIsThatOfThePosterior) {
  const auto likelihood = make_likelihood("poisson");
  const SmallProblem p = small_problem(*likelihood, 30, 3);
  const Kernel kernel = Kernel::parse("rbf").bind(2);
  Inference dense(p.X, Observations::of(p.rows));
  Inference plain(std::make_shared<const PlainEngine>(std::make_shared<const Matrix>(p.X)),
                  Observations::of(p.rows));
  EXPECT_THROW(dense.predictor(), UsageError);
  const Matrix Z = Matrix::Random(5, 2);
  const Vector none = Vector::Zero(5);
  for (const bool gradient : {false, true}) {
    const Inferred q = dense.evaluate(kernel, Mean(), *likelihood, {.gradient = gradient});
    plain.evaluate(kernel, Mean(), *likelihood, {.gradient = gradient});
    const LatentPredictor taken = dense.predictor(), made = plain.predictor(),
                          anew(kernel, p.X, q.posterior);
    Vector mean, variance, mean_anew, variance_anew;
    anew.predict(Z, none, mean_anew, variance_anew);
    for (const LatentPredictor* predictor : {&taken, &made}) {
      predictor->predict(Z, none, mean, variance);
      EXPECT_EQ(mean, mean_anew);
      EXPECT_EQ(variance, variance_anew);
    }
    EXPECT_THROW(dense.predictor(), UsageError);  // it has been taken
  }
}

}  // namespace
}  // namespace ggpm::internal
