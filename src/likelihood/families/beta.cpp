#include "likelihood/families/beta.hpp"

#include "likelihood/entry.hpp"

namespace ggpm {

FamilyEntry beta_entry() {
  return entry<families::Beta, links::Logit, links::Probit, links::Cloglog>();
}

}  // namespace ggpm
