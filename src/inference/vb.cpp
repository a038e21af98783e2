// VB: each log p is bounded from below by a parabola in eta, as tight as the marginal allows. The bounds
// of Jaakkola and Jordan (2000; Gibbs and MacKay's) for logistic outputs, and those of scale mixtures
// of Gaussians (laplace, student-t) are one: with
//   log p(y | eta) = a (eta - c) + h((eta - c)^2),  h convex,
// a tangent of h at xi^2 is below h. The best tangent under N(m, v) is at xi^2 = (m - c)^2 + v, where
// its expectation is a (m - c) + h(xi^2): a function of m and v, whose maximum is found as KLD finds
// its own. It is below E log p, so that the bound is below KLD's.                    (Table 1, VB)
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "inference/bound.hpp"
#include "inference/method.hpp"

namespace ggpm::internal {
namespace {

// What log p is symmetric about, up to a straight line.
double center_of(const Likelihood& likelihood, const Row& row) {
  return likelihood.domain() == Domain::real ? row.y : 0;
}

struct Parabola {
  double value, slope;  // of log p at the center: h(xi^2), a
  double precision;     // -2 h'(xi^2)
  LogDensity below, above;
};

Parabola tangent(const Likelihood& likelihood, const Row& row, double xi, Derivatives wanted) {
  const double center = center_of(likelihood, row);
  const std::array<Row, 2> rows = {row, row};
  const std::array<double, 2> eta = {center - xi, center + xi};
  std::array<LogDensity, 2> at;
  likelihood.log_density(rows, eta, wanted, at);
  const double difference = at[0].d1 - at[1].d1;
  Parabola out{(at[0].value + at[1].value) / 2, (at[0].d1 + at[1].d1) / 2, 0, at[0], at[1]};
  // Near the center slopes cancel, and the curvature is h' itself.
  const bool cancels = std::abs(difference) < 1e-4 * (std::abs(at[0].d1) + std::abs(at[1].d1));
  out.precision = cancels ? -(at[0].d2 + at[1].d2) / 2 : difference / (2 * xi);
  return out;
}

void bounded_rows(const Likelihood& likelihood,
                  std::span<const Row> rows,
                  std::span<const double> mean,
                  std::span<const double> variance,
                  std::span<Expected> out,
                  Dphi wanted) {
  const auto dispersions = likelihood.parameters().size();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double distance = mean[i] - center_of(likelihood, rows[i]);
    const double xi = std::sqrt(distance * distance + variance[i]);
    const Parabola p =
        tangent(likelihood,
                rows[i],
                xi,
                wanted == Dphi::wanted ? Derivatives::dispersion : Derivatives::second);
    out[i].value = p.value + p.slope * distance;
    out[i].d1 = p.slope - p.precision * distance;
    out[i].d2 = -p.precision;
    if (wanted == Dphi::skip) continue;
    out[i].dphi.resize(dispersions);
    for (std::size_t k = 0; k < dispersions; ++k)
      out[i].dphi[k] = (p.below.dphi[k] + p.above.dphi[k]) / 2 +
                       (p.below.d1_dphi[k] + p.above.d1_dphi[k]) / 2 * distance;
  }
}

// At a few distances: the same line, and a precision that does not grow.
bool has_tangents(const Likelihood& likelihood, const Row& row) {
  double slope = 0, before = 0;
  bool first = true;
  for (const double xi : {0.25, 1.0, 3.0, 9.0}) {
    const Parabola p = tangent(likelihood, row, xi, Derivatives::second);
    const double size = std::abs(p.below.d1) + std::abs(p.above.d1);
    if (!std::isfinite(size) || !(p.precision >= 0)) return false;
    if (!first && (std::abs(p.slope - slope) > 1e-7 * size || p.precision > before * (1 + 1e-7)))
      return false;
    slope = p.slope;
    before = p.precision;
    first = false;
  }
  return true;
}

// Also where learning may go: the negative binomial has a symmetry for one dispersion alone.
bool has_quadratic_bound(const Likelihood& likelihood, std::span<const Row> rows) {
  const std::unique_ptr<Likelihood> other = likelihood.clone();
  std::vector<double> values;
  for (const Parameter& p : likelihood.parameters())
    values.push_back(p.positive ? 1.3 * p.value : p.value);
  other->set_parameters(values);
  for (const Row& row : rows)
    if (!has_tangents(likelihood, row) || !has_tangents(*other, row)) return false;
  return true;
}

void check_vb(const Likelihood& likelihood, std::span<const Row> rows) {
  likelihood.check(rows);  // others have no density to look at
  if (has_quadratic_bound(likelihood, rows)) return;
  throw UsageError(
      fmt::format("vb does not exist for these outputs with likelihood '{}', link '{}': it is for "
                  "bernoulli and binomial with link logit, laplace and student-t; use kld",
                  likelihood.name(),
                  likelihood.link()));
}

Solution solve_vb(const Problem& problem) { return maximize_bound(problem, "vb", bounded_rows); }

}  // namespace

constinit const Method kVb = {.info = {InferenceMethod::vb,
                                       "vb",
                                       "a variational bound that is a Gaussian in each latent",
                                       "symmetry"},
                              .label = "VB",
                              .solve = solve_vb,
                              .check = check_vb};

}  // namespace ggpm::internal
