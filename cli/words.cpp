#include "cli/words.hpp"

#include <algorithm>
#include <vector>

#include "text/text.hpp"

namespace ggpm::cli {

std::string_view domain_name(Domain domain) {
  switch (domain) {
    case Domain::real:
      return "real";
    case Domain::positive:
      return "positive";
    case Domain::count:
      return "count";
    case Domain::fraction_of_trials:
      return "fraction_of_trials";
    case Domain::binary:
      return "binary";
    case Domain::proportion:
      return "proportion";
  }
  return "real";
}

std::string_view domain_words(Domain domain) {
  switch (domain) {
    case Domain::real:
      return "real numbers";
    case Domain::positive:
      return "numbers above 0";
    case Domain::count:
      return "counts 0, 1, 2, ...";
    case Domain::fraction_of_trials:
      return "successes of a number of trials (--trials)";
    case Domain::binary:
      return "two classes, 0 and 1";
    case Domain::proportion:
      return "numbers between 0 and 1";
  }
  return "";
}

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
