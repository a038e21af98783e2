#include "model/families_of.hpp"

namespace ggpm {

std::vector<std::string> families_of(Domain domain) {
  std::vector<std::string> names;
  for (const LikelihoodChoice& choice : likelihood_choices(domain))
    if (choice.automatic) names.push_back(choice.name);
  return names;
}

}  // namespace ggpm
