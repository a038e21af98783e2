// Shared vocabulary: matrices, errors, named parameters.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ggpm {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;  // column-major
using Index = Eigen::Index;

// What a person can do about an error beyond what its sentence says. The library speaks no face's
// language: the command shows drop_missing as "--missing drop", Python squeeze as "squeeze=True".
enum class Remedy { none, drop_missing, squeeze, trials, offset, fewer_inputs };

// The library throws these, prints nothing, ends nothing. Every message is one sentence:
// where, what was found, what was expected, what to do.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& sentence, Remedy remedy = Remedy::none)
      : std::runtime_error(sentence), remedy_(remedy) {}
  Remedy remedy() const { return remedy_; }

 private:
  Remedy remedy_;
};
// Wrong use: unknown name, impossible combination, bad option.      exit 2, ValueError
class UsageError final : public Error {
  using Error::Error;
};

// Where bad data stands. What is not known is empty, or 0.
struct Place {
  std::string source = {};    // the file, or the name of the table
  Index row = 0;              // as a person counts, from 1
  std::string column = {};    // of a table
  std::string argument = {};  // without a table: which of the numbers of a row, "y", "exposure"
};
// Bad data: a file, row, column or value.                           exit 3, ValueError
//   DataError({"counts.csv", 17, "n"}, "-2; ...").what()     "counts.csv: row 17, column 'n': -2; ..."
//   DataError({.row = 17, .argument = "y"}, "-2; ...").what()                  "row 17: y = -2; ..."
class DataError final : public Error {
 public:
  explicit DataError(const std::string& sentence, Remedy remedy = Remedy::none)
      : Error(sentence, remedy), problem_(sentence) {}
  DataError(Place place, std::string problem, Remedy remedy = Remedy::none);

  const Place& place() const { return place_; }
  const std::string& problem() const { return problem_; }  // the sentence without the place

 private:
  Place place_;
  std::string problem_;
};
// The computation failed after every fallback.                      exit 4, ggpm.NumericalError
class NumericalError final : public Error {
 public:
  using Error::Error;
  NumericalError(const Place& place, const std::string& problem);  // worded as a DataError
};

// What a parameter means, so that nobody has to read it out of its name.
enum class Role {
  variance,     // of a kernel: K is proportional to it
  lengthscale,  // of a kernel: how far along its inputs the function changes
  period,       // of a kernel: how far along its inputs the function repeats
  shape,        // anything else, a number without a unit
  mean_level,   // of the prior mean, whatever the inputs
  mean_weight,  // of the prior mean: its slope along an input
  dispersion,   // phi of the likelihood
  tail,         // of the likelihood: degrees of freedom
  warp,         // of a transformation of the outputs
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
  Role role = Role::shape;
  std::vector<Index> inputs = {};  // columns of X, from 0, in whose units it is; none until bound
  std::string list = {};           // "rbf.lengthscale" of an element of that list; empty: a scalar

  // The one input it belongs to, as an ARD length-scale does; -1: none, or several.
  Index input() const { return inputs.size() == 1 ? inputs.front() : -1; }
};

// Something that a person should know of a result. Code looks at the kind, never into the text.
struct Warning {
  enum class Kind {
    constant_input,     // an input that tells nothing
    at_bound,           // learning ended at a bound of `parameter`
    interrupted,        // before learning ended
    not_converged,      // learning stopped too early
    inference,          // what inference reports of its last run
    indefinite_kernel,  // jitter had to be added to K
    other,
  };
  Kind kind = Kind::other;
  std::string parameter;  // its name, where there is one
  std::string text;       // one sentence

  friend bool operator==(const Warning&, const Warning&) = default;
};
// "at_bound", and back; UsageError for an unknown word.
std::string_view to_string(Warning::Kind kind);
Warning::Kind parse_warning_kind(std::string_view word);

}  // namespace ggpm
