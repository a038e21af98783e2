// What learning goes through: starts on few rows, parts of the rows, at last all of them.
#pragma once

#include <vector>

#include "learn/objective.hpp"
#include "learn/parallel.hpp"

namespace ggpm::internal {

// Places of its stages; parts of the rows follow, then the posterior.
enum Place : std::size_t { kScreening, kRough, kApart, kStart, kJudged, kParts };

inline constexpr double kUsualEvaluations = 9;  // of a climb with curvature
// An optimum on a part of so many rows is the one to go on with: differences between optima grow with
// the rows, and an evaluation on all of them takes long.
inline constexpr Index kRowsThatDecide = 10'000;

// An engine that approximates is as quick as it can be on parts of the rows, and once on all of them
// where that saves most of the time.
struct Part {
  Index rows = 0;
  bool rough = false;
};

class Plan {
 public:
  Plan(const LearningTask& task, const FitOptions& options) : task_(task), options_(options) {}

  std::vector<Part> parts() const;
  // For an estimate of the time that is left.
  std::vector<StageWork> work() const;

  bool approximates() const;
  // Whether what so many rows tell of the hyperparameters will do for all of them.
  bool is_enough(Index rows) const;
  // A log marginal of many rows is known, and of use, to fewer decimals, and each step is dear.
  double tolerance_on(Index rows) const;
  // Of the inference that is kept: an engine that approximates errs by more than a millionth of a
  // standard deviation, and of many rows the last step takes long.
  double tolerance_of_inference() const;

 private:
  bool is_rough() const;         // by the accuracy that was asked for
  bool leaves_most_out() const;  // some rows decide on the hyperparameters of all
  double work_of_evaluation(const Part& part) const;

  const LearningTask& task_;
  const FitOptions& options_;
};

}  // namespace ggpm::internal
