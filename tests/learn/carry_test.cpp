#include "learn/carry.hpp"

#include <gtest/gtest.h>

#include "learn/task.hpp"
#include "model/simulate.hpp"
#include "support/close.hpp"

namespace ggpm::internal {
namespace {

using testing_support::make_task;
using testing_support::simulate;

struct Carried {
  Evaluation cold, warm;
};

// An evaluation on all rows by itself, and from what every fourth of them foretells.
Carried evaluate_both(const std::string& likelihood, InferenceMethod method) {
  const LearningTask all = make_task(
      simulate(likelihood, 400, 2, 3), likelihood, "rbf + constant", "constant(0.3)", method);
  std::vector<Index> some(100);
  for (Index i = 0; i < 100; ++i) some[static_cast<std::size_t>(i)] = 4 * i;
  LearningTask few = all;
  few.data = std::make_shared<const Dataset>(all.data->subset(some));
  few.engine = all.engine->subset(some);
  std::vector<Climb> climbs(1);
  climbs[0].at = all.space.values();
  climbs[0].best = Objective(few).evaluate(climbs[0].at);
  carry_sites(climbs, few, all);
  const Posterior& start = climbs[0].best.inferred.posterior;
  const Posterior* warm = start.sites.size() == all.data->size() ? &start : nullptr;
  return {Objective(all).evaluate(climbs[0].at), Objective(all).evaluate(climbs[0].at, warm)};
}

TEST(CarrySites, BeginInferenceSomeStepsAhead) {
  for (const InferenceMethod method :
       {InferenceMethod::laplace, InferenceMethod::ep, InferenceMethod::kld}) {
    const Carried e = evaluate_both("poisson", method);
    EXPECT_LT(e.warm.inferred.report.factorizations, e.cold.inferred.report.factorizations)
        << to_string(method);
    EXPECT_CLOSE(e.warm.log_marginal, e.cold.log_marginal, 1e-9);
    EXPECT_CLOSE(e.warm.gradient, e.cold.gradient, 1e-6);
  }
}

// Where there may be several modes the first rows do not decide between them.
TEST(CarrySites, LeaveLikelihoodsWithSeveralModesAlone) {
  const Carried e = evaluate_both("student-t", InferenceMethod::laplace);
  EXPECT_EQ(e.warm.log_marginal, e.cold.log_marginal);
  EXPECT_EQ(e.warm.inferred.report.iterations, e.cold.inferred.report.iterations);
}

}  // namespace
}  // namespace ggpm::internal
