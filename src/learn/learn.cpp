#include "learn/learn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "ggpm/classes.hpp"
#include "learn/runs.hpp"
#include "learn/starts.hpp"
#include "learn/twin.hpp"
#include "numeric/random.hpp"

namespace ggpm::internal {
namespace {

constexpr Index kWorthWaiting = 500;  // dense rows, for one posterior, after Ctrl-C

struct Stage {
  std::string_view name;
  const LearningTask* task;
  double tolerance;
  int max_evaluations;
};

struct StageNames {
  std::string_view starts, optima;
};
StageNames names_of(InferenceMethod method) {
  if (method == InferenceMethod::exact) return {"exact starts", "exact optima"};
  if (method == InferenceMethod::laplace) return {"laplace starts", "laplace optima"};
  return {"taylor starts", "taylor optima"};
}

class Learning {
 public:
  Learning(LearningTask& task, const FitOptions& options, Monitor& monitor)
      : task_(task),
        options_(options),
        monitor_(monitor),
        threads_(options.threads > 0 ? options.threads : default_threads()) {}

  Learned go() {
    task_.inference.tolerance = std::max(options_.inference_tolerance, kLearningTolerance);
    task_.inference.max_iterations = options_.inference_iterations;
    if (!options_.optimize || task_.space.free().empty()) {
      out_.at = task_.space.hyperparameters(given());
      polish();
      return std::move(out_);
    }
    Starts starts(task_);
    out_.notes = starts.notes();
    if (options_.hyperparameters == HyperparameterUse::integrate) {
      starts.add_priors(task_.space);
      task_.space.set_density_of_learned();
    }
    const std::vector<Vector> from =
        options_.restarts > 0 ? seeds(starts) : std::vector<Vector>{given()};
    std::vector<Climb> climbs = run(
        {to_string(task_.inference.method), &task_, options_.tolerance, options_.max_evaluations},
        from);
    out_.interrupted = monitor_.stopped();
    finish(std::move(climbs));
    return std::move(out_);
  }

 private:
  Vector given() const { return task_.space.values(); }

  // Climbs from every start, side by side; results in the order of the starts.
  std::vector<Climb> run(const Stage& stage, const std::vector<Vector>& starts) {
    std::vector<Climb> climbs(starts.size());
    monitor_.begin_stage(stage.name, static_cast<int>(starts.size()));
    ClimbOptions climb_options;
    climb_options.tolerance = stage.tolerance;
    if (stage.task != &task_ && task_.space.free().size() <= kFewParameters)
      climb_options.radius = kStartRadius;
    climb_options.max_evaluations = stage.max_evaluations;
    climb_options.on_evaluation = [&](double value) { monitor_.evaluated(value); };
    const auto one = [&](Objective& objective, int i) {
      objective.options().on_iteration = [&](const Progress&) { monitor_.check(); };
      const auto k = static_cast<std::size_t>(i);
      climbs[k] = climb(objective, starts[k], climb_options);
    };
    run_objectives(monitor_, *stage.task, static_cast<int>(starts.size()), threads_, one);
    return climbs;
  }

  // Rows by which starts are judged: all, or a random part in the order of the data.
  std::vector<Index> some_rows(Index count) const {
    const Index n = task_.data->size();
    if (n <= count) return {};
    return numeric::some_of(n, count, options_.seed);
  }

  double distance(const Vector& a, const Vector& b) const {
    double largest = 0;
    for (const Index i : task_.space.free()) largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
  }

  static void sort_best_first(std::vector<Climb>& climbs) {
    std::erase_if(climbs, [](const Climb& c) { return !c.usable; });
    std::stable_sort(climbs.begin(), climbs.end(), [](const Climb& a, const Climb& b) {
      return a.best.objective > b.best.objective;
    });
  }

  // The best points of the first stage that are not near each other.
  std::vector<Vector> promising(std::vector<Climb> climbs, std::size_t count) const {
    sort_best_first(climbs);
    std::vector<Vector> out;
    for (const Climb& c : climbs) {
      if (out.size() == count) break;
      if (std::none_of(out.begin(), out.end(), [&](const Vector& known) {
            return distance(known, c.at) < kSameStart;
          }))
        out.push_back(c.at);
    }
    return out;
  }

  // The optima, best first, no two of them the same.
  std::vector<Climb> distinct(std::vector<Climb> climbs, const LearningTask& task) {
    sort_best_first(climbs);
    std::vector<Climb> out;
    for (Climb& c : climbs)
      if (std::none_of(out.begin(), out.end(), [&](const Climb& o) { return same(o, c, task); }))
        out.push_back(std::move(c));
    return out;
  }

  bool same(const Climb& a, const Climb& b, const LearningTask& task) {
    if (distance(a.at, b.at) < kSameCoordinates) return true;
    if (std::abs(a.best.objective - b.best.objective) > kSameLogMarginal) return false;
    if (out_.interrupted) return false;  // an evaluation between them takes too long now
    Objective objective(task);
    monitor_.count(1);
    try {
      const Evaluation middle =
          objective.evaluate(Vector((a.at + b.at) / 2), &a.best.inferred.posterior, false);
      return middle.objective > b.best.objective - kSameLogMarginal;
    } catch (const Error&) {
      return false;
    }
  }

