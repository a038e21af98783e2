#include "learn/plan.hpp"

#include <algorithm>

#include "gram/engine.hpp"
#include "learn/learn.hpp"
#include "learn/parts.hpp"

namespace ggpm::internal {
namespace {

constexpr double kMuchQuicker = 3;       // times: a stage more with such an engine pays
constexpr double kRowsOfTolerance = 20;  // it grows with them
// ... up to this, in nats: a seventh of a posterior standard deviation of a hyperparameter, and a third
// with an engine that approximates, which errs by more in the log marginal of so many rows.
constexpr double kLargestTolerance = 0.01, kLargestOfApproximations = 0.05;
// Where some rows decide for all, others would have had their optimum half a nat away for each
// hyperparameter. This much of a nat for each is little beside that.
constexpr double kOfTheChoice = 0.02;
constexpr double kOfManyRows = 1e-6;  // standard deviations of a latent
// What an evaluation of the method takes, in units of one with Taylor.
constexpr double kOfTheMethod = 4;
constexpr Index kManyTimes = 2;  // the rows that decide: the last part before all has just as many
constexpr double kEvaluationsOnMore = 5;  // of a climb that comes from fewer rows

// Of a dense matrix: its factors, and with few rows more so what is done to each element.
double dense_work(Index rows) {
  const auto n = static_cast<double>(rows);
  return n * n * (n + 1000);
}

}  // namespace

bool Plan::approximates() const { return task_.engine->cost().threads_inside; }

bool Plan::is_rough() const {
  return approximates() && task_.engine->options().accuracy == EngineAccuracy::fast;
}

bool Plan::leaves_most_out() const {
  return is_rough() && task_.data->size() > kManyTimes * kRowsThatDecide;
}

bool Plan::is_enough(Index rows) const { return is_rough() && rows >= kRowsThatDecide; }

double Plan::tolerance_on(Index rows) const {
  if (leaves_most_out())
    return std::max(kOfTheChoice * static_cast<double>(task_.space.free().size()),
                    options_.tolerance);
  if (is_rough()) return std::max(kLargestOfApproximations, options_.tolerance);
  return std::min(approximates() ? kLargestOfApproximations : kLargestTolerance,
                  options_.tolerance * static_cast<double>(rows) / kRowsOfTolerance);
}

double Plan::tolerance_of_inference() const {
  const bool many = approximates() && task_.data->size() > kRowsThatDecide;
  return many ? std::max(kOfManyRows, options_.inference_tolerance) : options_.inference_tolerance;
}

std::vector<Part> Plan::parts() const {
  const Index all = task_.data->size();
  const Engine& engine = *task_.engine;
  std::vector<Part> out;
  for (const Index rows : growing_parts(leaves_most_out() ? kRowsThatDecide : all))
    out.push_back({rows, approximates() && rows < all});
  if (leaves_most_out()) {
    out.push_back({all, false});
    return out;
  }
  if (out.size() == 1 || !approximates()) return out;
  const EngineCost rough = engine_cost(engine.rough(), all, engine.inputs().cols());
  if (kMuchQuicker * rough.seconds < engine.cost().seconds) out.insert(out.end() - 1, {all, true});
  return out;
}

double Plan::work_of_evaluation(const Part& part) const {
  if (!approximates()) return dense_work(part.rows);
  const Engine& engine = *task_.engine;
  const Index all = engine.size();
  const EngineCost cost =
      part.rough ? engine_cost(engine.rough(), all, engine.inputs().cols()) : engine.cost();
  return std::min(
      dense_work(part.rows),
      dense_work(cost.dense_rows) * static_cast<double>(part.rows) / static_cast<double>(all));
}

std::vector<StageWork> Plan::work() const {
  const auto starts = [&](Index rows) { return dense_work(std::min(rows, task_.data->size())); };
  const double restarts = options_.restarts + 2;
  const std::vector<Part> parts = this->parts();
  std::vector<StageWork> stages = {{restarts, kScreeningEvaluations, starts(kScreeningRows)},
                                   {restarts / 3, 12, starts(kRoughRows)},
                                   {3, kUsualEvaluations, starts(kRoughRows)},
                                   {2, kUsualEvaluations, starts(kStartRows)},
                                   {1, 1, kOfTheMethod * starts(parts.front().rows)}};
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const double each = kOfTheMethod * work_of_evaluation(parts[k]);
    if (k == 0)
      stages.push_back({2, kUsualEvaluations, each});
    else if (k + 1 == parts.size() && is_enough(parts[k - 1].rows))
      stages.push_back({1, 0, each});
    else
      stages.push_back({1, kEvaluationsOnMore, each});
  }
  stages.push_back({1, 1, stages.back().each});
  return stages;
}

}  // namespace ggpm::internal
