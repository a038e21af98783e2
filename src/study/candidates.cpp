#include <fmt/format.h>

#include <utility>

#include "ggpm/study.hpp"
#include "model/families_of.hpp"

namespace ggpm {

std::string Candidate::name() const {
  const Specification& s = specification;
  std::string out = s.likelihood;
  if (!s.warp.empty()) out = s.warp + "-gaussian";
  if (!s.link.empty()) out += "/" + s.link;
  const bool exact = !s.warp.empty() || s.inference == InferenceMethod::exact;
  out += fmt::format(", {}, {}", to_string(exact ? InferenceMethod::exact : s.inference), s.kernel);
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
  const std::vector<std::string> names = families_of(domain);
  for (const std::string& name : names)
    if (name != "gaussian" && make_likelihood(name)->differentiable())
      out.push_back({.likelihood = name});
  if (domain == Domain::count) out.push_back({.likelihood = "linear-com-poisson"});
  if (of_trials || domain == Domain::proportion)
    out.push_back({.likelihood = names[0], .link = "probit"});
  if (of_trials) out.push_back({.likelihood = names[0], .link = "cloglog"});
  return out;
}

}  // namespace ggpm
