#pragma once

#include "likelihood/families/family.hpp"
#include "numeric/incomplete_beta.hpp"

namespace ggpm::internal::families {

template <class MeanLink>
struct NegativeBinomialLink;
struct FlippedLogLoss;

// Overdispersed counts with variance mu + alpha mu^2, alpha = phi.
//   log p(y | theta) = (y theta + log(1 - e^{theta/phi}))/phi + c,   theta = phi log(1 - p)
// Coordinate: Unit{log(1-p), log p}, where 1-p = alpha mu/(1 + alpha mu).
struct NegativeBinomial {
  static constexpr std::string_view name = "negative-binomial";
  static constexpr std::array dispersions = {Dispersion{"alpha; variance = mean + alpha mean^2"}};
  static constexpr std::string_view formula =
      "(y theta + log(1 - e^(theta/phi)))/phi + lgamma(y + 1/phi) - lgamma(1/phi) - log y!";
  static constexpr Domain domain = Domain::count;
  static constexpr Scatter scatter = Scatter::more;
  using Links = LinkList<FlippedLogLoss,
                         NegativeBinomialLink<links::Log>,
                         NegativeBinomialLink<links::Softplus>>;
  static constexpr std::array candidates = {FamilyCandidate{"flipped-log-loss", 30}};
  static constexpr bool log_concave = true;

  template <class Real>
  static Unit<Real> from_log_mean(const Real& log_mean, const Real& phi) {
    using std::log;
    const Real x = log_mean + log(phi);
    return {-softplus(Real(-x)), -softplus(x)};
  }
  template <class Real>
  static Real log_mean(const Unit<Real>& u, const Real& phi) {
    using std::log;
    return u.log_mean - u.log_complement - log(phi);
  }

  template <class Real>
  static Real theta(const Unit<Real>& u, const Real& phi) {
    return phi * u.log_mean;
  }
  template <class Real>
  static Real a(const Real& phi) {
    return phi;
  }
  template <class Real>
  static Real b(const Real& theta, const Real& phi) {
    return -log1mexp(Real(theta / phi));
  }
  template <class Real>
  static Real c(const Real& phi, const Row& row) {
    const Real r = 1 / phi;
    return log_gamma(Real(r + row.y)) - log_gamma(r) - lgamma1p(Real(row.y));
  }
  static double T(const Row& row) { return row.y; }

  // The same without large terms: with r = 1/phi, r/(r+y) times the binomial probability of r out
  // of r + y.
  template <class Real>
  static Real log_density(const Unit<Real>& u, const Real& phi, const Row& row) {
    using std::log;
    const Real r = 1 / phi;
    const double y = row.y;
    if (y == 0) return r * u.log_complement;
    if (root(r) >= 1) {
      return numeric::log_binomial(r, Real(y), u.log_complement, u.log_mean) -
             numeric::log1p(Real(y / r));
    }
    // Gamma(y+r)/(y! Gamma(r)), r < 1, as a ratio that does not form either large logarithm.
    const Real d = r - 1;
    const Real z = y + d;
    Real ratio = -lgamma1p(r) + log(r);
    if (y < 2) {
      ratio += lgamma1p(z) - lgamma1p(y);
    } else {
      ratio +=
          (z + 0.5) * numeric::log1p(Real(d / y)) + d * std::log(y) - d + stirling(z) - stirling(y);
    }
    return ratio + r * u.log_complement + y * u.log_mean;
  }

  // Linear in (log(1-p), log p) apart from constants of the row.
  struct AtPhi {
    double phi, r, stirling_r = 0, stirling_slope_r = 0;
    explicit AtPhi(double dispersion_) : phi(dispersion_), r(1 / phi) {
      numeric::Derivs d{};
      numeric::stirling_derivs(r, 1, d);
      stirling_r = d[0];
      stirling_slope_r = d[1];
    }
  };
  struct AtRow : AtPhi {
    double y, constant = 0, slope = 0, log_n_r = 0, log_n_y = 0;
    AtRow(const AtPhi& at_phi, const Row& row) : AtPhi(at_phi), y(row.y) {
      if (y == 0) return;
      log_n_r = std::log1p(y / r);
      log_n_y = std::log1p(r / y);
      numeric::Derivs d{};
      numeric::stirling_derivs(r + y, 1, d);
      // From the formula at log(1-p) = log p = 0, where only the constant is left.
      if (r >= 1) {
        constant = -(log_n_r + std::log(y) + kLog2Pi) / 2 + d[0] - stirling_r - stirling(y);
      } else {
        constant = log_density(Unit<double>{0, 0}, phi, row);
      }
      // -r^2 (psi(r + y) - psi(r))
      slope = -r * r * (log_n_r + y / (2 * r * (r + y)) + d[1] - stirling_slope_r);
    }
    double value(const Unit<double>& u) const {
      if (y == 0) return r * u.log_complement;
      if (r < 1) return constant + y * u.log_mean + r * u.log_complement;
      return constant - r * excess(u.log_complement + log_n_r) - y * excess(u.log_mean + log_n_y);
    }
    double dphi(const Unit<double>& u) const { return slope - r * r * u.log_complement; }
    DensityInFraction all(const Unit<double>& u) const {
      return {value(u), dphi(u), {.d1 = y}, {.d1 = r, .d1_phi = -r * r}};
    }
  };

