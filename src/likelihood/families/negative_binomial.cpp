#include "likelihood/families/negative_binomial.hpp"

#include "likelihood/entry.hpp"

namespace ggpm {

FamilyEntry negative_binomial_entry() {
  using families::NegativeBinomialLink;
  return entry<families::NegativeBinomial,
               families::FlippedLogLoss,
               NegativeBinomialLink<links::Log>,
               NegativeBinomialLink<links::Softplus>>();
}

}  // namespace ggpm
