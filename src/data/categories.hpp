// Text that is meant as names, not as numbers.
#pragma once

#include "ggpm/data.hpp"

namespace ggpm::internal::data {

// A text column of which most cells are numbers, or numbers written in another way ("1,5", "1'000",
// "0x1F", "١٢"), is a column of numbers with mistakes in it: DataError names the first one.
void require_categories(const Table& table, const Column& column);

}  // namespace ggpm::internal::data
