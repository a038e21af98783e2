#include "learn/learn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "ggpm/classes.hpp"
#include "gram/lapack.hpp"
#include "learn/carry.hpp"
#include "learn/distinct.hpp"
#include "learn/keeping.hpp"
#include "learn/parts.hpp"
#include "learn/plan.hpp"
#include "learn/runs.hpp"
#include "learn/start_task.hpp"
#include "learn/starts.hpp"

namespace ggpm::internal {
namespace {

constexpr Index kWorthWaiting = 500;  // dense rows, for one posterior, after Ctrl-C

// How a stage climbs: from nothing, or with the curvature that a start brings along or that is made
// there.
enum class Way { unaided, with_curvature };

struct Stage {
  std::string name;
  const LearningTask* task;
  double tolerance;
  int max_evaluations;
  Way way = Way::unaided;
  bool of_starts = false;
  bool kept = false;  // by the keeper, after each step
  // So far below the best a climb is given up.
  double behind = std::numeric_limits<double>::infinity();
  std::size_t place = kParts;
};

std::vector<Climb> at_points(const std::vector<Vector>& points) {
  std::vector<Climb> out;
  out.reserve(points.size());
  for (const Vector& point : points) out.push_back(at_point(point));
  return out;
}

class Learning {
 public:
  Learning(LearningTask& task,
           const FitOptions& options,
           Monitor& monitor,
           const LearningKeeper& keeper)
      : task_(task),
        options_(options),
        monitor_(monitor),
        keeper_(keeper),
        threads_(options.threads > 0 ? options.threads : default_threads()),
        plan_(task, options),
        keeping_(keeper, task, monitor) {}

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
    if (keeper_.from) monitor_.count(keeper_.from->evaluations);
    std::vector<Climb> climbs;
    if (options_.restarts > 0 && options_.taylor_starts) {
      climbs = through_parts(starts);
    } else {
      climbs = keeper_.from            ? keeping_.candidates()
               : options_.restarts > 0 ? at_points(points_of(starts))
                                       : at_points({given()});
      Stage only = method(task_);
      only.place = 0;
      monitor_.expect({{.of_a_run = 2 * kUsualEvaluations}, {.of_a_run = 1}});  // without curvature
      climbs = run(only, climbs);
    }
    out_.interrupted = monitor_.stopped();
    finish(std::move(climbs));
    return std::move(out_);
  }

 private:
  Vector given() const { return task_.space.values(); }
  Stage method(const LearningTask& task, Way way = Way::unaided) const {
    return {std::string(to_string(task.inference.method)),
            &task,
            options_.tolerance,
            options_.max_evaluations,
            way,
            /*of_starts=*/false,
            /*kept=*/true};
  }

  // Climbs from every start, side by side; results in the order of the starts.
  std::vector<Climb> run(const Stage& stage, const std::vector<Climb>& starts) {
    std::vector<Climb> climbs(starts.size());
    monitor_.begin_stage(stage.name, static_cast<int>(starts.size()), stage.place);
    ClimbOptions climb_options;
    climb_options.tolerance = stage.tolerance;
    if (stage.of_starts && task_.space.free().size() <= kFewParameters)
      climb_options.radius = kStartRadius;
    climb_options.max_evaluations = stage.max_evaluations;
    climb_options.on_evaluation = [&](double value) { monitor_.evaluated(value); };
    if (stage.kept) keeping_.begin(starts);
    const bool in_turn = stage.task->engine->cost().threads_inside;
    double best_end = -std::numeric_limits<double>::infinity();  // of those that went before
    const auto one = [&](Objective& objective, int i) {
      objective.options().on_iteration = [&](const Progress&) { monitor_.check(); };
      const auto k = static_cast<std::size_t>(i);
      ClimbOptions own = climb_options;
      const Posterior& warm = starts[k].best.inferred.posterior;
      if (warm.sites.size() == stage.task->data->size()) own.warm = &warm;
      if (stage.kept) own.on_better = [&, k](const Climb& c) { keeping_.better(k, c); };
      if (in_turn) own.hopeless = best_end - stage.behind;
      climbs[k] = stage.way == Way::unaided ? climb(objective, starts[k].at, own)
                                            : climb_from(objective, starts[k], own);
      if (in_turn && climbs[k].usable) best_end = std::max(best_end, climbs[k].best.objective);
    };
    run_objectives(monitor_, *stage.task, static_cast<int>(starts.size()), threads_, one);
    return climbs;
  }

