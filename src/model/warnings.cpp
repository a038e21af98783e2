#include <fmt/format.h>

#include "model/state.hpp"

namespace ggpm::internal {

std::vector<Warning> collect_warnings(const ModelState& state, std::vector<Warning> notes) {
  std::vector<Warning> out = std::move(notes);
  const GeneralizedGP view(std::shared_ptr<const ModelState>(&state, [](auto*) {}));
  for (const FittedParameter& p : view.parameters()) {
    if (!p.at_lower && !p.at_upper) continue;
    const bool irrelevant = p.at_upper && p.parameter.role == Role::lengthscale;
    out.push_back({Warning::Kind::at_bound,
                   p.parameter.name,
                   fmt::format("{} ended at its {} bound {:.6g}{}",
                               p.parameter.name,
                               p.at_lower ? "lower" : "upper",
                               p.at_lower ? p.parameter.lower : p.parameter.upper,
                               irrelevant ? ": the output does not depend on this input" : "")});
  }
  const FitReport& report = state.report;
  if (!report.detail.empty())
    out.push_back({report.interrupted                 ? Warning::Kind::interrupted
                   : !report.inference.detail.empty() ? Warning::Kind::inference
                                                      : Warning::Kind::not_converged,
                   "",
                   report.detail});
  if (report.inference.jitter > 0)
    out.push_back(
        {Warning::Kind::indefinite_kernel,
         "",
         fmt::format(
             "the kernel matrix is numerically indefinite; {:.3g} was added to its diagonal",
             report.inference.jitter)});
  return out;
}

}  // namespace ggpm::internal
