// Where EP and KLD begin, how they end, and the sweeps one site at a time between.
#include "inference/start.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inference/problems.hpp"
#include "inference/sequential.hpp"
#include "support/close.hpp"
#include "support/gram_of.hpp"

namespace ggpm::internal {
namespace {

using namespace testing_support;
using testing::HasSubstr;

// A problem and everything that it refers to.
struct Setting {
  std::unique_ptr<Likelihood> likelihood;
  std::vector<Row> rows;
  GramOf gram;
  Vector prior_mean;
  InferenceOptions options{.method = InferenceMethod::ep, .tolerance = 1e-7};
  std::unique_ptr<SiteRule> rule = make_ep_rule();

  Setting(const char* name, Index n, double scale = 1)
      : likelihood(make_likelihood(name)),
        rows(small_problem(*likelihood, n, 9).rows),
        gram(covariance(n, scale)),
        prior_mean(Vector::Zero(n)) {}

  Problem problem(const Posterior* warm = nullptr) const {
    return {*gram, *likelihood, rows, prior_mean, options, warm};
  }
  static Matrix covariance(Index n, double scale) {
    Matrix K(n, n);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        K(i, j) = scale *
                  (std::exp(-0.1 * std::pow(static_cast<double>(i - j), 2)) + (i == j ? 0.1 : 0.0));
    return K;
  }
};

TEST(StartSites, AreTheWarmOnesWhereTheseAreProper) {
  const Setting s("poisson", 8);
  Posterior warm;
  warm.sites = {Vector::Constant(8, 0.7), Vector::Constant(8, 0.2)};
  const Problem problem = s.problem(&warm);
  SiteIteration iteration(problem, *s.rule);
  const SitePoint point = start_sites(problem, iteration);
  EXPECT_EQ(point.sites.precision, warm.sites.precision);
  EXPECT_EQ(point.sites.shift, warm.sites.shift);

  warm.sites.precision.setConstant(-50);  // no Gaussian
  const SitePoint other = start_sites(problem, iteration);
  EXPECT_NE(other.sites.precision, warm.sites.precision);
  EXPECT_TRUE(std::isfinite(other.log_marginal));
}

TEST(StartSites, OfAGaussianLikelihoodAreTheAnswer) {
  const Setting s("gaussian", 8);
  const Problem problem = s.problem();
  SiteIteration iteration(problem, *s.rule);
  const SitePoint point = start_sites(problem, iteration);
  EXPECT_LT(point.residual.largest, 1e-9);
}

TEST(StartSites, AreProperForEveryLikelihoodAndWidePriors) {
  for (const LikelihoodInfo& info : likelihood_table())
    for (const double scale : {1e-4, 1.0, 100.0}) {
      const Setting s(info.name.c_str(), 8, scale);
      const Problem problem = s.problem();
      SiteIteration iteration(problem, *s.rule);
      const SitePoint point = start_sites(problem, iteration);
      EXPECT_TRUE(std::isfinite(point.log_marginal)) << info.name << " " << scale;
      EXPECT_TRUE((point.q.variance.array() > 0).all()) << info.name << " " << scale;
    }
}

TEST(Finish, SaysHowFarAnIterationGotThatDidNotConverge) {
  const Setting s("poisson", 4);
  const Problem problem = s.problem();
  SiteIteration iteration(problem, *s.rule);
  SitePoint point = start_sites(problem, iteration);
  point.residual.largest = 0.125;
  Solution solution;
  solution.report.iterations = 7;
  finish(problem, *s.rule, false, point, solution);
  EXPECT_EQ(solution.report.outcome, Outcome::iteration_limit);
  EXPECT_THAT(solution.report.detail, HasSubstr("solved to 0.12 only, after 7 sweeps"));
  EXPECT_EQ(solution.v, Vector::Zero(4));

  SitePoint again = start_sites(problem, iteration);
  Solution converged;
  finish(problem, *s.rule, true, again, converged);
  EXPECT_EQ(converged.report.outcome, Outcome::converged);
  EXPECT_EQ(converged.report.detail, "");
}

TEST(Sequential, ReachesTheFixedPointOfTheSweeps) {
  for (const char* name : {"poisson", "bernoulli", "student-t", "laplace"}) {
    const Setting s(name, 12, 2);
    const Problem problem = s.problem();
    SiteIteration iteration(problem, *s.rule);
    SitePoint swept = start_sites(problem, iteration);
    Report report;
    ASSERT_TRUE(iteration.run(swept, report)) << name;

    SitePoint point;
    point.sites = {Vector::Constant(12, 0.1), Vector::Zero(12)};
    ASSERT_TRUE(iteration.evaluate(point)) << name;
    Report sequential;
    EXPECT_EQ(run_sequential(problem, iteration, point, sequential), Sequential::converged) << name;
    EXPECT_GT(sequential.iterations, 0) << name;
    EXPECT_CLOSE(point.q.mean, swept.q.mean, 1e-6) << name;
    EXPECT_CLOSE(point.q.variance, swept.q.variance, 1e-6) << name;
    EXPECT_CLOSE(point.log_marginal, swept.log_marginal, 1e-8) << name;
  }
}

}  // namespace
}  // namespace ggpm::internal
