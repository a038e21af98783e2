#include "likelihood/families/gamma_shape.hpp"

#include "likelihood/entry.hpp"

namespace ggpm {

FamilyEntry gamma_shape_entry() {
  return entry<families::GammaShape, links::Log, links::Softplus>();
}

}  // namespace ggpm
