// What an inference method is given, and what it hands back.
#pragma once

#include "ggpm/inference.hpp"
#include "gram/gram.hpp"

namespace ggpm::internal {

struct Problem {
  Gram& gram;  // holds K
  const Likelihood& likelihood;
  std::span<const Row> rows;  // those here
  const Vector& prior_mean;   // mean function + offset, of those
  const InferenceOptions& options;
  const Posterior* warm = nullptr;  // a guess: where it does not settle, no fallback is tried
  bool ep_is_hopeless =
      false;  // it had no fixed point at several nearby problems, one after another

  const RowsHere& here() const { return gram.rows(); }
  Index size() const { return prior_mean.size(); }  // rows here
  Index dispersions() const { return static_cast<Index>(likelihood.parameters().size()); }
};

// The gram engine has been conditioned on `sites` last, so that pull_back may be asked.
struct Solution {
  Sites sites;
  Conditioned q;
  double log_marginal = 0;
  Vector v;  // (n) how the log marginal moves with the prior mean beyond alpha; 0 but for Laplace
  Vector dispersion;  // d log_marginal / d phi, phi itself
  Report report;
};

inline constexpr const char* kKldInstead = "kld";  // the last fallback of EP: its answer is KLD's

// Every log marginal is this plus a sum over sites (docs/concepts.md):
//   -1/2 (m - m0)' alpha - 1/2 log|B|
double shared_terms(const Problem& problem, const Conditioned& q);

}  // namespace ggpm::internal
