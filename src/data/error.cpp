#include <fmt/format.h>

#include "ggpm/types.hpp"
#include "text/text.hpp"

namespace ggpm {

using namespace internal;

namespace {

std::string sentence(const Place& place, const std::string& problem) {
  std::string where;
  if (place.row > 0) where = fmt::format("row {}", place.row);
  if (!place.column.empty())
    where += (where.empty() ? "column " : ", column ") + in_quotes(place.column);
  std::string out = place.source;
  if (!where.empty()) out += (out.empty() ? "" : ": ") + where;
  if (!out.empty()) out += ": ";
  if (!place.argument.empty()) out += place.argument + " = ";
  return out + problem;
}

}  // namespace

DataError::DataError(Place place, std::string problem, Remedy remedy)
    : Error(sentence(place, problem), remedy),
      place_(std::move(place)),
      problem_(std::move(problem)) {}

NumericalError::NumericalError(const Place& place, const std::string& problem)
    : Error(sentence(place, problem)) {}

}  // namespace ggpm
