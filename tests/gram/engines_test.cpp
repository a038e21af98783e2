#include <gtest/gtest.h>

#include "gram/engine.hpp"

namespace ggpm::internal {
namespace {

TEST(EngineChoice, AutoIsDenseForFewRowsAndSaysSoWhereItIsNot) {
  EXPECT_EQ(engine_choice({}, 100), "");
  EXPECT_NE(engine_choice({}, 100000).find("engine tree for 100000 rows"), std::string::npos);
  EXPECT_EQ(engine_choice({.name = "tree"}, 100000), "");  // it was asked for
}

TEST(EngineChoice, InducingPointsAskForAnEngineThatHasThem) {
  EXPECT_NE(engine_choice({.inducing = 50}, 100).find("engine tree"), std::string::npos);
}

TEST(EngineChoice, RefusesNamesItDoesNotKnowWithAList) {
  try {
    engine_choice({.name = "vecchia"}, 100);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "unknown engine 'vecchia'; there is auto, dense, tree");
  }
}

}  // namespace
}  // namespace ggpm::internal
