#include "cli/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

namespace ggpm::cli {
namespace {

constexpr Index kRowsToChoose = 300;
constexpr int kRestartsToChoose = 5;

// Simplest first.
std::vector<std::string> candidates(Domain domain) {
  switch (domain) {
    case Domain::real:
      return {"gaussian", "student-t", "laplace"};
    case Domain::positive:
      return {"gamma-shape", "gamma-scale", "inverse-gaussian"};
    case Domain::count:
      return {"poisson", "linear-poisson", "negative-binomial", "com-poisson"};
    case Domain::fraction_of_trials:
      return {"binomial"};
    case Domain::binary:
      return {"bernoulli"};
    case Domain::proportion:
      return {"beta"};
  }
  return {"gaussian"};
}

TrainingData some_rows(const TrainingData& data, std::uint64_t seed) {
  const Index n = data.X.rows();
  if (n <= kRowsToChoose) return data;
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::mt19937_64 random(seed);
  std::shuffle(order.begin(), order.end(), random);
  order.resize(static_cast<std::size_t>(kRowsToChoose));
  std::sort(order.begin(), order.end());
  TrainingData part{
      .X = data.X(order, Eigen::all), .rows = {}, .offset = {}, .columns = data.columns};
  for (const Index i : order) part.rows.push_back(data.rows[static_cast<std::size_t>(i)]);
  if (data.offset.size() > 0) part.offset = data.offset(order);
  return part;
}

struct Candidate {
  std::string name;
  Vector log_density;  // leave-one-out, a row each
  double total() const { return log_density.sum(); }
};

// a's total log density above b's, and the standard error of that.
struct Difference {
  double value, error;
};
Difference difference(const Candidate& a, const Candidate& b) {
  const Vector d = a.log_density - b.log_density;
  const auto n = static_cast<double>(d.size());
  const double variance = n > 1 ? (d.array() - d.mean()).square().sum() / (n - 1) : 0;
  return {d.sum(), std::sqrt(n * variance)};
}

std::optional<Candidate> try_candidate(const std::string& name,
                                       const TrainingData& data,
                                       const Specification& base,
                                       const FitOptions& options) {
  Specification specification = base;
  specification.likelihood = name;
  const auto likelihood = make_likelihood(name, base.link, base.likelihood_options);
  specification.inference = name == "gaussian"             ? InferenceMethod::exact
                            : likelihood->differentiable() ? InferenceMethod::laplace
                                                           : InferenceMethod::ep;
  FitOptions quick = options;
  quick.restarts = std::min(options.restarts, kRestartsToChoose);
  quick.keep = 1;
  quick.inference_tolerance = 1e-6;
  try {
    const GeneralizedGP model = GeneralizedGP::fit(data, specification, quick);
    Candidate candidate{name, model.loo().log_density};
    if (!candidate.log_density.allFinite()) return std::nullopt;
    return candidate;
  } catch (const NumericalError&) {
    return std::nullopt;
  }
}

}  // namespace

LikelihoodChoice choose_likelihood(const TrainingData& data,
                                   Domain domain,
                                   const Specification& specification,
                                   const FitOptions& options) {
  const std::vector<std::string> names = candidates(domain);
  if (names.size() == 1) return {names[0], names[0] + " is the likelihood of such outputs"};
  const TrainingData part = some_rows(data, options.seed);
  std::vector<Candidate> fitted;
  for (const std::string& name : names) {
    if (!specification.link.empty()) {
      // Only those that have the link that was asked for.
      try {
        make_likelihood(name, specification.link);
      } catch (const UsageError&) {
        continue;
      }
    }
    if (auto candidate = try_candidate(name, part, specification, options))
      fitted.push_back(std::move(*candidate));
    if (options.interrupted && options.interrupted())
      throw Interrupted("fit: interrupted while the likelihood was being chosen");
  }
  if (fitted.empty())
    throw UsageError(fmt::format("--likelihood auto: none of {} could be fitted; name a likelihood",
                                 fmt::format("{}", names.front())));
  const auto best =
      std::max_element(fitted.begin(), fitted.end(), [](const Candidate& a, const Candidate& b) {
        return a.total() < b.total();
      });
  const auto chosen = std::find_if(fitted.begin(), fitted.end(), [&](const Candidate& candidate) {
    const Difference d = difference(*best, candidate);
    return d.value <= d.error;
  });
  const Candidate& taken = chosen == fitted.end() ? *best : *chosen;
  std::string reason = fmt::format(
      "{}: leave-one-out log density {:.1f} on {} rows", taken.name, taken.total(), part.X.rows());
  for (const Candidate& other : fitted) {
    if (other.name == taken.name) continue;
    const Difference d = difference(other, taken);
    reason += fmt::format(", {} {:+.1f} ± {:.1f}", other.name, d.value, d.error);
  }
  if (taken.name != best->name) reason += "; the simplest within one standard error";
  return {taken.name, reason};
}

InferenceChoice choose_inference(const Likelihood& likelihood, Index rows) {
  if (likelihood.name() == "gaussian" && likelihood.link() == "identity")
    return {InferenceMethod::exact, "exact for gaussian outputs"};
  // Sums and quadratures per row make EP of a COM-Poisson dearer than that of the others.
  const Index most = likelihood.name() == "com-poisson" ? 300 : 1000;
  if (!likelihood.differentiable())
    return {InferenceMethod::ep, "ep, which a density with a corner needs"};
  if (rows <= most) return {InferenceMethod::ep, fmt::format("ep for {} rows", rows)};
  return {InferenceMethod::laplace, fmt::format("laplace for {} rows; ep takes longer", rows)};
}

}  // namespace ggpm::cli
