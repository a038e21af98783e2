// ggpm fit: its arguments, and what is done with them.
#pragma once

#include <string>

#include "ggpm/model.hpp"
#include "ggpm/roles.hpp"

namespace ggpm::cli {

struct FitArguments {
  std::string data;  // "-": standard input
  TableOptions table;
  Specification specification;
  FitOptions options;
  std::string likelihood = "auto", inference = "auto";
  std::string output;
  bool json = false, quiet = false, check_gradient = false;
};

void run_fit(FitArguments arguments);

}  // namespace ggpm::cli
