#include <gtest/gtest.h>

#include "ggpm/engine_report.hpp"
#include "gram/engine.hpp"

namespace ggpm::internal {
namespace {

TEST(EngineForecast, AutoIsDenseForFewRowsAndSaysSoWhereItIsNot) {
  EXPECT_EQ(engine_forecast({}, 100, 2), "");
  EXPECT_EQ(engine_forecast({.name = "tree"}, 1000, 2), "");  // asked for, and soon done
  const std::string tree = engine_forecast({}, 100000, 2);
  EXPECT_NE(tree.find("engine tree for 100000 rows: an evaluation takes about"), std::string::npos);
  EXPECT_NE(tree.find("an approximation"), std::string::npos);
  const std::string dense = engine_forecast({.name = "dense"}, 20000, 2);
  EXPECT_NE(dense.find(" s and 9.6 GB"), std::string::npos) << dense;
  EXPECT_EQ(dense.find("an approximation"), std::string::npos);
  EXPECT_EQ(engine_forecast({}, 1'000'000, 2).find("e+"), std::string::npos);
}

TEST(EngineForecast, ManyInputsStayDenseForLonger) {
  EXPECT_EQ(engine_forecast({}, 3000, 4, 64), "");
  EXPECT_NE(engine_forecast({}, 3000, 3, 64), "");
}

// Twice the rows, twice the time and memory of a tree.
TEST(EngineForecast, TreesGrowLinearly) {
  const EngineOptions tree{.name = "tree"};
  const EngineCost one = engine_cost(tree, 100000, 2), two = engine_cost(tree, 200000, 2);
  EXPECT_NEAR(two.seconds / one.seconds, 2, 1e-9);
  EXPECT_NEAR(double(two.run_bytes) / double(one.run_bytes), 2, 0.1);
  EXPECT_LT(double(engine_cost(tree, 1000000, 2).bytes(1)), 1e10);
}

TEST(EngineForecast, InducingPointsAskForAnEngineThatHasThem) {
  EXPECT_NE(engine_forecast({.inducing = 50}, 100, 2).find("engine tree"), std::string::npos);
}

TEST(EngineForecast, RefusesNamesItDoesNotKnowWithAList) {
  try {
    engine_forecast({.name = "vecchia"}, 100, 2);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "unknown engine 'vecchia'; there is auto, dense, tree, variational");
  }
}

}  // namespace
}  // namespace ggpm::internal
