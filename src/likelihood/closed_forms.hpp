// log p of a family from its closed forms, composed with those of the link.
#pragma once

#include "likelihood/coordinate.hpp"

namespace ggpm::internal {

template <class Family, class Link>
class ClosedForms {
  using AtPhi = typename families::PhiConstants<Family>::type;
  static constexpr bool kHasPhi = families::kDispersions<Family> == 1;
  static_assert(families::kDispersions<Family> <= 1, "closed forms are for one dispersion");

 public:
  explicit ClosedForms(std::span<const double> phi) : phi_(kHasPhi ? phi[0] : 1), at_phi_(phi_) {}
  const AtPhi& at_phi() const { return at_phi_; }

  class AtRow {
   public:
    AtRow(const ClosedForms& of, const Row& row)
        : phi_(of.phi_), row_(row), form_(of.at_phi_, row) {}

    // dphi may be null.
    double value(double eta, PhiArray* dphi) const {
      const auto u = coordinate<Family, Link>(eta, phi_, row_);
      const double value = form_.value(u);
      if (!kHasPhi || dphi == nullptr) return value;
      (*dphi)[0] = form_.dphi(u);
      if constexpr (requires { Link::dphi_at(eta, phi_, 0.0); }) {
        // The coordinate itself moves with phi.
        const auto du = Link::dphi_at(eta, phi_, std::log(row_.exposure));
        const auto l = form_.all(u);
        (*dphi)[0] += l.mean.d1 * du.log_mean.value + l.complement.d1 * du.log_complement.value;
      }
      return value;
    }

    void derivatives(double eta, Derivatives wanted, LogDensity& out) const {
      out = {};
      if constexpr (requires {
                      requires Family::minus_mean_at_zero;
                      Link::mean_curve_at(eta);
                    }) {
        if (row_.y == 0) return at_zero(eta, out);
      }
      if (wanted == Derivatives::value) {
        out.value = form_.value(coordinate<Family, Link>(eta, phi_, row_));
        return;
      }
      const auto u = curve_at(eta);
      if constexpr (requires { u.log_complement; }) {
        const families::DensityInFraction l = form_.all(u.value());
        out.value = l.value;
        out.dphi[0] = l.dphi;
        add(l.mean, u.log_mean, out);
        add(l.complement, u.log_complement, out);
        if constexpr (requires { Link::dphi_at(eta, phi_, 0.0); }) {
          if (wanted != Derivatives::dispersion) return;
          const links::UnitCurve du = Link::dphi_at(eta, phi_, std::log(row_.exposure));
          add_moved(l.mean, u.log_mean, du.log_mean, out);
          add_moved(l.complement, u.log_complement, du.log_complement, out);
        }
      } else {
        const families::DensityInMean l = form_.all(u.value);
        out.value = l.value;
        out.dphi[0] = l.dphi;
        add(l.mean, u, out);
      }
    }

   private:
    // The mean itself, not e^{log mu}, so that a linear link's curvature keeps its digits.
    void at_zero(double eta, LogDensity& out) const {
      const links::Curve m = Link::mean_curve_at(eta);
      out.value = -row_.exposure * m.value;
      out.d1 = -row_.exposure * m.d1;
      out.d2 = -row_.exposure * m.d2;
      out.d3 = -row_.exposure * m.d3;
    }
    static void add(const families::Partials& l, const links::Curve& u, LogDensity& out) {
      const links::Curve d = links::chain({0, l.d1, l.d2, l.d3}, u);
      out.d1 += d.d1;
      out.d2 += d.d2;
      out.d3 += d.d3;
      out.d1_dphi[0] += l.d1_phi * u.d1;
      out.d2_dphi[0] += l.d2_phi * u.d1 * u.d1 + l.d1_phi * u.d2;
    }
    // ... and where the coordinate moves with phi, by du.
    static void add_moved(const families::Partials& l,
                          const links::Curve& u,
                          const links::Curve& du,
                          LogDensity& out) {
      const links::Curve slope = links::chain({l.d1, l.d2, l.d3}, u);
      out.dphi[0] += slope.value * du.value;
      out.d1_dphi[0] += slope.d1 * du.value + slope.value * du.d1;
      out.d2_dphi[0] += slope.d2 * du.value + 2 * slope.d1 * du.d1 + slope.value * du.d2;
    }
    auto curve_at(double eta) const {
      if constexpr (requires { Link::curve_at(eta, phi_, 0.0); }) {
        return Link::curve_at(eta, phi_, std::log(row_.exposure));
      } else {
        auto u = Link::curve_at(eta);
        if constexpr (Family::domain == Domain::count) u.value += std::log(row_.exposure);
        return u;
      }
    }

    double phi_;
    const Row& row_;
    typename Family::AtRow form_;
  };

 private:
  double phi_;
  AtPhi at_phi_;
};

}  // namespace ggpm::internal