  // Of the ends of a stage's climbs.
  void renew_curvature(std::vector<Climb>& ends, const Stage& stage) {
    ClimbOptions options;
    options.on_evaluation = [&](double value) { monitor_.evaluated(value); };
    const auto one = [&](Objective& objective, int i) {
      objective.options().on_iteration = [&](const Progress&) { monitor_.check(); };
      const auto k = static_cast<std::size_t>(i);
      ends[k] = with_curvature(objective, ends[k], options);
    };
    run_objectives(monitor_, *stage.task, static_cast<int>(ends.size()), threads_, one);
  }

  std::vector<Index> part(Index count) const {
    return part_of_rows(task_.data->X, count, options_.seed);
  }

  std::vector<Climb> distinct(std::vector<Climb> climbs,
                              const LearningTask& task,
                              double tolerance) {
    return distinct_optima(std::move(climbs), task, tolerance, monitor_, threads_);
  }

  std::vector<Vector> points_of(const Starts& starts) const {
    std::vector<Vector> points = {given(), starts.default_point()};
    for (int k = 0; k < options_.restarts; ++k)
      points.push_back(starts.random_point(options_.seed, k));
    return points;
  }

  // The optima of the starts on few rows, best first, with the curvature there.
  std::vector<Climb> optima_of(const Starts& starts) {
    std::vector<Vector> points = points_of(starts);
    for (Vector& point : points) point = to_start(task_, point);
    const LearningTask screening = start_task(task_, part(kScreeningRows));
    const std::string cheap(to_string(screening.inference.method));
    std::vector<Climb> climbs = run({.name = cheap + " starts",
                                     .task = &screening,
                                     .tolerance = 0.1,
                                     .max_evaluations = kScreeningEvaluations,
                                     .of_starts = true,
                                     .place = kScreening},
                                    at_points(points));
    points = distant_points(
        std::move(climbs),
        task_.space,
        static_cast<std::size_t>(std::max(2 * options_.keep, options_.restarts / 3)));
    remember(points);

    // Most of them end at the same few optima: roughly, and on few rows, is enough to tell which do.
    const LearningTask few = start_task(task_, part(kRoughRows));
    const LearningTask start = start_task(task_, part(kStartRows));
    climbs = run({.name = cheap + " optima",
                  .task = &few,
                  .tolerance = kRoughly,
                  .max_evaluations = 60,
                  .of_starts = true,
                  .place = kRough},
                 at_points(points));
    climbs = distinct(std::move(climbs), few, kRoughly);
    // With many parameters, or few rows, an optimum may be there that 300 rows do not have.
    if (task_.space.free().size() <= kSimple && start.data->size() < task_.data->size()) {
      climbs = run({.name = cheap + " optima",
                    .task = &few,
                    .tolerance = kSameLogMarginal,
                    .max_evaluations = 60,
                    .way = Way::with_curvature,
                    .place = kApart},
                   climbs);
      climbs = distinct(std::move(climbs), few, kSameLogMarginal);
      carry_curvature(climbs, few.data->size(), start.data->size());
    }
    climbs = run({.name = cheap + " optima",
                  .task = &start,
                  .tolerance = 1e-3,
                  .max_evaluations = 60,
                  .way = Way::with_curvature,
                  .place = kStart},
                 climbs);
    climbs = distinct(std::move(climbs), start, 0);
    points.clear();
    for (const Climb& c : climbs) points.push_back(c.at);
    remember(points);
    const bool comparable = start.data->size() == task_.data->size() &&
                            !starts_as_gaussian(task_) &&
                            start.inference.method != task_.inference.method;
    if (comparable) record(climbs, start);
    return climbs;
  }

