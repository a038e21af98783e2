#include "cli/words.hpp"

#include <algorithm>
#include <vector>

#include "text/text.hpp"

namespace ggpm::cli {

void check_likelihood_name(const std::string& name) {
  if (name.ends_with(".toml")) return;
  std::vector<std::string> names = {"linear-poisson", "linear-com-poisson", "bernoulli-probit"};
  for (const LikelihoodInfo& info : likelihood_table()) names.push_back(info.name);
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  const std::string nearest = data::did_you_mean(name, names);
  throw UsageError("unknown likelihood " + data::in_quotes(name) +
                   (nearest.empty() ? "; see ggpm likelihoods" : nearest));
}

}  // namespace ggpm::cli
