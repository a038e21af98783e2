// How much memory this process may use at most.
#pragma once

#include <cstdint>

namespace ggpm::internal {

// Bytes: that of the machine, of its control group (a container), or a limit of the process (ulimit
// -v), whichever is the least.
std::uint64_t available_memory();

}  // namespace ggpm::internal
