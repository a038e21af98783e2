// What the two halves of the model file agree on (docs/model-file.md).
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "ggpm/observations.hpp"

namespace ggpm::internal::file {

// Everything is found by its name. What an older file does not have takes the value that it had
// when there was no name for it; what nobody asks for is refused.

// Single numbers share the array "scalars"; the header says which they are, in which order.
inline constexpr std::array<std::string_view, 9> kScalars = {
    "log_marginal",
    "dispersion",  // LikelihoodOptions, as given
    "df",
    "expansion_offset",
    "jitter",
    "residual",
    "inference_tolerance",
    "warp_center",
    "warp_scale",
};
// Those of version 1, whose header did not say.
inline constexpr std::array<std::string_view, 9> kScalarsOfVersion1 = kScalars;

// Of a field of the observations; "upper" was taken by the bounds of parameters.
inline std::string array_name(const ObservationField& field) {
  return field.name == std::string_view("upper") ? "upper_end" : field.name;
}

// Before the names of the arrays that the engine asked to be stored.
inline constexpr std::string_view kEnginePrefix = "engine.";

// Rows of the array "prior": kind, a, b. Of "optimum": log marginal, then the parameters.

}  // namespace ggpm::internal::file
