#include "likelihood/families/student_t_noise.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <boost/math/quadrature/exp_sinh.hpp>

namespace ggpm::internal::families {
namespace {

using T = boost::math::students_t_distribution<double, Quiet>;

constexpr double kPowerLaw = 1e100;  // in units of sqrt(df); beyond, the tail is a power
constexpr double kUnderflow = 1e-290, kRuleTolerance = 1e-13;

// log P(X < x) for x <= 0.
double log_lower_tail(double df, double x) {
  if (-x > 1e12 * std::max(1.0, std::sqrt(df)))  // df^((df-1)/2) |x|^-df times the density at 0
    return log_t_density(0.0, 1.0, df) + (df - 1) / 2 * std::log(df) - df * std::log(-x);
  const double tail = boost::math::cdf(T(df), x);
  if (tail > kUnderflow) return std::log(tail);
  // Relative to the density at x, in units of its slope there.
  const double there = log_t_density(x, 1.0, df);
  const double unit = (df + x * x) / (-x * (df + 1));
  boost::math::quadrature::exp_sinh<double> rule;
  const auto ratio = [&](double s) {
    return std::exp(log_t_density(x - unit * s, 1.0, df) - there);
  };
  const double sum = rule.integrate(ratio, kRuleTolerance);
  return there + std::log(unit * sum);
}

double log_cdf(double df, double x) {
  return x <= 0 ? log_lower_tail(df, x) : std::log1p(-std::exp(log_lower_tail(df, -x)));
}

// The density beside the distribution function: h = (log F)', q = (log f)' - h.
struct Hazard {
  double h, q;
  Hazard(double df, double x)
      : h(std::exp(log_t_density(x, 1.0, df) - log_cdf(df, x))),
        q(-(df + 1) * x / (df + x * x) - h) {}
};

// Beyond kPowerLaw: log F = constant - df log|x|, or 0.
void power_law(double df, double x, numeric::Derivs& d) {
  if (x > 0) return;
  d[1] = -df / x;
  d[2] = df / x / x;
  d[3] = -2 * d[2] / x;
  d[4] = -3 * d[3] / x;
}

}  // namespace

void log_t_cdf_derivs(double df, double x, std::size_t order, numeric::Derivs& d) {
  d = {};
  d[0] = log_cdf(df, x);
  if (order == 0) return;
  if (std::abs(x) > kPowerLaw * std::max(1.0, std::sqrt(df))) return power_law(df, x, d);
  const auto [h, q] = Hazard(df, x);
  const double s = df + x * x;
  d[1] = h;
  d[2] = h * q;
  const double q1 = -(df + 1) * (df - x * x) / s / s - d[2];
  d[3] = h * (q * q + q1);
  const double q2 = 2 * x * (df + 1) * (3 * df - x * x) / s / s / s - d[3];
  d[4] = d[2] * (q * q + q1) + h * (2 * q * q1 + q2);
}

void log_t_cdf_ddf_derivs(double df, double x, numeric::Derivs& d) {
  d = {};
  if (std::abs(x) > kPowerLaw * std::max(1.0, std::sqrt(df))) {
    if (x < 0) d[0] = -std::log(-x);
    return;
  }
  // There is no closed form: central differences, extrapolated to an error of the fourth order.
  const auto difference = [&](double step) {
    return (log_cdf(df + step, x) - log_cdf(df - step, x)) / (2 * step);
  };
  const double step = 2e-3 * df;
  const double D = (4 * difference(step / 2) - difference(step)) / 3;
  const auto [h, q] = Hazard(df, x);
  const double s = df + x * x;
  const double of_density =
      numeric::derivative(log_t_density(numeric::Jet1(x),
                                        numeric::Jet1(1.0),
                                        numeric::Jet1(numeric::ad::make_fvar<double, 1>(df))),
                          1);
  const double of_slope = x * (1 - x * x) / s / s;
  d[0] = D;
  d[1] = h * (of_density - D);
  d[2] = h * q * (of_density - D) + h * (of_slope - d[1]);
}

}  // namespace ggpm::internal::families
