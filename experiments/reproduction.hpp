// The paper's experiments: run again, beside the figures it prints.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/kept.hpp"
#include "ggpm/study.hpp"
#include "report/chart.hpp"

namespace ggpm::paper {

namespace report = internal::report;  // charts and pages

inline constexpr int kTrials = 10, kRestarts = 50;  // the paper's, where nothing else is said
inline constexpr const char* kPlainKernel = "rbf";  // and the prior has mean zero, no intercept
inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// A figure of the paper and ours.
struct Cell {
  std::string table;     // "Table 11"
  std::string row;       // "linear-com-poisson, laplace"
  std::string quantity;  // "NLP"
  double paper = kNone, paper_sd = kNone;
  double ours = kNone, ours_sd = kNone;
  double tolerance = kNone;  // of the difference; NaN: nothing is expected, it is only shown
  // Where one figure of the paper has several of ours: which protocol this one is of.
  std::string column;
  int paper_trials = 0, trials = 0;  // behind the means; 0: no standard error is known
  double unit = 0;                   // of the paper's last printed digit
  double difference() const { return ours - paper; }
  bool expected() const { return !std::isnan(tolerance); }
  bool agrees() const { return std::abs(difference()) <= tolerance; }
  // The difference in standard errors of the difference of two means, the rounding of the printed
  // one included; NaN where trials are unknown. One trial of ours scatters as the paper's do.
  double standard_errors() const;
};

// How the figures of a column lie about the paper's.
struct Balance {
  int expected = 0, agree = 0;  // within the tolerance
  int judged = 0, near = 0;     // with a standard error; within two of them
  int larger = 0, smaller = 0;  // than the paper's
  int fewest = 0, most = 0;     // trials behind a figure
};
Balance balance_of(const std::vector<Cell>& cells,
                   const std::string& column,
                   const std::string& table = {});                    // empty: of all tables
std::vector<std::string> tables_of(const std::vector<Cell>& cells);   // in order
std::vector<std::string> columns_of(const std::vector<Cell>& cells);  // in order; {""}: no columns

// A Friedman test that the paper prints, and ours: the smallest average rank is the best.
struct RankTest {
  std::string table, row, quantity;  // "Table 8", "servo", "NLP"
  std::vector<std::string> names;    // of what is ranked
  std::vector<double> paper;
  double paper_p = kNone;
  Friedman ours;
  Index blocks = 0;
  std::string column = {};  // as that of a cell
  // Both find a difference at 5 %, and the same best; or neither finds one.
  bool same_outcome() const;
};

// A sentence of the paper, or of a table in words.
struct Claim {
  std::string text;
  bool holds = false;
  std::string evidence;
};

struct Reproduction {
  std::string name, title;
  std::vector<Cell> cells;
  std::vector<RankTest> tests;
  std::vector<Claim> claims;
  std::vector<std::string> notes;  // what cannot agree, and why
  std::vector<report::Chart> charts;
  Table series{"series"};        // what the charts show; may be empty
  std::vector<Trial> trials;     // every fit, where there were splits
  std::string setting;           // "10 splits, 50 random starts, seed 1"
  double processor_seconds = 0;  // summed over threads, and over runs that were gone on with
  bool cut_short = false;        // the time was up: there are fewer trials than asked for
};

struct ReproduceOptions {
  std::string data_directory;
  int splits = 0;                 // 0: the paper's number
  int restarts = -1;              // random starts of a fit; -1: the experiment's own number
  int threads = 0;                // 0: all cores
  std::uint64_t seed = 1;         // of splits and simulated data
  std::vector<std::string> only;  // data sets; empty: all
  std::function<void(const std::string&)> on_progress;
  std::function<bool()> interrupted;
  std::function<bool()> time_is_up;  // then what is there is shown; empty: there is time
  std::string kept_in;               // folder of what was computed before; empty: nothing is kept
  std::shared_ptr<Kept> kept = std::make_shared<Kept>();  // of the experiment that runs

  int splits_or(int own) const { return splits > 0 ? splits : own; }
  int restarts_or(int own) const { return restarts >= 0 ? restarts : own; }
  bool stops() const { return (interrupted && interrupted()) || late(); }
  bool late() const { return time_is_up && time_is_up(); }
  void throw_if_interrupted() const {
    if (interrupted && interrupted()) throw Interrupted("reproduce: interrupted");
  }
  void say(const std::string& line) const {
    if (on_progress) on_progress(line);
  }
};

struct ExperimentInfo {
  std::string name, title;
  std::vector<std::string> files;  // it needs
  Reproduction (*run)(const ReproduceOptions&);
};
const std::vector<ExperimentInfo>& experiments();
Reproduction reproduce(std::string_view name, const ReproduceOptions& options);

// DataError names the file, the folder and where the data come from.
Table read_data(const ReproduceOptions& options, const std::string& file);
Dataset training_data(const Table& table,
                      const std::string& target,
                      const std::vector<std::string>& inputs,
                      bool standardize = true);

// Runs with progress; a failed fit stays in the trials with its reason. Interrupted throws; where the
// time is up, trials are missing.
std::vector<Trial> run_trials(const Dataset& data,
                              std::vector<Candidate> candidates,
                              std::vector<Split> splits,
                              const ReproduceOptions& options,
                              const std::string& label,
                              bool learn = true);  // false: hyperparameters as given

// The values of a piece of work that has been kept, or is done now and kept; none where the time is
// up. The key names everything they depend on.
std::optional<std::vector<double>> kept_or(const ReproduceOptions& options,
                                           const std::string& key,
                                           const std::function<std::vector<double>()>& compute);

// Mean and sd of a candidate's trials that ended.
struct Means {
  MeanSd mae, mode_mae, mse, nlp, log_marginal, seconds;
  int trials = 0;
  std::string failure;  // of the first that failed
};
Means means_of(const std::vector<Trial>& trials, const std::string& candidate);

// Is `name` wanted? Without --only everything is.
bool wanted(const ReproduceOptions& options, const std::string& name);

Reproduction functions(const ReproduceOptions& options);
Reproduction links(const ReproduceOptions& options);
Reproduction ordering(const ReproduceOptions& options);
Reproduction examples_1d(const ReproduceOptions& options);
Reproduction rainfall(const ReproduceOptions& options);
Reproduction initialization(const ReproduceOptions& options);
Reproduction nonnegative(const ReproduceOptions& options);
Reproduction spectra(const ReproduceOptions& options);
Reproduction crowd(const ReproduceOptions& options);
Reproduction age(const ReproduceOptions& options);

}  // namespace ggpm::paper
