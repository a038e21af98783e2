// Which outputs are whole numbers.
#pragma once

#include "ggpm/likelihood.hpp"

namespace ggpm {

// Sums instead of integrals; a PIT is drawn between P(Y < y) and P(Y <= y).
inline bool is_discrete(Domain domain) {
  return domain == Domain::count || domain == Domain::fraction_of_trials ||
         domain == Domain::binary;
}

}  // namespace ggpm
