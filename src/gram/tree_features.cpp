#include "gram/tree_features.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>

#include "gram/tree_points.hpp"
#include "index.hpp"

namespace ggpm::internal {
namespace {

constexpr std::array<std::string_view, 5> kGlobal{
    "constant", "linear", "poly", "periodic", "group"};
constexpr Index kMostCandidates = 1000;
// Of the variance of the term, that may be left. Data tell much smaller parts of it from zero where a term is nearly
// constant: a periodic one of variance 400 and length-scale 50 has 1e-7 of it in its second harmonic.
constexpr double kExplained = 1e-12;
// Of the variance of the sum, that counts as fading: what is left of it after the others has errors of rounding.
constexpr double kShare = 1e-4;
// Points of a summand are few and were chosen apart from each other: a jitter of 1e-9 of its variance, the usual one, would be
// more than what a nearly constant one varies by.
constexpr double kOfTerms = 1e-3;

// One row for each of the values that the term looks at, or where there are many some at random.
std::vector<Index> candidates(const KernelTerm& term, const Matrix& X) {
  std::map<std::vector<double>, Index> distinct;
  for (Index i = 0; i < X.rows() && std::ssize(distinct) <= kMostCandidates; ++i) {
    std::vector<double> values;
    for (const Index j : term.inputs) values.push_back(X(i, j));
    distinct.try_emplace(std::move(values), i);
  }
  std::vector<Index> rows;
  if (std::ssize(distinct) <= kMostCandidates)
    for (const auto& [values, row] : distinct) rows.push_back(row);
  else
    for (Index i = 0; i < kMostCandidates; ++i)
      rows.push_back(static_cast<Index>(mix_bits(static_cast<std::uint64_t>(i)) %
                                        static_cast<std::uint64_t>(X.rows())));
  return rows;
}

// Cholesky with pivots: the rows that explain the term at all others; none if `most` are not enough.
std::optional<std::vector<Index>> spanning_rows(const KernelTerm& term,
                                                const Matrix& X,
                                                Index most) {
  const std::vector<Index> rows = candidates(term, X);
  const auto n = static_cast<Index>(rows.size());
  const Matrix Z = X(rows, Eigen::all);
  Vector left = term.kernel.diagonal(Z);
  const double enough = kExplained * left.maxCoeff();
  Matrix L(n, std::min(n, most)), column;
  std::vector<Index> out;
  for (Index k = 0;; ++k) {
    Index pivot = 0;
    if (!(left.maxCoeff(&pivot) > enough)) return out;
    if (k == L.cols()) return std::nullopt;
    term.kernel.cross(Z, Z.row(pivot), column);
    L.col(k) =
        (column.col(0) - L.leftCols(k) * L.row(pivot).head(k).transpose()) / std::sqrt(left[pivot]);
    left -= L.col(k).cwiseAbs2();
    left[pivot] = 0;
    out.push_back(rows[at(pivot)]);
  }
}

}  // namespace

TreeFeatures find_features(const Kernel& kernel, const Matrix& X, Index most) {
  TreeFeatures out{.points = Matrix(0, X.cols())};
  const std::vector<KernelTerm> terms = kernel.terms();
  for (Index t = 0; t < std::ssize(terms); ++t) {
    const KernelTerm& term = terms[at(t)];
    if (term.type == "white") continue;
    const bool global = std::find(kGlobal.begin(), kGlobal.end(), term.type) != kGlobal.end();
    const auto rows = global ? spanning_rows(term, X, most) : std::nullopt;
    if (!rows) {
      out.fading.push_back(term.kernel);
      continue;
    }
    const Index before = out.points.rows(), count = std::ssize(*rows);
    out.points.conservativeResize(before + count, Eigen::NoChange);
    out.points.bottomRows(count) = X(*rows, Eigen::all);
    out.terms.insert(out.terms.end(), at(count), t);
  }
  if (out.fading.empty()) out.fading.push_back(kernel);
  return out;
}

PointKernel::PointKernel(const TreeStructure& tree, const Kernel& kernel)
    : kernel_(kernel), features_(std::ssize(tree.terms)) {
  if (features_ == 0) return;
  const std::vector<KernelTerm> all = kernel.terms();
  Index parameter = 0;
  for (Index t = 0; t < std::ssize(all); ++t) {
    const auto [begin, end] = std::equal_range(tree.terms.begin(), tree.terms.end(), t);
    if (begin != end)
      terms_.push_back(
          {all[at(t)].kernel, begin - tree.terms.begin(), end - tree.terms.begin(), parameter});
    parameter += std::ssize(all[at(t)].kernel.parameters());
  }
}

template <class Visit>
void PointKernel::each_block(const Side& a, const Side& b, const Visit& visit) const {
  const auto size = [](const Side& s) { return s.points.rows() - s.features; };
  visit(kernel_, Index{0}, a.features, size(a), b.features, size(b));
  for (const Term& term : terms_) {
    const Index count = term.end - term.begin;
    const auto with = [&](Index i, Index rows, Index j, Index cols) {
      visit(term.kernel, term.first_parameter, i, rows, j, cols);
    };
    if (a.features > 0) with(term.begin, count, b.features, size(b));
    if (b.features > 0) with(a.features, size(a), term.begin, count);
    if (a.features > 0 && b.features > 0) with(term.begin, count, term.begin, count);
  }
}

void PointKernel::cross(const Side& a, const Side& b, Matrix& K) const {
  if (features_ == 0) return kernel_.cross(a.points, b.points, K);
  K.setZero(a.points.rows(), b.points.rows());
  Matrix block;
  each_block(a, b, [&](const Kernel& kernel, Index, Index i, Index rows, Index j, Index cols) {
    if (rows == 0 || cols == 0) return;
    kernel.cross(a.points.middleRows(i, rows), b.points.middleRows(j, cols), block);
    K.block(i, j, rows, cols) = block;
  });
}

Vector PointKernel::pull_back(const Side& a, const Side& b, const Matrix& Kbar) const {
  if (features_ == 0) return kernel_.pull_back_cross(a.points, b.points, Kbar);
  Vector out = Vector::Zero(std::ssize(kernel_.parameters()));
  each_block(
      a, b, [&](const Kernel& kernel, Index first, Index i, Index rows, Index j, Index cols) {
        if (rows == 0 || cols == 0) return;
        const Vector part = kernel.pull_back_cross(a.points.middleRows(i, rows),
                                                   b.points.middleRows(j, cols),
                                                   Kbar.block(i, j, rows, cols));
        out.segment(first, part.size()) += part;
      });
  return out;
}

void PointKernel::to_points(const Matrix& X, const TreeFront& front, Matrix& K) const {
  cross({X, 0}, side(front), K);
}

Vector PointKernel::pull_back_to_points(const Matrix& X,
                                        const TreeFront& front,
                                        const Matrix& Kbar) const {
  return pull_back({X, 0}, side(front), Kbar);
}

void PointKernel::among_points(const TreeFront& front, Matrix& K) const {
  const Matrix own = front.points.bottomRows(front.own());
  cross({own, front.parent < 0 ? features_ : 0}, side(front), K);
}

Vector PointKernel::pull_back_among_points(const TreeFront& front, const Matrix& Kbar) const {
  const Matrix own = front.points.bottomRows(front.own());
  return pull_back({own, front.parent < 0 ? features_ : 0}, side(front), Kbar);
}

Index PointKernel::group_of(Index point) const {
  for (std::size_t t = 0; t < terms_.size(); ++t)
    if (point < terms_[t].end) return static_cast<Index>(t);
  return std::ssize(terms_);
}

Vector PointKernel::variances(const TreeFront& root, const Matrix& K) const {
  Vector out = Vector::Zero(groups());
  for (std::size_t t = 0; t < terms_.size(); ++t)
    out[static_cast<Index>(t)] =
        kOfTerms * K.diagonal().segment(terms_[t].begin, terms_[t].end - terms_[t].begin).mean();
  const Index others = root.size() - features_;
  if (others == 0) return out;
  const double all = K.diagonal().tail(others).mean();
  double fading = all;
  for (const Term& term : terms_)
    fading -= term.kernel.diagonal(root.points.bottomRows(others)).mean();
  out[groups() - 1] = terms_.empty() ? all : fading + kShare * all;
  return out;
}

Vector PointKernel::pull_back_variances(const TreeFront& root, const Vector& adjoint) const {
  const Index others = root.size() - features_;
  Vector diagonal(root.size());
  for (std::size_t t = 0; t < terms_.size(); ++t) {
    const Index count = terms_[t].end - terms_[t].begin;
    diagonal.segment(terms_[t].begin, count)
        .setConstant(kOfTerms * adjoint[static_cast<Index>(t)] / double(count));
  }
  const double each = others > 0 ? adjoint[groups() - 1] / double(others) : 0;
  diagonal.tail(others).setConstant(terms_.empty() ? each : (1 + kShare) * each);
  Vector out = pull_back_among_points(root, diagonal.asDiagonal().toDenseMatrix());
  const Vector taken = Vector::Constant(others, -each);
  for (const Term& term : terms_) {
    const Vector part = term.kernel.pull_back_diagonal(root.points.bottomRows(others), taken);
    out.segment(term.first_parameter, part.size()) += part;
  }
  return out;
}

}  // namespace ggpm::internal
