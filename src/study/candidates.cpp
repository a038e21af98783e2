#include <fmt/format.h>

#include <utility>

#include "ggpm/study.hpp"

namespace ggpm {

std::string Candidate::name() const {
  const Specification& s = specification;
  std::string out = likelihood_name(s);
  if (!s.link.empty()) out += "/" + s.link;
  out += fmt::format(", {}, {}", to_string(inference_of(s)), s.kernel);
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
      out.push_back({.likelihood = choice.name, .link = choice.link});
  return out;
}

}  // namespace ggpm
