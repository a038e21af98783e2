#include "ggpm/choose.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "ggpm/classes.hpp"
#include "ggpm/roles.hpp"
#include "gram/engine.hpp"
#include "model/choose_kernel.hpp"
#include "model/state.hpp"

namespace ggpm {

using namespace internal;

namespace {

constexpr std::string_view kAuto = "auto";
// A likelihood that may be taken.
struct Choice {
  std::string name, link;
  bool unusual = false;  // people of the field ask why: it must be clearly better

  std::string words() const { return link.empty() ? name : name + "/" + link; }
};

struct Tried {
  Choice choice;
  Vector log_density;  // leave-one-out, a row each
  double total() const { return log_density.sum(); }
  DensityDifference below(const Tried& best) const {
    return difference_of(best.log_density, log_density);
  }
};

// Counts are read as rates, by their logarithms. Positive numbers may also be real numbers that
// happen to be far from 0, after those whose intervals do not reach below it.
std::vector<Choice> choices_for(Domain domain) {
  if (domain == Domain::count)
    return {{"poisson", ""},
            {"negative-binomial", "log"},
            {"zero-inflated-poisson", ""},
            {"zero-inflated-negative-binomial", ""},
            {"hurdle-poisson", ""},
            {"linear-poisson", "", true},
            {"com-poisson", "", true}};
  // Times until something happens: for other positive numbers people ask for them by name.
  const std::vector<std::string> times = {"exponential", "weibull", "log-logistic"};
  std::vector<Choice> out;
  for (const std::string& name : families_of(domain))
    out.push_back({name, "", std::find(times.begin(), times.end(), name) != times.end()});
  if (domain == Domain::positive)
    for (const std::string& name : families_of(Domain::real))
      out.push_back({name, "", name != "gaussian"});
  return out;
}

// Only those that take such rows. Censored outputs are times, or measured as far as they could be.
std::vector<Choice> for_rows_of(const Dataset& data, std::vector<Choice> choices) {
  if (!data.observed.any_censored()) return choices;
  std::erase_if(choices, [](const Choice& choice) {
    return !make_likelihood(choice.name)->takes_censored();
  });
  for (Choice& choice : choices) choice.unusual = false;
  return choices;
}

// Only those that have the link that was asked for.
std::vector<Choice> with_link(std::vector<Choice> choices, const std::string& link) {
  if (link.empty()) return choices;
  std::vector<std::string> names;
  std::vector<Choice> kept;
  for (const Choice& choice : choices) {
    names.push_back(choice.name);
    try {
      make_likelihood(choice.name, link);
      kept.push_back({choice.name, link, choice.unusual});
    } catch (const UsageError&) {
    }
  }
  if (kept.empty())
    throw UsageError(fmt::format("likelihood auto: none of {} has the link '{}'; name a likelihood",
                                 fmt::join(names, ", "),
                                 link));
  return kept;
}

std::optional<Tried> try_choice(const Choice& choice,
                                const Dataset& data,
                                Specification specification,
                                const FitOptions& options) {
  specification.likelihood = choice.name;
  specification.link = choice.link;
  specification = to_try(specification, data);
  try {
    LeaveOneOutScores scores = GeneralizedGP::fit(data, specification, quick(options)).loo();
    if (has_broken_down(scores.improper.size(), data.size())) {
      specification.inference = InferenceMethod::ep;
      scores = GeneralizedGP::fit(data, specification, quick(options)).loo();
    }
    if (!scores.log_density.allFinite()) return std::nullopt;
    return Tried{choice, scores.log_density};
  } catch (const NumericalError&) {
    return std::nullopt;
  }
}

std::vector<Tried> try_all(const std::vector<Choice>& choices,
                           const Specification& specification,
                           const Dataset& data,
                           const FitOptions& options) {
  const Dataset part = some_rows(data, options.seed);
  std::vector<Tried> out;
  for (const Choice& choice : choices) {
    if (auto tried = try_choice(choice, part, specification, options))
      out.push_back(std::move(*tried));
    if (options.interrupted && options.interrupted())
      throw Interrupted("fit: interrupted while the likelihood was being chosen");
  }
  if (!out.empty()) return out;
  std::vector<std::string> names;
  names.reserve(choices.size());
  for (const Choice& choice : choices) names.push_back(choice.words());
  throw NumericalError(
      fmt::format("likelihood auto: none of {} could be fitted; name one", fmt::join(names, ", ")));
}

const Tried& best_of(const std::vector<Tried>& tried, bool unusual_too) {
  const Tried* best = nullptr;
  for (const Tried& one : tried)
    if ((unusual_too || !one.choice.unusual) && (best == nullptr || one.total() > best->total()))
      best = &one;
  return best != nullptr ? *best : tried.front();
}

// Less than this of a whole table is nothing. Families that contain each other differ by where learning
// ended, and the standard error of that is as small.
constexpr double kSameDensity = 0.5;

// The simplest that the data cannot tell from the best: within one standard error. One that is
// unusual is the best only if it is better than all others by more than two.
const Tried& take_from(const std::vector<Tried>& tried, const Tried*& best) {
  best = &best_of(tried, true);
  const Tried& usual = best_of(tried, false);
  const DensityDifference gain = usual.below(*best);
  if (best->choice.unusual && gain.total <= 2 * gain.standard_error) best = &usual;
  const auto simple = std::find_if(tried.begin(), tried.end(), [&](const Tried& one) {
    const DensityDifference d = one.below(*best);
    return !one.choice.unusual && d.total <= std::max(d.standard_error, kSameDensity);
  });
  return simple == tried.end() ? *best : *simple;
}

std::string reason_for(const Tried& taken, const Tried& best, const std::vector<Tried>& tried) {
  std::string reason =
      fmt::format("likelihood {}, {}: leave-one-out log density {:.1f} on {} rows",
                  taken.choice.words(),
                  &taken == &best ? std::string("the best")
                                  : fmt::format("the simplest within one standard error of the "
                                                "best, {}",
                                                best.choice.words()),
                  taken.total(),
                  taken.log_density.size());
  for (const Tried& other : tried) {
    if (&other == &taken) continue;
    const DensityDifference d = difference_of(other.log_density, taken.log_density);
    reason += fmt::format(", {} {:+.1f} ± {:.1f}{}",
                          other.choice.words(),
                          d.total,
                          d.standard_error,
                          other.total() > best.total() ? " (unusual, and not clearly better)" : "");
  }
  return reason;
}

std::vector<Choice> choices_of(const Specification& specification,
                               const Dataset& data,
                               Domain domain) {
  return with_link(for_rows_of(data, choices_for(domain)), specification.link);
}

// The kernel is chosen before the likelihood: one that is too smooth, or has one length-scale for
// unlike inputs, leaves residuals with heavy tails, for which a likelihood would be taken. Meanwhile
// the likelihood is the first with a dispersion: one without takes scatter for a rough function.
std::string choose_kernel_first(Specification& specification,
                                const Dataset& data,
                                Domain domain,
                                const FitOptions& options) {
  const std::vector<Choice> choices = choices_of(specification, data, domain);
  const auto scatters = [](const Choice& choice) {
    return !choice.unusual && !make_likelihood(choice.name, choice.link)->parameters().empty();
  };
  const auto found = std::find_if(choices.begin(), choices.end(), scatters);
  const Choice& meanwhile = found == choices.end() ? choices.front() : *found;
  Specification one = specification;
  one.likelihood = meanwhile.name;
  one.link = meanwhile.link;
  std::string reason = choose_kernel(one, data, options);
  specification.kernel = one.kernel;
  return reason;
}

// Sets the likelihood and says why.
std::string choose_likelihood(Specification& specification,
                              const Dataset& data,
                              Domain domain,
                              const FitOptions& options) {
  const std::vector<Choice> choices = choices_of(specification, data, domain);
  if (choices.size() == 1) {
    specification.likelihood = choices[0].name;
    return fmt::format("likelihood {}, the one for such outputs{}",
                       choices[0].name,
                       specification.link.empty() ? "" : " with this link");
  }
  const std::vector<Tried> tried = try_all(choices, specification, data, options);
  const Tried* best = nullptr;
  const Tried& taken = take_from(tried, best);
  specification.likelihood = taken.choice.name;
  specification.link = taken.choice.link;
  return reason_for(taken, *best, tried);
}

// Sets the inference and says why.
std::string choose_inference(Specification& specification, const Dataset& data) {
  const Matrix& X = data.X;
  const auto likelihood = make_likelihood(specification);
  if (has_several_latents(*likelihood)) {
    specification.inference = InferenceMethod::laplace;
    return "inference laplace, for several classes";
  }
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

std::vector<std::string> automatic_likelihoods(Domain domain) {
  std::vector<std::string> out;
  for (const Choice& choice : choices_for(domain)) out.push_back(choice.words());
  return out;
}

InferenceMethod learning_method(const Specification& specification, const Dataset& data) {
  if (inference_of(specification) != InferenceMethod::mcmc) return inference_of(specification);
  Specification open = specification;
  choose_inference(open, data);
  return open.inference.value();
}

bool is_open(const Specification& specification) {
  return specification.likelihood == kAuto || specification.kernel == kAuto ||
         !specification.inference;
}

Completion complete_specification(const Specification& specification,
                                  const Dataset& data,
                                  Domain domain,
                                  const FitOptions& options) {
  Completion out{spelled_out(specification), {}};
  Specification& s = out.specification;
  if (is_open(specification) && !is_open(s))
    out.reasons.emplace_back("a warp takes the likelihood gaussian and inference exact");
  const bool no_likelihood = s.likelihood == kAuto;
  if (s.kernel == kAuto)
    out.reasons.push_back(no_likelihood ? choose_kernel_first(s, data, domain, options)
                                        : choose_kernel(s, data, options));
  if (no_likelihood) out.reasons.push_back(choose_likelihood(s, data, domain, options));
  if (!s.inference) out.reasons.push_back(choose_inference(s, data));
  return out;
}

std::optional<Domain> given_domain(const Specification& specification) {
  const Specification named = spelled_out(specification);
  if (named.likelihood == kAuto) return std::nullopt;
  return make_likelihood(named)->domain();
}

Completion complete_specification(const Specification& specification,
                                  const Dataset& data,
                                  const FitOptions& options) {
  if (spelled_out(specification).likelihood != kAuto)
    return complete_specification(specification, data, Domain::real, options);
  const bool has_trials = (data.observed.trials.array() != 1).any();
  const DomainGuess guess = recognize_domain(data.observed, has_trials);
  Completion out = complete_specification(specification, data, guess.domain, options);
  out.reasons.insert(out.reasons.begin(), guess.reason);
  return out;
}

}  // namespace ggpm
