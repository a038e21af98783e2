#include "data/dates.hpp"

#include <gtest/gtest.h>

namespace ggpm::internal::data {
namespace {

TEST(Dates, AreDaysSince1970) {
  EXPECT_EQ(parse_date("1970-01-01"), 0);
  EXPECT_EQ(parse_date("1970/01/02"), 1);
  EXPECT_EQ(parse_date(" 2024-02-29 "), 19782);
  EXPECT_EQ(parse_date("1969-12-31"), -1);
  EXPECT_EQ(parse_date("1970-01-02 06:00"), 1.25);
  EXPECT_EQ(parse_date("1970-01-02T12:00:00Z"), 1.5);
  EXPECT_EQ(parse_date("1970-01-01 00:00:00.5"), 0.5 / 86400);
}

TEST(Dates, AreNothingElse) {
  for (const char* cell : {"2023-02-29",
                           "2024-13-01",
                           "2024-1-1",
                           "01-02-2024",
                           "20240102",
                           "2024",
                           "",
                           "2024-01-02 25:00",
                           "2024-01-02 10:60",
                           "10-20",
                           "2024-01-02x",
                           "2024-01-02 10",
                           "2024-01-02T10:00:0"})
    EXPECT_FALSE(parse_date(cell)) << cell;
}

}  // namespace
}  // namespace ggpm::internal::data
