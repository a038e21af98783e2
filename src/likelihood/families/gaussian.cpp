#include "likelihood/families/gaussian.hpp"

#include "likelihood/entry.hpp"

namespace ggpm {

FamilyEntry gaussian_entry() {
  return entry<families::Gaussian, links::Identity, links::RealLog, links::RealSoftplus>();
}

}  // namespace ggpm
