// A family and a link make a likelihood: the family's closed forms in the coordinate of the mean,
// composed with those of the link. Tests hold every derivative equal to what autodiff makes of the
// family's formula.
#pragma once

#include <utility>

#include "likelihood/base.hpp"
#include "likelihood/families/family.hpp"
#include "likelihood/read_out.hpp"

namespace ggpm {

// Families whose coordinate is not that of the link by itself (the negative binomial's needs phi)
// provide a link type with at(eta, phi); all others at(eta).
template <class Link, class Real>
auto link_at(const Real& eta, const Real& phi) {
  if constexpr (requires { Link::at(eta, phi); }) {
    return Link::at(eta, phi);
  } else {
    return Link::at(eta);
  }
}

template <class Family, class Link>
class Composite final : public LikelihoodBase {
 public:
  using AtPhi = typename families::PhiConstants<Family>::type;
  using AtRow = typename Family::AtRow;
  static constexpr bool has_phi = !Family::dispersion.empty();
  static constexpr bool affine = requires { Link::slope; };  // log mean affine in eta
  static constexpr bool unit_mean = Family::domain == Domain::fraction_of_trials ||
                                    Family::domain == Domain::binary ||
                                    Family::domain == Domain::proportion;

  explicit Composite(double phi) : phi_(phi), at_phi_(phi) { dispersions_ = has_phi ? 1 : 0; }

  std::unique_ptr<Likelihood> clone() const override { return std::make_unique<Composite>(*this); }
  std::string name() const override { return std::string(Family::name); }
  std::string link() const override { return std::string(Link::name); }
  Domain domain() const override { return Family::domain; }
  bool log_concave() const override { return concave(); }
  bool differentiable() const override { return true; }
  bool exposure_shifts_eta() const override { return Family::domain == Domain::count && affine; }
  bool is_exact_regression() const override {
    return requires { requires Family::gaussian_noise; }
    &&std::is_same_v<Link, links::Identity>;
  }
  bool costly() const override {
    return requires { requires Family::costly; };
  }
  double largest_dispersion(const Row& typical) const override {
    if constexpr (requires { Family::largest_dispersion(typical); })
      return Family::largest_dispersion(typical);
    else
      return LikelihoodBase::largest_dispersion(typical);
  }

  std::vector<Parameter> parameters() const override {
    if (!has_phi) return {};
    return {dispersion_parameter(phi_)};
  }
  void set_parameters(std::span<const double> values) override {
    if (!has_phi) return;
    phi_ = values[0];
    at_phi_ = AtPhi(phi_);
  }

  void log_density(std::span<const Row> rows,
                   std::span<const double> eta,
                   Derivatives wanted,
                   std::span<LogDensity> out) const override {
    for (std::size_t i = 0; i < rows.size(); ++i)
      point(AtRow(at_phi_, rows[i]), rows[i], eta[i], wanted, out[i]);
  }
  void at(const Row& row,
          std::span<const double> eta,
          Derivatives wanted,
          std::span<LogDensity> out) const override {
    const AtRow at_row(at_phi_, row);
    for (std::size_t i = 0; i < eta.size(); ++i) point(at_row, row, eta[i], wanted, out[i]);
  }
  void values(const Row& row,
              std::span<const double> eta,
              double* value,
              PhiArray* dphi) const override {
    const AtRow at_row(at_phi_, row);
    const double log_exposure = Family::domain == Domain::count ? std::log(row.exposure) : 0;
    for (std::size_t i = 0; i < eta.size(); ++i) {
      const auto u = coordinate(eta[i], phi_, row);
      value[i] = at_row.value(u);
      if (!has_phi || dphi == nullptr) continue;
      dphi[i][0] = at_row.dphi(u);
      if constexpr (requires { Link::dphi_at(eta[i], phi_, log_exposure); }) {
        // The coordinate itself moves with phi.
        const auto du = Link::dphi_at(eta[i], phi_, log_exposure);
        const auto l = at_row.all(u);
        dphi[i][0] += l.mean.d1 * du.log_mean.value + l.rest.d1 * du.log_rest.value;
      }
    }
  }

