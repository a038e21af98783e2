// A fit in progress, in a file: after a power cut it goes on from there.
//
// The file has the outer shape of a model file (model/file_format.hpp) and knows which rows and
// options it is of: those of another fit are refused, and the file stays as it is.
#pragma once

#include <string>

#include "ggpm/model.hpp"
#include "learn/learn.hpp"

namespace ggpm::internal {

// Changes with everything that decides what is learned.
std::string fingerprint_of_fit(const Dataset& data,
                               const Specification& specification,
                               const FitOptions& options);

// Reads what is in the file, if there is one, and writes to it from then on. An empty path: neither.
LearningKeeper keeper_in_file(const std::string& path,
                              const std::string& fingerprint,
                              const LearningTask& task);

inline constexpr const char* kInProgress = "fit in progress";  // the key of the header

}  // namespace ggpm::internal
