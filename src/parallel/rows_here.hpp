// The rows whose numbers a rank keeps, and what is said of the rows of all ranks.
//
// Rows belong to groups, and a group to one rank. A sum over all rows is that of the groups in their
// order, each added up row by row in the order of the data: it has the same bits for any number of
// ranks. Rows here are numbered in the order of the data, too, so that who is alone need not know of
// groups.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "index.hpp"
#include "parallel/ranks.hpp"

namespace ggpm::internal {

class RowsHere {
 public:
  // All of them, in one group.
  explicit RowsHere(Index all = 0) : all_(all), size_(all) {}

  struct Groups {
    std::span<const Index> order;     // rows of the data, group by group; lives as long as this
    std::vector<Index> borders;       // (groups + 1) in `order`
    std::vector<Index> rank_borders;  // (ranks + 1) groups
    Index first = 0, last = 0;        // those here; some are of two ranks where there are few
    Ranks* ranks = nullptr;
  };
  explicit RowsHere(Groups groups);

  Index all() const { return all_; }
  Index size() const { return size_; }
  bool divided() const { return ranks_ != nullptr; }                     // others have other rows
  Index row(Index i) const { return rows_.empty() ? i : rows_[at(i)]; }  // of the data
  const std::vector<Index>& chosen() const { return rows_; }             // the same, where divided
  Index begin() const { return begin_; }  // of those here, in the order of groups
  Index groups() const { return borders_.empty() ? 1 : std::ssize(borders_) - 1; }

  Vector here(const Vector& all) const;        // of numbers of all rows, those here
  Vector everywhere(Vector here) const;        // of those here, of all rows
  Vector by_group(const Vector& here) const;   // in the order of groups
  Vector by_row(const Vector& grouped) const;  // back to the order of the data

  // Over all rows, of what body(i) says of each row here.
  template <class Body>
  double sum(const Body& body) const {
    return sums(1, [&](Index i, auto&& to) { to[0] += body(i); })[0];
  }
  // Of vectors of as many numbers as there are rows here, or of several such, one below the other.
  double dot(const Vector& a, const Vector& b) const {
    if (groups() == 1) return a.dot(b);
    return sum([&](Index i) {
      double product = 0;
      for (Index k = i; k < a.size(); k += size_) product += a[k] * b[k];
      return product;
    });
  }
  // The same of several numbers: body(i, to) adds to each of them.
  template <class Body>
  Vector sums(Index count, const Body& body) const {
    Matrix parts = Matrix::Zero(count, groups());
    for (Index i = 0; i < size_; ++i) body(i, parts.col(group(i)));
    return total(parts);
  }
  // Of what body(rows here, in the order of the data) says of each group, in threads.
  Vector sums_of_groups(Index count,
                        const std::function<Vector(const std::vector<Index>&)>& body) const;
  // What body says of each group, `rows` times `columns` numbers, one below the other.
  Matrix stacked(Index rows,
                 Index columns,
                 const std::function<Matrix(const std::vector<Index>&)>& body) const;

  // Of what is known of the rows here.
  double largest(double here) const { return divided() ? -least_of_ranks(-here) : here; }
  bool every(bool here) const { return divided() ? least_of_ranks(here ? 1 : 0) > 0 : here; }
  // Work on them; an error of one rank is an error of all.
  void together(const std::function<void()>& work) const;

 private:
  Index group(Index i) const { return group_.empty() ? 0 : group_[at(i)]; }
  Vector total(Matrix& parts) const;  // a column for each group, of which those here are known
  void gather(Matrix& parts) const;
  // body(group, its rows here), in threads, of groups that are here.
  void for_groups(const std::function<void(Index, const std::vector<Index>&)>& body) const;

  Index all_ = 0, size_ = 0, begin_ = 0;
  std::span<const Index> order_;
  std::vector<Index> borders_, rank_borders_;
  std::vector<Index> rows_;          // here, of the data, ascending; empty: all
  std::vector<Index> places_;        // in the order of groups -> here; empty: `order`
  std::vector<std::int32_t> group_;  // of a row here; empty: one for all
  Ranks* ranks_ = nullptr;
};

}  // namespace ggpm::internal
