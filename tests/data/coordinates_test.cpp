// Places are scaled together: what is isotropic on the map is isotropic in X.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ggpm/data.hpp"
#include "support/close.hpp"

namespace ggpm {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

Table map(const std::string& x, const std::string& y, double middle = 60) {
  Table table("map.csv");
  table.add_numbers(x, {0, 4, 8, 12});
  table.add_numbers(y, {middle + 1, middle - 1, middle + 1, middle - 1});
  table.add_numbers("height", {100, 300, 200, 50});
  return table;
}

// Distance in X of two rows, in units of the place.
double distance(const Design& design, const Table& table, Index a, Index b) {
  const Matrix X = design.apply(table);
  return design.columns()[1].unit * (X.row(a) - X.row(b)).head(2).norm();
}

TEST(Coordinates, AreRecognizedByTheirNames) {
  const Table table = map("Longitude", "lat");
  const Design design = Design::learn(table, {});
  const double degree = std::cos(60 * M_PI / 180);  // of longitude, in degrees of latitude
  EXPECT_CLOSE(distance(design, table, 0, 2), 8 * degree, 1e-12);
  EXPECT_CLOSE(distance(design, table, 0, 1), std::hypot(4 * degree, 2), 1e-12);
  EXPECT_THAT(design.notes(), Contains(HasSubstr("'Longitude', 'lat' are places in one space")));
  EXPECT_CLOSE(design.apply(table).leftCols(2).squaredNorm() / 8, 1, 1e-12);  // of order 1
  EXPECT_EQ(design.units()[0], design.units()[1]);
}

TEST(Coordinates, AreThoseThatAreNamed) {
  const Table table = map("u", "v");
  EXPECT_THAT(Design::learn(table, {}).notes(), Not(Contains(HasSubstr("places"))));
  const Design design = Design::learn(table, {.coordinates = {"u", "v"}});
  EXPECT_CLOSE(distance(design, table, 0, 1), std::hypot(4, 2), 1e-12);
}

TEST(Coordinates, ThatAreNoDegreesAreScaledTogetherOnly) {
  const Table table = map("lon", "lat", 5000);
  EXPECT_CLOSE(distance(Design::learn(table, {}), table, 0, 1), std::hypot(4, 2), 1e-12);
}

TEST(Coordinates, AreLeftAloneWhenAsked) {
  const Table table = map("lon", "lat");
  const Design alone = Design::learn(table, {.coordinates = {"none"}});
  EXPECT_CLOSE(alone.apply(table).col(1).squaredNorm() / 4, 1, 1e-12);
  const Design raw = Design::learn(table, {.standardize = false});
  EXPECT_EQ(raw.apply(table)(3, 0), 12);
  EXPECT_EQ(raw.units()[0], 1);
}

TEST(Coordinates, AreInputsOfNumbers) {
  const Table table = map("lon", "lat");
  EXPECT_THROW(Design::learn(table, {.coordinates = {"lon", "z"}}), UsageError);
  EXPECT_THROW(Design::learn(table, {.coordinates = {"lon"}}), UsageError);
}

}  // namespace
}  // namespace ggpm
