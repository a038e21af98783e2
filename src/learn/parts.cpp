#include "learn/parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "numeric/random.hpp"

namespace ggpm::internal {
namespace {

constexpr Index kSparse = 4;  // of so many rows one is taken: from then on, neighbors as well
constexpr Index kFewestCells = 5, kMostCells = 40, kRowsPerCell = 50;
constexpr Index kFirstPart = 500;    // rows that the inference method begins with
constexpr double kEnoughRows = 1.4;  // times as many: a part of them is not worth the trouble
constexpr double kGrowth = 7;

// A distance within which there are more rows than `count`, most probably: by some rows at even steps.
double likely_reach(const Vector& distance, Index count) {
  constexpr Index kLookedAt = 4096, kMore = 2, kAtLeast = 8;
  const Index step = std::max<Index>(1, distance.size() / kLookedAt);
  std::vector<double> some;
  for (Index i = 0; i < distance.size(); i += step) some.push_back(distance[i]);
  const Index place = kMore * count / step + kAtLeast;
  if (place >= std::ssize(some)) return std::numeric_limits<double>::infinity();
  std::nth_element(some.begin(), some.begin() + place, some.end());
  return some[static_cast<std::size_t>(place)];
}

// The rows not yet taken that are nearest to `center`, inputs in units of their spread.
void take_neighbors(
    const Matrix& X, const Vector& scale, Index center, Index count, std::vector<bool>& taken) {
  Vector distance = Vector::Zero(X.rows());
  for (Index j = 0; j < X.cols(); ++j)
    distance.array() += ((X.col(j).array() - X(center, j)) * scale[j]).square();
  const auto within = [&](double reach) {
    std::vector<Index> out;
    for (Index i = 0; i < X.rows(); ++i)
      if (distance[i] <= reach && !taken[static_cast<std::size_t>(i)]) out.push_back(i);
    return out;
  };
  std::vector<Index> rows = within(likely_reach(distance, count));
  if (std::ssize(rows) < count) rows = within(std::numeric_limits<double>::infinity());
  count = std::min(count, std::ssize(rows));
  const auto nearer = [&](Index a, Index b) {
    return distance[a] != distance[b] ? distance[a] < distance[b] : a < b;
  };
  std::nth_element(rows.begin(), rows.begin() + count, rows.end(), nearer);
  for (Index k = 0; k < count; ++k)
    taken[static_cast<std::size_t>(rows[static_cast<std::size_t>(k)])] = true;
}

}  // namespace

std::vector<Index> part_of_rows(const Matrix& X, Index count, std::uint64_t seed) {
  const Index n = X.rows();
  if (n <= count) return {};
  if (n < kSparse * count) return numeric::some_of(n, count, seed);
  std::vector<bool> taken(static_cast<std::size_t>(n), false);
  for (const Index row : numeric::some_of(n, count - count / 2, seed))
    taken[static_cast<std::size_t>(row)] = true;

  Vector scale(X.cols());
  for (Index j = 0; j < X.cols(); ++j) {
    const double spread = std::sqrt((X.col(j).array() - X.col(j).mean()).square().mean());
    scale[j] = spread > 0 && std::isfinite(1 / spread) ? 1 / spread : 0;
  }
  const Index cells = std::clamp(count / 2 / kRowsPerCell, kFewestCells, kMostCells);
  std::mt19937_64 random = numeric::random_stream(seed, static_cast<std::uint64_t>(count));
  for (Index cell = 0, left = count / 2; cell < cells; ++cell) {
    const Index size = left / (cells - cell);
    const auto center =
        static_cast<Index>(numeric::uniform_below(static_cast<std::uint64_t>(n), random));
    take_neighbors(X, scale, center, size, taken);
    left -= size;
  }
  std::vector<Index> out;
  for (Index i = 0; i < n; ++i)
    if (taken[static_cast<std::size_t>(i)]) out.push_back(i);
  return out;
}

std::vector<Index> growing_parts(Index n) {
  const auto all = static_cast<double>(n), first = static_cast<double>(kFirstPart);
  if (all <= kEnoughRows * first) return {n};
  const int steps =
      std::max(1, static_cast<int>(std::ceil(std::log(all / first) / std::log(kGrowth))));
  std::vector<Index> out;
  out.reserve(static_cast<std::size_t>(steps) + 1);
  for (int k = 0; k < steps; ++k)
    out.push_back(
        static_cast<Index>(std::lround(first * std::pow(all / first, k / double(steps)))));
  out.push_back(n);
  return out;
}

}  // namespace ggpm::internal
