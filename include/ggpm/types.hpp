// Shared vocabulary: matrices, errors, named parameters.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <stdexcept>
#include <string>

namespace ggpm {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;  // column-major
using Index = Eigen::Index;

// The library throws these, prints nothing, ends nothing. Every message is one sentence:
// where, what was found, what was expected, what to do.
class Error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
// Wrong use: unknown name, impossible combination, bad option.      exit 2, ValueError
class UsageError final : public Error {
  using Error::Error;
};
// Bad data: a file, row, column or value.                           exit 3, ValueError
class DataError final : public Error {
  using Error::Error;
};
// The computation failed after every fallback.                      exit 4, ggpm.NumericalError
class NumericalError final : public Error {
  using Error::Error;
};

// One scalar hyperparameter. Positive ones are learned, and their gradients reported, as
// logarithms.
struct Parameter {
  std::string name;  // e.g. "rbf.lengthscale[2]", "dispersion", "mean.value"
  double value = 1;
  bool positive = true;  // learned as a logarithm
  bool fixed = false;    // held during learning
  double lower = 0;      // bounds of the value itself
  double upper = std::numeric_limits<double>::infinity();
};

}  // namespace ggpm
