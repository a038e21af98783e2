#include "likelihood/formula/likelihood.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "likelihood/read_out.hpp"
#include "likelihood/stationary.hpp"

namespace ggpm::internal {

using formula::Expression;
using formula::FormulaDensity;
using numeric::Jet1;
using numeric::Jet2;
using numeric::Jet3;
using numeric::Jet31;
using numeric::ad::make_fvar;

namespace {
constexpr int kAllBits = 52;
}

FormulaLikelihood::FormulaLikelihood(formula::Formula formula, double dispersion)
    : formula_(std::make_shared<const formula::Formula>(std::move(formula))),
      phi_(dispersion > 0 ? dispersion : formula_->dispersion),
      at_phi_(formula_->at_phi(phi_)),
      has_phi_(formula_->uses_phi()) {
  formula::check_formula(*formula_, phi_);
  dispersions_ = has_phi_ ? 1 : 0;
  const auto parsed = [](std::string_view text, std::string_view variable) {
    return Expression::parse(text, {"formula", variable, false});
  };
  T_is_y_ = formula_->T == parsed("y", "y");
  // A normalized density with theta = eta has b/a as its cumulant function, which is convex.
  log_concave_ = formula_->theta == parsed("eta", "eta");
  exposure_shifts_eta_ = formula_->domain == Domain::count && T_is_y_ && log_concave_ &&
                         formula_->b == parsed("exp(theta)", "theta");
}

std::vector<Parameter> FormulaLikelihood::parameters() const {
  if (!has_phi_) return {};
  return {dispersion_parameter(phi_)};
}

void FormulaLikelihood::set_parameters(std::span<const double> values) {
  if (!has_phi_) return;
  phi_ = values[0];
  at_phi_ = formula_->at_phi(phi_);
}

void FormulaLikelihood::check(std::span<const Row> rows) const {
  LikelihoodBase::check(rows);
  if (exposure_shifts_eta_) return;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].exposure == 1) continue;
    throw DataError(
        {.row = static_cast<Index>(i) + 1, .argument = "exposure"},
        fmt::format("{}; {} takes exposures only for counts with T = \"y\", theta = \"eta\" "
                    "and b = \"exp(theta)\"; use an offset, which is added to eta",
                    rows[i].exposure,
                    name()),
        Remedy::offset);
  }
}

FormulaLikelihood::Observed FormulaLikelihood::observe(const Row& row, bool with_phi) const {
  Observed o{.T = formula_->T.evaluate(row.y, 0.0),
             .a = 0,
             .c = 0,
             .shift = row.exposure == 1 ? 0 : std::log(row.exposure)};
  if (has_phi_ && with_phi) {
    const Jet1 phi = make_fvar<double, 1>(phi_);
    const Jet1 a = formula_->a.evaluate(phi, phi);
    const Jet1 c = formula_->c.evaluate(Jet1(row.y), phi);
    o.a = numeric::derivative(a, 0);
    o.a_dphi = numeric::derivative(a, 1);
    o.c = numeric::derivative(c, 0);
    o.c_dphi = numeric::derivative(c, 1);
  } else {
    o.a = at_phi_.a.evaluate(0.0, phi_);
    o.c = at_phi_.c.evaluate(row.y, phi_);
  }
  return o;
}

// (T theta - b)/a + c.                                                                 (eqn:expo)
template <class Real>
Real FormulaLikelihood::log_p(const formula::Functions& f,
                              const Observed& o,
                              const Real& eta,
                              const Real& phi) const {
  const Real theta = f.theta.evaluate(o.shift == 0 ? eta : Real(eta + o.shift), phi);
  const Real inside = o.T * theta - f.b.evaluate(theta, phi);
  if constexpr (std::is_same_v<Real, Jet31> || std::is_same_v<Real, Jet1>) {
    const Real step = phi - phi_;  // to first order, a and c are their values and slopes
    return inside / Real(o.a + o.a_dphi * step) + (o.c + o.c_dphi * step);
  } else {
    return inside / o.a + o.c;
  }
}

LogDensity FormulaLikelihood::point(const Observed& o, double eta, Derivatives wanted) const {
  LogDensity out;
  if (wanted == Derivatives::value) {
    out.value = log_p(at_phi_, o, eta, phi_);
  } else if (wanted == Derivatives::second) {
    const auto l = log_p<Jet2>(at_phi_, o, make_fvar<double, 2>(eta), Jet2(phi_));
    read_out(l, out);
  } else if (wanted == Derivatives::third || !has_phi_) {
    const auto l = log_p<Jet3>(at_phi_, o, make_fvar<double, 3>(eta), Jet3(phi_));
    read_out(l, out);
  } else {
    const auto [e, p] = numeric::ad::make_ftuple<double, 3, 1>(eta, phi_);
    const auto l = log_p<Jet31>(*formula_, o, Jet31(e), Jet31(p));
    read_out(l, 0, out);
  }
  return out;
}

