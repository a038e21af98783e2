// Harrell's C for outputs of which some are known only to lie between two ends.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ggpm/score.hpp"

namespace ggpm {
namespace {

// How many of the predictions that were added are below a place, by partial sums.
class Counts {
 public:
  explicit Counts(std::size_t size) : sums_(size + 1, 0) {}
  void add(std::size_t place) {
    for (std::size_t i = place + 1; i < sums_.size(); i += i & (~i + 1)) ++sums_[i];
  }
  double below(std::size_t place) const {
    double sum = 0;
    for (std::size_t i = place; i > 0; i -= i & (~i + 1)) sum += static_cast<double>(sums_[i]);
    return sum;
  }

 private:
  std::vector<Index> sums_;
};

}  // namespace

Lifetime Lifetime::of(const Row& row, double predicted) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const bool interval = row.is_interval();
  return {.lower = !interval && row.censored < 0 ? -infinity : row.y,
          .upper = interval           ? row.upper
                   : row.censored > 0 ? infinity
                                      : row.y,
          .predicted = predicted};
}

// i is known to come before j where i's upper end is below j's lower one: with rows j by descending
// lower end and rows i by descending upper end, the pairs of i are those added so far.
double concordance(std::vector<Lifetime> rows) {
  std::vector<double> predicted;
  for (Lifetime& row : rows) {
    predicted.push_back(row.predicted);
    // Who was censored outlives whom died at the same time.
    if (row.lower < row.upper)
      row.lower = std::nextafter(row.lower, std::numeric_limits<double>::infinity());
  }
  std::sort(predicted.begin(), predicted.end());
  const auto count_below = [&](double value) {
    return static_cast<std::size_t>(std::lower_bound(predicted.begin(), predicted.end(), value) -
                                    predicted.begin());
  };
  const auto count_upto = [&](double value) {
    return static_cast<std::size_t>(std::upper_bound(predicted.begin(), predicted.end(), value) -
                                    predicted.begin());
  };
  std::vector<Lifetime> by_lower = rows;
  std::sort(by_lower.begin(), by_lower.end(), [](const Lifetime& a, const Lifetime& b) {
    return a.lower > b.lower;
  });
  std::sort(rows.begin(), rows.end(), [](const Lifetime& a, const Lifetime& b) {
    return a.upper > b.upper;
  });
  Counts later(predicted.size());
  double added = 0, concordant = 0, comparable = 0;
  auto next = by_lower.begin();
  for (const Lifetime& row : rows) {
    for (; next != by_lower.end() && next->lower > row.upper; ++next, ++added)
      later.add(count_below(next->predicted));
    const double below = later.below(count_below(row.predicted));
    const double upto = later.below(count_upto(row.predicted));
    comparable += added;
    concordant += added - upto + (upto - below) / 2;
  }
  return comparable > 0 ? concordant / comparable : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace ggpm
