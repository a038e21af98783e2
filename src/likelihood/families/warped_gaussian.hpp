#pragma once

#include <array>

#include "likelihood/base.hpp"
#include "likelihood/warp.hpp"

namespace ggpm::internal {

// A standard GP on transformed outputs: p(y | eta) = N(f(y); eta, phi) f'(y). Gaussian in eta, so
// that inference is exact, with sites at f(y); densities are those of y. The parameters of a learned
// f are dispersions like phi.
class WarpedGaussian final : public LikelihoodBase {
 public:
  WarpedGaussian(Warp warp, double phi);

  std::unique_ptr<Likelihood> clone() const override {
    return std::make_unique<WarpedGaussian>(*this);
  }
  std::string name() const override { return warp_.text() + "-gaussian"; }
  std::string link() const override { return "identity"; }
  std::vector<std::pair<std::string, std::string>> labels() const override;
  Domain domain() const override { return warp_.domain(); }
  bool log_concave() const override { return true; }
  bool differentiable() const override { return true; }
  bool exposure_shifts_eta() const override { return false; }
  bool is_exact_regression() const override { return true; }
  bool symmetric_about_eta() const override { return false; }
  std::vector<Parameter> parameters() const override;
  void set_parameters(std::span<const double> values) override;
  void adapt_to(std::span<const Row> rows) override;
  std::vector<double> constants() const override { return {warp_.center(), warp_.scale()}; }
  void set_constants(std::span<const double> values) override;
  void check(std::span<const Row> rows) const override;

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
  std::unique_ptr<Predictive> predictive(const Row& row,
                                         double latent_mean,
                                         double latent_variance) const override;

  double fisher_information(const Row&, double) const override { return 1 / phi_; }
  double mean(const Row& row, double eta) const override;
  double variance(const Row& row, double eta) const override;
  double mode(const Row& row, double eta) const override;
  double typical(const Row& row, double eta) const override;
  double cdf(const Row& row, double eta, double y) const override;
  double quantile(const Row& row, double eta, double p) const override;
  double exact_point(const Row& row) const override { return warp_.at(row.y).z; }
  double canonical_point(const Row& row, PhiArray& dphi) const override;
  double peak(const Row& row) const override { return warp_.at(row.y).z; }

 private:
  struct Slopes {  // of z and of log dz/dy, in the parameters of the warp
    std::array<double, std::size_t{3} * Warp::kMostSteps> z, log_slope;
  };
  Slopes slopes(double y) const;
  // Adds the part of the warp's parameters where d log p / d eta is `slope`.
  void add_warp(const Slopes& f, double slope, PhiArray& dphi) const;

  Warp warp_;
  double phi_;
};

}  // namespace ggpm::internal
