// Which optimizer needs the fewest evaluations to the same optimum, and what does a fit cost?
//
// Reads real data from the folder GGPM_DATA_DIR, by default ../shared/data.
#include "learn/learn.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "ggpm/model.hpp"
#include "learn/optimize.hpp"
#include "learn/parallel.hpp"
#include "learn/starts.hpp"
#include "model/state.hpp"

#ifdef GGPM_BENCH_CERES
#include <ceres/gradient_problem.h>
#include <ceres/gradient_problem_solver.h>
#endif

namespace {

using namespace ggpm;
using namespace ggpm::internal;

struct Case {
  const char *file, *target, *likelihood;
  std::vector<std::string> exclude;
};

const std::vector<Case> kCases = {{"servo", "rise_time", "gamma-shape", {}},
                                  {"servo", "rise_time", "inverse-gaussian", {}},
                                  {"auto_mpg", "mpg", "gamma-scale", {"horsepower_imputed"}},
                                  {"yacht_resistance", "resistance", "gamma-shape", {}},
                                  {"horseshoe_crabs", "satellites", "negative-binomial", {}},
                                  {"takeover_bids", "numbids", "poisson", {}},
                                  {"gasoline_yield", "yield", "beta", {"batch"}},
                                  {"mcycle", "accel", "gaussian", {}},
                                  {"mcycle", "accel", "student-t", {}},
                                  {"pima", "diabetes", "bernoulli", {"train"}}};

std::string data_folder() {
  const char* given = std::getenv("GGPM_DATA_DIR");
  return given != nullptr ? given : "../shared/data";
}

Dataset read(const Case& c) {
  const Table table = read_csv(data_folder() + "/" + c.file + ".csv");
  std::vector<std::string> exclude = c.exclude;
  exclude.emplace_back(c.target);
  const Design design = Design::learn(table, {.exclude = exclude});
  return {.X = design.apply(table),
          .observed = {.y = numeric_column(table, c.target)},
          .columns = design.names()};
}

LearningTask task_of(const Dataset& data, const char* likelihood) {
  const Specification specification{
      .likelihood = likelihood, .kernel = "rbf(ard=true)", .inference = InferenceMethod::laplace};
  LearningTask task;
  task.parts = make_parts(specification, data);
  task.data = std::make_shared<const Dataset>(data);
  task.engine = make_engine({.name = "dense"}, inputs_of(task.data), task.parts.kernel, 1);
  task.space = ParameterSpace(task.parts, {}, {});
  task.inference = make_inference(specification, data);
  task.inference.tolerance = kLearningTolerance;
  return task;
}

// The best value after each evaluation.
struct Path {
  std::string name;
  std::vector<double> best;
  double seconds = 0;
  double end() const { return best.empty() ? -1e300 : best.back(); }
  // Evaluations until `value` was reached, 0 if never.
  std::size_t reached(double value) const {
    for (std::size_t i = 0; i < best.size(); ++i)
      if (best[i] >= value) return i + 1;
    return 0;
  }
};

template <class Run>
Path timed(const char* name, const Run& run) {
  Path path{name, {}};
  const auto began = std::chrono::steady_clock::now();
  run(path);
  path.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return path;
}

Path with_nlopt(const char* name, Climber climber, const LearningTask& task, const Vector& start) {
  return timed(name, [&](Path& path) {
    Objective objective(task);
    ClimbOptions options;
    options.climber = climber;
    options.on_evaluation = [&](double value) { path.best.push_back(value); };
    climb(objective, start, options);
  });
}

#ifdef GGPM_BENCH_CERES
// Ceres has no bounds for general functions: a point outside is a failed evaluation.
class CeresObjective final : public ceres::FirstOrderFunction {
 public:
  CeresObjective(const LearningTask& task, Path& path)
      : task_(task), objective_(task), free_(task.space.free()), path_(path) {}
  int NumParameters() const override { return static_cast<int>(free_.size()); }
  bool Evaluate(const double* x, double* cost, double* gradient) const override {
    Vector at = task_.space.values();
    for (std::size_t k = 0; k < free_.size(); ++k) at[free_[k]] = x[k];
    const double before = path_.best.empty() ? -1e300 : path_.best.back();
    path_.best.push_back(before);
    if (task_.space.clamped(at) != at) return false;
    try {
      const Evaluation e = objective_.evaluate(at, have_ ? &last_ : nullptr);
      last_ = e.inferred.posterior;
      have_ = true;
      *cost = -e.objective;
      path_.best.back() = std::max(before, e.log_marginal);
      for (std::size_t k = 0; gradient != nullptr && k < free_.size(); ++k)
        gradient[k] = -e.gradient[free_[k]];
      return e.converged();
    } catch (const Error&) {
      return false;
    }
  }

