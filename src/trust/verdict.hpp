// What to think of a diagnosis.
#pragma once

#include "ggpm/trust.hpp"

namespace ggpm::internal {

Trust trust_of(const Diagnosis& diagnosis);
// One sentence; y (n) are the outputs of the rows.
std::string verdict_of(const Diagnosis& diagnosis, const Vector& y);

}  // namespace ggpm::internal
