// How much memory this process may use at most.
#pragma once

#include <cstdint>

namespace ggpm::internal {

// Bytes: that of the machine, of its control group (a container), or a limit of the process (ulimit
// -v), whichever is the least.
std::uint64_t available_memory();
// What it says from now on: ranks that share a machine share its memory, and all of them have to
// come to the same decisions.
void set_available_memory(std::uint64_t bytes);

}  // namespace ggpm::internal