  static Unit<double> exact_coordinate(double y, double phi) {
    return from_log_mean(std::log(y), phi);
  }
  template <class Real>
  static Unit<Real> canonical_coordinate(double y, const Real& phi) {
    return from_log_mean(Real(std::log(y)), phi);
  }

  static double mean(const Unit<double>& u, double phi, const Row&) {
    return std::exp(log_mean(u, phi));
  }
  static double variance(const Unit<double>& u, double phi, const Row& row) {
    const double mu = mean(u, phi, row);
    return mu + phi * mu * mu;
  }
  static double mode(const Unit<double>& u, double phi, const Row& row) {
    return phi < 1 ? std::floor((1 - phi) * mean(u, phi, row)) : 0;
  }
  static double cdf(const Unit<double>& u, double phi, const Row&, double y) {
    if (y < 0) return 0;
    const double q = std::exp(u.log_mean);
    const double p = std::exp(u.log_complement);
    if (q == 0) return 1;
    if (p == 0) return 0;
    return numeric::beta_p(1 / phi, std::floor(y) + 1, p, q);
  }
};

// The coordinate and its derivatives from those of log mu: x = log mu + log alpha is the logit.
inline UnitCurve unit_curve(const Curve& log_mean, double phi) {
  const UnitCurve u = links::Logit::curve_at(log_mean.value + std::log(phi));
  return {chain(u.log_mean, log_mean), chain(u.log_complement, log_mean)};
}

// A link on the mean, log mu(eta), in the coordinate above.
template <class MeanLink>
struct NegativeBinomialLink {
  static constexpr std::string_view name = MeanLink::name;
  template <class Family>
  static constexpr bool concave_for() {
    return std::is_same_v<MeanLink, links::Log>;
  }
  template <class Real>
  static Unit<Real> at(const Real& eta, const Real& phi) {
    return NegativeBinomial::from_log_mean(MeanLink::at(eta), phi);
  }
  template <class Real>
  static Real inverse_log_mean(const Real& log_mean, const Real& /*phi*/) {
    return MeanLink::inverse(log_mean);
  }
  static UnitCurve curve_at(double eta, double phi, double log_exposure) {
    Curve log_mean = MeanLink::curve_at(eta);
    log_mean.value += log_exposure;
    return unit_curve(log_mean, phi);
  }
  // d/dphi of the coordinate at a fixed mean, with two derivatives in eta.
  static UnitCurve dphi_at(double eta, double phi, double log_exposure) {
    const Curve log_mean = MeanLink::curve_at(eta);
    const UnitCurve u = links::Logit::curve_at(log_mean.value + log_exposure + std::log(phi));
    const auto moved = [&](const Curve& f) {
      return chain({f.d1 / phi, f.d2 / phi, f.d3 / phi}, log_mean);
    };
    return {moved(u.log_mean), moved(u.log_complement)};
  }
};

// The paper's theta(eta) = -log(1 + e^-eta); the log link for alpha = 1 only.      (errata 1.15)
struct FlippedLogLoss {
  static constexpr std::string_view name = "flipped-log-loss";
  template <class Real>
  static Unit<Real> at(const Real& eta, const Real& phi) {
    using std::log;
    const Real theta = -softplus(Real(-eta));
    const Real log_complement = theta / phi;  // log(1 - p)
    constexpr bool oracle = !(std::is_same_v<Real, double> || numeric::is_jet<Real>);
    if (oracle || root(eta) <= 0 || root(log_complement) < -0.5) {
      return {log_complement, log1mexp(log_complement)};
    }
    // log(1 - (1-e)^k) with k = 1/phi and a small e = sigma(-eta): as -softplus(eta) + log k + two
    // functions that are smooth at e = 0, so that the tiny curvature keeps its digits.
    using std::exp;
    const Real e = exp(-softplus(eta));
    return {log_complement,
            numeric::log_expm1_ratio(log_complement) + numeric::log_log1p_ratio(Real(-e)) -
                softplus(eta) - log(phi)};
  }
  // -log[(mu alpha/(1 + mu alpha))^-alpha - 1]
  template <class Real>
  static Real inverse_log_mean(const Real& log_mean, const Real& phi) {
    const Real power = -phi * NegativeBinomial::from_log_mean(log_mean, phi).log_mean;
    return -power - log1mexp(Real(-power));
  }
  // log(1 - e^A) with A = -softplus(-eta)/phi, in the two ways of at(); by autodiff where an
  // exposure goes through the mean.
  static UnitCurve curve_at(double eta, double phi, double log_exposure) {
    if (log_exposure == 0) {
      const Curve A = log_1_minus_p(eta, phi);
      if (direct(eta, A)) return {A, chain(links::curve(numeric::log1mexp_derivs, A.value), A)};
      const Curve r = links::curve(numeric::softplus_derivs, eta);
      const double e = std::exp(-r.value), v = e * (1 - e);
      const Curve minus_e = {-e, v, -v * (1 - 2 * e), v * (1 - 6 * v)};
      const Curve f = chain(links::curve(numeric::log_expm1_ratio_derivs, A.value), A);
      const Curve g = chain(links::curve(numeric::log_log1p_ratio_derivs, -e), minus_e);
      return {A,
              {f.value + g.value - r.value - std::log(phi),
               f.d1 + g.d1 - r.d1,
               f.d2 + g.d2 - r.d2,
               f.d3 + g.d3 - r.d3}};
    }
    const auto u =
        exposed(numeric::ad::make_fvar<double, 3>(eta), numeric::Jet3(phi), log_exposure);
    using numeric::derivative;
    const auto curve = [](const numeric::Jet3& x) {
      return Curve{derivative(x, 0), derivative(x, 1), derivative(x, 2), derivative(x, 3)};
    };
    return {curve(u.log_mean), curve(u.log_complement)};
  }
  // dA/dphi = -A/phi, so that of f(A) is -A f'(A)/phi. For small A, f is log(-A) and a smooth
  // function, and A f' is 1 and that of the latter.
  static UnitCurve dphi_at(double eta, double phi, double log_exposure) {
    if (log_exposure == 0) {
      const Curve A = log_1_minus_p(eta, phi);
      const bool whole = direct(eta, A);
      const Curve f =
          links::curve(whole ? numeric::log1mexp_derivs : numeric::log_expm1_ratio_derivs, A.value);
      const Curve Af = {
          (whole ? 0 : 1) + A.value * f.d1, f.d1 + A.value * f.d2, 2 * f.d2 + A.value * f.d3};
      const auto moved = [phi](const Curve& c) {
        return Curve{-c.value / phi, -c.d1 / phi, -c.d2 / phi};
      };
      return {moved(A), moved(chain(Af, A))};
    }
    const auto [e, p] = numeric::ad::make_ftuple<double, 2, 1>(eta, phi);
    using Jet = numeric::ad::autodiff_fvar<double, 2, 1>;
    const auto u = exposed(Jet(e), Jet(p), log_exposure);
    using numeric::derivative;
    const auto curve = [](const Jet& x) {
      return Curve{derivative(x, 0, 1), derivative(x, 1, 1), derivative(x, 2, 1)};
    };
    return {curve(u.log_mean), curve(u.log_complement)};
  }

 private:
  static Curve log_1_minus_p(double eta, double phi) {
    const Curve s = links::curve(numeric::softplus_derivs, -eta);
    return {-s.value / phi, s.d1 / phi, -s.d2 / phi, s.d3 / phi};
  }
  static bool direct(double eta, const Curve& A) { return eta <= 0 || A.value < -0.5; }

  template <class Real>
  static Unit<Real> exposed(const Real& eta, const Real& phi, double log_exposure) {
    const Real log_mean = NegativeBinomial::log_mean(at(eta, phi), phi);
    return NegativeBinomial::from_log_mean(Real(log_mean + log_exposure), phi);
  }
};

}  // namespace ggpm::internal::families
