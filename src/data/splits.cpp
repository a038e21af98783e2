#include "ggpm/splits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>

#include "numeric/random.hpp"

namespace ggpm {

using namespace internal;

namespace {

Split split_at(const std::vector<Index>& order, std::size_t begin, std::size_t end) {
  Split out;
  for (std::size_t i = 0; i < order.size(); ++i)
    (i >= begin && i < end ? out.test : out.train).push_back(order[i]);
  std::sort(out.train.begin(), out.train.end());
  std::sort(out.test.begin(), out.test.end());
  return out;
}

}  // namespace

std::vector<Split> random_splits(Index rows, Index train, int count, std::uint64_t seed) {
  if (train < 1 || train >= rows)
    throw UsageError(fmt::format(
        "splits: {} of {} rows for training; at least one must be left on each side", train, rows));
  if (count < 1) throw UsageError("splits: at least one is needed");
  std::mt19937_64 random(seed);
  std::vector<Split> out;
  out.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    out.push_back(split_at(numeric::shuffled(rows, random),
                           static_cast<std::size_t>(train),
                           static_cast<std::size_t>(rows)));
  return out;
}

std::vector<Split> k_folds(Index rows, int folds, int repeats, std::uint64_t seed) {
  if (folds < 2 || folds > rows)
    throw UsageError(
        fmt::format("folds: {} of {} rows; there can be from 2 to {}", folds, rows, rows));
  if (repeats < 1) throw UsageError("folds: at least one repeat is needed");
  std::mt19937_64 random(seed);
  std::vector<Split> out;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const std::vector<Index> order = numeric::shuffled(rows, random);
    const std::size_t n = order.size(), k = static_cast<std::size_t>(folds);
    for (std::size_t fold = 0; fold < k; ++fold)
      out.push_back(split_at(order, fold * n / k, (fold + 1) * n / k));
  }
  return out;
}

std::vector<Split> group_folds(std::span<const Index> groups,
                               int folds,
                               int repeats,
                               std::uint64_t seed) {
  std::map<Index, std::vector<Index>> rows_of;
  for (std::size_t i = 0; i < groups.size(); ++i)
    rows_of[groups[i]].push_back(static_cast<Index>(i));
  std::vector<std::vector<Index>> members;
  members.reserve(rows_of.size());
  for (auto& [group, rows] : rows_of) members.push_back(std::move(rows));
  const auto count = static_cast<Index>(members.size());
  if (folds < 2 || folds > count)
    throw UsageError(
        fmt::format("folds: {} of {} groups; there can be from 2 to {}", folds, count, count));
  std::mt19937_64 random(seed);
  std::vector<Split> out;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    std::vector<std::vector<Index>> parts(static_cast<std::size_t>(folds));
    const auto smaller = [](const auto& a, const auto& b) { return a.size() < b.size(); };
    for (const Index group : numeric::shuffled(count, random)) {
      const std::vector<Index>& rows = members[static_cast<std::size_t>(group)];
      auto smallest = std::min_element(parts.begin(), parts.end(), smaller);
      smallest->insert(smallest->end(), rows.begin(), rows.end());
    }
    for (std::vector<Index>& part : parts) {
      std::sort(part.begin(), part.end());
      Split split{.train = {}, .test = part};
      for (Index i = 0; i < static_cast<Index>(groups.size()); ++i)
        if (!std::binary_search(part.begin(), part.end(), i)) split.train.push_back(i);
      out.push_back(std::move(split));
    }
  }
  return out;
}

std::vector<Split> forward_splits(const Vector& times, int folds) {
  std::vector<double> sorted(times.begin(), times.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> begins;  // of the parts that are predicted
  for (int k = 1; k <= folds; ++k) {
    const double at =
        sorted[static_cast<std::size_t>(k) * sorted.size() / (static_cast<std::size_t>(folds) + 1)];
    if (at > sorted.front() && (begins.empty() || at > begins.back())) begins.push_back(at);
  }
  if (static_cast<int>(begins.size()) != folds)
    throw UsageError(fmt::format(
        "folds: {} parts in time and one before them need more different times", folds));
  std::vector<Split> out;
  for (std::size_t k = 0; k < begins.size(); ++k) {
    Split split;
    const double end =
        k + 1 < begins.size() ? begins[k + 1] : std::numeric_limits<double>::infinity();
    for (Index i = 0; i < times.size(); ++i) {
      if (times[i] < begins[k])
        split.train.push_back(i);
      else if (times[i] < end)
        split.test.push_back(i);
    }
    out.push_back(std::move(split));
  }
  return out;
}

std::vector<Index> spatial_blocks(const Matrix& places, Index blocks) {
  const Index n = places.rows();
  if (blocks < 1 || blocks > n)
    throw UsageError(fmt::format("blocks: {} of {} rows; there can be from 1 to {}", blocks, n, n));
  std::vector<Index> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), Index{0});
  std::vector<std::vector<Index>> parts = {std::move(all)};
  const auto smaller = [](const auto& a, const auto& b) { return a.size() < b.size(); };
  while (std::ssize(parts) < blocks) {
    auto largest = std::max_element(parts.begin(), parts.end(), smaller);
    std::vector<Index> rows = std::move(*largest);
    Index axis = 0;
    double widest = -1;
    for (Index j = 0; j < places.cols(); ++j) {
      const Vector x = places(rows, j);
      if (x.maxCoeff() - x.minCoeff() > widest) {
        widest = x.maxCoeff() - x.minCoeff();
        axis = j;
      }
    }
    std::stable_sort(rows.begin(), rows.end(), [&](Index a, Index b) {
      return places(a, axis) < places(b, axis);
    });
    const auto middle = rows.begin() + std::ssize(rows) / 2;
    largest->assign(rows.begin(), middle);
    parts.emplace_back(middle, rows.end());
  }
  std::vector<Index> out(static_cast<std::size_t>(n));
  for (std::size_t k = 0; k < parts.size(); ++k)
    for (const Index i : parts[k]) out[static_cast<std::size_t>(i)] = static_cast<Index>(k);
  return out;
}

namespace {

// A share below 1 or a number of rows.
Index training_rows(double train, Index rows) {
  if (!(train > 0) || (train >= 1 && train != std::floor(train)))
    throw UsageError(
        fmt::format("train: {} is neither a share such as 0.7 nor a number of rows", train));
  const double count = train < 1 ? std::round(train * static_cast<double>(rows)) : train;
  if (count < 1 || count >= static_cast<double>(rows))
    throw UsageError(fmt::format("train: {} of {} rows leaves nothing to {}",
                                 train,
                                 rows,
                                 count < 1 ? "train with" : "test with"));
  return static_cast<Index>(count);
}

}  // namespace

std::vector<Split> make_splits(const SplitOptions& options, Index rows) {
  if (options.folds > 0)
    return k_folds(rows, options.folds, std::max(1, options.splits), options.seed);
  return random_splits(rows,
                       training_rows(options.train, rows),
                       options.splits > 0 ? options.splits : 10,
                       options.seed);
}

}  // namespace ggpm
