#include "gram/tree_points.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "index.hpp"

namespace ggpm::internal {
namespace {

constexpr int kSteps = 5;
constexpr Index kRowsPerCenter = 20;  // more rows do not make better centers

// The first `count` of a shuffle of [0, n).
std::vector<Index> sample(Index n, Index count, std::uint64_t seed) {
  std::vector<Index> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), Index{0});
  for (Index i = 0; i < count; ++i) {
    const auto left = static_cast<std::uint64_t>(n - i);
    const auto j = i + static_cast<Index>(mix_bits(seed + static_cast<std::uint64_t>(i)) % left);
    std::swap(all[at(i)], all[at(j)]);
  }
  all.resize(static_cast<std::size_t>(count));
  return all;
}

// Points are columns here: (d, n).
Matrix chosen(const Matrix& X, const std::vector<Index>& columns) {
  Matrix out(X.rows(), static_cast<Index>(columns.size()));
  for (std::size_t i = 0; i < columns.size(); ++i)
    out.col(static_cast<Index>(i)) = X.col(columns[i]);
  return out;
}

bool precedes(const Matrix& X, Index a, Index b) {
  return std::lexicographical_compare(
      X.col(a).begin(), X.col(a).end(), X.col(b).begin(), X.col(b).end());
}

Matrix without_repetition(const Matrix& X) {
  std::vector<Index> all(static_cast<std::size_t>(X.cols()));
  std::iota(all.begin(), all.end(), Index{0});
  std::stable_sort(all.begin(), all.end(), [&](Index a, Index b) { return precedes(X, a, b); });
  const auto same = [&](Index a, Index b) { return X.col(a) == X.col(b); };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  std::sort(all.begin(), all.end());
  return chosen(X, all);
}

// So many columns at even steps along the widest coordinate: along a cut, centers that begin so leave
// no gap, and the posterior mean is twice as near as with those that begin at random.
std::vector<Index> evenly(const Matrix& X, Index count, std::uint64_t seed) {
  const auto first = static_cast<Index>(seed % static_cast<std::uint64_t>(X.cols()));
  Index widest = 0;
  (X.rowwise().maxCoeff() - X.rowwise().minCoeff()).maxCoeff(&widest);
  std::vector<Index> all(static_cast<std::size_t>(X.cols()));
  std::iota(all.begin(), all.end(), Index{0});
  std::stable_sort(
      all.begin(), all.end(), [&](Index a, Index b) { return X(widest, a) < X(widest, b); });
  std::vector<Index> out;
  for (Index k = 0; k < count; ++k) out.push_back(all[at((k * X.cols() + first) / count)]);
  return out;
}

Index nearest(const Matrix& centers, const double* x) {
  const Index d = centers.rows();
  Index best = 0;
  double smallest = std::numeric_limits<double>::infinity();
  for (Index c = 0; c < centers.cols(); ++c) {
    double sum = 0;
    for (Index j = 0; j < d; ++j) sum += (x[j] - centers(j, c)) * (x[j] - centers(j, c));
    if (sum < smallest) smallest = sum, best = c;
  }
  return best;
}

void lloyd_step(const Matrix& X, Matrix& centers) {
  Matrix sum = Matrix::Zero(centers.rows(), centers.cols());
  Vector count = Vector::Zero(centers.cols());
  for (Index i = 0; i < X.cols(); ++i) {
    const Index c = nearest(centers, X.col(i).data());
    sum.col(c) += X.col(i);
    count[c] += 1;
  }
  for (Index c = 0; c < centers.cols(); ++c)
    if (count[c] > 0) centers.col(c) = sum.col(c) / count[c];
}

}  // namespace

std::uint64_t mix_bits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

Matrix kmeans_centers(Matrix rows, Index count, std::uint64_t seed) {
  const Index most = kRowsPerCenter * count;
  Matrix X = rows.transpose();
  if (X.cols() > most) X = chosen(X, sample(X.cols(), most, mix_bits(seed)));
  const Matrix distinct = without_repetition(X);
  if (distinct.cols() <= count) return distinct.transpose();
  Matrix centers = chosen(distinct, evenly(distinct, count, mix_bits(seed + 1)));
  for (int step = 0; step < kSteps; ++step) lloyd_step(X, centers);
  return without_repetition(centers).transpose();
}

}  // namespace ggpm::internal
