#include <fmt/format.h>

#include <cmath>

#include "model/state.hpp"

namespace ggpm {
namespace {

// Near a bound in learned coordinates: what is left of the way does not matter.
constexpr double kAtBound = 1e-3;

}  // namespace

std::vector<FittedParameter> GeneralizedGP::parameters() const {
  const ParameterSpace& space = state_->task.space;
  const Vector flat = state_->at.flat();
  std::vector<FittedParameter> out;
  for (Index i = 0; i < space.size(); ++i) {
    FittedParameter p{space[i], space.prior(i)};
    p.parameter.value = flat[i];
    if (!p.parameter.fixed && state_->report.optimized) {
      const double here = space.to_learned(i, flat[i]);
      p.at_lower = here - space.to_learned(i, p.parameter.lower) < kAtBound;
      p.at_upper = space.to_learned(i, p.parameter.upper) - here < kAtBound;
    }
    out.push_back(std::move(p));
  }
  return out;
}

std::vector<std::string> collect_warnings(const detail::ModelState& state,
                                          const std::vector<std::string>& notes) {
  std::vector<std::string> out = notes;
  const GeneralizedGP view(std::shared_ptr<const detail::ModelState>(&state, [](auto*) {}));
  for (const FittedParameter& p : view.parameters()) {
    if (!p.at_lower && !p.at_upper) continue;
    const bool irrelevant =
        p.at_upper && p.parameter.name.find(".lengthscale") != std::string::npos;
    out.push_back(fmt::format("{} ended at its {} bound {:.6g}{}",
                              p.parameter.name,
                              p.at_lower ? "lower" : "upper",
                              p.at_lower ? p.parameter.lower : p.parameter.upper,
                              irrelevant ? ": the output does not depend on this input" : ""));
  }
  const FitReport& report = state.report;
  if (!report.detail.empty()) out.push_back(report.detail);
  if (report.inference.jitter > 0)
    out.push_back(
        fmt::format("the kernel matrix is numerically indefinite; {:.3g} was added to its diagonal",
                    report.inference.jitter));
  return out;
}

}  // namespace ggpm