  // Where the inference method starts.
  std::vector<Climb> seeds(const Starts& starts, const LearningTask& task) {
    std::vector<Climb> out, others;
    for (Climb& c : optima_of(starts)) {
      Climb seed = at_point(model_point(c.at));
      if (!starts_as_gaussian(task_)) seed.curvature = std::move(c.curvature);
      const bool kept = out.size() < static_cast<std::size_t>(options_.keep);
      (kept ? out : others).push_back(std::move(seed));
    }
    // Taylor's ranking is not the method's, and near a boundary its optima can be far off: the
    // default point, and of the other optima the one that the method likes best.    (errata 2.8)
    out.push_back(at_point(starts.default_point()));
    if (out.size() == 1) out.push_back(at_point(given()));
    Stage once = method(task);
    once.max_evaluations = 1;
    once.kept = false;
    once.place = kJudged;
    std::vector<Climb> judged = run(once, others);
    sort_best_first(judged);
    if (!judged.empty()) out.push_back(at_point(judged.front().at));
    return out;
  }

  // The method on a part of the rows, or on all of them. An engine that approximates the kernel is
  // made for the kernel as it is known by now.
  LearningTask method_task(const Part& wanted, const Vector& at) const {
    LearningTask out = task_;
    const std::vector<Index> some = part(wanted.rows);
    if (!some.empty()) {
      out.data = std::make_shared<const Dataset>(task_.data->subset(some));
      out.engine = task_.engine->subset(some);
    }
    if (at.size() > 0 && out.engine->cost().threads_inside)
      out.engine = make_engine(wanted.rough ? out.engine->rough() : out.engine->options(),
                               inputs_of(out.data),
                               with_values(task_.parts, task_.space.hyperparameters(at)).kernel,
                               options_.seed);
    return out;
  }

  // From few rows to all, with fewer and fewer starts. Where they are few, all at once.
  std::vector<Climb> through_parts(const Starts& starts) {
    const std::vector<Part> parts = plan_.parts();
    std::vector<Climb> climbs;
    LearningTask last;
    std::size_t first = 0;
    if (keeper_.from) {
      climbs = keeping_.candidates();
      first = std::min(static_cast<std::size_t>(keeper_.from->part), parts.size() - 1);
    }
    monitor_.expect(plan_.work());
    for (std::size_t k = first; k < parts.size(); ++k) {
      const Index rows = parts[k].rows;
      const bool last_one = k + 1 == parts.size();
      Vector engine_at = climbs.empty() ? Vector() : climbs.front().at;
      if (keeper_.from && k == first) engine_at = keeper_.from->engine_at;
      LearningTask part;
      if (!monitor_.run_one(threads_, [&] { part = method_task(parts[k], engine_at); })) return {};
      if (climbs.empty()) climbs = seeds(starts, part);
      if (monitor_.stopped()) return {};
      if (k > first) carry_curvature(climbs, parts[k - 1].rows, rows);
      if (plan_.approximates() && last.data && last.data->size() < rows) {
        const auto carry = [&] { carry_sites(climbs, last, part); };
        if (!monitor_.run_one(threads_, carry)) return {};
      }
      if (last_one && k > first && plan_.is_enough(parts[k - 1].rows)) {
        task_.engine = part.engine;
        out_.rows = parts[k - 1].rows;
        return climbs;
      }
      keeping_.set_part(static_cast<int>(k), engine_at);
      Stage stage = method(part, Way::with_curvature);
      stage.place = kParts + k;
      if (parts.size() > 1) stage.tolerance = std::max(stage.tolerance, plan_.tolerance_on(rows));
      const bool decides = rows >= kRowsThatDecide;
      if (!last_one) {
        stage.name += fmt::format(" on {} rows", rows);
        stage.tolerance = std::max(kRoughly, stage.tolerance);
        stage.behind = decides ? stage.tolerance : kClearlyWorse;
      }
      std::vector<Climb> ends = run(stage, climbs);
      if (last_one) {
        task_.engine = part.engine;
        return ends;
      }
      if (monitor_.stopped()) return {};
      if (decides) {
        sort_best_first(ends);
        if (ends.size() > 1) ends.resize(1);
      } else {
        ends = distinct(std::move(ends), part, stage.tolerance);
        leave_out_the_worse(ends);
        ends = without_slopes(std::move(ends), part, monitor_, threads_);
      }
      if (ends.empty()) continue;  // some rows alone may be what cannot be: more of them, then
      // A curvature that is made on the last part costs less than the steps that it saves on all rows.
      if (rows < task_.data->size() && parts[k + 1].rows == task_.data->size() &&
          !plan_.is_enough(rows))
        renew_curvature(ends, stage);
      if (monitor_.stopped()) return {};
      climbs = std::move(ends);
      best_start_ = climbs.front().at;
      last = std::move(part);
    }
    return {};
  }

