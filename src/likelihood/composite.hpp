// A family and a link make a likelihood. What the family gives in closed form is used; everything
// else follows from its formulas (families/family.hpp).
#pragma once

#include <utility>

#include "likelihood/automatic.hpp"
#include "likelihood/base.hpp"
#include "likelihood/censored.hpp"
#include "likelihood/closed_forms.hpp"

namespace ggpm::internal {

template <class Family, class Link>
class Composite final : public LikelihoodBase {
  static constexpr std::size_t kCount = families::kDispersions<Family>;
  static constexpr bool kClosed = requires { typename Family::AtRow; };
  static constexpr bool kFormulas = requires(const Row& row) { Family::T(row); };
  static constexpr bool kOfTrials =
      Family::domain == Domain::fraction_of_trials || Family::domain == Domain::binary;
  static constexpr bool kGaussianNoise = requires { requires Family::gaussian_noise; };
  static constexpr bool kCensors = requires(double x) { Family::log_survival(x); };
  static constexpr bool kCostly = requires { requires Family::costly; };
  using Density =
      typename std::conditional_t<kClosed, ClosedForms<Family, Link>, Automatic<Family, Link>>;
  using AtRow = typename Density::AtRow;

 public:
  static constexpr bool affine = requires { Link::slope; };  // log mean affine in eta

  explicit Composite(std::vector<Parameter> parameters)
      : parameters_(std::move(parameters)), density_(values_of(parameters_)) {
    dispersions_ = static_cast<int>(kCount);
  }
  explicit Composite(double phi)
      : Composite(starting_dispersions(
            Family::name, families::dispersions_of<Family>(), {.dispersion = phi})) {}

  std::unique_ptr<Likelihood> clone() const override { return std::make_unique<Composite>(*this); }
  std::string name() const override { return std::string(Family::name); }
  std::string link() const override { return std::string(Link::name); }
  Domain domain() const override { return Family::domain; }
  bool log_concave() const override { return concave(); }
  bool differentiable() const override { return true; }
  bool exposure_shifts_eta() const override { return Family::domain == Domain::count && affine; }

  bool is_exact_regression() const override {
    return kGaussianNoise && std::is_same_v<Link, links::Identity>;
  }
  bool takes_censored() const override { return kCensors; }
  bool costly() const override { return kCostly; }
  double largest_dispersion(const Row& typical) const override {
    if constexpr (requires { Family::largest_dispersion(typical); }) {
      return Family::largest_dispersion(typical);
    } else {
      return LikelihoodBase::largest_dispersion(typical);
    }
  }

  std::vector<Parameter> parameters() const override { return parameters_; }
  void set_parameters(std::span<const double> values) override {
    for (std::size_t k = 0; k < kCount; ++k) parameters_[k].value = values[k];
    density_ = Density(values);
  }

  void plain_at(const Row& row,
                std::span<const double> eta,
                Derivatives wanted,
                std::span<LogDensity> out) const override {
    with_row(row, [&](const auto& at_row) {
      for (std::size_t i = 0; i < eta.size(); ++i) at_row.derivatives(eta[i], wanted, out[i]);
    });
  }
  void plain_values(const Row& row,
                    std::span<const double> eta,
                    double* value,
                    PhiArray* dphi) const override {
    with_row(row, [&](const auto& at_row) {
      for (std::size_t i = 0; i < eta.size(); ++i)
        value[i] = at_row.value(eta[i], dphi == nullptr ? nullptr : &dphi[i]);
    });
  }

  // Var[T] (theta'/a)^2 = b'' theta'^2 / a
  double fisher_information(const Row& row, double eta) const override {
    using numeric::Jet1;
    const Jet1 e = numeric::ad::make_fvar<double, 1>(eta);
    if constexpr (kFormulas) {
      const Jet1 phi(phi_value());
      const Jet1 theta = Family::theta(coordinate<Family, Link>(e, phi, row), phi);
      const auto t = numeric::ad::make_fvar<double, 2>(numeric::derivative(theta, 0));
      const double curvature = numeric::derivative(Family::b(t, numeric::Jet2(phi_value())), 2);
      const double slope = numeric::derivative(theta, 1);
      return slope * slope * curvature / scale_of<Family>(phi_value(), row);
    } else if constexpr (requires { Family::information(place(eta, row), phi_value(), row); }) {
      const double slope = numeric::derivative(Link::at(e), 1);
      return slope * slope * Family::information(place(eta, row), phi_value(), row);
    } else {
      return LikelihoodBase::fisher_information(row, eta);
    }
  }

