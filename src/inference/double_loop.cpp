#include "inference/double_loop.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>
#include <vector>

#include "inference/rows.hpp"

namespace ggpm::internal {
namespace {

constexpr std::size_t kMemory = 12;
constexpr int kInnerSteps = 60;
constexpr int kEvaluations = 400;  // of the inner problem in all

// The convex inner problem for fixed marginals, in x = (precisions, shifts), (2n).
class InnerProblem {
 public:
  InnerProblem(const Problem& problem, const Sites& marginals)
      : problem_(problem),
        precision_(marginals.precision),
        shift_(marginals.shift),
        tilted_(problem.rows.size()) {}

  struct Value {
    double phi = 0;
    double rounding = 0;  // of phi
    Vector gradient;      // (2n)
    Vector h11, h12,
        h22;      // (n) diagonal blocks of the Hessian, for coordinates centered at the mean
    Vector mean;  // (n)
    double residual = 0;  // mismatch of tilted and Gaussian marginals, in deviations
  };

  // False where a cavity or the Gaussian is improper: outside of the domain.
  bool evaluate(const Vector& x, Value& out) {
    const Index n = problem_.size();
    const Sites sites{x.head(n), x.tail(n)};
    const Vector cavity = precision_ - sites.precision;
    const RowsHere& here = problem_.here();
    if (!here.every((cavity.array() > 0).all())) return false;
    if (!problem_.gram.condition(sites, problem_.prior_mean, Compute::marginals, q_)) return false;
    variance_ = cavity.cwiseInverse();
    mean_ = (shift_ - sites.shift).cwiseQuotient(cavity);
    tilted(problem_, mean_, variance_, tilted_, Dphi::skip);

    // The log integral of the prior times the sites, and of p(y | eta) times each cavity.
    const Vector &m0 = problem_.prior_mean, &P = sites.precision;
    const double prior = -0.5 * q_.log_det + here.sum([&](Index i) {
      return 0.5 * (sites.shift[i] - P[i] * m0[i]) * (q_.mean[i] - m0[i]) + sites.shift[i] * m0[i] -
             0.5 * P[i] * m0[i] * m0[i];
    });
    out.gradient.resize(2 * n);
    out.h11.resize(n), out.h12.resize(n), out.h22.resize(n);
    out.mean = q_.mean;
    double residual = 0;
    const Vector rows = here.sums(2, [&](Index i, auto&& to) {
      const Tilted& t = tilted_[static_cast<std::size_t>(i)];
      const double square = 0.5 * mean_[i] * mean_[i] * cavity[i];
      to[0] += t.log_z - 0.5 * std::log(cavity[i]) + square;
      to[1] += std::abs(t.log_z) + square;
      const double m = q_.mean[i], V = q_.variance[i], d = t.mean - m, v = t.variance;
      const double spread = 0.5 * (v + d * d - V);
      out.gradient[i] = spread + m * d;
      out.gradient[n + i] = -d;
      out.h11[i] = 0.5 * v * v + d * d * v + 0.5 * V * V;
      out.h12[i] = -d * v;
      out.h22[i] = v + V;
      residual = std::max({residual, std::abs(spread) / V, std::abs(d) / std::sqrt(V)});
    });
    out.phi = prior + rows[0];
    out.rounding = 1e-14 * (std::abs(prior) + rows[1]);
    out.residual = here.largest(residual);
    return std::isfinite(out.phi) && here.every(out.gradient.allFinite());
  }

 private:
  const Problem& problem_;
  Vector precision_, shift_;  // of the marginals
  Vector mean_, variance_;    // of the cavities
  std::vector<Tilted> tilted_;
  Conditioned q_;
};

// x <- the diagonal blocks solved for x.
void solve_blocks(const InnerProblem::Value& at, Vector& x) {
  const Index n = at.mean.size();
  for (Index i = 0; i < n; ++i) {
    const double m = at.mean[i], a = x[i] + m * x[n + i], b = x[n + i];
    const double det = at.h11[i] * at.h22[i] - at.h12[i] * at.h12[i];
    const double s = (at.h22[i] * a - at.h12[i] * b) / det;
    x[i] = s;
    x[n + i] = (at.h11[i] * b - at.h12[i] * a) / det + m * s;
  }
}

// The two-loop recursion of L-BFGS.
class QuasiNewton {
 public:
  explicit QuasiNewton(const RowsHere& here) : here_(here) {}
  void forget() { pairs_.clear(); }
  void push(Vector step, Vector change) {
    const double curvature = here_.dot(step, change);
    const double lengths = std::sqrt(here_.dot(step, step) * here_.dot(change, change));
    if (!(curvature > 1e-12 * lengths)) return;
    pairs_.push_back({std::move(step), std::move(change), curvature, 0});
    if (pairs_.size() > kMemory) pairs_.pop_front();
  }
  Vector direction(const InnerProblem::Value& at) {
    Vector x = -at.gradient;
    for (std::size_t k = pairs_.size(); k-- > 0;) {
      Pair& pair = pairs_[k];
      pair.weight = here_.dot(pair.step, x) / pair.curvature;
      x -= pair.weight * pair.change;
    }
    solve_blocks(at, x);
    for (const Pair& pair : pairs_)
      x += (pair.weight - here_.dot(pair.change, x) / pair.curvature) * pair.step;
    return x;
  }

