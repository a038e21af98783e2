#pragma once

#include "likelihood/families/family.hpp"
#include "likelihood/families/symmetric_noise.hpp"

namespace ggpm::internal {

// Real outputs with outliers: (y - eta)/phi ~ t(df). Not an exponential family, so no Taylor
// targets of the paper's form, but the same interface: everything follows from log p. (errata 2.13)
class StudentT final : public SymmetricNoise {
 public:
  StudentT(double phi, double df, bool learn_df);

  std::unique_ptr<Likelihood> clone() const override { return std::make_unique<StudentT>(*this); }
  std::string name() const override { return "student-t"; }
  bool log_concave() const override { return false; }
  bool differentiable() const override { return true; }
  bool takes_censored() const override { return true; }
  std::vector<Parameter> parameters() const override;
  void set_parameters(std::span<const double> values) override;

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
  double cdf(const Row& row, double eta, double y) const override;
  double quantile(const Row& row, double eta, double p) const override;
  std::string settings() const override;

 private:
  LogDensity point(const Row& row, double eta, Derivatives wanted) const;
  void censored_values(const Row& row,
                       std::span<const double> eta,
                       double* value,
                       PhiArray* dphi) const;
  void set(double phi, double df);
  double phi_ = 1, df_ = 1;
  double peak_ = 0;  // log p at eta = y: the gamma functions once for all rows
};

namespace families {

struct StudentTFamily {
  static constexpr std::string_view name = "student-t";
  static constexpr std::array dispersions = {Dispersion{"scale of (y - eta)/phi ~ t(df)"}};
  static constexpr std::string_view formula =
      "lgamma((df+1)/2) - lgamma(df/2) - log(df pi phi^2)/2 - "
      "(df+1)/2 log(1 + ((y-eta)/phi)^2/df)";
  static constexpr Domain domain = Domain::real;
  using Links = LinkList<links::Identity>;
  static constexpr std::array candidates = {FamilyCandidate{"identity", 20}};

  static std::unique_ptr<Likelihood> make(const std::vector<Parameter>& start,
                                          const LikelihoodOptions& options) {
    return std::make_unique<StudentT>(start[0].value, options.df, options.learn_df);
  }
};

}  // namespace families
}  // namespace ggpm::internal
