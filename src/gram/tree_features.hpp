// Inducing points that stand for one summand of the kernel alone.
//
// Along a cut, values of the sum separate the two sides as far as its summands fade with distance.
// Constant, linear, periodic and group terms do not: what they are is said from one end of the data
// to the other. Such a term has few degrees of freedom, and values u_j = f_t(z_j) of the term itself
// hold all of them: with
//   Cov(u_j, eta(x)) = k_t(z_j, x),   Cov(u_i, u_j) = k_t(z_i, z_j), 0 between different terms,
// at the root, where every row sees them, the tree is exact for that term, and its cuts need
// separate the other summands only.
#pragma once

#include <vector>

#include "ggpm/kernel.hpp"
#include "gram/tree_structure.hpp"

namespace ggpm::internal {

// Where terms that do not fade with distance have their points, at most `most` of them each; a term
// that needs more has none. `fading`: what is left of the kernel, at least one term.
struct TreeFeatures {
  Matrix points;             // (count, d)
  std::vector<Index> terms;  // (count) ascending, of Kernel::terms()
  std::vector<Kernel> fading;
};
TreeFeatures find_features(const Kernel& kernel, const Matrix& X, Index most);

// Covariances of rows and points, and their adjoints, for one kernel.
class PointKernel {
 public:
  PointKernel(const TreeStructure& tree, const Kernel& kernel);

  // (rows, points of the front)
  void to_points(const Matrix& X, const TreeFront& front, Matrix& K) const;
  Vector pull_back_to_points(const Matrix& X, const TreeFront& front, const Matrix& Kbar) const;
  // (own points of the front, all of its points)
  void among_points(const TreeFront& front, Matrix& K) const;
  Vector pull_back_among_points(const TreeFront& front, const Matrix& Kbar) const;

  // What the jitter of points is measured by. Points of one summand are a group, and so are all others, last.
  Index groups() const { return std::ssize(terms_) + 1; }
  Index group_of(Index point) const;
  // (groups) Mean variances at the root's points, K of which is given: a small part of that of the summand, and all of
  // what fades. A large summand with points of its own would else drown what the others are to tell of small ones.
  Vector variances(const TreeFront& root, const Matrix& K) const;
  Vector pull_back_variances(const TreeFront& root, const Vector& adjoint) const;

 private:
  struct Term {
    Kernel kernel;
    Index begin, end;       // its points
    Index first_parameter;  // in those of the whole kernel
  };
  struct Side {
    const Matrix& points;
    Index features;  // so many of them first
  };
  // Calls block(kernel, first parameter, rows of a, of b) for all pairs that vary together.
  template <class Visit>
  void each_block(const Side& a, const Side& b, const Visit& visit) const;
  void cross(const Side& a, const Side& b, Matrix& K) const;
  Vector pull_back(const Side& a, const Side& b, const Matrix& Kbar) const;
  Side side(const TreeFront& front) const { return {front.points, features_}; }

  const Kernel& kernel_;
  std::vector<Term> terms_;
  Index features_ = 0;
};

}  // namespace ggpm::internal
