#include "likelihood/families/gamma_scale.hpp"

#include "likelihood/entry.hpp"

namespace ggpm {

FamilyEntry gamma_scale_entry() {
  return entry<families::GammaScale, links::Log, links::Softplus>();
}

}  // namespace ggpm