  // Where the inference method starts.
  std::vector<Vector> seeds(const Starts& starts) {
    std::vector<Vector> points = {given(), starts.default_point()};
    for (int k = 0; k < options_.restarts; ++k)
      points.push_back(starts.random_point(options_.seed, k));
    if (!options_.taylor_starts) return points;

    for (Vector& point : points) point = to_start(task_, point);
    const LearningTask screening = start_task(task_, some_rows(kScreeningRows));
    const StageNames names = names_of(screening.inference.method);
    std::vector<Climb> climbs = run({names.starts,
                                     &screening,
                                     /*tolerance=*/0.1,
                                     kScreeningEvaluations},
                                    points);
    points =
        promising(std::move(climbs),
                  static_cast<std::size_t>(std::max(2 * options_.keep, options_.restarts / 3)));
    remember(points);

    const LearningTask start = start_task(task_, some_rows(kStartRows));
    climbs = run({names.optima, &start, 1e-3, 60}, points);
    climbs = distinct(std::move(climbs), start);
    points.clear();
    for (const Climb& c : climbs) points.push_back(c.at);
    remember(points);
    const bool comparable = start.data->size() == task_.data->size() && !has_twin(task_) &&
                            start.inference.method != task_.inference.method;
    if (comparable) record(climbs, start);

    std::vector<Vector> out, others;
    for (const Climb& c : climbs) {
      const bool kept = out.size() < static_cast<std::size_t>(options_.keep);
      (kept ? out : others).push_back(model_point(c.at));
    }
    // Taylor's ranking is not the method's, and near a boundary its optima can be far off: the
    // default point, and of the other optima the one that the method likes best.    (errata 2.8)
    out.push_back(starts.default_point());
    if (climbs.empty()) out.push_back(given());
    climbs = run({to_string(task_.inference.method), &task_, options_.tolerance, 1}, others);
    sort_best_first(climbs);
    if (!climbs.empty()) out.push_back(climbs.front().at);
    return out;
  }

  Vector model_point(const Vector& start) const {
    return task_.space.clamped(from_start(task_, start));
  }
  // What an interrupted fit falls back on.
  void remember(const std::vector<Vector>& points) {
    if (!points.empty()) best_start_ = model_point(points.front());
  }

  void record(const std::vector<Climb>& climbs, const LearningTask& task) {
    for (const Climb& c : climbs)
      out_.optima.push_back({c.best.log_marginal,
                             task.space.hyperparameters(c.at),
                             task.inference.method,
                             c.converged && c.best.converged(),
                             c.evaluations});
  }

  // The best run wins; a log marginal of inference that stopped short competes only with its like.
  void finish(std::vector<Climb> climbs) {
    const std::size_t attempts = climbs.size();
    const BlasThreads blas(threads_);
    std::vector<Climb> optima = distinct(std::move(climbs), task_);
    std::stable_partition(
        optima.begin(), optima.end(), [](const Climb& c) { return c.best.converged(); });
    if (optima.empty() && out_.interrupted) {
      interrupted_early();
      return;
    }
    if (optima.empty())
      throw NumericalError(
          fmt::format("fit: no usable optimum in {} starts with {}; look for extreme "
                      "hyperparameters or data, or "
                      "try another inference method",
                      attempts,
                      to_string(task_.inference.method)));
    // Optima of the method first, those of the starts behind them.
    std::vector<Optimum> of_starts = std::move(out_.optima);
    out_.optima.clear();
    record(optima, task_);
    out_.optima.insert(out_.optima.end(), of_starts.begin(), of_starts.end());
    Climb& best = optima.front();
    out_.at = task_.space.hyperparameters(best.at);
    out_.best = std::move(best.best);
    out_.converged = best.converged && out_.best.converged();
    if (!out_.interrupted) polish();
  }

  // The posterior that is kept is solved to the tolerance that was asked for.
  void polish() {
    Objective objective(task_);
    objective.options().tolerance = options_.inference_tolerance;
    objective.options().max_iterations = options_.inference_iterations;
    const BlasThreads blas(threads_);
    const Posterior& found = out_.best.inferred.posterior;
    Evaluation exact = objective.evaluate(out_.at, found.sites.size() > 0 ? &found : nullptr);
    monitor_.count(1);
    out_.converged = out_.converged && exact.converged();
    out_.best = std::move(exact);
    if (!has_several_latents(*task_.parts.likelihood))
      out_.predictor = std::make_unique<const LatentPredictor>(objective.predictor());
  }

  // Interrupted before the inference method had a single answer: one evaluation at the best point
  // of the starts, if there is one and it does not keep the user waiting.
  void interrupted_early() {
    if (!best_start_ || task_.engine->cost().dense_rows > kWorthWaiting)
      throw Interrupted("fit: interrupted before there was a model");
    out_.at = task_.space.hyperparameters(*best_start_);
    polish();
    out_.converged = false;
  }

  LearningTask& task_;
  const FitOptions& options_;
  Monitor& monitor_;
  int threads_;
  Learned out_;
  std::optional<Vector> best_start_;
};

}  // namespace

Learned learn(LearningTask& task, const FitOptions& options, Monitor& monitor) {
  return Learning(task, options, monitor).go();
}

}  // namespace ggpm::internal
