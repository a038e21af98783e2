#include "inference/anderson.hpp"

#include <gtest/gtest.h>

namespace ggpm::internal {
namespace {

// A linear iteration x <- c + M x in the 2n numbers of n sites, with fixed point (I - M)^-1 c.
struct LinearIteration {
  Vector slope = (Vector(4) << 0.9, -0.8, 0.5, 0.3).finished();
  Vector constant = (Vector(4) << 1, 2, -1, 0.5).finished();

  Sites operator()(const Sites& sites) const {
    return {constant.head(2) + slope.head(2).cwiseProduct(sites.precision),
            constant.tail(2) + slope.tail(2).cwiseProduct(sites.shift)};
  }
  double error(const Sites& sites) const {
    const Vector fixed = constant.cwiseQuotient(Vector::Ones(4) - slope);
    return std::max((sites.precision - fixed.head(2)).cwiseAbs().maxCoeff(),
                    (sites.shift - fixed.tail(2)).cwiseAbs().maxCoeff());
  }
};

Conditioned unit_marginals() {
  Conditioned q;
  q.mean = Vector::Zero(2);
  q.variance = Vector::Ones(2);
  return q;
}

// Where the iteration is after so many steps.
double error_after(int steps, Index depth) {
  const LinearIteration iteration;
  const RowsHere all(2);
  Anderson anderson(all, depth);
  Sites sites{Vector::Zero(2), Vector::Zero(2)};
  for (int i = 0; i < steps; ++i) {
    const Sites proposed = iteration(sites);
    anderson.push(sites, proposed);
    sites = anderson.ready() ? anderson.mix(unit_marginals(), 1) : proposed;
  }
  return iteration.error(sites);
}

TEST(Anderson, SolvesALinearIterationInAsManyStepsAsItHasDimensions) {
  EXPECT_LT(error_after(7, 6), 1e-9);  // by itself the iteration is still 5 away
  EXPECT_GT(error_after(2, 6), 1e-3);
}

TEST(Anderson, KeepsOnlyTheLastStepsThatItHasRoomFor) {
  EXPECT_LT(error_after(60, 2), 1e-6);
  EXPECT_GT(error_after(7, 2), 1e-9);
}

TEST(Anderson, HasNothingToMixBeforeItsSecondPoint) {
  const LinearIteration iteration;
  const RowsHere all(2);
  Anderson anderson(all);
  const Sites sites{Vector::Zero(2), Vector::Zero(2)};
  EXPECT_FALSE(anderson.ready());
  anderson.push(sites, iteration(sites));
  EXPECT_FALSE(anderson.ready());
  anderson.push(iteration(sites), iteration(iteration(sites)));
  EXPECT_TRUE(anderson.ready());
  anderson.forget();
  EXPECT_FALSE(anderson.ready());
}

TEST(Anderson, SurvivesStepsThatRepeat) {
  const LinearIteration iteration;
  const RowsHere all(2);
  Anderson anderson(all);
  Sites sites{Vector::Zero(2), Vector::Zero(2)};
  for (int i = 0; i < 4; ++i) anderson.push(sites, iteration(sites));  // differences of zero
  const Sites mixed = anderson.mix(unit_marginals(), 1);
  EXPECT_TRUE(mixed.precision.allFinite() && mixed.shift.allFinite());
  EXPECT_EQ(mixed.precision, iteration(sites).precision);
}

}  // namespace
}  // namespace ggpm::internal
