// Studies: which likelihood suits the data? Splits, scores, comparisons, Friedman tests.
//
//   Comparison study{.candidates = make_candidates({}, Domain::count),
//                    .splits = make_splits({.splits = 10}, data.X.rows())};
//   std::vector<Trial> trials = compare(data, study);
//   Summary summary = summarize(study.candidates, trials);
//   summary.recommendation     // "linear-com-poisson, laplace, linear: best NLP ..."
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ggpm/model.hpp"
#include "ggpm/score.hpp"
#include "ggpm/splits.hpp"

namespace ggpm {

// ---- Statistics

// 1 for the smallest; equal values share the mean of their ranks.
std::vector<double> ranks(std::span<const double> values);

// Several treatments measured in the same blocks, e.g. likelihoods on the same splits. Ranks within
// each block, ties corrected, chi-square with k - 1 degrees of freedom: R's friedman.test.
struct Friedman {
  std::vector<double> average_ranks;  // (k) 1 is the smallest value
  double statistic = 0;
  int degrees_of_freedom = 0;
  double p = 1;  // 1 if every block is tied throughout
};
Friedman friedman_test(const Matrix& values);  // (blocks, treatments), at least 1 x 2

// As in the paper: the Friedman test of every pair alone. With two treatments it is a sign test.
struct PairTest {
  Index first = 0, second = 0;  // columns
  double first_rank = 0, second_rank = 0;
  double p = 1;
  double adjusted_p = 1;  // Holm, over all pairs
};
std::vector<PairTest> pairwise_friedman_tests(const Matrix& values);

// Two-sided p of the paired t-test; 1 if no pair differs.
double paired_t_test(std::span<const double> a, std::span<const double> b);

struct MeanSd {
  double mean = std::numeric_limits<double>::quiet_NaN();
  double sd = 0;  // n - 1; 0 for one value
};
MeanSd mean_sd(std::span<const double> values);

// ---- Comparisons

struct Candidate {
  Specification specification;
  PointEstimate point = PointEstimate::mean;
  std::string name() const;  // "linear-poisson, laplace, rbf": what tells it from the others
};

// Likelihoods (with links and warps) that fit outputs of this kind.
std::vector<Specification> likelihoods_for(Domain domain);

// What is to be compared: all combinations.
struct CandidateOptions {
  // Names of likelihoods, also "poisson/linear" with a link, and log-gaussian, logit-gaussian,
  // tanh:3-gaussian for a Gaussian process on warped outputs. Empty: those that suit the domain and
  // can take what else was observed: an exposure is for counts, not for a Gaussian.
  std::vector<std::string> likelihoods = {};
  std::vector<std::string> links = {};                // empty: the likelihood's own
  std::vector<std::string> inferences = {"laplace"};  // also "auto"
  std::vector<std::string> kernels = {std::string(kDefaultKernel)};
  std::string mean = "zero";
  std::vector<double> units = {};             // Specification::units
  PointEstimate point = PointEstimate::mean;  // what MAE and MSE judge
};
// A likelihood takes a method that it does not have as the nearest that it has: Gaussian outputs are
// exact, a density with a corner takes EP. What is then equal is there once.
std::vector<Candidate> make_candidates(const CandidateOptions& options,
                                       Domain domain,
                                       const Observations& observed = {});

struct Trial {
  std::string candidate;  // Candidate::name()
  Index split = 0;        // from 0
  Scores scores;
  double log_marginal = 0, loo = 0;  // of the training rows; loo: mean log density
  double seconds = 0;
  bool converged = true;
  std::string failure;  // one sentence; empty: it has scores
  bool failed() const { return !failure.empty(); }
};

struct Comparison {
  std::vector<Candidate> candidates;
  std::vector<Split> splits;
  FitOptions fit;                              // its threads and callbacks are not used
  int threads = 0;                             // trials side by side; 0: as many as BLAS would use
  std::vector<Trial> done;                     // of an earlier run; they are not run again
  int part = 1, parts = 1;                     // of the trials, those of this part alone
  std::function<void(const Trial&)> on_trial;  // one at a time, as they end
  std::function<bool()> interrupted;           // then those that run are given up
};

// All trials, done ones included, in the order of splits, then candidates; of a part, its own and
// the done ones. A fit that fails is a trial with the reason. `X` of the data is used as it is: a split's test rows do not influence it
// only if its columns were scaled without looking at y.
std::vector<Trial> compare(const Dataset& data, const Comparison& study);

struct CandidateSummary {
  std::string name;
  int trials = 0, failures = 0;
  std::string failure;  // the first one
  MeanSd mae, mse, nlp, coverage, width, log_marginal, loo, seconds;
  double mae_rank = 0, nlp_rank = 0;  // averages over splits in which every ranked candidate ended
};

struct Summary {
  std::vector<CandidateSummary> candidates;  // best mean NLP first, those that failed last
  std::vector<std::string> ranked;           // candidates without a failure, in that order
  Index blocks = 0;                          // splits behind the ranks
  Friedman by_nlp, by_mae;                   // of `ranked`
  std::vector<PairTest> pairs_by_nlp, pairs_by_mae;
  std::string best;            // by NLP; empty: nothing ended
  std::string recommendation;  // one line with its reason
};
Summary summarize(std::span<const Candidate> candidates, std::span<const Trial> trials);
Summary summarize(std::span<const std::string> names, std::span<const Trial> trials);

// ---- A comparison in words

// A header and a row for each candidate; fits that failed; the candidates beside the best one by the
// pairwise tests (candidate, ranks, p, p after Holm); the Friedman test.
std::string comparison_heading(std::size_t splits, Index train);
// The names of candidates without what all of them share: the method but for those that are exact,
// the kernel, the mean. `shared` says it then: "all with laplace, rbf + linear".
struct ShortNames {
  std::map<std::string, std::string> of;  // by the whole name
  std::string shared;                     // empty: nothing
};
ShortNames short_names(const std::vector<CandidateSummary>& candidates);

std::vector<std::vector<std::string>> comparison_table(const Summary& summary);
std::vector<std::string> failure_lines(const Summary& summary);
std::vector<std::vector<std::string>> pairs_table(const Summary& summary);
std::string friedman_line(std::string_view score, const Friedman& test);

// All of it with pictures, one HTML file.
std::string comparison_page(const Summary& summary,
                            std::span<const Trial> trials,
                            const std::string& target,
                            const std::string& heading);

}  // namespace ggpm
