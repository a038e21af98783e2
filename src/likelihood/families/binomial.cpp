#include "likelihood/families/binomial.hpp"

#include "likelihood/entry.hpp"

namespace ggpm {

FamilyEntry binomial_entry() {
  return entry<families::Binomial, links::Logit, links::Probit, links::Cloglog>();
}
FamilyEntry bernoulli_entry() {
  return entry<families::Bernoulli, links::Logit, links::Probit, links::Cloglog>();
}

}  // namespace ggpm
