#include "numeric/integrate.hpp"

#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>

namespace ggpm::internal::numeric {

const KronrodRule& kronrod21() {
  // Boost lists the non-negative abscissae, ascending from the center; every second one of the
  // Kronrod rule is a Gauss node.
  static const KronrodRule rule = [] {
    using Kronrod = boost::math::quadrature::gauss_kronrod<double, 21>;
    using Gauss = boost::math::quadrature::gauss<double, 10>;
    KronrodRule r{};
    std::size_t out = 0;
    for (std::size_t i = 0; i < Kronrod::abscissa().size(); ++i) {
      for (const double side : {1.0, -1.0}) {
        if (i == 0 && side < 0) continue;
        r.node[out] = side * Kronrod::abscissa()[i];
        r.kronrod[out] = Kronrod::weights()[i];
        r.gauss[out] = 0;
        for (std::size_t j = 0; j < Gauss::abscissa().size(); ++j) {
          if (std::abs(Gauss::abscissa()[j] - Kronrod::abscissa()[i]) < 1e-12) {
            r.gauss[out] = Gauss::weights()[j];
          }
        }
        ++out;
      }
    }
    return r;
  }();
  return rule;
}

}  // namespace ggpm::internal::numeric
