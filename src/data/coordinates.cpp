#include "data/coordinates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <numbers>
#include <string_view>

#include "text/text.hpp"

namespace ggpm::internal::data {
namespace {

constexpr std::array<std::string_view, 4> kLongitudes = {"longitude", "lon", "lng", "long"};
constexpr std::array<std::string_view, 2> kLatitudes = {"latitude", "lat"};

std::string in_lower_case(std::string_view text) {
  std::string out;
  for (const char c : text) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

template <class Names>
bool is_one_of(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), in_lower_case(name)) != names.end();
}

using Place = std::vector<DesignColumn*>;

template <class Is>
DesignColumn* only(std::vector<DesignColumn>& columns, const Is& is) {
  DesignColumn* found = nullptr;
  for (DesignColumn& column : columns) {
    if (!column.levels.empty() || column.is_date || !is(column.name)) continue;
    if (found != nullptr) return nullptr;  // "lon" and "longitude": which?
    found = &column;
  }
  return found;
}

// Two numeric inputs that nobody would call so unless they were.
Place place_by_names(std::vector<DesignColumn>& columns) {
  const auto named = [](std::string_view wanted) {
    return [wanted](const std::string& name) { return in_lower_case(name) == wanted; };
  };
  DesignColumn *a = only(columns, is_longitude), *b = only(columns, is_latitude);
  if (a != nullptr && b != nullptr) return {a, b};
  a = only(columns, named("easting"));
  b = only(columns, named("northing"));
  return a != nullptr && b != nullptr ? Place{a, b} : Place{};
}

Place place_of(const std::vector<std::string>& named, std::vector<DesignColumn>& columns) {
  if (named.empty()) return place_by_names(columns);
  if (named.size() == 1 && named.front() == "none") return {};
  Place out;
  for (const std::string& name : named) {
    const auto found = std::find_if(columns.begin(), columns.end(), [&](const DesignColumn& c) {
      return c.name == name && c.levels.empty();
    });
    if (found == columns.end())
      throw UsageError("coordinates: " + in_quotes(name) +
                       " is not an input of numbers; name two or more that are");
    out.push_back(&*found);
  }
  if (out.size() < 2)
    throw UsageError("coordinates: one column is scaled by itself anyway; name two or more");
  return out;
}

// How long a degree of the column is, in degrees of latitude; 1 for what is no longitude.
double length_of_degree(const Table& table, const Place& place, const DesignColumn& column) {
  const auto is_lat = [](const DesignColumn* c) { return is_latitude(c->name); };
  const auto latitude = std::find_if(place.begin(), place.end(), is_lat);
  if (!is_longitude(column.name) || latitude == place.end()) return 1;
  const auto largest = [&](const std::string& name) {
    return numeric_column(table, name).cwiseAbs().maxCoeff();
  };
  const double middle = (*latitude)->center;
  if (largest((*latitude)->name) > 90 || largest(column.name) > 360 || std::abs(middle) > 80)
    return 1;  // not degrees, or around a pole
  return std::cos(middle * std::numbers::pi / 180);
}

}  // namespace

bool is_longitude(std::string_view name) { return is_one_of(kLongitudes, name); }
bool is_latitude(std::string_view name) { return is_one_of(kLatitudes, name); }

void scale_places(const Table& table,
                  const std::vector<std::string>& named,
                  std::vector<DesignColumn>& columns,
                  std::vector<std::string>& notes) {
  const Place place = place_of(named, columns);
  if (place.empty()) return;
  double square = 0;
  std::vector<double> lengths;
  std::vector<std::string> names;
  for (const DesignColumn* column : place) {
    lengths.push_back(length_of_degree(table, place, *column));
    names.push_back(in_quotes(column->name));
    square += std::pow(column->scale * lengths.back(), 2) / static_cast<double>(place.size());
  }
  const double together = std::sqrt(square);
  if (!(together > 0) || !std::isfinite(together)) return;
  std::string degrees;
  for (std::size_t k = 0; k < place.size(); ++k) {
    place[k]->scale = together / lengths[k];
    place[k]->unit = together;
    if (lengths[k] != 1)
      degrees =
          fmt::format("; a degree of {} counts {:.3f} of one of latitude", names[k], lengths[k]);
  }
  notes.push_back(fmt::format(
      "columns {} are places in one space and scaled together{}", text::listed(names), degrees));
}

}  // namespace ggpm::internal::data