  // Var[T] (theta'/a)^2 = b'' theta'^2 / a
  double fisher_information(const Row& row, double eta) const override {
    const auto e = numeric::ad::make_fvar<double, 1>(eta);
    const auto theta = Family::theta(coordinate(e, numeric::Jet1(phi_), row), numeric::Jet1(phi_));
    const auto t = numeric::ad::make_fvar<double, 2>(numeric::derivative(theta, 0));
    const double curvature = numeric::derivative(Family::b(t, numeric::Jet2(phi_)), 2);
    const double slope = numeric::derivative(theta, 1);
    return slope * slope * curvature / scale(row);
  }

  double mean(const Row& row, double eta) const override {
    return Family::mean(coordinate(eta, phi_, row), phi_, row);
  }
  double variance(const Row& row, double eta) const override {
    return Family::variance(coordinate(eta, phi_, row), phi_, row);
  }
  double mode(const Row& row, double eta) const override {
    return Family::mode(coordinate(eta, phi_, row), phi_, row);
  }
  double cdf(const Row& row, double eta, double y) const override {
    return Family::cdf(coordinate(eta, phi_, row), phi_, row, y);
  }
  double quantile(const Row& row, double eta, double p) const override {
    if constexpr (requires { Family::quantile(coordinate(eta, phi_, row), phi_, row, p); }) {
      return Family::quantile(coordinate(eta, phi_, row), phi_, row, p);
    } else {
      return LikelihoodBase::quantile(row, eta, p);
    }
  }

  bool closed_tilted(const Row& row, double mean, double variance, Tilted& out) const override {
    if constexpr (requires { Family::template tilted<Link>(mean, variance, phi_, row, out); }) {
      return Family::template tilted<Link>(mean, variance, phi_, row, out);
    } else {
      return false;
    }
  }
  bool closed_expected(const Row& row, double mean, double variance, Expected& out) const override {
    if constexpr (affine && requires { Family::expected(mean, variance, at_phi_, row); }) {
      const double shift = Link::shift + std::log(row.exposure);
      out = Family::expected(
          Link::slope * mean + shift, Link::slope * Link::slope * variance, at_phi_, row);
      out.d1 *= Link::slope;
      out.d2 *= Link::slope * Link::slope;
      return true;
    } else {
      return false;
    }
  }

  double exact_point(const Row& row) const override {
    if constexpr (Family::domain == Domain::fraction_of_trials ||
                  Family::domain == Domain::binary) {
      const double k = row.y;
      return Link::inverse(
          links::Unit<double>{std::log(k / row.trials), std::log1p(-k / row.trials)});
    } else {
      return eta_of(Family::exact_coordinate(row.y, phi_), phi_, row);
    }
  }
  double printed_point(const Row& row, PhiArray& dphi) const override {
    if constexpr (unit_mean) {
      return printed_fraction(row);
    } else {
      const auto phi = numeric::ad::make_fvar<double, 1>(phi_);
      const numeric::Jet1 eta = eta_of(Family::printed_coordinate(row.y, phi), phi, row);
      if (has_phi) dphi[0] = numeric::derivative(eta, 1);
      return numeric::derivative(eta, 0);
    }
  }
  double peak(const Row& row) const override {
    PhiArray ignored;
    return printed_point(row, ignored);
  }

  // What autodiff makes of the formula: the closed forms are held equal to it.
  LogDensity derived(const Row& row, double eta) const {
    const auto [e, p] = numeric::ad::make_ftuple<double, 3, 1>(eta, phi_);
    LogDensity out;
    read_out(formula(numeric::Jet31(e), numeric::Jet31(p), row), 0, out);
    return out;
  }
  // The formula for any number type: what tests differentiate in 50 digits.
  template <class Real>
  static Real formula(const Real& eta, const Real& phi, const Row& row) {
    if constexpr (requires { Family::log_density_at_zero(Link::mean(eta)); }) {
      if (row.y == 0) return Family::log_density_at_zero(Real(Link::mean(eta) * row.exposure));
    }
    return Family::log_density(coordinate(eta, phi, row), phi, row);
  }
  // Where the mean is; exposure multiplies it.
  template <class Real>
  static auto coordinate(const Real& eta, const Real& phi, const Row& row) {
    auto u = link_at<Link>(eta, phi);
    if constexpr (Family::domain == Domain::count) {
      if (row.exposure != 1) {
        if constexpr (requires { Family::from_log_mean(eta, phi); }) {
          u = Family::from_log_mean(Real(Family::log_mean(u, phi) + std::log(row.exposure)), phi);
        } else {
          u = u + std::log(row.exposure);
        }
      }
    }
    return u;
  }

