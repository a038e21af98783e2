#include "likelihood/families/inverse_gaussian.hpp"

#include "likelihood/entry.hpp"

namespace ggpm {

FamilyEntry inverse_gaussian_entry() {
  return entry<families::InverseGaussian, links::LogTwiceSquare, links::Log, links::Softplus>();
}

}  // namespace ggpm
