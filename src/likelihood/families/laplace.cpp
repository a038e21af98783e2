#include "likelihood/families/laplace.hpp"

#include <cmath>

#include "numeric/special.hpp"

namespace ggpm::internal {

LogDensity LaplaceLikelihood::point(double y, double eta) const {
  const double distance = std::abs(y - eta);
  const double sign = y > eta ? 1 : (y < eta ? -1 : 0);
  LogDensity out;
  out.value = -distance / phi_ - std::log(2 * phi_);
  out.d1 = sign / phi_;
  out.dphi[0] = (distance / phi_ - 1) / phi_;
  out.d1_dphi[0] = -sign / (phi_ * phi_);
  return out;
}

void LaplaceLikelihood::plain_at(const Row& row,
                                 std::span<const double> eta,
                                 Derivatives,
                                 std::span<LogDensity> out) const {
  for (std::size_t i = 0; i < eta.size(); ++i) out[i] = point(row.y, eta[i]);
}

void LaplaceLikelihood::plain_values(const Row& row,
                                     std::span<const double> eta,
                                     double* value,
                                     PhiArray* dphi) const {
  for (std::size_t i = 0; i < eta.size(); ++i) {
    const LogDensity l = point(row.y, eta[i]);
    value[i] = l.value;
    if (dphi != nullptr) dphi[i] = l.dphi;
  }
}

// The tilted distribution is two truncated Gaussians: eta below y, where the likelihood is
// e^{(eta-y)/phi}, of mean m + v/phi, and eta above y, of mean m - v/phi.
bool LaplaceLikelihood::closed_tilted(const Row& row,
                                      double mean,
                                      double variance,
                                      Tilted& out) const {
  const double s = std::sqrt(variance);
  const double d = row.y - mean;
  // A standard normal below `bound` has mean bound - gap and variance `spread`; both, and its
  // weight, come from the hazard phi/Phi and the derivatives of log Phi, where nothing cancels for
  // a far bound (v/(2 phi^2) and log Phi(bound) may both be near 1e7).
  struct Side {
    double log_weight, gap, spread;
  };
  const auto side = [&](double sign) {
    const double bound = sign * d / s - s / phi_;
    numeric::Derivs h{};
    numeric::log_ndtr_derivs(bound, 3, h);
    // log of e^{v/(2 phi^2) - sign d/phi} Phi(bound): as it stands, or with the squares cancelled.
    const double log_weight =
        (bound < 0 ? -d * d / (2 * variance) - numeric::kLog2Pi / 2 - std::log(h[1])
                   : variance / (2 * phi_ * phi_) - sign * d / phi_ + h[0]) -
        std::log(2 * phi_);
    if (h[1] < 1e-280) return Side{log_weight, bound, 1};
    const double gap = -h[2] / h[1];
    return Side{log_weight, gap, gap * gap - h[3] / h[1]};
  };
  const Side below = side(1);
  const Side above = side(-1);
  const double top = std::max(below.log_weight, above.log_weight);
  const double wb = std::exp(below.log_weight - top);
  const double wa = std::exp(above.log_weight - top);
  const double pb = wb / (wb + wa);
  const double pa = wa / (wb + wa);
  out.log_z = top + std::log(wb + wa);
  const double mb = -s * below.gap;  // means of the pieces relative to y
  const double ma = s * above.gap;
  const double vb = variance * below.spread;
  const double va = variance * above.spread;
  const double relative = pb * mb + pa * ma;  // tilted mean - y
  out.mean = row.y + relative;
  out.variance = pb * vb + pa * va + pb * pa * (mb - ma) * (mb - ma);
  // Two forms of the same slope; the first cancels for a narrow likelihood, the second for a flat
  // one.
  out.d1 = phi_ * phi_ > variance ? (pb - pa) / phi_ : (relative + d) / variance;
  out.d2 = (out.variance / variance - 1) / variance;
  const double distance = pb * -mb + pa * ma;
  out.dphi = {(distance / phi_ - 1) / phi_};
  return true;
}

bool LaplaceLikelihood::closed_expected(const Row& row,
                                        double mean,
                                        double variance,
                                        Expected& out) const {
  const double s = std::sqrt(variance);
  const double d = row.y - mean;
  const double a = d / s;
  const double density = std::exp(-(a * a + numeric::kLog2Pi) / 2);
  const double spread = std::erf(a / std::sqrt(2.0));  // 1 - 2 Phi(-a)
  const double distance = 2 * s * density + d * spread;
  out.value = -distance / phi_ - std::log(2 * phi_);
  out.d1 = spread / phi_;
  out.d2 = -2 * density / (s * phi_);
  out.dphi = {(distance / phi_ - 1) / phi_};
  return true;
}

double LaplaceLikelihood::cdf(const Row&, double eta, double y) const {
  return y < eta ? std::exp((y - eta) / phi_) / 2 : 1 - std::exp((eta - y) / phi_) / 2;
}
double LaplaceLikelihood::quantile(const Row&, double eta, double p) const {
  return p < 0.5 ? eta + phi_ * std::log(2 * p) : eta - phi_ * std::log(2 * (1 - p));
}

}  // namespace ggpm::internal
