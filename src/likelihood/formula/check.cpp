// What is asked of a formula before it is used, and the way from a name to a likelihood.
#include <fmt/format.h>

#include <cmath>

#include "likelihood/formula/likelihood.hpp"

namespace ggpm::internal {

namespace formula {
namespace {

constexpr double kTolerance = 1e-6;  // of the total probability

// A y inside the support, for looking at derivatives.
double some_y(Domain domain) { return domain == Domain::proportion ? 0.3 : 1; }

std::string place(const Formula& formula, double eta, double phi) {
  return formula.uses_phi() ? fmt::format("eta = {}, phi = {}", eta, phi)
                            : fmt::format("eta = {}", eta);
}

// The first field that is not a number, or an empty text.
std::string_view first_nan(const Formula& f, double eta, double phi) {
  const double theta = f.theta.evaluate(eta, phi);
  const double y = some_y(f.domain);
  if (std::isnan(theta)) return "theta";
  if (std::isnan(f.b.evaluate(theta, phi))) return "b";
  if (std::isnan(f.a.evaluate(0.0, phi))) return "a";
  if (std::isnan(f.T.evaluate(y, phi))) return "T";
  if (std::isnan(f.c.evaluate(y, phi))) return "c";
  return {};
}

// True if there was something to look at; overflow is not an error, only no evidence.
bool check_at(const Formula& f, double eta, double phi) {
  const std::string_view field = first_nan(f, eta, phi);
  const std::string at = place(f, eta, phi);
  if (!field.empty()) {
    throw UsageError(
        fmt::format("{}: field '{}' is not a number at {}{}; eta can be any real number",
                    f.where,
                    field,
                    at,
                    field == "T" || field == "c" ? fmt::format(", y = {}", some_y(f.domain)) : ""));
  }
  const FormulaDensity density(f, eta, phi);
  if (!density.finite()) return false;
  const bool discrete = is_discrete(f.domain);
  for (const double y : {0.0, 1.0}) {
    if (discrete && std::isnan(density(y))) {
      throw UsageError(
          fmt::format("{}: the log density is not a number at {}, y = {}", f.where, at, y));
    }
  }
  const double total = outcomes::make_outcome(f.domain, density)->total();
  if (!(std::abs(total - 1) <= kTolerance)) {
    throw UsageError(
        fmt::format("{}: the density does not normalize: at {} it {} to {:.8g}, off by {:.3g}; "
                    "check b and c",
                    f.where,
                    at,
                    discrete ? "sums" : "integrates",
                    total,
                    std::abs(total - 1)));
  }
  const numeric::Jet3 theta =
      f.theta.evaluate(numeric::Jet3(numeric::ad::make_fvar<double, 3>(eta)), numeric::Jet3(phi));
  const numeric::Jet3 b = f.b.evaluate(theta, numeric::Jet3(phi));
  for (std::size_t order = 1; order <= 3; ++order) {
    if (std::isfinite(theta.derivative(order)) && std::isfinite(b.derivative(order))) continue;
    throw UsageError(fmt::format("{}: derivative {} of field '{}' is not finite at {}",
                                 f.where,
                                 order,
                                 std::isfinite(theta.derivative(order)) ? "b" : "theta",
                                 at));
  }
  return true;
}

}  // namespace

void check_formula(const Formula& formula, double phi) {
  bool seen = false;
  // Not at whole numbers alone, where a power is every other power.
  for (const double eta : {-1.0, 0.0, 0.6, 1.0}) {
    seen = check_at(formula, eta, phi) || seen;
    // phi is learned: a c that is right where it starts may be wrong elsewhere.
    if (formula.uses_phi()) check_at(formula, eta, 0.8 * phi);
  }
  if (!seen) {
    throw UsageError(fmt::format(
        "{}: theta or b is infinite at eta = -1, 0, 0.6 and 1, so nothing can be checked; scale eta",
        formula.where));
  }
}

namespace {
bool is_path(std::string_view name) {
  return name.ends_with(".toml") && name.find('\n') == std::string_view::npos;
}
}  // namespace

bool is_formula(std::string_view name) {
  return is_path(name) || name.find_first_of("\n=") != std::string_view::npos;
}

std::string formula_text(std::string_view name) {
  return is_path(name) ? read_formula(std::string(name)) : std::string(name);
}

}  // namespace formula

std::unique_ptr<Likelihood> make_formula_likelihood(std::string_view path_or_text,
                                                    std::string_view link,
                                                    const LikelihoodOptions& options) {
  const std::string where = formula::is_path(path_or_text) ? std::string(path_or_text) : "formula";
  if (!link.empty() && link != "default") {
    throw UsageError(fmt::format(
        "{}: a formula has its link in theta; the link '{}' does not apply", where, link));
  }
  return std::make_unique<FormulaLikelihood>(
      formula::parse_formula(formula::formula_text(path_or_text), where), options.dispersion);
}

}  // namespace ggpm::internal
