// What learning works on, from data and a few words.
#pragma once

#include <memory>
#include <string>

#include "ggpm/model.hpp"
#include "learn/objective.hpp"

namespace ggpm::testing_support {

using namespace internal;  // NOLINT: tests look inside

inline LearningTask make_task(const Dataset& data,
                              const std::string& likelihood,
                              const std::string& kernel,
                              const std::string& mean = "zero",
                              InferenceMethod method = InferenceMethod::laplace) {
  LearningTask task;
  task.data = std::make_shared<const Dataset>(data);
  task.parts.kernel = Kernel::parse(kernel).bind(data.X.cols(), data.columns);
  task.parts.mean = Mean::parse(mean).bind(data.X.cols());
  task.parts.likelihood = make_likelihood(likelihood);
  task.engine = make_engine({}, inputs_of(task.data), task.parts.kernel);
  task.space = ParameterSpace(task.parts, {}, {});
  task.inference.method = method;
  return task;
}

// The place of a parameter in the space of the task.
inline Index index_of(const LearningTask& task, std::string_view name) {
  return task.space.find(name);
}

}  // namespace ggpm::testing_support