 private:
  struct Pair {
    Vector step, change;
    double curvature, weight;
  };
  const RowsHere& here_;
  std::deque<Pair> pairs_;
};

// Lowers phi from x until the mismatch is below the tolerance. False if no step could be made.
bool minimize(const RowsHere& here, InnerProblem& inner, Vector& x, double tolerance, int& budget) {
  InnerProblem::Value value, trial;
  if (!inner.evaluate(x, value)) return false;
  QuasiNewton memory(here);
  for (int step = 0; step < kInnerSteps && value.residual > tolerance && budget > 0; ++step) {
    Vector direction = memory.direction(value);
    double slope = here.dot(direction, value.gradient);
    if (!(slope < 0)) {
      memory.forget();
      direction = memory.direction(value);
      slope = here.dot(direction, value.gradient);
    }
    double t = 1;
    bool found = false;
    for (; t > 1e-8 && budget > 0; t *= 0.4) {
      --budget;
      const Vector next = x + t * direction;
      if (!inner.evaluate(next, trial) || trial.phi > value.phi + 1e-4 * t * slope + value.rounding)
        continue;
      memory.push(next - x, trial.gradient - value.gradient);
      x = next;
      std::swap(value, trial);
      found = true;
      break;
    }
    if (!found) return step > 0;
  }
  return true;
}

Sites natural(const Conditioned& q) {
  return {q.variance.cwiseInverse(), q.mean.cwiseQuotient(q.variance)};
}

// How far the marginals may move towards those of q so that all cavities, marginals minus sites,
// stay proper: a full step may leave the domain of the next inner problem.
double feasible_step(const RowsHere& here,
                     const Sites& marginals,
                     const Sites& next,
                     const Sites& sites) {
  double step = 1;
  for (Index i = 0; i < sites.size(); ++i) {
    const double cavity = marginals.precision[i] - sites.precision[i];
    const double change = next.precision[i] - marginals.precision[i];
    if (change < 0) step = std::min(step, -0.9 * cavity / change);
  }
  return -here.largest(-step);
}

}  // namespace

bool run_double_loop(const Problem& problem,
                     SiteIteration& iteration,
                     SitePoint& point,
                     Report& report) {
  const Index n = problem.size();
  const int limit = std::min(problem.options.max_iterations, report.iterations + kEvaluations);
  Sites marginals = natural(point.q);
  double mismatch = point.residual.largest;
  Vector x(2 * n);
  x << point.sites.precision, point.sites.shift;
  while (report.iterations < limit) {
    InnerProblem inner(problem, marginals);
    const double tolerance = std::max(0.1 * problem.options.tolerance, 0.05 * mismatch);
    int budget = limit - report.iterations;
    const int before = budget;
    const bool moved = minimize(problem.here(), inner, x, tolerance, budget);
    report.iterations += std::max(1, before - budget);
    if (!moved) break;

    SitePoint next;
    next.sites = {x.head(n), x.tail(n)};
    if (!problem.gram.condition(next.sites, problem.prior_mean, Compute::marginals, next.q)) break;
    const Sites target = natural(next.q);
    mismatch = std::min(1.0, distance(problem.here(), marginals, target, next.q).largest);
    marginals =
        damped(marginals, target, feasible_step(problem.here(), marginals, target, next.sites));
    if (problem.options.on_iteration)
      problem.options.on_iteration({report.iterations, point.log_marginal, mismatch});
    // Near the fixed point sweeps with mixing are quicker; they hand back their best point.
    if (mismatch < 1e-2 && iteration.evaluate(next)) {
      point = next;
      if (iteration.run(next, report)) {
        point = std::move(next);
        return true;
      }
    }
  }
  iteration.evaluate(point);
  return point.residual.largest <= problem.options.tolerance;
}

}  // namespace ggpm::internal
