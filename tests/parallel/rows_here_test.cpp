// What is said of all rows has the same bits, whoever keeps them.
#include "parallel/rows_here.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <random>

#include "support/thread_ranks.hpp"

namespace ggpm::internal {
namespace {

constexpr Index kTableRows = 500, kTableGroups = 7;

struct Table {
  Table() {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    order.resize(kTableRows);
    for (Index i = 0; i < kTableRows; ++i) order[at(i)] = i;
    std::shuffle(order.begin(), order.end(), random);
    for (Index g = 0; g <= kTableGroups; ++g)
      borders.push_back(g == 3 ? 190 : kTableRows * g / kTableGroups);
    const auto numbers = [&] { return normal(random) * std::exp(5 * normal(random)); };
    a = Vector::NullaryExpr(kTableRows, numbers);
    b = Vector::NullaryExpr(kTableRows, numbers);
    for (Index g = 0; g < kTableGroups; ++g)
      std::sort(order.begin() + borders[at(g)], order.begin() + borders[at(g + 1)]);
  }
  std::vector<Index> order, borders;
  Vector a, b;
};

RowsHere rows_of(const Table& table, int rank, int ranks) {
  RowsHere::Groups groups{.order = table.order,
                          .borders = table.borders,
                          .rank_borders = equal_parts(kTableGroups, ranks),
                          .ranks = ranks_in_step()};
  groups.first = groups.rank_borders[at(rank)];
  groups.last = groups.rank_borders[at(rank + 1)];
  return RowsHere(std::move(groups));
}

// All that can be asked.
std::vector<double> answers(const Table& table, const RowsHere& rows) {
  const Vector a = rows.here(table.a), b = rows.here(table.b);
  EXPECT_EQ(a.size(), rows.size());
  for (Index i = 0; i < rows.size(); ++i) EXPECT_EQ(a[i], table.a[rows.row(i)]);
  EXPECT_EQ(rows.by_row(rows.by_group(a)), a);
  for (Index k = 0; k < rows.size(); ++k)
    EXPECT_EQ(rows.by_group(a)[k], table.a[table.order[at(rows.begin() + k)]]);
  EXPECT_EQ(rows.everywhere(a), table.a);
  std::vector<double> out = {rows.dot(a, b), rows.sum([&](Index i) { return a[i]; })};
  Vector both(2 * a.size()), other(2 * a.size());
  both << a, b;
  other << b, b;
  out.push_back(rows.dot(both, other));
  const Vector two = rows.sums(2, [&](Index i, auto&& to) {
    to[0] += a[i];
    to[1] += b[i] * b[i];
  });
  out.insert(out.end(), two.begin(), two.end());
  const Vector groups = rows.sums_of_groups(
      1, [&](const std::vector<Index>& some) { return Vector::Constant(1, a(some).prod()); });
  out.push_back(groups[0]);
  const Matrix stacked = rows.stacked(2, 1, [&](const std::vector<Index>& some) {
    return Matrix{{a(some).sum()}, {static_cast<double>(some.size())}};
  });
  out.insert(out.end(), stacked.data(), stacked.data() + stacked.size());
  out.push_back(rows.largest(a.maxCoeff()));
  out.push_back(rows.every((a.array() < out.back()).all()) ? 1 : 0);
  out.push_back(rows.every((a.array() <= out[out.size() - 2]).all()) ? 1 : 0);
  return out;
}

TEST(RowsHere, SaysTheSameForAnyNumberOfRanks) {
  const Table table;
  const RowsHere alone = rows_of(table, 0, 1);
  EXPECT_FALSE(alone.divided());
  const std::vector<double> all = answers(table, alone);
  EXPECT_EQ(all[all.size() - 2], 0);
  EXPECT_EQ(all[all.size() - 1], 1);
  for (const int ranks : {2, 3, 7})
    ThreadJob(ranks).run([&](int rank) {
      const RowsHere rows = rows_of(table, rank, ranks);
      EXPECT_TRUE(rows.divided());
      EXPECT_LT(rows.size(), kTableRows);
      EXPECT_EQ(answers(table, rows), all);
    });
}

TEST(RowsHere, InOneGroupIsThePlainVector) {
  const Table table;
  const RowsHere rows(kTableRows);
  EXPECT_FALSE(rows.divided());
  EXPECT_EQ(rows.here(table.a), table.a);
  EXPECT_EQ(rows.everywhere(table.a), table.a);
  EXPECT_EQ(rows.dot(table.a, table.b), table.a.dot(table.b));
  EXPECT_EQ(rows.row(7), 7);
}

TEST(RowsHere, AnErrorOfOneRankIsThatOfAll) {
  const Table table;
  std::atomic<int> told = 0;
  ThreadJob(3).run([&](int rank) {
    const RowsHere rows = rows_of(table, rank, 3);
    try {
      rows.together([&] {
        if (rank == 1) throw NumericalError("only here");
      });
    } catch (const NumericalError& error) {
      EXPECT_STREQ(error.what(), "only here");
      ++told;
    }
  });
  EXPECT_EQ(told, 3);
}

}  // namespace
}  // namespace ggpm::internal
