// Newton's method for the mode of the posterior, in alpha-space with a line search.
#pragma once

#include <vector>

#include "inference/problem.hpp"

namespace ggpm::internal {

// A point of the search: eta = m0 + K alpha, and the log posterior there up to a constant,
//   psi = sum_i log p(y_i | eta_i) - 1/2 (eta - m0)' alpha.
struct ModePoint {
  Vector alpha, eta;
  double psi = 0;
};

class NewtonSearch {
 public:
  explicit NewtonSearch(const Problem& problem);

  ModePoint at_prior_mean();
  ModePoint at_alpha(const Vector& alpha);
  // The mean of the Gaussian with these sites; false if it is improper.
  bool at_sites(const Sites& sites, ModePoint& point);
  // The mean of the Gaussian that Taylor inference would give, or one that goes through the lowest or
  // the highest expansion point where the density at it vanishes; false if there is none.
  bool at_taylor(ModePoint& point);

  // Climbs to a stationary point, with psi never decreasing beyond rounding. True if the decrement
  // came below the tolerance within the limit of steps; then sites() and conditioned() are those at
  // the mode, and the gram engine was conditioned on them last.
  bool climb(ModePoint& point, double tolerance, int max_steps) {
    return climb(point, tolerance, max_steps, true);
  }
  // The same without a last factorization at the point that was reached: the decrement may be that
  // of a curvature from nearby, whose sites() and conditioned() are.
  bool approach(ModePoint& point, double tolerance, int max_steps);

  // Further steps from a point near the sites that were conditioned on last.
  bool follow(ModePoint& point, double tolerance);

  const Sites& sites() const { return sites_; }
  Conditioned& conditioned() { return q_; }
  double residual() const { return residual_; }
  // Room for what the likelihood says of all rows, which the search no longer needs.
  std::vector<LogDensity> take_densities() { return std::move(l_); }
  // From where the sites are to the mean, after climb().
  const Vector& last_move() const { return eta_step_; }
  int steps() const { return steps_; }
  // The last stationary point had directions of ascent: a saddle that the search could not leave.
  bool saddle() const { return saddle_; }

 private:
  void evaluate(ModePoint& point, Derivatives wanted);  // psi and l_ at point.eta
  bool climb(ModePoint& point, double tolerance, int max_steps, bool verify);
  double newton_step(const ModePoint& point);  // by the last factor; returns its slope
  void set_sites(const ModePoint& point);      // those of the curvature at the point, from l_
  bool step_sites(const ModePoint& point);     // true curvature if that is an ascent direction
  double positive_curvature(Index i, double eta);
  void find_tops();
  // False where a row of any rank has no expansion point.
  bool expand(const ExpansionOptions& options, std::vector<Expansion>& out) const;
  bool line_search(ModePoint& point, double slope);
  void leave_saddle(ModePoint& point, int attempt);
  double rounding(const ModePoint& point) const;

  const Problem& problem_;
  std::vector<LogDensity> l_;
  std::vector<Expansion> tops_;  // of each log p, once they were needed
  Sites sites_;
  Conditioned q_;
  Vector slope_, alpha_step_, eta_step_;  // (n) l' - alpha, and the Newton step
  double residual_ = 0;
  int steps_ = 0;
  bool true_curvature_ = true;
  bool saddle_ = false;
};

}  // namespace ggpm::internal