 private:
  // The inverse of coordinate().
  template <class Coordinate, class Real>
  static Real eta_of(Coordinate u, const Real& phi, const Row& row) {
    if constexpr (Family::domain == Domain::count) {
      const double log_exposure = std::log(row.exposure);
      if constexpr (requires { Family::from_log_mean(phi, phi); }) {
        return Link::inverse_log_mean(Real(Family::log_mean(u, phi) - log_exposure), phi);
      } else {
        return Link::inverse(Real(u - log_exposure));
      }
    } else {
      return Link::inverse(u);
    }
  }
  double printed_fraction(const Row& row) const {
    if constexpr (Family::domain == Domain::proportion) {
      return Link::inverse(Family::printed_coordinate(row.y, phi_));
    } else {
      return exact_point(row);
    }
  }
  double scale(const Row& row) const {
    if constexpr (requires { Family::a(phi_, row); }) {
      return Family::a(phi_, row);
    } else {
      return Family::a(phi_);
    }
  }
  static constexpr bool concave() {
    if constexpr (requires { Link::concave_for(Family::name); }) {
      return Link::concave_for(Family::name);
    } else {
      return Family::log_concave;
    }
  }

  // Closed forms of the family composed with those of the link.
  static void add(const families::Part& l, const links::Curve& u, LogDensity& out) {
    const links::Curve d = links::chain({0, l.d1, l.d2, l.d3}, u);
    out.d1 += d.d1;
    out.d2 += d.d2;
    out.d3 += d.d3;
    out.d1_dphi[0] += l.d1_phi * u.d1;
    out.d2_dphi[0] += l.d2_phi * u.d1 * u.d1 + l.d1_phi * u.d2;
  }
  // ... and where the coordinate moves with phi, by du.
  static void add_moved(const families::Part& l,
                        const links::Curve& u,
                        const links::Curve& du,
                        LogDensity& out) {
    const links::Curve slope = links::chain({l.d1, l.d2, l.d3}, u);
    out.dphi[0] += slope.value * du.value;
    out.d1_dphi[0] += slope.d1 * du.value + slope.value * du.d1;
    out.d2_dphi[0] += slope.d2 * du.value + 2 * slope.d1 * du.d1 + slope.value * du.d2;
  }
  void point(
      const AtRow& at_row, const Row& row, double eta, Derivatives wanted, LogDensity& out) const {
    out = {};
    if constexpr (requires { Family::log_density_at_zero(Link::mean(eta)); }) {
      if (row.y == 0) {
        const links::Curve m = Link::mean_curve_at(eta);
        out.value = -row.exposure * m.value;
        out.d1 = -row.exposure * m.d1;
        out.d2 = -row.exposure * m.d2;
        out.d3 = -row.exposure * m.d3;
        return;
      }
    }
    if (wanted == Derivatives::value) {
      out.value = at_row.value(coordinate(eta, phi_, row));
      return;
    }
    const auto u = curve_at(eta, row);
    if constexpr (requires { u.log_rest; }) {
      const families::UnitWhole l = at_row.all(u.value());
      out.value = l.value;
      out.dphi[0] = l.dphi;
      add(l.mean, u.log_mean, out);
      add(l.rest, u.log_rest, out);
      if constexpr (requires { Link::dphi_at(eta, phi_, 0.0); }) {
        if (wanted != Derivatives::dispersion) return;
        const links::UnitCurve du = Link::dphi_at(eta, phi_, std::log(row.exposure));
        add_moved(l.mean, u.log_mean, du.log_mean, out);
        add_moved(l.rest, u.log_rest, du.log_rest, out);
      }
    } else {
      const families::Whole l = at_row.all(u.value);
      out.value = l.value;
      out.dphi[0] = l.dphi;
      add(l.mean, u, out);
    }
  }
  auto curve_at(double eta, const Row& row) const {
    if constexpr (requires { Link::curve_at(eta, phi_, 0.0); }) {
      return Link::curve_at(eta, phi_, std::log(row.exposure));
    } else {
      auto u = Link::curve_at(eta);
      if constexpr (Family::domain == Domain::count) u.value += std::log(row.exposure);
      return u;
    }
  }

  double phi_;
  AtPhi at_phi_;
};

}  // namespace ggpm
