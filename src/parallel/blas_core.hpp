// For which processor OpenBLAS computes.
#pragma once

#include <string_view>

namespace ggpm::internal {

// The name that OpenBLAS gives to its kernels, e.g. Haswell. An OpenBLAS that does not know the processor, since
// it is older, takes it for the oldest of its maker: that of Debian 12 (0.3.21) takes an Intel processor of
// 2023 for one of 2004 and multiplies at a seventh of its speed, and AMD's with AVX-512 for those without, at two
// thirds. Where that has happened, kernels for what the processor can do are chosen when this library is loaded,
// before anything computes; OPENBLAS_CORETYPE, if it is set, is left alone.
std::string_view blas_core();

}  // namespace ggpm::internal
