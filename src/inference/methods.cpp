#include <fmt/format.h>

#include <array>
#include <string>

#include "inference/method.hpp"

namespace ggpm::internal {
namespace {

#define METHOD(method) &(method),
constexpr std::array kMethods = {
#include "inference/methods.def"
};
#undef METHOD

// It converged, and by no fallback but the one that was asked for.
bool straight(const Report& report, bool ep_is_hopeless) {
  const bool kld = ep_is_hopeless && report.fallbacks == std::vector<std::string>{kKldInstead};
  return report.outcome == Outcome::converged && (report.fallbacks.empty() || kld);
}

// Draws are no Gaussian: a model makes them when everything else is known.
Solution refuse_mcmc(const Problem& /*problem*/) {
  throw UsageError("mcmc is no approximation of a log marginal: fit a model with it");
}

}  // namespace

constinit const Method kMcmc = {.info = {InferenceMethod::mcmc,
                                         "mcmc",
                                         "sampling, with hyperparameters learned as by auto",
                                         ""},
                                .label = "MCMC",
                                .solve = refuse_mcmc};

const Method& find_method(InferenceMethod method) {
  for (const Method* candidate : kMethods)
    if (candidate->info.method == method) return *candidate;
  throw UsageError("unknown inference method");
}

void require_curvature(const Method& method, const Likelihood& likelihood) {
  if (likelihood.differentiable()) return;
  throw UsageError(fmt::format(
      "{} inference does not exist for the likelihood '{}', whose log density has no curvature; "
      "use ep or kld",
      method.info.name,
      likelihood.name()));
}

Solution solve(const Method& method, const Problem& problem) {
  if (method.check != nullptr)
    problem.here().together([&] { method.check(problem.likelihood, problem.rows); });
  if (problem.warm == nullptr) return method.solve(problem);
  try {
    Solution solution = method.solve(problem);
    if (straight(solution.report, problem.ep_is_hopeless)) return solution;
  } catch (const NumericalError&) {
    // the cold start decides
  }
  Problem cold = problem;
  cold.warm = nullptr;
  Solution solution = method.solve(cold);
  solution.report.fallbacks.insert(solution.report.fallbacks.begin(), "cold start");
  return solution;
}

}  // namespace ggpm::internal

namespace ggpm {

using namespace internal;

std::vector<InferenceInfo> inference_table() {
  std::vector<InferenceInfo> out;
  out.reserve(kMethods.size());
  for (const Method* method : kMethods) out.push_back(method->info);
  return out;
}

std::string_view to_string(InferenceMethod method) { return find_method(method).info.name; }

InferenceMethod parse_inference(std::string_view name) {
  std::string known;
  for (const Method* method : kMethods) {
    if (method->info.name == name) return method->info.method;
    known += (known.empty() ? "" : ", ") + std::string(method->info.name);
  }
  throw UsageError("unknown inference '" + std::string(name) + "'; there is " + known);
}

}  // namespace ggpm
