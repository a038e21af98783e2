// What is observed: the outputs of rows and what belongs to them, and the inputs they go with.
//
//   Dataset data{.X = X, .observed = {.y = y, .exposure = hours}};
//   data.observed.at(3)                      // Row{.y = 7, .exposure = 1.5}
//   Dataset part = data.subset(rows);
//
// One kind of rows from the table to the inference, in every face. A vector that is empty is
// trivial: one trial, exposure 1, offset 0, weight 1, nothing censored.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ggpm/types.hpp"

namespace ggpm {

// One row as a likelihood sees it. For the binomial, y is the count k of N trials.
struct Row {
  double y = 0;
  double trials = 1;
  double exposure = 1;  // multiplies the mean; only where exposure_shifts_eta() is false
  double weight = 1;    // multiplies log p
  double censored = 0;  // 1: the output is at least y; -1: at most y; 0: y itself
  double upper = std::numeric_limits<double>::quiet_NaN();  // a number: between y and this

  bool is_interval() const { return !std::isnan(upper); }
  bool is_censored() const { return censored != 0 || is_interval(); }
};

struct Observations {
  Vector y = {};  // (n) of new rows: NaN where it is not known, empty if no row has one
  Vector trials = {}, exposure = {};  // (n) or empty: 1
  Vector offset = {};                 // (n) or empty: 0; added to eta, not part of a Row
  Vector weight = {};                 // (n) or empty: 1
  Vector censored = {}, upper = {};   // (n) or empty: nothing is censored

  static Observations of(std::span<const Row> rows);

  Index size() const;  // rows, by the vectors that are there
  Row at(Index i) const;
  std::vector<Row> rows() const;
  bool any_censored() const;
  Observations subset(std::span<const Index> chosen) const;
  void append(const Observations& more);  // the same vectors are there in both
  void drop_trivial();                    // empties vectors (not y, not offset) of trivial values

  // DataError unless every vector is empty or has so many finite numbers. `what` begins a message
  // about their number: "fit". An upper end may be NaN: there is none; and so may y if it
  // `may_miss`.
  void check(Index rows, std::string_view what, bool y_may_miss = false) const;
};

// Its vectors by name, for whoever treats them alike.
struct ObservationField {
  const char* name;
  Vector Observations::*values;
  double trivial;
};
inline constexpr std::array<ObservationField, 7> kObservationFields = {{
    {"y", &Observations::y, 0},
    {"trials", &Observations::trials, 1},
    {"exposure", &Observations::exposure, 1},
    {"offset", &Observations::offset, 0},
    {"weight", &Observations::weight, 1},
    {"censored", &Observations::censored, 0},
    {"upper", &Observations::upper, std::numeric_limits<double>::quiet_NaN()},
}};

// Rows with their inputs: to be fitted, or to be predicted.
struct Dataset {
  Matrix X = {};                          // (n, d)
  Observations observed = {};             // to be predicted: without y, or with
  std::vector<std::string> columns = {};  // (d) names of the inputs; empty: x1, x2, ...
  std::string source = {};                // name of the table they are from, for a person
  std::vector<Index> row_numbers = {};    // (n) in that table, from 1; empty: 1, 2, ...

  Index size() const { return X.rows(); }
  Dataset subset(std::span<const Index> rows) const;
  void append(const Dataset& more);  // rows of the same table
  // DataError unless inputs are finite and the observations fit them; `what` as above.
  void check(std::string_view what, bool y_may_miss = false) const;
};

// Of inputs and outputs as they enter a fit, 16 hexadecimal digits.
std::string data_hash(const Dataset& data);

// The number of row `i` (from 0) in its table, as a person counts.
Index row_number(const std::vector<Index>& row_numbers, Index i);

// The name of input `column` (from 0).
std::string input_name(const std::vector<std::string>& columns, Index column);

}  // namespace ggpm
