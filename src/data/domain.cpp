#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ggpm/data.hpp"

namespace ggpm {
namespace {

constexpr double kLargestExactCount = 9007199254740992;  // 2^53: beyond it, counts are rounded

std::string range(double lowest, double highest) {
  return lowest == highest ? format_number(lowest)
                           : format_number(lowest) + "…" + format_number(highest);
}

}  // namespace

DomainGuess recognize_domain(const Vector& y, bool has_trials) {
  if (y.size() == 0) throw DataError("target: there are no rows");
  if (!y.allFinite()) throw DataError("target: not every value is a finite number");
  const double lowest = y.minCoeff(), highest = y.maxCoeff();
  const bool whole = (y.array() == y.array().floor()).all();
  const auto answer = [&](Domain domain, std::string_view what, std::string_view name) {
    const char* rows = y.size() == 1 ? "row" : "rows";
    return DomainGuess{domain, fmt::format("{} {}, {} → {}", y.size(), rows, what, name)};
  };

  if (has_trials && lowest >= 0 && (whole || highest <= 1))
    return answer(Domain::fraction_of_trials,
                  fmt::format("{} {} with trials given",
                              whole ? "all whole numbers" : "all within",
                              range(lowest, highest)),
                  "successes of trials");
  if (whole && lowest >= 0 && highest <= 1) {
    const auto ones = static_cast<Index>(y.sum());
    return answer(Domain::binary, fmt::format("all 0 or 1, {} are 1", ones), "binary");
  }
  if (whole && lowest >= 0 && highest <= kLargestExactCount) {
    const bool two_values = ((y.array() == lowest) || (y.array() == highest)).all();
    const std::string hint =
        two_values && lowest < highest ? " (if these are two classes, code them as 0 and 1)" : "";
    return answer(Domain::count, "all whole numbers " + range(lowest, highest), "count" + hint);
  }
  if (lowest > 0 && highest < 1)
    return answer(
        Domain::proportion, "all between 0 and 1: " + range(lowest, highest), "proportion");
  if (lowest >= 0 && highest <= 1) {
    const Index edges = ((y.array() == 0) || (y.array() == 1)).count();
    return answer(Domain::real,
                  fmt::format("all within 0…1, but {} exactly 0 or 1, which a proportion "
                              "(beta) excludes",
                              edges == 1 ? "one is" : fmt::format("{} are", edges)),
                  "real (give the trials if these are fractions of them)");
  }
  if (lowest > 0)
    return answer(Domain::positive, "all positive: " + range(lowest, highest), "positive");
  const Index negative = (y.array() < 0).count(), zero = (y.array() == 0).count();
  if (negative == 0 && zero < y.size())
    return answer(
        Domain::nonnegative,
        fmt::format("{} of them 0, the others positive: {}", zero, range(lowest, highest)),
        "nonnegative");
  return answer(Domain::real,
                fmt::format("{} of them negative: {}", negative, range(lowest, highest)),
                "real");
}

}  // namespace ggpm
