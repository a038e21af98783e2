#include "parallel/rows_here.hpp"

#include <algorithm>
#include <stdexcept>

#include "parallel/threads.hpp"

namespace ggpm::internal {

RowsHere::RowsHere(Groups groups)
    : all_(std::ssize(groups.order)),
      order_(groups.order),
      borders_(std::move(groups.borders)),
      rank_borders_(std::move(groups.rank_borders)) {
  begin_ = borders_[at(groups.first)];
  const auto mine = order_.subspan(at(begin_), at(borders_[at(groups.last)] - begin_));
  size_ = std::ssize(mine);
  if (size_ < all_) {
    ranks_ = groups.ranks;
    rows_.assign(mine.begin(), mine.end());
    std::sort(rows_.begin(), rows_.end());
    for (const Index row : mine)
      places_.push_back(std::lower_bound(rows_.begin(), rows_.end(), row) - rows_.begin());
  }
  group_.resize(at(size_));
  for (Index g = groups.first; g < groups.last; ++g)
    for (Index k = borders_[at(g)] - begin_; k < borders_[at(g + 1)] - begin_; ++k)
      group_[at(rows_.empty() ? mine[at(k)] : places_[at(k)])] = static_cast<std::int32_t>(g);
}

Vector RowsHere::here(const Vector& all) const {
  return rows_.empty() || all.size() == 0 ? all : Vector(all(rows_));
}

Vector RowsHere::everywhere(Vector here) const {
  if (!divided()) return here;
  Vector grouped(all_), out(all_);
  grouped.segment(begin_, size_) = by_group(here);
  std::vector<Index> borders;
  for (const Index group : rank_borders_) borders.push_back(borders_[at(group)]);
  ranks_->gather_all({grouped.data(), at(all_)}, borders);
  for (Index k = 0; k < all_; ++k) out[order_[at(k)]] = grouped[k];
  return out;
}

Vector RowsHere::by_group(const Vector& here) const {
  if (borders_.empty()) return here;
  const auto places = rows_.empty() ? order_ : std::span<const Index>(places_);
  Vector out(size_);
  for (Index k = 0; k < size_; ++k) out[k] = here[places[at(k)]];
  return out;
}

Vector RowsHere::by_row(const Vector& grouped) const {
  if (borders_.empty()) return grouped;
  const auto places = rows_.empty() ? order_ : std::span<const Index>(places_);
  Vector out(size_);
  for (Index k = 0; k < size_; ++k) out[places[at(k)]] = grouped[k];
  return out;
}

void RowsHere::gather(Matrix& parts) const {
  if (!divided()) return;
  if (ranks_in_step() != ranks_)
    throw std::logic_error("rows that ranks share were asked by a thread that is not in step");
  const Index each = parts.size() / groups();
  std::vector<Index> borders = rank_borders_;
  for (Index& border : borders) border *= each;
  ranks_->gather_all({parts.data(), at(parts.size())}, borders);
}

Vector RowsHere::total(Matrix& parts) const {
  gather(parts);
  return parts.rowwise().sum();
}

void RowsHere::for_groups(const std::function<void(Index, const std::vector<Index>&)>& body) const {
  std::vector<std::vector<Index>> members(at(groups()));
  for (Index i = 0; i < size_; ++i) members[at(group(i))].push_back(i);
  for_blocks(groups(), 1, 0, [&](Index begin, Index end) {
    for (Index g = begin; g < end; ++g)
      if (!members[at(g)].empty()) body(g, members[at(g)]);
  });
}

Vector RowsHere::sums_of_groups(
    Index count, const std::function<Vector(const std::vector<Index>&)>& body) const {
  Matrix parts = Matrix::Zero(count, groups());
  for_groups([&](Index g, const std::vector<Index>& rows) { parts.col(g) = body(rows); });
  return total(parts);
}

Matrix RowsHere::stacked(Index rows,
                         Index columns,
                         const std::function<Matrix(const std::vector<Index>&)>& body) const {
  Matrix parts = Matrix::Zero(rows * columns, groups());
  for_groups(
      [&](Index g, const std::vector<Index>& some) { parts.col(g) = body(some).reshaped(); });
  gather(parts);
  Matrix out(rows * groups(), columns);
  for (Index g = 0; g < groups(); ++g)
    out.middleRows(g * rows, rows) = parts.col(g).reshaped(rows, columns);
  return out;
}

void RowsHere::together(const std::function<void()>& work) const {
  if (divided())
    fail_together(work);
  else
    work();
}

}  // namespace ggpm::internal
