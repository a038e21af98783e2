// From eta to the coordinate in which a family has its formulas, and back.
#pragma once

#include "likelihood/families/family.hpp"

namespace ggpm::internal {

// Families whose coordinate is not that of the link by itself (the negative binomial's needs phi)
// provide a link type with at(eta, phi); all others at(eta).
template <class Link, class Real, class Phi>
auto link_at(const Real& eta, const Phi& phi) {
  if constexpr (requires { Link::at(eta, phi); }) {
    return Link::at(eta, phi);
  } else {
    return Link::at(eta);
  }
}

// Where the mean is; exposure multiplies it.
template <class Family, class Link, class Real>
auto coordinate(const Real& eta, const families::Phi<Family, Real>& phi, const Row& row) {
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

// The inverse.
template <class Family, class Link, class Coordinate, class Real>
Real eta_of(Coordinate u, const Real& phi, const Row& row) {
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

// a(phi), or of a row where it is known for each.
template <class Family, class Real>
Real scale_of(const Real& phi, const Row& row) {
  if constexpr (requires { Family::a(phi, row); }) {
    return Family::a(phi, row);
  } else {
    return Family::a(phi);
  }
}

// log p(y | eta) for any number type: as the family has it, or (T theta - b)/a + c.   (eqn:expo)
template <class Family, class Link, class Real>
Real log_density_of(const Real& eta, const families::Phi<Family, Real>& phi, const Row& row) {
  const auto u = coordinate<Family, Link>(eta, phi, row);
  if constexpr (requires { Family::log_density(u, phi, row); }) {
    return Family::log_density(u, phi, row);
  } else {
    const Real theta = Family::theta(u, phi);
    return (Family::T(row) * theta - Family::b(theta, phi)) / scale_of<Family>(phi, row) +
           Family::c(phi, row);
  }
}

}  // namespace ggpm::internal
