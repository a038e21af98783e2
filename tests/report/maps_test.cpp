#include "report/maps.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace ggpm::internal::report {
namespace {

SavedModel model_of(std::vector<std::string> columns) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-2, 2);
  const auto d = static_cast<Index>(columns.size());
  Dataset data{.X = Matrix(50, d), .observed = {.y = Vector(50)}, .columns = std::move(columns)};
  for (Index i = 0; i < 50; ++i) {
    for (Index j = 0; j < d; ++j) data.X(i, j) = uniform(random);
    data.observed.y[i] = 3 * data.X(i, 0);
  }
  return {.model = GeneralizedGP::fit(data, {.kernel = "rbf(1, 2)"}, {.optimize = false})};
}

std::vector<const Input*> pointers(const Subject& subject) {
  std::vector<const Input*> out;
  for (const Input& input : subject.inputs()) out.push_back(&input);
  return out;
}

TEST(MapInputs, AreTheFirstTwoNumbersOrPlacesOnEarth) {
  const SavedModel plain = model_of({"a", "b", "c"}), earth = model_of({"a", "Lat", "lon"}),
                   one = model_of({"a"});
  const Subject of_plain(plain), of_earth(earth), of_one(one);
  const MapInputs first = map_inputs(pointers(of_plain)), place = map_inputs(pointers(of_earth));
  EXPECT_EQ(first.x->name, "a");
  EXPECT_EQ(first.y->name, "b");
  EXPECT_EQ(place.x->name, "lon");
  EXPECT_EQ(place.y->name, "Lat");
  EXPECT_EQ(map_inputs(pointers(of_one)).y, nullptr);
}

TEST(MapInputs, DegreesOfLongitudeShrinkTowardsThePoles) {
  Input lon{.name = "lon", .range = {0, 10}}, lat{.name = "lat", .range = {55, 65}};
  EXPECT_NEAR(map_inputs({&lon, &lat}).aspect, 1 / std::cos(60 * 3.14159265358979 / 180), 0.401);
  lat.range = {-5, 5};
  EXPECT_NEAR(map_inputs({&lon, &lat}).aspect, 1, 1e-12);
}

TEST(MapCharts, ShowThePredictedMeanAtItsPlace) {
  const SavedModel saved = model_of({"a", "b"});
  const Subject subject(saved);
  const std::vector<Chart> charts = map_charts(subject, map_inputs(pointers(subject)));
  ASSERT_EQ(charts.size(), 3U);
  const Layer& cells = charts[0].layers.front();
  for (std::size_t k = 0; k < cells.x.size(); k += 97) {
    Matrix X(1, 2);
    X << (cells.x[k] + cells.x2[k]) / 2, (cells.y[k] + cells.y2[k]) / 2;
    EXPECT_NEAR(cells.value[k], saved.model.predictive({.X = X}).mean()[0], 1e-9);
  }
  const auto strongest = std::max_element(cells.shade.begin(), cells.shade.end());
  EXPECT_GT(cells.value[static_cast<std::size_t>(strongest - cells.shade.begin())], 4);
  EXPECT_EQ(charts[2].layers.front().x.size(), 50U);
}

}  // namespace
}  // namespace ggpm::internal::report
