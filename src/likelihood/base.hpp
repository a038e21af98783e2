// Everything that follows from log p(y | eta) alone, for every family and link: tilted moments
// (EP), Gaussian expectations (KLD), expansion points (Taylor), predictive distributions.
#pragma once

#include <algorithm>

#include "ggpm/likelihood.hpp"

namespace ggpm::internal {

// ExpansionOptions::offset where it is negative: the exact point of a count of 0 is minus infinity.
inline bool has_zero(std::span<const Row> rows) {
  return std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.y == 0; });
}
inline double offset_of_expansion(bool zero) { return zero ? 0.5 : 0; }

class LikelihoodBase : public Likelihood {
 public:
  void check(std::span<const Row> rows) const override;
  void log_density(std::span<const Row> rows,
                   std::span<const double> eta,
                   Derivatives wanted,
                   std::span<LogDensity> out) const final;
  void tilted(std::span<const Row> rows,
              std::span<const double> mean,
              std::span<const double> variance,
              std::span<Tilted> out,
              Dphi wanted) const override;
  void expected(std::span<const Row> rows,
                std::span<const double> mean,
                std::span<const double> variance,
                std::span<Expected> out,
                Dphi wanted) const override;
  void expand(std::span<const Row> rows,
              const ExpansionOptions& options,
              std::span<Expansion> out) const override;
  double quantile(const Row& row, double eta, double p) const override;
  double sample(const Row& row, double eta, std::mt19937_64& random) const override;
  std::unique_ptr<Predictive> predictive(const Row& row,
                                         double latent_mean,
                                         double latent_variance) const override;

  // One row at many eta, times its weight. Without derivatives in eta: dphi may be null, otherwise
  // it has an entry for each eta, as long as there are dispersions.
  void values(const Row& row, std::span<const double> eta, double* value, PhiArray* dphi) const;
  void at(const Row& row,
          std::span<const double> eta,
          Derivatives wanted,
          std::span<LogDensity> out) const;

  // ---- What a likelihood supplies, which knows nothing of weights

  virtual void plain_values(const Row& row,
                            std::span<const double> eta,
                            double* value,
                            PhiArray* dphi) const = 0;
  virtual void plain_at(const Row& row,
                        std::span<const double> eta,
                        Derivatives wanted,
                        std::span<LogDensity> out) const = 0;
  // Closed forms of a row that was observed, under N(mean, variance), where there are any.
  virtual bool closed_tilted(const Row&, double, double, Tilted&) const { return false; }
  virtual bool closed_expected(const Row&, double, double, Expected&) const { return false; }

  // ---- What follows from these, unless a likelihood knows better

  // Expansion points (docs/likelihoods.md): where E T = T(y), and the paper's printed g(T(y)) with
  // d/dphi. Both are where log p is highest in eta; 0 where there is no such point.
  virtual double exact_point(const Row& shifted) const;
  virtual double canonical_point(const Row& shifted, PhiArray& dphi) const;
  // A peak of p(y | eta) in eta, to find narrow integrands; may be infinite.
  virtual double peak(const Row& row) const;

  // Of y given eta, by sums and integrals (outcome/).
  double fisher_information(const Row& row, double eta) const override;
  double mean(const Row& row, double eta) const override;
  double variance(const Row& row, double eta) const override;
  double mode(const Row& row, double eta) const override;
  double cdf(const Row& row, double eta, double y) const override;

  // y is eta plus noise that is symmetric about 0 and highest there: so is the predictive
  // distribution about the latent mean.
  virtual bool symmetric_about_eta() const { return is_exact_regression(); }

  bool discrete() const;
  int dispersions() const { return dispersions_; }

 protected:
  int dispersions_ = 0;
};

// phi as every likelihood lists it.
Parameter dispersion_parameter(double phi);

// DataError where exposure, weight or censoring of a row (its number from 1) are not what a
// likelihood can take; part of every check().
void check_parts(const Likelihood& likelihood, const Row& row, Index number);

// The row that a censored one is taken for where a single output is needed: y at its known end, or in
// the middle of its interval.
Row as_observed(const Row& row, Domain domain);

// The interval [low, high] outside of which y cannot lie.
std::pair<double, double> support(const Likelihood& likelihood, const Row& row);

}  // namespace ggpm::internal
