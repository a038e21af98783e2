// ggpm fit: its arguments, and what is done with them.
#pragma once

#include <string>

#include "ggpm/options.hpp"

namespace ggpm::cli {

struct FitArguments {
  std::string data;     // "-": standard input
  std::string formula;  // names target, inputs, kernel, offset and exposure
  FitRequest request;
  std::string output;
  bool json = false, latent = false, quiet = false, check_gradient = false;
};

void run_fit(FitArguments arguments);

}  // namespace ggpm::cli
