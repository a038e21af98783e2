#include "ggpm/choose.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "ggpm/roles.hpp"
#include "gram/engine.hpp"
#include "numeric/random.hpp"

namespace ggpm {

using namespace internal;

namespace {

constexpr std::string_view kAuto = "auto";
constexpr Index kRowsToChoose = 300;
constexpr int kRestartsToChoose = 5;

Dataset some_rows(const Dataset& data, std::uint64_t seed) {
  const Index n = data.X.rows();
  if (n <= kRowsToChoose) return data;
  return data.subset(numeric::some_of(n, kRowsToChoose, seed));
}

struct Candidate {
  std::string name;
  Vector log_density;  // leave-one-out, a row each
  double total() const { return log_density.sum(); }
};

std::optional<Candidate> try_candidate(const std::string& name,
                                       const Dataset& data,
                                       const Specification& base,
                                       const FitOptions& options) {
  Specification specification = base;
  specification.likelihood = name;
  const auto likelihood = make_likelihood(name, base.link, base.likelihood_options);
  specification.inference = is_exact_regression(*likelihood, data.observed) ? InferenceMethod::exact
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

// Only those that take such rows.
std::vector<std::string> for_rows_of(const Dataset& data, std::vector<std::string> names) {
  if (data.observed.any_censored())
    std::erase_if(names,
                  [](const std::string& name) { return !make_likelihood(name)->takes_censored(); });
  return names;
}

// Only those that have the link that was asked for.
std::vector<std::string> with_link(const std::vector<std::string>& names, const std::string& link) {
  if (link.empty()) return names;
  std::vector<std::string> kept;
  for (const std::string& name : names) {
    try {
      make_likelihood(name, link);
      kept.push_back(name);
    } catch (const UsageError&) {
    }
  }
  if (kept.empty())
    throw UsageError(fmt::format("likelihood auto: none of {} has the link '{}'; name a likelihood",
                                 fmt::join(names, ", "),
                                 link));
  return kept;
}

std::string reason_for(const Candidate& taken,
                       const Candidate& best,
                       const std::vector<Candidate>& fitted) {
  std::string reason = fmt::format("likelihood {}: leave-one-out log density {:.1f} on {} rows",
                                   taken.name,
                                   taken.total(),
                                   taken.log_density.size());
  for (const Candidate& other : fitted) {
    if (other.name == taken.name) continue;
    const DensityDifference d = difference_of(other.log_density, taken.log_density);
    reason += fmt::format(", {} {:+.1f} ± {:.1f}", other.name, d.total, d.standard_error);
  }
  if (taken.name != best.name) reason += ", the simplest within one standard error";
  return reason;
}

// Sets the likelihood and says why.
std::string choose_likelihood(Specification& specification,
                              const Dataset& data,
                              Domain domain,
                              const FitOptions& options) {
  const std::vector<std::string> names =
      with_link(for_rows_of(data, families_of(domain)), specification.link);
  if (names.size() == 1) {
    specification.likelihood = names[0];
    return fmt::format("likelihood {}, the one for such outputs{}",
                       names[0],
                       specification.link.empty() ? "" : " with this link");
  }
  const Dataset part = some_rows(data, options.seed);
  std::vector<Candidate> fitted;
  for (const std::string& name : names) {
    if (auto candidate = try_candidate(name, part, specification, options))
      fitted.push_back(std::move(*candidate));
    if (options.interrupted && options.interrupted())
      throw Interrupted("fit: interrupted while the likelihood was being chosen");
  }
  if (fitted.empty())
    throw NumericalError(fmt::format("likelihood auto: none of {} could be fitted; name one",
                                     fmt::join(names, ", ")));
  const auto best =
      std::max_element(fitted.begin(), fitted.end(), [](const Candidate& a, const Candidate& b) {
        return a.total() < b.total();
      });
  const auto chosen = std::find_if(fitted.begin(), fitted.end(), [&](const Candidate& candidate) {
    const DensityDifference d = difference_of(best->log_density, candidate.log_density);
    return d.total <= d.standard_error;
  });
  const Candidate& taken = chosen == fitted.end() ? *best : *chosen;
  specification.likelihood = taken.name;
  return reason_for(taken, *best, fitted);
}

// Sets the inference and says why.
std::string choose_inference(Specification& specification, const Dataset& data) {
  const Matrix& X = data.X;
  const auto likelihood = make_likelihood(specification);
  if (is_exact_regression(*likelihood, data.observed)) {
    specification.inference = InferenceMethod::exact;
    return "inference exact, as gaussian outputs allow";
  }
  if (!likelihood->differentiable()) {
    specification.inference = InferenceMethod::ep;
    return "inference ep, which a density with a corner needs";
  }
  const Index most = likelihood->costly() ? 300 : 1000;
  if (engine_cost(specification.engine, X.rows(), X.cols()).dense_rows <= most) {
    specification.inference = InferenceMethod::ep;
    return fmt::format("inference ep for {} rows", X.rows());
  }
  specification.inference = InferenceMethod::laplace;
  return fmt::format("inference laplace for {} rows, where ep takes long", X.rows());
}

}  // namespace

bool is_open(const Specification& specification) {
  return specification.likelihood == kAuto || !specification.inference;
}

Completion complete_specification(Specification specification,
                                  const Dataset& data,
                                  Domain domain,
                                  const FitOptions& options) {
  Completion out{std::move(specification), {}};
  Specification& s = out.specification;
  if (is_warped(s)) {
    if (is_open(s))
      out.reasons.emplace_back("a warp takes the likelihood gaussian and inference exact");
    if (s.likelihood == kAuto) s.likelihood = "gaussian";
    s.inference = InferenceMethod::exact;
    return out;
  }
  if (s.likelihood == kAuto) out.reasons.push_back(choose_likelihood(s, data, domain, options));
  if (!s.inference) out.reasons.push_back(choose_inference(s, data));
  return out;
}

std::optional<Domain> given_domain(const Specification& specification) {
  Specification named = specification;
  if (named.likelihood == kAuto) {
    if (!is_warped(named)) return std::nullopt;
    named.likelihood = "gaussian";
  }
  return make_likelihood(named)->domain();
}

Completion complete_specification(Specification specification,
                                  const Dataset& data,
                                  const FitOptions& options) {
  if (specification.likelihood != kAuto || is_warped(specification))
    return complete_specification(std::move(specification), data, Domain::real, options);
  const DomainGuess guess =
      recognize_domain(data.observed, (data.observed.trials.array() != 1).any());
  Completion out = complete_specification(std::move(specification), data, guess.domain, options);
  out.reasons.insert(out.reasons.begin(), guess.reason);
  return out;
}

}  // namespace ggpm
