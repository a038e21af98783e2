// Tables from their text.
#pragma once

#include <string>

#include "ggpm/data.hpp"

namespace ggpm::testing_support {

inline Table table_of(const std::string& text, const CsvOptions& options = {}) {
  return parse_csv(text, "t.csv", options);
}

}  // namespace ggpm::testing_support
