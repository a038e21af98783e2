// Climbs with a curvature that is known roughly: that of fewer rows, scaled. Steps are those of
// Newton's method inside of a box that grows and shrinks (a trust region); every evaluation, also one
// that is refused, corrects the curvature (BFGS). From the optimum of a part of the rows that takes a
// dozen evaluations on all of them, where L-BFGS, which begins with a multiple of the identity, takes
// more than twenty.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "gram/lapack.hpp"
#include "learn/parallel.hpp"
#include "learn/walk.hpp"

namespace ggpm::internal {
namespace {

constexpr double kFirstBox = 1, kLargestBox = 4, kSmallestBox = 1e-6;  // half width
constexpr double kSmallestCurvature = 1e-3;  // nats: a flat direction allows long steps, not any
constexpr double kLargestCurvature = 1e100;  // beyond, products of it overflow
constexpr double kLittle = 20;               // times the tolerance
constexpr double kDifference = 0.02;         // of coordinates, for a first curvature
constexpr double kHope = 3;  // climbs have gained so many times what their first step promised

// Symmetric, and curved downwards by at least a little in every direction.
Matrix made_positive(const Matrix& given) {
  // Outputs of 1e-300 and 1e300 have gradients of no use: the box alone decides how far to go.
  if (!(given.cwiseAbs().array() < kLargestCurvature).all())
    return Matrix::Identity(given.rows(), given.cols());
  Matrix vectors = (given + given.transpose()) / 2;
  Vector values = lapack::eigen_symmetric(vectors);
  for (double& value : values) value = std::max(std::abs(value), kSmallestCurvature);
  return vectors * values.asDiagonal() * vectors.transpose();
}

class QuasiNewton final : public Walk {
 public:
  QuasiNewton(Objective& objective, const Climb& from, const ClimbOptions& options)
      : Walk(objective, from.at, options), B_(from.curvature), box_(kFirstBox) {
    lower_.resize(size());
    upper_.resize(size());
    for (Index k = 0; k < size(); ++k) {
      lower_[k] = coordinates_.lower(static_cast<std::size_t>(k));
      upper_[k] = coordinates_.upper(static_cast<std::size_t>(k));
    }
  }

  Climb measure(const Climb& end) {
    out_ = end;
    try {
      out_.curvature = first_curvature();
    } catch (const StopRun&) {
      out_.stopped = true;
    }
    return std::move(out_);
  }

  Climb go() {
    try {
      evaluate(out_.at, /*first=*/true);
      if (out_.usable) climb();
    } catch (const StopRun&) {
      out_.stopped = true;
    }
    out_.curvature = std::move(B_);
    return std::move(out_);
  }

 private:
  Index size() const { return static_cast<Index>(coordinates_.size()); }

  Vector slopes(const Vector& gradient, const Vector& at) const {
    Vector out(size());
    for (Index k = 0; k < size(); ++k)
      out[k] = coordinates_.slope(gradient, at, static_cast<std::size_t>(k));
    return out;
  }
  Vector place(const Vector& at) const {
    const std::vector<double> x = coordinates_.of(at);
    return Eigen::Map<const Vector>(x.data(), size());
  }

  Vector moved(const Vector& x) const {
    Vector at = out_.at;
    coordinates_.move(at, x.data());
    return at;
  }

  void climb() {
    B_ = B_.rows() == size() ? made_positive(B_) : first_curvature();
    while (size() > 0 && out_.evaluations < options_.max_evaluations) {
      const Vector x = place(out_.at), g = slopes(out_.best.gradient, out_.at);
      const double value = out_.best.objective;
      const Vector s = step(x, g, box_);
      const double promised = promise(g, s);
      // A small box promises little wherever it is; what a whole step would is what tells the end.
      const Vector farther = step(x, g, std::max(box_, kFirstBox));
      const double whole = promise(g, farther);
      if (whole < options_.tolerance || box_ < kSmallestBox) {
        out_.converged = whole < options_.tolerance || flat();
        if (whole < options_.tolerance) out_.ahead = moved(x + farther);
        return;
      }
      if (value + kHope * whole < options_.hopeless) return;
      out_.curvature = B_;  // whoever keeps a better point keeps it as well
      const Vector at = moved(x + s);
      evaluate(at, /*first=*/false);
      if (last_failed_) {
        box_ = 0.25 * s.cwiseAbs().maxCoeff();
        continue;
      }
      correct(s, g - slopes(last_gradient_, at));
      const double gain = last_value_ - value;
      if (gain < 0.25 * promised) box_ = 0.3 * s.cwiseAbs().maxCoeff();
      if (gain > 0.7 * promised) box_ = std::min(2 * box_, kLargestBox);
      // Along a slope that levels off without an end, promises are kept and are next to nothing.
      const bool little = promised < kLittle * options_.tolerance || flat();
      if (gain >= 0 && gain < options_.tolerance && little) {
        out_.converged = true;
        return;
      }
    }
    out_.converged = size() == 0;
  }

