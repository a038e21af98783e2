#pragma once

#include "likelihood/families/family.hpp"
#include "likelihood/families/symmetric_noise.hpp"

namespace ggpm::internal {

// Real outputs with outliers: p = exp(-|y - eta|/phi)/(2 phi). Its second derivative is a point
// mass at eta = y, so Taylor and Laplace inference do not exist; EP and KLD have closed forms.
// (errata 1.16, 2.13, 5)
class LaplaceLikelihood final : public SymmetricNoise {
 public:
  explicit LaplaceLikelihood(double phi) : phi_(phi) { dispersions_ = 1; }

  std::unique_ptr<Likelihood> clone() const override {
    return std::make_unique<LaplaceLikelihood>(*this);
  }
  std::string name() const override { return "laplace"; }
  bool log_concave() const override { return true; }
  bool differentiable() const override { return false; }
  std::vector<Parameter> parameters() const override { return {dispersion_parameter(phi_)}; }
  void set_parameters(std::span<const double> values) override { phi_ = values[0]; }

  void plain_at(const Row& row,
                std::span<const double> eta,
                Derivatives wanted,
                std::span<LogDensity> out) const override;
  void plain_values(const Row& row,
                    std::span<const double> eta,
                    double* value,
                    PhiArray* dphi) const override;
  bool closed_tilted(const Row& row, double mean, double variance, Tilted& out) const override;
  bool closed_expected(const Row& row, double mean, double variance, Expected& out) const override;

  double fisher_information(const Row&, double) const override { return 1 / (phi_ * phi_); }
  double mean(const Row&, double eta) const override { return eta; }
  double variance(const Row&, double) const override { return 2 * phi_ * phi_; }
  double cdf(const Row& row, double eta, double y) const override;
  double quantile(const Row& row, double eta, double p) const override;

 private:
  LogDensity point(double y, double eta) const;
  double phi_;
};

namespace families {

struct LaplaceFamily {
  static constexpr std::string_view name = "laplace";
  static constexpr std::array dispersions = {Dispersion{"scale"}};
  static constexpr std::string_view formula = "-|y - eta|/phi - log(2 phi)";
  static constexpr Domain domain = Domain::real;
  using Links = LinkList<links::Identity>;
  static constexpr std::array candidates = {FamilyCandidate{"identity", 30}};

  static std::unique_ptr<Likelihood> make(const std::vector<Parameter>& start,
                                          const LikelihoodOptions&) {
    return std::make_unique<LaplaceLikelihood>(start[0].value);
  }
};

}  // namespace families
}  // namespace ggpm::internal
