#include "likelihood/families/poisson.hpp"

#include "likelihood/entry.hpp"

namespace ggpm {

FamilyEntry poisson_entry() { return entry<families::Poisson, links::Log, links::Linear>(); }

}  // namespace ggpm