  double promise(const Vector& g, const Vector& s) const { return g.dot(s) - 0.5 * s.dot(B_ * s); }

  // Towards the top of the parabola inside of the bounds and of the box around x. Where the walls
  // leave that without a promise, along what they leave of the gradient.
  Vector step(const Vector& x, const Vector& g, double box) const {
    const Walls walls = {(lower_ - x).cwiseMax(-box).cwiseMin(0.0),
                         (upper_ - x).cwiseMin(box).cwiseMax(0.0)};
    const Vector newton = to_the_top(g, walls);
    const Vector along = up_the_slope(g, walls);
    return promise(g, newton) >= promise(g, along) ? newton : along;
  }

  // As far as a step may go in each coordinate.
  struct Walls {
    Vector below, above;
    double inside(Index k, double step) const { return std::clamp(step, below[k], above[k]); }
  };

  // Coordinates that the top would take beyond their walls go there, one after another, and the
  // others to where the top is then: a flat direction does not shorten the step along the others.
  Vector to_the_top(const Vector& g, const Walls& walls) const {
    Vector s = Vector::Zero(size());
    std::vector<Index> open(static_cast<std::size_t>(size()));
    std::iota(open.begin(), open.end(), Index{0});
    while (!open.empty()) {
      for (const Index k : open) s[k] = 0;
      Matrix L = B_(open, open);
      Vector free = (g - B_ * s)(open);
      if (!lapack::cholesky(L)) return Vector::Zero(size());
      lapack::solve(L, free);
      lapack::solve_transposed(L, free);
      std::size_t worst = open.size();
      double excess = 0;
      for (std::size_t j = 0; j < open.size(); ++j) {
        const Index k = open[j];
        s[k] = free[static_cast<Index>(j)];
        const double beyond = std::abs(s[k] - walls.inside(k, s[k]));
        if (beyond > excess) {
          excess = beyond;
          worst = j;
        }
      }
      if (worst == open.size()) break;
      s[open[worst]] = walls.inside(open[worst], s[open[worst]]);
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(worst));
    }
    for (Index k = 0; k < size(); ++k) s[k] = walls.inside(k, s[k]);
    return s;
  }
  Vector up_the_slope(const Vector& g, const Walls& walls) const {
    Vector s = g;
    for (Index k = 0; k < size(); ++k)
      if (walls.inside(k, g[k] > 0 ? 1e-9 : -1e-9) == 0) s[k] = 0;
    const double bent = s.dot(B_ * s);
    if (!(bent > 0)) return s;
    s *= g.dot(s) / bent;
    double part = 1;  // up to the first wall
    for (Index k = 0; k < size(); ++k)
      if (s[k] != 0) part = std::min(part, walls.inside(k, s[k]) / s[k]);
    return part * s;
  }
  // BFGS, with Powell's damping where the function is not curved downwards along s.
  void correct(const Vector& s, Vector y) {
    const Vector Bs = B_ * s;
    const double sBs = s.dot(Bs), sy = s.dot(y);
    if (!(sBs > 0)) return;
    constexpr double kLeast = 0.2;
    if (sy < kLeast * sBs) {
      const double part = (1 - kLeast) * sBs / (sBs - sy);
      y = part * y + (1 - part) * Bs;
    }
    const Matrix next = B_ + y * y.transpose() / s.dot(y) - Bs * Bs.transpose() / sBs;
    if ((next.cwiseAbs().array() < kLargestCurvature).all()) B_ = (next + next.transpose()) / 2;
  }

  // By differences of gradients: as many evaluations as there are coordinates.
  Matrix first_curvature() {
    const Vector x = place(out_.at), g = slopes(out_.best.gradient, out_.at);
    const Vector start = out_.at;
    Matrix B = Matrix::Identity(size(), size());
    for (Index k = 0; k < size(); ++k) {
      // Towards the side where there is room, preferably uphill.
      double h = g[k] < 0 ? -kDifference : kDifference;
      if (x[k] + h < lower_[k] || x[k] + h > upper_[k]) h = -h;
      Vector moved = x, at = start;
      moved[k] = std::clamp(x[k] + h, lower_[k], upper_[k]);
      h = moved[k] - x[k];
      coordinates_.move(at, moved.data());
      if (h == 0) continue;
      evaluate(at, /*first=*/false);
      if (!last_failed_) B.col(k) = (g - slopes(last_gradient_, at)) / h;
    }
    return made_positive(B);
  }

  Matrix B_;  // minus the second derivatives, roughly
  double box_;
  Vector lower_, upper_;  // bounds of the coordinates
};

}  // namespace

Climb climb_from(Objective& objective, const Climb& from, const ClimbOptions& options) {
  return QuasiNewton(objective, from, options).go();
}

Climb with_curvature(Objective& objective, const Climb& end, const ClimbOptions& options) {
  return QuasiNewton(objective, end, options).measure(end);
}

}  // namespace ggpm::internal
