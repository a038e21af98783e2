// CONTRIBUTING's recipe of an inference method: a rule that says which sites the marginals propose, a
// driver, and the Method that a line of methods.def would name. Expanding log p at the marginal mean, again and again, ends where Laplace's method does.
#include <gtest/gtest.h>

#include "gram/engine.hpp"
#include "inference/iterate.hpp"
#include "inference/method.hpp"
#include "inference/problems.hpp"
#include "inference/rows.hpp"
#include "inference/start.hpp"
#include "support/close.hpp"

namespace ggpm::internal {
namespace {

using namespace testing_support;

class ExpansionRule final : public SiteRule {
 public:
  const char* name() const override { return "expansion"; }
  bool climbs() const override { return false; }

  bool propose(const Problem& problem,
               const Sites& /*sites*/,
               const Conditioned& q,
               Sites& proposed,
               double& site_terms) override {
    std::vector<LogDensity> at_mean(problem.rows.size());
    log_density(problem, q.mean, Derivatives::second, at_mean);
    proposed = {Vector(problem.size()), Vector(problem.size())};
    site_terms = 0;
    for (Index i = 0; i < problem.size(); ++i) {
      const LogDensity& l = at_mean[static_cast<std::size_t>(i)];
      proposed.precision[i] = -l.d2;
      proposed.shift[i] = l.d1 - l.d2 * q.mean[i];
      site_terms += l.value;
    }
    return proposed.precision.allFinite() && proposed.shift.allFinite();
  }

  Site site_given_cavity(
      const Problem& problem, Index i, double mean, double, const Site&) override {
    LogDensity l;
    problem.likelihood.log_density(problem.rows.subspan(static_cast<std::size_t>(i), 1),
                                   {&mean, 1},
                                   Derivatives::second,
                                   {&l, 1});
    return {-l.d2, l.d1 - l.d2 * mean};
  }
};

Solution solve_by_expansion(const Problem& problem) {
  ExpansionRule rule;
  SiteIteration iteration(problem, rule);
  SitePoint point = start_sites(problem, iteration);
  Solution solution;
  const bool converged = iteration.run(point, solution.report);
  finish(problem, rule, converged, point, solution);
  return solution;
}

void check_expansion(const Likelihood& likelihood, std::span<const Row> /*rows*/);

// The enum of ggpm/inference.hpp would have its name; here it borrows one.
constinit const Method kExpansion = {
    .info = {InferenceMethod::laplace, "expansion", "expansions again and again", ""},
    .label = "Expansion",
    .solve = solve_by_expansion,
    .check = check_expansion};

void check_expansion(const Likelihood& likelihood, std::span<const Row> /*rows*/) {
  require_curvature(kExpansion, likelihood);
}

struct Run {
  Solution own;
  Inferred laplace;
};

Run run(const char* name, const Posterior* warm = nullptr) {
  const Kernel kernel = Kernel::parse("rbf(variance=1.3, lengthscale=0.9)").bind(2);
  const auto likelihood = make_likelihood(name);
  const SmallProblem p = small_problem(*likelihood, 25, 3);
  const auto engine = make_engine({}, std::make_shared<const Matrix>(p.X), kernel);
  const auto gram = engine->make_gram();
  gram->build(kernel);
  const InferenceOptions options;
  Solution own = solve(kExpansion,
                       {.gram = *gram,
                        .likelihood = *likelihood,
                        .rows = p.rows,
                        .prior_mean = p.offset,
                        .options = options,
                        .warm = warm});
  return {std::move(own),
          Inference(p.X, p.observed()).evaluate(kernel, Mean(), *likelihood, options)};
}

TEST(MethodOfTheRecipe, EndsWhereLaplaceDoes) {
  for (const char* name : {"poisson", "bernoulli", "gamma-shape"}) {
    SCOPED_TRACE(name);
    const auto [own, laplace] = run(name);
    EXPECT_EQ(own.report.outcome, Outcome::converged) << own.report.detail;
    EXPECT_CLOSE(own.log_marginal, laplace.log_marginal, 1e-9);
    EXPECT_CLOSE(own.q.mean, laplace.posterior.mean, 1e-7);
    EXPECT_CLOSE(own.sites.precision, laplace.posterior.sites.precision, 1e-7);
  }
}

TEST(MethodOfTheRecipe, StartsWarm) {
  const Posterior near = run("poisson").laplace.posterior;
  const Solution cold = run("poisson").own, warm = run("poisson", &near).own;
  EXPECT_TRUE(warm.report.fallbacks.empty());
  EXPECT_LT(warm.report.iterations, cold.report.iterations);
  EXPECT_CLOSE(warm.log_marginal, cold.log_marginal, 1e-9);
}

TEST(MethodOfTheRecipe, IsRefusedWhereItDoesNotExist) {
  try {
    run("laplace");
    ADD_FAILURE() << "no exception";
  } catch (const UsageError& error) {
    EXPECT_STREQ(
        error.what(),
        "expansion inference does not exist for the likelihood 'laplace', whose log density "
        "has no curvature; use ep or kld");
  }
}

}  // namespace
}  // namespace ggpm::internal
