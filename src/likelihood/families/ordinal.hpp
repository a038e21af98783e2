#pragma once

#include "likelihood/base.hpp"
#include "likelihood/families/family.hpp"
#include "likelihood/families/survival.hpp"

namespace ggpm::internal {

// Levels 1, ..., K of which only the order is known: eta plus noise, cut at K - 1 points.
//   P(y <= k) = F(cut[k] - eta)                                        (Chu and Ghahramani 2005)
// A level is an interval of eta plus noise, so that its log p is that of a censored row.
template <class Noise>
class Ordinal final : public LikelihoodBase {
 public:
  // As many levels as `cuts` make; none: those of the data, or three until they are known.
  Ordinal(std::string_view link, std::vector<Parameter> cuts);

  std::unique_ptr<Likelihood> clone() const override { return std::make_unique<Ordinal>(*this); }
  std::string name() const override { return "ordinal"; }
  std::string link() const override { return std::string(link_); }
  Domain domain() const override { return Domain::ordinal; }
  bool log_concave() const override { return true; }
  bool differentiable() const override { return true; }
  bool exposure_shifts_eta() const override { return false; }
  int levels() const override { return static_cast<int>(cuts_.size()) + 1; }
  void adapt_to(std::span<const Row> rows) override;
  std::vector<double> constants() const override { return {static_cast<double>(levels()), 1}; }
  void set_constants(std::span<const double> values) override;
  std::vector<Parameter> parameters() const override { return cuts_; }
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
  double exact_point(const Row& row) const override;
  double canonical_point(const Row& row, PhiArray& dphi) const override;
  double peak(const Row& row) const override { return exact_point(row); }

 private:
  template <class Real>
  Real log_p(const Real& eta, std::size_t level, const Real& lower, const Real& upper) const;
  // With cut point k as a variable.
  template <class Real>
  Real log_p_varied(const Real& eta, std::size_t level, std::size_t k, const Real& cut) const;
  double probability(double eta, std::size_t level) const;
  double cut(std::size_t k) const { return cuts_[k].value; }  // from 0
  void set_levels(std::size_t count);

  std::string_view link_;
  std::vector<Parameter> cuts_;
  bool given_;
};

namespace families {

struct OrdinalFamily {
  static constexpr std::string_view name = "ordinal";
  static constexpr std::string_view formula =
      "log(F(cut[y] - eta) - F(cut[y-1] - eta)), cut[0] = -inf, cut[K] = inf";
  static constexpr Domain domain = Domain::ordinal;
  using Links = LinkList<links::Probit, links::Logit>;
  static constexpr std::array candidates = {FamilyCandidate{"probit", 10},
                                            FamilyCandidate{"logit", 20, false}};

  template <class Link>
  static std::unique_ptr<Likelihood> make(const LikelihoodOptions& options) {
    using Noise = std::conditional_t<std::is_same_v<Link, links::Probit>, NormalNoise, LogLogistic>;
    return std::make_unique<Ordinal<Noise>>(Link::name, cuts_of(options));
  }
  // The cut points that were given, in order. UsageError for any other parameter.
  static std::vector<Parameter> cuts_of(const LikelihoodOptions& options);
};

}  // namespace families
}  // namespace ggpm::internal