  void leave_out_the_worse(std::vector<Climb>& climbs) const {
    if (climbs.empty()) return;
    const double enough = climbs.front().best.objective - kClearlyWorse;
    std::erase_if(climbs, [&](const Climb& c) { return c.best.objective < enough; });
    if (climbs.size() > static_cast<std::size_t>(options_.keep))
      climbs.resize(static_cast<std::size_t>(options_.keep));
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

  // Hyperparameters of a part of the rows, the posterior of all.
  void finish_with(Climb best) {
    out_.at = task_.space.hyperparameters(best.at);
    out_.converged = best.converged;
    foretold_ = std::move(best.best.inferred.posterior);
    polish();
    best.best.log_marginal = out_.best.log_marginal;
    record({best}, task_);
  }

  // The best run wins; a log marginal of inference that stopped short competes only with its like.
  void finish(std::vector<Climb> climbs) {
    if (out_.rows > 0) return finish_with(std::move(climbs.front()));
    const std::size_t attempts = climbs.size();
    const BlasThreads blas(threads_);
    std::vector<Climb> optima = distinct(std::move(climbs), task_, 0);
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
    if (plan_.approximates()) ahead_ = std::move(best.ahead);
    if (!out_.interrupted) polish();
  }

  // The posterior that is kept is solved to the tolerance that was asked for. An evaluation of many
  // rows is dear: this one takes the step that promised too little for one of its own.
  void polish() {
    monitor_.begin_last_stage("posterior");
    const Posterior& found = out_.best.inferred.posterior;
    if (monitor_.run_one(threads_, [this] { solve(); })) return;
    out_.interrupted = true;  // what was found before will do
    if (found.sites.size() == 0) throw Interrupted("fit: interrupted before there was a model");
  }
  void solve() {
    const Posterior& found = out_.best.inferred.posterior;
    Objective objective(task_);
    objective.options().tolerance = plan_.tolerance_of_inference();
    objective.options().max_iterations = options_.inference_iterations;
    const Posterior* warm = found.sites.size() > 0                         ? &found
                            : foretold_.sites.size() == task_.data->size() ? &foretold_
                                                                           : nullptr;
    Evaluation exact;
    const bool stepped = ahead_.size() > 0 && step_ahead(objective, exact);
    if (!stepped) {
      exact = objective.evaluate(out_.at, warm);
      monitor_.count(1);
    }
    out_.converged = out_.converged && exact.converged();
    if (!has_several_latents(*task_.parts.likelihood))
      out_.predictor = std::make_unique<const LatentPredictor>(objective.predictor());
    out_.best = std::move(exact);
  }

  bool step_ahead(Objective& objective, Evaluation& out) {
    monitor_.count(1);
    try {
      out = objective.evaluate(ahead_, &out_.best.inferred.posterior);
    } catch (const NumericalError&) {
      return false;
    }
    if (!out.converged() || out.objective < out_.best.objective) return false;
    out_.at = task_.space.hyperparameters(ahead_);
    return true;
  }

  // Interrupted before the inference method had a single answer: one evaluation at the best point
  // of the starts, if there is one and it does not keep the user waiting.
  void interrupted_early() {
    if (!best_start_ || task_.engine->cost().dense_rows > kWorthWaiting)
      throw Interrupted("fit: interrupted before there was a model");
    out_.at = task_.space.hyperparameters(*best_start_);
    solve();
    out_.converged = false;
  }

  LearningTask& task_;
  const FitOptions& options_;
  Monitor& monitor_;
  const LearningKeeper& keeper_;
  int threads_;
  const Plan plan_;
  Keeping keeping_;
  Learned out_;
  std::optional<Vector> best_start_;
  Vector ahead_;  // of the best climb
  Posterior
      foretold_;  // where the posterior of all rows begins; no answer, should it be interrupted
};

}  // namespace

Learned learn(LearningTask& task,
              const FitOptions& options,
              Monitor& monitor,
              const LearningKeeper& keeper) {
  return Learning(task, options, monitor, keeper).go();
}

}  // namespace ggpm::internal
