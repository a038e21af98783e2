// Integration over hyperparameters against a sampler over them, and against a fine grid.
#include "learn/integrate.hpp"

#include <gtest/gtest.h>

#include <random>

#include "learn/learn.hpp"
#include "learn/task.hpp"
#include "model/simulate.hpp"

namespace ggpm::internal {
namespace {

using namespace testing_support;

struct Fitted {
  LearningTask task;
  Vector mode;
  Evaluation at_mode;
};

// With so much noise that twenty rows could be nothing else, a posterior has two modes; this is less.
Dataset data_of(const std::string& likelihood, Index n, unsigned seed) {
  Dataset data = simulate(likelihood, n, 1, seed);
  if (likelihood != "gaussian") return data;
  const Vector signal = (2 * data.X.col(0)).array().sin();
  data.observed.y = signal + 0.3 * (data.observed.y - signal);
  return data;
}

Fitted fit_mode(const std::string& likelihood, Index n, unsigned seed) {
  const InferenceMethod method =
      likelihood == "gaussian" ? InferenceMethod::exact : InferenceMethod::laplace;
  Fitted out{make_task(data_of(likelihood, n, seed), likelihood, "rbf", "zero", method), {}, {}};
  FitOptions options;
  options.restarts = 4;
  options.threads = 1;
  options.hyperparameters = HyperparameterUse::integrate;
  Monitor monitor(options);
  Learned learned = learn(out.task, options, monitor);
  out.mode = out.task.space.learned(learned.at);
  out.at_mode = std::move(learned.best);
  return out;
}

Integration integrated(const Fitted& fitted) {
  const FitOptions options;
  Monitor monitor(options);
  return integrate(fitted.task, fitted.mode, fitted.at_mode, 1, monitor);
}

double objective_at(Objective& objective, const Vector& at) {
  try {
    return objective.evaluate(at, nullptr, false).objective;
  } catch (const Error&) {
    return -std::numeric_limits<double>::infinity();
  }
}

// One coordinate after the other, by stepping out and shrinking (Neal 2003).
Matrix slice_sample(const Fitted& fitted, int draws, unsigned seed) {
  Objective objective(fitted.task);
  std::mt19937_64 random(seed);
  Vector at = fitted.mode;
  double here = objective_at(objective, at);
  Matrix out(at.size(), draws);
  for (int s = -50; s < draws; ++s) {
    for (Index j = 0; j < at.size(); ++j) {
      const double level = here + std::log(uniform(random));
      const auto move = [&](double to) {
        Vector moved = at;
        moved[j] = to;
        return moved;
      };
      double low = at[j] - 1.5 * uniform(random), high = low + 1.5;
      while (objective_at(objective, move(low)) > level) low -= 1.5;
      while (objective_at(objective, move(high)) > level) high += 1.5;
      for (;;) {
        const double to = low + (high - low) * uniform(random);
        const double there = objective_at(objective, move(to));
        if (there > level) {
          at[j] = to;
          here = there;
          break;
        }
        (to < at[j] ? low : high) = to;
      }
    }
    if (s >= 0) out.col(s) = at;
  }
  return out;
}

// log of the integral of exp(objective) over two coordinates.
double grid_evidence(const Fitted& fitted) {
  Objective objective(fitted.task);
  const double step = 0.2;
  double sum = 0;
  for (double a = -8; a <= 8; a += step)
    for (double b = -8; b <= 8; b += step)
      sum += std::exp(objective_at(objective, fitted.mode + Vector{{a, b}}) -
                      fitted.at_mode.objective);
  return fitted.at_mode.objective + std::log(sum * step * step);
}

class Integrated : public testing::TestWithParam<std::pair<std::string, Index>> {};

TEST_P(Integrated, HasTheMomentsOfASampler) {
  const auto& [likelihood, n] = GetParam();
  const Fitted fitted = fit_mode(likelihood, n, 3);
  const Integration found = integrated(fitted);
  const Matrix draws = slice_sample(fitted, 800, 7);
  double total = 0;
  Vector mean = Vector::Zero(fitted.mode.size()), square = mean;
  for (const IntegrationPoint& point : found.points) total += point.weight;
  for (const IntegrationPoint& point : found.points) mean += point.weight * point.at;
  for (const IntegrationPoint& point : found.points)
    square += point.weight * (point.at - mean).cwiseAbs2();
  EXPECT_NEAR(total, 1, 1e-12);
  EXPECT_LE(found.evaluations, 90);
  for (Index j = 0; j < mean.size(); ++j) {
    const double truth = draws.row(j).mean();
    const double sd = std::sqrt((draws.row(j).array() - truth).square().mean());
    const std::string what = fitted.task.space[j].name;
    EXPECT_NEAR(mean[j], truth, 0.25 * sd) << what;
    EXPECT_NEAR(std::sqrt(square[j]) / sd, 1, 0.25) << what;
  }
}

INSTANTIATE_TEST_SUITE_P(Families,
                         Integrated,
                         testing::Values(std::pair{"gaussian", 20}, std::pair{"poisson", 25}),
                         [](const auto& test) { return test.param.first; });

TEST(Integration, HasTheEvidenceOfAFineGrid) {
  const Fitted fitted = fit_mode("poisson", 15, 5);
  ASSERT_EQ(fitted.mode.size(), 2);
  EXPECT_NEAR(integrated(fitted).log_evidence, grid_evidence(fitted), 0.1);
}

TEST(Integration, AloneHasDefaultPriors) {
  LearningTask task =
      make_task(data_of("gaussian", 20, 3), "gaussian", "rbf", "zero", InferenceMethod::exact);
  FitOptions options;
  options.restarts = 2;
  options.threads = 1;
  for (const bool integrated : {false, true}) {
    if (integrated) options.hyperparameters = HyperparameterUse::integrate;
    Monitor monitor(options);
    learn(task, options, monitor);
    for (const Index i : task.space.free())
      EXPECT_EQ(task.space.prior(i).kind != Prior::Kind::none, integrated) << task.space[i].name;
  }
}

// Of new outputs, over data sets of 20 rows.
TEST(Integration, CoversNewOutputsAtLeastAsWellAsTheOptimum) {
  constexpr Index kRows = 20, kNew = 40;
  constexpr int kSets = 20;
  Vector inside = Vector::Zero(2);
  for (int k = 0; k < kSets; ++k) {
    const Dataset all = data_of("gaussian", kRows + kNew, 100 + static_cast<unsigned>(k));
    std::vector<Index> seen, unseen;
    for (Index i = 0; i < kRows + kNew; ++i) (i < kRows ? seen : unseen).push_back(i);
    const Dataset rows = all.subset(unseen);
    for (const Index use : {0, 1}) {
      FitOptions options;
      options.restarts = 5;
      if (use == 1) options.hyperparameters = HyperparameterUse::integrate;
      const Predictions p =
          GeneralizedGP::fit(all.subset(seen), {.kernel = "rbf"}, options).predictive(rows);
      const Vector low = p.quantile(0.025), high = p.quantile(0.975);
      const auto& y = rows.observed.y.array();
      inside[use] += (y >= low.array() && y <= high.array()).cast<double>().mean() / double{kSets};
    }
  }
  EXPECT_GE(inside[1], inside[0]);  // 95.1 and 92.8 %
  EXPECT_NEAR(inside[1], 0.95, 0.02);
}

TEST(Integration, HoldsWhatIsFixed) {
  Fitted fitted = fit_mode("gaussian", 20, 6);
  fitted.task.space.hold(1);
  for (const IntegrationPoint& point : integrated(fitted).points)
    EXPECT_EQ(point.at[1], fitted.mode[1]);
}

}  // namespace
}  // namespace ggpm::internal
