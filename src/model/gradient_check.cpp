#include <algorithm>
#include <cmath>

#include "ggpm/model.hpp"

namespace ggpm {

GradientCheck check_gradient(const GeneralizedGP& model) {
  GradientCheck out;
  Vector at = model.hyperparameters().flat();
  for (const FittedParameter& fitted : model.parameters()) {
    double& value = at(static_cast<Index>(out.names.size()));
    if (fitted.parameter.positive) value = std::log(value);
    out.names.push_back(fitted.parameter.name);
  }
  model.log_marginal_at(at, &out.gradient);
  out.differences.resize(at.size());
  for (Index k = 0; k < at.size(); ++k) {
    const double step = 1e-4 * std::max(1.0, std::abs(at(k)));
    Vector up = at, down = at;
    up(k) += step;
    down(k) -= step;
    const double numeric =
        (model.log_marginal_at(up) - model.log_marginal_at(down)) / (up(k) - down(k));
    out.differences(k) = numeric;
    out.largest = std::max(out.largest,
                           std::abs(numeric - out.gradient(k)) / std::max(1.0, std::abs(numeric)));
  }
  return out;
}

}  // namespace ggpm