  double mean(const Row& row, double eta) const override {
    if constexpr (requires { Family::mean(place(eta, row), phi_value(), row); }) {
      return Family::mean(place(eta, row), phi_value(), row);
    } else {
      return LikelihoodBase::mean(row, eta);
    }
  }
  double variance(const Row& row, double eta) const override {
    if constexpr (requires { Family::variance(place(eta, row), phi_value(), row); }) {
      return Family::variance(place(eta, row), phi_value(), row);
    } else {
      return LikelihoodBase::variance(row, eta);
    }
  }
  double mode(const Row& row, double eta) const override {
    if constexpr (requires { Family::mode(place(eta, row), phi_value(), row); }) {
      return Family::mode(place(eta, row), phi_value(), row);
    } else {
      return LikelihoodBase::mode(row, eta);
    }
  }
  double cdf(const Row& row, double eta, double y) const override {
    if constexpr (requires { Family::cdf(place(eta, row), phi_value(), row, y); }) {
      return Family::cdf(place(eta, row), phi_value(), row, y);
    } else {
      return LikelihoodBase::cdf(row, eta, y);
    }
  }
  double quantile(const Row& row, double eta, double p) const override {
    if constexpr (requires { Family::quantile(place(eta, row), phi_value(), row, p); }) {
      return Family::quantile(place(eta, row), phi_value(), row, p);
    } else {
      return LikelihoodBase::quantile(row, eta, p);
    }
  }

  bool closed_tilted(const Row& row, double mean, double variance, Tilted& out) const override {
    if constexpr (requires { Family::template tilted<Link>(mean, variance, 1.0, row, out); }) {
      return Family::template tilted<Link>(mean, variance, phi_value(), row, out);
    } else {
      return false;
    }
  }
  bool closed_expected(const Row& row, double mean, double variance, Expected& out) const override {
    if constexpr (affine && requires { Family::expected(mean, variance, at_phi(), row); }) {
      const double shift = Link::shift + std::log(row.exposure);
      out = Family::expected(
          Link::slope * mean + shift, Link::slope * Link::slope * variance, at_phi(), row);
      out.d1 *= Link::slope;
      out.d2 *= Link::slope * Link::slope;
      return true;
    } else {
      return false;
    }
  }

  double exact_point(const Row& row) const override {
    if constexpr (kOfTrials && kFormulas) {
      const double k = row.y;
      return Link::inverse(
          links::Unit<double>{std::log(k / row.trials), std::log1p(-k / row.trials)});
    } else if constexpr (requires { Family::exact_coordinate(row.y, phi_value()); }) {
      return eta_of<Family, Link>(Family::exact_coordinate(row.y, phi_value()), phi_value(), row);
    } else {
      return LikelihoodBase::exact_point(row);
    }
  }
  double canonical_point(const Row& row, PhiArray& dphi) const override {
    if constexpr (kOfTrials && kFormulas) {
      return exact_point(row);
    } else if constexpr (!requires { Family::canonical_coordinate(row.y, phi_value()); }) {
      return LikelihoodBase::canonical_point(row, dphi);
    } else if constexpr (Family::domain == Domain::proportion) {
      return Link::inverse(Family::canonical_coordinate(row.y, phi_value()));
    } else {
      const auto phi = numeric::ad::make_fvar<double, 1>(phi_value());
      const numeric::Jet1 eta =
          eta_of<Family, Link>(Family::canonical_coordinate(row.y, phi), phi, row);
      if (kCount > 0) dphi[0] = numeric::derivative(eta, 1);
      return numeric::derivative(eta, 0);
    }
  }
  double peak(const Row& row) const override {
    if constexpr ((kOfTrials && kFormulas) ||
                  requires { Family::canonical_coordinate(row.y, phi_value()); }) {
      PhiArray ignored;
      return canonical_point(row, ignored);
    } else {
      return LikelihoodBase::peak(row);
    }
  }

 private:
  // Calls use(log p of the row as a function of eta).
  template <class Use>
  void with_row(const Row& row, const Use& use) const {
    if constexpr (kCensors) {
      if (row.is_censored()) {
        using OfCensored = Automatic<families::Censored<Family>, Link>;
        const OfCensored density(values_of(parameters_));
        return use(typename OfCensored::AtRow(density, row));
      }
    }
    use(AtRow(density_, row));
  }
  static std::array<double, std::max<std::size_t>(kCount, 1)> values_of(
      const std::vector<Parameter>& parameters) {
    std::array<double, std::max<std::size_t>(kCount, 1)> out{1};
    for (std::size_t k = 0; k < kCount; ++k) out[k] = parameters[k].value;
    return out;
  }
  families::Phi<Family, double> phi_value() const {
    if constexpr (kCount > 1) {
      return values_of(parameters_);
    } else if constexpr (kCount == 1) {
      return parameters_[0].value;
    } else {
      return 1;
    }
  }
  auto place(double eta, const Row& row) const {
    return coordinate<Family, Link>(eta, phi_value(), row);
  }
  decltype(auto) at_phi() const {
    if constexpr (kClosed) {
      return density_.at_phi();
    } else {
      return phi_value();
    }
  }
  static constexpr bool concave() {
    if constexpr (requires { Link::template concave_for<Family>(); }) {
      return Link::template concave_for<Family>();
    } else {
      return requires { requires Family::log_concave; };
    }
  }

  std::vector<Parameter> parameters_;
  Density density_;
};

}  // namespace ggpm::internal
