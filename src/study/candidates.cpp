#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ggpm/classes.hpp"
#include "ggpm/study.hpp"
#include "likelihood/formula/file.hpp"

namespace ggpm {

using namespace internal;

namespace {

// "logit-gaussian" is a standard GP on logits, "poisson/linear" a family with a link.
Specification named(const std::string& name) {
  const auto slash = name.ends_with(".toml") ? std::string::npos : name.find('/');
  if (slash != std::string::npos) {
    Specification s = named(name.substr(0, slash));
    s.link = name.substr(slash + 1);
    return s;
  }
  constexpr std::string_view kWarped = "-gaussian";
  if (name.ends_with(kWarped) && name != "inverse-gaussian")
    return {.likelihood = "gaussian", .warp = name.substr(0, name.size() - kWarped.size())};
  (void)make_likelihood(name);  // UsageError for an unknown one, with the path of a formula
  Specification s{.likelihood = name};
  if (name.ends_with(".toml"))  // what is compared is one text throughout
    s.formula = formula::read_formula(name) + "\n";
  return s;
}

// An exposure multiplies the mean of counts; no other likelihood can take one. Nor can all take
// rows of which only a bound is known.
std::vector<Specification> suitable(Domain domain, const Observations& observed) {
  std::vector<Specification> out = likelihoods_for(domain);
  if ((observed.exposure.array() != 1).any())
    std::erase_if(
        out, [](const Specification& s) { return make_likelihood(s)->domain() != Domain::count; });
  if (observed.any_censored())
    std::erase_if(out,
                  [](const Specification& s) { return !make_likelihood(s)->takes_censored(); });
  return out;
}

std::vector<Specification> likelihoods_of(const CandidateOptions& options,
                                          Domain domain,
                                          const Observations& observed) {
  if (options.likelihoods.empty() && options.links.empty()) return suitable(domain, observed);
  std::vector<std::string> names = options.likelihoods;
  if (names.empty())
    for (const LikelihoodInfo& info : likelihood_table())
      if (info.domain == domain) names.push_back(info.name);
  std::vector<Specification> out;
  for (const std::string& name : names) {
    Specification s = named(name);
    if (options.links.empty() || !s.warp.empty() || !s.link.empty()) {
      out.push_back(s);
      continue;
    }
    for (const std::string& link : options.links) {
      s.link = link;
      out.push_back(s);
    }
  }
  return out;
}

// The method that stands for the one that was asked for where the likelihood does not have it.
std::optional<InferenceMethod> nearest_method(const Specification& s,
                                              std::optional<InferenceMethod> asked,
                                              bool censored) {
  try {
    const auto likelihood = make_likelihood(s.likelihood, s.link, s.likelihood_options);
    if (likelihood->is_exact_regression() && !censored) return InferenceMethod::exact;
    if (has_several_latents(*likelihood) && asked != InferenceMethod::kld)
      return InferenceMethod::laplace;
    const bool curved = asked == InferenceMethod::taylor || asked == InferenceMethod::laplace;
    if (!likelihood->differentiable() && (curved || !asked)) return InferenceMethod::ep;
  } catch (const UsageError&) {
    // a link that this likelihood does not have: its fits will say so
  }
  return asked;
}

}  // namespace

std::string Candidate::name() const {
  const Specification& s = specification;
  std::string out = likelihood_name(s);
  if (!s.link.empty()) out += "/" + s.link;
  const std::optional<InferenceMethod> method = spelled_out(s).inference;
  out += fmt::format(", {}, {}", method ? to_string(*method) : "auto", s.kernel);
  if (s.mean != "zero") out += ", mean " + s.mean;
  return out;
}

// The Gaussian first, as it is or of transformed outputs: it is what a reader compares with. Then
// the families, but for those without curvature, which Laplace inference cannot take, and links.
std::vector<Specification> likelihoods_for(Domain domain) {
  const bool of_trials = domain == Domain::fraction_of_trials || domain == Domain::binary;
  std::vector<Specification> out;
  if (!of_trials) out.push_back({.likelihood = "gaussian", .inference = InferenceMethod::exact});
  for (const auto& [kind, warp] :
       {std::pair{Domain::positive, "log"}, {Domain::proportion, "logit"}}) {
    if (domain != kind) continue;
    out.push_back(out.front());
    out.back().warp = warp;
  }
  for (const LikelihoodChoice& choice : likelihood_choices(domain))
    if (choice.name != "gaussian" && make_likelihood(choice.name)->differentiable())
      out.push_back(
          {.likelihood = choice.name, .link = choice.link, .inference = InferenceMethod::laplace});
  return out;
}

std::vector<Candidate> make_candidates(const CandidateOptions& options,
                                       Domain domain,
                                       const Observations& observed) {
  (void)Mean::parse(options.mean);
  std::vector<std::optional<InferenceMethod>> methods;
  for (const std::string& name : options.inferences)
    methods.push_back(name == "auto" ? std::nullopt : std::optional(parse_inference(name)));
  std::vector<Candidate> out;
  for (const std::string& kernel : options.kernels) {
    if (kernel != "auto") (void)Kernel::parse(kernel);
    for (Specification s : likelihoods_of(options, domain, observed))
      for (const std::optional<InferenceMethod>& method : methods) {
        s.inference = nearest_method(s, method, observed.any_censored());
        s.kernel = kernel;
        s.mean = options.mean;
        s.units = options.units;
        const Candidate candidate{.specification = s, .point = options.point};
        const auto same = [&](const Candidate& c) { return c.name() == candidate.name(); };
        if (std::none_of(out.begin(), out.end(), same)) out.push_back(candidate);
      }
  }
  return out;
}

}  // namespace ggpm
