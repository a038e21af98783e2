// A likelihood that a user wrote down as five formulas in a TOML file. Derivatives come from
// automatic differentiation as for every family; distribution functions from sums and integrals.
#pragma once

#include <optional>

#include "likelihood/base.hpp"
#include "likelihood/formula/density.hpp"
#include "numeric/autodiff.hpp"

namespace ggpm::internal {

class FormulaLikelihood final : public LikelihoodBase {
 public:
  // A dispersion that is not positive leaves the formula's own. UsageError unless the density is a
  // number everywhere and has total 1 (formula_check.cpp).
  explicit FormulaLikelihood(formula::Formula formula, double dispersion = -1);

  std::unique_ptr<Likelihood> clone() const override {
    return std::make_unique<FormulaLikelihood>(*this);
  }
  std::string name() const override { return formula_->name; }
  std::string link() const override { return "theta = " + formula_->theta.text(); }
  Domain domain() const override { return formula_->domain; }
  bool log_concave() const override { return log_concave_; }
  bool differentiable() const override { return true; }
  bool exposure_shifts_eta() const override { return exposure_shifts_eta_; }
  std::vector<Parameter> parameters() const override;
  void set_parameters(std::span<const double> values) override;
  void check(std::span<const Row> rows) const override;

  void plain_at(const Row& row,
                std::span<const double> eta,
                Derivatives wanted,
                std::span<LogDensity> out) const override;
  void plain_values(const Row& row,
                    std::span<const double> eta,
                    double* value,
                    PhiArray* dphi) const override;

  double fisher_information(const Row& row, double eta) const override;
  double mean(const Row& row, double eta) const override;
  double variance(const Row& row, double eta) const override;
  double mode(const Row& row, double eta) const override;
  double cdf(const Row& row, double eta, double y) const override;
  double quantile(const Row& row, double eta, double p) const override;

  // Where u(eta) = 0. For exponential families that is E T = T(y), the paper's g(T(y)); 0 where
  // there is no such point.
  double exact_point(const Row& row) const override;
  double canonical_point(const Row& row, PhiArray& dphi) const override;
  double peak(const Row& row) const override;

 private:
  // What depends on y and phi alone, computed once for many eta.
  struct Observed {
    double T, a, c;
    double a_dphi = 0, c_dphi = 0;
    double shift;  // log exposure
  };
  Observed observe(const Row& row, bool with_phi) const;
  template <class Real>
  Real log_p(const formula::Functions& f,
             const Observed& o,
             const Real& eta,
             const Real& phi) const;
  LogDensity point(const Observed& o, double eta, Derivatives wanted) const;
  std::optional<double> stationary(const Row& row, int bits) const;
  // b'(theta) and b''(theta): mean and variance (times 1/a) of T.
  std::pair<double, double> cumulants(const Row& row, double eta) const;
  formula::FormulaDensity density(const Row& row, double eta) const;

  std::shared_ptr<const formula::Formula> formula_;
  double phi_;
  formula::Functions at_phi_;  // where no derivative in phi is wanted
  bool has_phi_, log_concave_ = false, exposure_shifts_eta_ = false, T_is_y_ = false;
};

namespace formula {
// The path of a TOML file (*.toml), or a TOML text: whatever has a line break or an equals sign.
bool is_formula(std::string_view name);
// The TOML text for such a name; reads the file.
std::string formula_text(std::string_view name);
// UsageError that says what is wrong, where, and by how much. phi: where learning starts.
void check_formula(const Formula& formula, double phi);
}  // namespace formula

std::unique_ptr<Likelihood> make_formula_likelihood(std::string_view path_or_text,
                                                    std::string_view link,
                                                    const LikelihoodOptions& options);

}  // namespace ggpm::internal
