#include <fmt/format.h>

#include "ggpm/study.hpp"

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

// The Gaussian is everywhere: it is what a reader compares with.
std::vector<Specification> likelihoods_for(Domain domain) {
  const Specification gaussian{.likelihood = "gaussian", .inference = InferenceMethod::exact};
  const auto named = [](const char* name, const char* link = "") {
    return Specification{.likelihood = name, .link = link};
  };
  switch (domain) {
    case Domain::count:
      return {gaussian,
              named("poisson"),
              named("linear-poisson"),
              named("com-poisson"),
              named("linear-com-poisson"),
              named("negative-binomial")};
    case Domain::positive: {
      Specification log = gaussian;
      log.warp = "log";
      return {gaussian, log, named("gamma-shape"), named("gamma-scale"), named("inverse-gaussian")};
    }
    case Domain::proportion: {
      Specification logit = gaussian;
      logit.warp = "logit";
      return {gaussian, logit, named("beta"), named("beta", "probit")};
    }
    case Domain::fraction_of_trials:
      return {named("binomial"), named("binomial", "probit"), named("binomial", "cloglog")};
    case Domain::binary:
      return {named("bernoulli"), named("bernoulli", "probit"), named("bernoulli", "cloglog")};
    case Domain::real:
      break;
  }
  Specification student = named("student-t");
  return {gaussian, student};
}

}  // namespace ggpm