 private:
  const LearningTask& task_;
  mutable Objective objective_;
  std::vector<Index> free_;
  Path& path_;
  mutable Posterior last_;
  mutable bool have_ = false;
};

Path with_ceres(const LearningTask& task, const Vector& start) {
  return timed("Ceres L-BFGS", [&](Path& path) {
    const ceres::GradientProblem problem(new CeresObjective(task, path));
    ceres::GradientProblemSolver::Options options;
    options.logging_type = ceres::SILENT;
    options.max_num_iterations = 200;
    options.function_tolerance = 1e-8;
    std::vector<double> x;
    for (const Index i : task.space.free()) x.push_back(start[i]);
    ceres::GradientProblemSolver::Summary summary;
    ceres::Solve(options, problem, x.data(), &summary);
  });
}
#endif

void compare_optimizers() {
  fmt::print(
      "Evaluations (seconds) from the data-driven start to within 0.01 of the best optimum\n\n");
  fmt::print("| data, likelihood | n | parameters | NLopt L-BFGS | NLopt SLSQP | Ceres L-BFGS |\n");
  fmt::print("|---|---|---|---|---|---|\n");
  for (const Case& c : kCases) {
    LearningTask task = task_of(read(c), c.likelihood);
    const Vector start = Starts(task).default_point();
    std::vector<Path> paths = {with_nlopt("NLopt L-BFGS", Climber::lbfgs, task, start),
                               with_nlopt("NLopt SLSQP", Climber::slsqp, task, start)};
#ifdef GGPM_BENCH_CERES
    paths.push_back(with_ceres(task, start));
#endif
    double best = -1e300;
    for (const Path& path : paths) best = std::max(best, path.end());
    std::string cells;
    for (const Path& path : paths) {
      const std::size_t at = path.reached(best - 0.01);
      cells += at > 0
                   ? fmt::format(" {} of {} ({:.2f} s) |", at, path.best.size(), path.seconds)
                   : fmt::format(" ends {:.2f} lower ({}) |", best - path.end(), path.best.size());
    }
    if (paths.size() == 2) cells += " not built |";
    fmt::print("| {}, {} | {} | {} |{}\n",
               c.file,
               c.likelihood,
               task.data->size(),
               task.space.free().size(),
               cells);
    std::fflush(stdout);
  }
}

void cost_of_a_fit() {
  fmt::print("\nA whole fit (50 restarts): evaluations and seconds\n\n");
  fmt::print("| data, likelihood | n | laplace | ep |\n|---|---|---|---|\n");
  for (const Case& c : kCases) {
    const Dataset data = read(c);
    std::string cells;
    for (const InferenceMethod method : {InferenceMethod::laplace, InferenceMethod::ep}) {
      if (method == InferenceMethod::ep && data.X.rows() > 400) {
        cells += " – |";
        continue;
      }
      const auto model = GeneralizedGP::fit(
          data, {.likelihood = c.likelihood, .kernel = "rbf(ard=true)", .inference = method});
      cells += fmt::format(" {}, {:.1f} s |", model.report().evaluations, model.seconds());
    }
    fmt::print("| {}, {} | {} |{}\n", c.file, c.likelihood, data.X.rows(), cells);
    std::fflush(stdout);
  }
}

}  // namespace

int main() {
  if (!std::filesystem::exists(data_folder())) {
    fmt::print("no data in {}; set GGPM_DATA_DIR\n", data_folder());
    return 0;
  }
  {
    const BlasThreads one(1);
    compare_optimizers();
  }
  cost_of_a_fit();
  return 0;
}
