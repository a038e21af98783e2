#include "likelihood/families/com_poisson.hpp"

#include "likelihood/entry.hpp"

namespace ggpm {

FamilyEntry com_poisson_entry() { return entry<families::ComPoisson, links::Log, links::Linear>(); }

}  // namespace ggpm