void FormulaLikelihood::plain_at(const Row& row,
                                 std::span<const double> eta,
                                 Derivatives wanted,
                                 std::span<LogDensity> out) const {
  const Observed o = observe(row, wanted == Derivatives::dispersion);
  for (std::size_t i = 0; i < eta.size(); ++i) out[i] = point(o, eta[i], wanted);
}

void FormulaLikelihood::plain_values(const Row& row,
                                     std::span<const double> eta,
                                     double* value,
                                     PhiArray* dphi) const {
  const bool with_phi = has_phi_ && dphi != nullptr;
  const Observed o = observe(row, with_phi);
  const Jet1 phi = make_fvar<double, 1>(phi_);
  for (std::size_t i = 0; i < eta.size(); ++i) {
    if (with_phi) {
      const Jet1 l = log_p<Jet1>(*formula_, o, Jet1(eta[i]), phi);
      value[i] = numeric::derivative(l, 0);
      dphi[i][0] = numeric::derivative(l, 1);
    } else {
      value[i] = log_p(at_phi_, o, eta[i], phi_);
    }
  }
}

std::pair<double, double> FormulaLikelihood::cumulants(const Row& row, double eta) const {
  const double theta = at_phi_.theta.evaluate(eta + std::log(row.exposure), phi_);
  const Jet2 b = at_phi_.b.evaluate(Jet2(make_fvar<double, 2>(theta)), Jet2(phi_));
  return {numeric::derivative(b, 1), numeric::derivative(b, 2)};
}

// Var[T] (theta'/a)^2 = b'' theta'^2 / a
double FormulaLikelihood::fisher_information(const Row& row, double eta) const {
  const Jet1 e = make_fvar<double, 1>(eta + std::log(row.exposure));
  const double slope = numeric::derivative(at_phi_.theta.evaluate(e, Jet1(phi_)), 1);
  return slope * slope * cumulants(row, eta).second / at_phi_.a.evaluate(0.0, phi_);
}

// Where theta or b overflows, the distribution has long ago run into the end of the support, and
// the nearest eta at which they are numbers says the same.
FormulaDensity FormulaLikelihood::density(const Row& row, double eta) const {
  double at = eta + std::log(row.exposure);
  if (!FormulaDensity(at_phi_, at, phi_).finite()) {
    double inside = 0;
    for (int i = 0; i < 60; ++i) {
      const double middle = inside + (at - inside) / 2;
      (FormulaDensity(at_phi_, middle, phi_).finite() ? inside : at) = middle;
    }
    at = inside;
  }
  return {at_phi_, at, phi_};
}

double FormulaLikelihood::mean(const Row& row, double eta) const {
  if (T_is_y_) return cumulants(row, eta).first;
  const FormulaDensity p = density(row, eta);
  return outcomes::make_outcome(domain(), p)->mean();
}
double FormulaLikelihood::variance(const Row& row, double eta) const {
  if (T_is_y_) return cumulants(row, eta).second * at_phi_.a.evaluate(0.0, phi_);
  const FormulaDensity p = density(row, eta);
  return outcomes::make_outcome(domain(), p)->variance();
}
double FormulaLikelihood::mode(const Row& row, double eta) const {
  const FormulaDensity p = density(row, eta);
  return outcomes::make_outcome(domain(), p)->mode();
}
double FormulaLikelihood::cdf(const Row& row, double eta, double y) const {
  const FormulaDensity p = density(row, eta);
  return outcomes::make_outcome(domain(), p)->cdf(y);
}
double FormulaLikelihood::quantile(const Row& row, double eta, double p) const {
  const FormulaDensity of_y = density(row, eta);
  return outcomes::make_outcome(domain(), of_y)->quantile(p);
}

std::optional<double> FormulaLikelihood::stationary(const Row& row, int bits) const {
  const Observed o = observe(row, false);
  return stationary_point([&](double eta) { return point(o, eta, Derivatives::second).d1; }, bits);
}

double FormulaLikelihood::exact_point(const Row& row) const {
  return stationary(row, kAllBits).value_or(0);
}

double FormulaLikelihood::canonical_point(const Row& row, PhiArray& dphi) const {
  const auto eta = stationary(row, kAllBits);
  if (!eta || !has_phi_) return eta.value_or(0);
  const LogDensity l = point(observe(row, true), *eta, Derivatives::dispersion);
  dphi[0] = -l.d1_dphi[0] / l.d2;
  return *eta;
}

double FormulaLikelihood::peak(const Row& row) const {
  return stationary(row, 12).value_or(std::numeric_limits<double>::infinity());
}

}  // namespace ggpm::internal
