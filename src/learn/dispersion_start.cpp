#include "learn/dispersion_start.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ggpm::internal {

DispersionStart::DispersionStart(const Likelihood& likelihood, std::vector<Row> rows)
    : likelihood_(likelihood) {
  const auto n = static_cast<double>(rows.size());
  if (likelihood.is_exact_regression()) {  // phi is the variance of the targets, f(y) of a warp
    std::vector<Expansion> targets(rows.size());
    likelihood.expand(rows, {.point = ExpansionPoint::exact, .offset = 0}, targets);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].y = targets[i].eta;
  }
  double mean = 0;
  for (const Row& row : rows) {
    mean += row.y / n;
    censored_ = censored_ || row.is_censored();
  }
  for (const Row& row : rows) variance_ += std::pow(row.y - mean, 2) / n;
  typical_ = rows.front();
  typical_.y = mean;
}

double DispersionStart::typical_variance(const Likelihood& trial, double phi) const {
  if (trial.is_exact_regression()) return phi;
  Expansion at;
  try {
    trial.expand({&typical_, 1}, {.point = ExpansionPoint::exact, .offset = 0}, {&at, 1});
  } catch (const Error&) {
    return 0;
  }
  return trial.variance(typical_, at.eta);
}

double DispersionStart::solve(double wanted) const {
  const std::unique_ptr<Likelihood> trial = likelihood_.clone();
  std::vector<double> values;
  for (const Parameter& p : trial->parameters()) values.push_back(p.value);
  double best = 0, distance = std::numeric_limits<double>::infinity();
  // Counts have no unit; far out the sums of COM-Poisson have millions of terms.
  const bool counts = trial->domain() == Domain::count;
  const double last = std::log(counts ? 1e2 : 1e12);
  for (double log_phi = std::log(counts ? 1e-2 : 1e-8); log_phi <= last; log_phi += 0.5) {
    values[0] = std::exp(log_phi);
    trial->set_parameters(values);
    const double variance = typical_variance(*trial, values[0]);
    if (!(variance > 0) || !std::isfinite(variance)) continue;
    const double here = std::abs(std::log(variance) - std::log(wanted));
    if (here < distance) {
      distance = here;
      best = values[0];
    }
  }
  return distance < 1 ? best : 0;
}

DispersionStart::Range DispersionStart::range(double given) const {
  // Where the family cannot have such a variance (counts that vary less than Poisson, equal
  // outputs, a mean on the boundary), the given value and two decades around it.
  double center = given, low = given / 10, high = given * 10;
  if (variance_ > 0 && std::isfinite(variance_)) {
    const double small = solve(0.003 * variance_), middle = solve(0.1 * variance_),
                 large = solve(variance_);
    if (middle > 0) {
      center = middle;
      low = small > 0 ? std::min({small, middle, large > 0 ? large : middle}) : middle / 10;
      high = std::max({small, middle, large > 0 ? large : 10 * middle});
    }
  }
  return {low, center, high};
}

double DispersionStart::largest(double given) const {
  const double own = likelihood_.largest_dispersion(typical_);
  // Outputs that are all equal ask for no scatter. Where an enormous one explains them too (a Tweedie
  // of any mean is all zeros then), nothing but this limit holds the mean.
  return variance_ > 0 || censored_ || std::isfinite(own) ? own : given;
}

}  // namespace ggpm::internal
