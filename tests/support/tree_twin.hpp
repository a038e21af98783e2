// The prior that a tree stands for as an explicit matrix, built from the points of the structure
// alone: every own point is drawn given the active ones, every leaf given its front.
#pragma once

#include <algorithm>
#include <vector>

#include "ggpm/kernel.hpp"
#include "gram/tree_structure.hpp"
#include "support/algebra.hpp"

namespace ggpm::testing_support {

using namespace internal;  // NOLINT: tests look inside

class TreeTwin {
 public:
  TreeTwin(const TreeStructure& tree, const Kernel& kernel, double relative_jitter = 1e-9)
      : tree_(tree), kernel_(kernel) {
    Index total = 0;
    for (const TreeFront& front : tree.fronts) total += front.own();
    for (const KernelTerm& term : kernel.terms()) terms_.push_back(term.kernel);
    measure_jitter(relative_jitter);
    Index used = 0;
    for (const TreeFront& front : tree.fronts) {
      U_.push_back(values_of(front, total, used));
      used += front.own();
      W_.push_back(U_.back());
      if (front.size() > 0) W_.back() = solved(noisy(front, 0, front.size()), U_.back());
    }
  }

  // Of the training rows, in the order of the data, and of new rows Z after them. White noise is on
  // the diagonal.
  Matrix covariance(const Matrix& X, const Matrix& Z = Matrix()) const {
    Matrix all(X.rows() + Z.rows(), X.cols());
    all.topRows(X.rows()) = X;
    if (Z.rows() > 0) all.bottomRows(Z.rows()) = Z;
    const Index n = all.rows();
    std::vector<Index> leaf(static_cast<std::size_t>(n));
    for (std::size_t l = 0; l < tree_.leaves.size(); ++l)
      for (Index i = tree_.leaves[l].begin; i < tree_.leaves[l].end; ++i)
        leaf[static_cast<std::size_t>(tree_.order[static_cast<std::size_t>(i)])] = Index(l);
    for (Index i = X.rows(); i < n; ++i) leaf[static_cast<std::size_t>(i)] = tree_.leaf_of(all, i);

    Matrix weights = Matrix::Zero(n, U_[0].cols());
    for (Index i = 0; i < n; ++i)
      weights.row(i) = row_given_front(all.row(i), leaf[std::size_t(i)]);
    Matrix out = weights * weights.transpose(), exact;
    kernel_.gram(all, exact);
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < n; ++i)
        if (leaf[std::size_t(i)] == leaf[std::size_t(j)]) out(i, j) = exact(i, j);
    return out;
  }

 private:
  // Point i of a front is a value of one summand, or of the kernel.
  const Kernel& of(Index i) const {
    return i < std::ssize(tree_.terms) ? terms_[std::size_t(tree_.terms[std::size_t(i)])] : kernel_;
  }
  static double value(const Kernel& kernel, const Matrix& a, const Matrix& b) {
    Matrix out(1, 1);
    kernel.cross(a, b, out);
    return out(0, 0);
  }
  double between(const TreeFront& front, Index i, Index j) const {
    const Index features = std::ssize(tree_.terms);
    if (i < features && j < features && tree_.terms[std::size_t(i)] != tree_.terms[std::size_t(j)])
      return 0;
    return value(i < features ? of(i) : of(j), front.points.row(i), front.points.row(j));
  }
  Matrix among(const TreeFront& front, Index begin, Index end) const {
    Matrix out(end - begin, end - begin);
    for (Index j = begin; j < end; ++j)
      for (Index i = begin; i < end; ++i) out(i - begin, j - begin) = between(front, i, j);
    return out;
  }
  Matrix noisy(const TreeFront& front, Index begin, Index end) const {
    Matrix out = among(front, begin, end);
    for (Index i = begin; i < end; ++i) out(i - begin, i - begin) += jitter_[std::size_t(group(i))];
    return out;
  }

  // Points of one summand, or (last) of the kernel, which counts without summands that have points but for 1e-4.
  Index group(Index i) const {
    return i < std::ssize(tree_.terms) ? tree_.terms[std::size_t(i)] : std::ssize(terms_);
  }
  void measure_jitter(double relative) {
    const TreeFront& root = tree_.fronts[0];
    std::vector<double> sum(terms_.size() + 1, 0.0), count(terms_.size() + 1, 0.0);
    for (Index i = 0; i < root.size(); ++i) {
      const auto g = std::size_t(group(i));
      const Matrix z = root.points.row(i);
      double variance = value(of(i), z, z);
      if (g == terms_.size() && !tree_.terms.empty()) {
        variance *= 1 + 1e-4;
        for (std::size_t t = 0; t < terms_.size(); ++t)
          if (std::count(tree_.terms.begin(), tree_.terms.end(), Index(t)) > 0)
            variance -= value(terms_[t], z, z);
      }
      sum[g] += variance;
      count[g] += 1;
    }
    for (std::size_t g = 0; g < sum.size(); ++g)
      jitter_.push_back(count[g] > 0 ? (g < terms_.size() ? 1e-3 : 1) * relative * sum[g] / count[g]
                                     : 0);
  }

  // Values at the points as combinations of independent standard normal numbers.
  Matrix values_of(const TreeFront& front, Index total, Index used) const {
    Matrix U = Matrix::Zero(front.size(), total);
    const Index a = front.active, r = front.own();
    for (Index i = 0; i < a; ++i)
      U.row(i) = U_[std::size_t(front.parent)].row(front.pruned() ? front.kept[std::size_t(i)] : i);
    Matrix S = noisy(front, a, front.size());
    if (a > 0) {
      const Matrix KAZ = among(front, 0, front.size()).topRightCorner(a, r);
      const Matrix W = solved(noisy(front, 0, a), KAZ).transpose();
      U.bottomRows(r) = W * U.topRows(a);
      S -= W * KAZ;
    }
    if (r > 0) U.block(a, used, r, r) = cholesky_of(S);
    return U;
  }

  Eigen::RowVectorXd row_given_front(const Matrix& x, Index leaf) const {
    const Index f = tree_.leaves[std::size_t(leaf)].front;
    const Matrix& points = tree_.fronts[std::size_t(f)].points;
    Eigen::RowVectorXd k(points.rows());
    for (Index i = 0; i < points.rows(); ++i) k[i] = value(of(i), x, points.row(i));
    return k * W_[std::size_t(f)];
  }

  const TreeStructure& tree_;
  const Kernel& kernel_;
  std::vector<Kernel> terms_;
  std::vector<double> jitter_;  // by group
  std::vector<Matrix> U_, W_;   // by front: values, and K^-1 times them
};

}  // namespace ggpm::testing_support
