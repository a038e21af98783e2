// x ~ t(df), for censored rows: digits in both tails, and derivatives in x and in df.
#pragma once

#include "likelihood/families/family.hpp"

namespace ggpm::internal::families {

// log P(X < x), and its derivatives in x.
void log_t_cdf_derivs(double df, double x, std::size_t order, numeric::Derivs& d);
// d/d df of it, and the first two derivatives of that in x.
void log_t_cdf_ddf_derivs(double df, double x, numeric::Derivs& d);

// lgamma((df+1)/2) - lgamma(df/2) - log(df pi scale^2)/2 - (df+1)/2 log(1 + (d/scale)^2/df)
template <class Real>
Real log_t_density(const Real& d, const Real& scale, const Real& df) {
  using std::log;
  const Real width = df * scale * scale;
  const Real base = log_gamma(Real((df + 1) / 2)) - log_gamma(Real(df / 2)) -
                    log(Real(width * boost::math::constants::pi<double>())) / 2;
  // Far out, log(width + d^2) - log(width) keeps the digits of the derivatives in the scale.
  const Real ratio = d * d / width;
  return base - (df + 1) / 2 *
                    (numeric::root(ratio) > 1 ? Real(log(Real(width + d * d)) - log(width))
                                              : numeric::log1p(ratio));
}

template <class Real>
class TNoise {
 public:
  // `variable`: df is one of the variables of the differentiation.
  TNoise(Real df, bool variable) : df_(std::move(df)), variable_(variable) {}

  double log_noise(double x) const { return log_t_density(x, 1.0, numeric::root(df_)); }
  Real log_noise(const Real& x) const requires(!std::is_same_v<Real, double>) {
    return log_t_density(x, Real(1.0), df_);
  }
  Real log_survival(const Real& x) const { return log_cdf(Real(-x)); }
  Real log_cdf(const Real& x) const {
    const double df = numeric::root(df_);
    const Real at_df = numeric::lift(x, [&](double x0, std::size_t order, numeric::Derivs& d) {
      log_t_cdf_derivs(df, x0, order, d);
    });
    if (!variable_) return at_df;
    const Real slope = numeric::lift(
        x, [&](double x0, std::size_t, numeric::Derivs& d) { log_t_cdf_ddf_derivs(df, x0, d); });
    return at_df + slope * (df_ - df);
  }

 private:
  Real df_;
  bool variable_;
};

}  // namespace ggpm::internal::families
