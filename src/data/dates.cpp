#include "data/dates.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>

#include "text/text.hpp"

namespace ggpm::internal::data {
namespace {

// Takes digits and what follows them off the front of a text; false at the first that is not there.
class Taker {
 public:
  explicit Taker(std::string_view text) : rest_(text) {}

  bool digits(std::size_t count, int& value) {
    const std::string_view word = rest_.substr(0, count);
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (word.size() < count || !std::all_of(word.begin(), word.end(), is_digit)) return false;
    std::from_chars(word.data(), word.data() + count, value);
    rest_.remove_prefix(count);
    return true;
  }
  bool one_of(std::string_view characters) {
    if (rest_.empty() || characters.find(rest_.front()) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool done() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

// "13:45", "13:45:30", "13:45:30.25", each with Z or without; the part of a day.
std::optional<double> take_time(Taker& taker) {
  int hour = 0, minute = 0, second = 0;
  if (!taker.digits(2, hour) || !taker.one_of(":") || !taker.digits(2, minute)) return std::nullopt;
  if (taker.one_of(":") && !taker.digits(2, second)) return std::nullopt;
  double fraction = 0, place = 0.1;
  if (taker.one_of("."))
    for (int digit = 0; taker.digits(1, digit); place /= 10) fraction += place * digit;
  taker.one_of("Z");
  if (!taker.done() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  return (hour * 3600 + minute * 60 + second + fraction) / 86400;
}

}  // namespace

std::optional<double> parse_date(std::string_view cell) {
  Taker taker(text::trimmed(cell));
  int year = 0, month = 0, day = 0;
  if (!taker.digits(4, year) || !taker.one_of("-/") || !taker.digits(2, month) ||
      !taker.one_of("-/") || !taker.digits(2, day))
    return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  const double days = static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
  if (taker.done()) return days;
  if (!taker.one_of("T ")) return std::nullopt;
  const std::optional<double> time = take_time(taker);
  if (!time) return std::nullopt;
  return days + *time;
}

bool holds_dates(const Column& column) {
  if (!column.is_text || column.levels.empty()) return false;
  return std::all_of(column.levels.begin(), column.levels.end(), [](const std::string& level) {
    return parse_date(level).has_value();
  });
}

}  // namespace ggpm::internal::data
