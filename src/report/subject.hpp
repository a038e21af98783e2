// What a report is about: a saved model, its inputs and outputs as a person knows them.
#pragma once

#include <string>
#include <vector>

#include "ggpm/model.hpp"
#include "report/chart.hpp"

namespace ggpm::internal::report {

// A column of the table, in its own units; text is a column of X for each of its levels.
struct Input {
  std::string name;                 // short enough to be shown
  std::vector<std::string> levels;  // empty: a number
  Index first = 0, width = 1;       // its columns of X
  double center = 0, scale = 1;     // x = center + scale X
  Range range;                      // that the training rows have
  Range bulk;                       // that 98 % of them have

  bool is_text() const { return !levels.empty(); }
  double own(double X) const { return center + scale * X; }
  Index level_of(const Matrix& X, Index row) const;
  std::string value(const Matrix& X, Index row) const;  // for a table
};

// Of classes or ordered levels, as they are shown; numbers where they have no names.
std::vector<std::string> level_names(const SavedModel& saved);

class Subject {
 public:
  explicit Subject(const SavedModel& saved);

  const SavedModel& saved() const { return saved_; }
  const GeneralizedGP& model() const { return saved_.model; }
  const std::vector<Input>& inputs() const { return inputs_; }
  const std::string& target() const { return target_; }  // shown
  bool discrete() const { return is_discrete(domain_); }
  Domain domain() const { return domain_; }

  // Outputs are shown for one trial, or for one unit of exposure: y divided by `per`; ordered levels
  // counted from 0, as the categories of an axis are.
  double per(const Row& row) const;
  double shown(double y, const Row& row) const { return (y - first_level()) / per(row); }
  std::string output_title() const;
  Axis output_axis(std::string title) const;
  std::string output_words(double shown, int digits = 4) const;  // the name of the nearest level
  std::string known_words(const Row& row) const;                 // "7.5", "at least 7.5", "3 … 4"
  const std::vector<std::string>& levels() const { return levels_; }  // in order; empty: numbers
  Index censored() const { return censored_; }                        // training rows
  const Row& typical_row() const { return typical_row_; }  // medians of exposure and trials
  double typical_offset() const { return typical_offset_; }

  // `count` rows that differ in one input only (places in its own units; text: each level); the
  // others, offset, exposure and trials have their median or most frequent level.
  struct Path {
    std::vector<double> places;
    Dataset rows;
  };
  Path along(const Input& input, Index count, double margin = 0) const;
  // Places enough to see what the shortest length-scale along the input does, 120 to 800.
  Index places_along(const Input& input) const;
  // side x side rows over the ranges of two inputs that are numbers, the second one slowest.
  Dataset plane(const Input& a, const Input& b, Index side) const;
  static std::vector<double> places(const Input& input, const Range& range, Index count);
  // Moves one input of every row to a place.
  static void set(Matrix& X, const Input& input, double place);

  // The length-scales of ARD kernels, with the input behind each (the name of the parameter where
  // some input has several). Empty: no ARD.
  struct LengthScale {
    FittedParameter fitted;
    std::string input;
  };
  std::vector<LengthScale> length_scales() const;

  // A typical y given the latent, as it is shown.
  double response(double eta) const;

 private:
  Dataset typical_rows(Index count) const;
  double first_level() const { return levels_.empty() ? 0 : 1; }

  const SavedModel& saved_;
  std::vector<Input> inputs_;
  std::string target_;
  Domain domain_ = Domain::real;
  bool has_exposure_ = false;
  std::vector<std::string> levels_;
  Index censored_ = 0;
  Eigen::RowVectorXd typical_;
  double typical_offset_ = 0;
  Row typical_row_;
};

}  // namespace ggpm::internal::report
