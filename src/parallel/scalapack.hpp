// ScaLAPACK for the ranks in step, through the component of mpi/ggpm_scalapack.h.
#pragma once

#include "../mpi/ggpm_scalapack.h"
#include "ggpm/types.hpp"

namespace ggpm::internal {

// Whether a dense matrix of so many rows is shared out: the calling thread keeps step with other
// ranks, there is the component, and there are more rows than the engine dense is taken for unasked.
// GGPM_SCALAPACK_ROWS sets another number.
bool shares_dense(Index rows);

// Null: there is none. The first call joins, all ranks together.
const ggpm_scalapack* scalapack();

}  // namespace ggpm::internal
