// Rows of which only a bound is known, or two: log P(Y > y), log P(Y < y), log P(y < Y < upper).
//
// Y, or its logarithm, is a location plus noise, x = (y - location)/scale. A noise has log_noise(x),
// the log density, and log_survival(x) and log_cdf(x), all three for any number type, with digits in
// both tails; everything here follows from them.
#pragma once

#include <boost/math/quadrature/gauss.hpp>

#include "likelihood/families/family.hpp"

namespace ggpm::internal {

// The density between two points that are near each other, where a difference of distribution
// functions would cancel: that at their middle, with its derivatives, times a sum of positive terms
// that hardly varies. (The derivatives of the whole sum would cancel in those of its logarithm.)
template <class Noise, class Real>  // (numeric::lift: Boost's exp looks factorials up)
Real log_narrow(const Noise& noise, const Real& low, const Real& width) {
  using std::log;
  using Gauss = boost::math::quadrature::gauss<double, 20>;
  const Real top = noise.log_noise(Real(low + width / 2));
  const auto exp = [](double x, std::size_t, numeric::Derivs& d) { d.fill(std::exp(x)); };
  Real sum(0.0);
  for (std::size_t k = 0; k < Gauss::abscissa().size(); ++k)
    for (const double side : {-1.0, 1.0}) {
      const Real x = low + width * ((1 + side * Gauss::abscissa()[k]) / 2);
      sum += Gauss::weights()[k] / 2 * numeric::lift(Real(noise.log_noise(x) - top), exp);
    }
  return log(sum) + log(width) + top;
}

// log P(low < x < low + width), from the tail that has less mass.
template <class Noise, class Real>
Real log_between(const Noise& noise, const Real& low, const Real& width) {
  constexpr double kNarrow = 1, kFlat = 4, kAll = -745;
  const Real high = low + width;
  const double rise = noise.log_noise(numeric::root(high)) - noise.log_noise(numeric::root(low));
  if (numeric::root(width) < kNarrow && std::abs(rise) < kFlat)
    return log_narrow(noise, low, width);
  const bool above = numeric::root(low) + numeric::root(high) > 0;
  const Real whole = above ? noise.log_survival(low) : noise.log_cdf(high);
  const Real beyond = above ? noise.log_survival(high) : noise.log_cdf(low);
  if (!(numeric::root(beyond) - numeric::root(whole) > kAll)) return whole;
  return whole + families::log1mexp(Real(beyond - whole));
}

// How far the upper end is from y, in the units of the location.
inline double distance_to_upper(const Row& row, bool log_scale) {
  return log_scale ? std::log1p((row.upper - row.y) / row.y) : row.upper - row.y;
}

// `standardized(y)` is x of an output.
template <class Noise, class Real, class Standardized>
Real log_censored(const Noise& noise,
                  const Row& row,
                  bool log_scale,
                  const Real& scale,
                  const Standardized& standardized) {
  if (!row.is_interval())
    return row.censored > 0 ? Real(noise.log_survival(standardized(row.y)))
                            : Real(noise.log_cdf(standardized(row.y)));
  if (log_scale && row.y == 0) return noise.log_cdf(standardized(row.upper));
  return log_between(noise, standardized(row.y), Real(distance_to_upper(row, log_scale) / scale));
}

namespace families {

// The family with the log density of censored rows, for automatic differentiation.
template <class Family>
struct Censored : Family {
  template <class Real>
  static Real log_density(const Real& u, const Real& phi, const Row& row) {
    return log_censored(
        Family(), row, Family::domain == Domain::positive, Family::scale(phi), [&](double y) {
          return Family::standardized(u, phi, y);
        });
  }
};

}  // namespace families
}  // namespace ggpm::internal
