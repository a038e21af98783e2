#include "report/functions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ggpm/likelihood.hpp"
#include "ggpm/likelihood_picture.hpp"

namespace ggpm::internal::report {
namespace {

using testing::HasSubstr;

// b' of theta is the mean of T, which is y for these.
TEST(PaperFunctions, TheSlopeOfTheLogPartitionIsTheMean) {
  for (const char* name : {"gaussian",
                           "gamma-shape",
                           "inverse-gaussian",
                           "poisson",
                           "linear-poisson",
                           "com-poisson",
                           "negative-binomial"}) {
    const auto likelihood = make_likelihood(name);
    const auto parameters = likelihood->parameters();
    const double phi = parameters.empty() ? 1 : parameters[0].value;
    for (const double eta : {-1.0, 0.3, 1.7}) {
      PaperFunctions low, high;
      ASSERT_TRUE(paper_functions(likelihood->name(), likelihood->link(), phi, eta - 1e-5, low));
      ASSERT_TRUE(paper_functions(likelihood->name(), likelihood->link(), phi, eta + 1e-5, high));
      EXPECT_NEAR((high.log_partition - low.log_partition) / (high.theta - low.theta),
                  likelihood->mean({}, eta),
                  1e-5 * (1 + likelihood->mean({}, eta)))
          << name << " at " << eta;
    }
  }
}

// Each distribution is drawn between its 0.5 and 99.5 % points.
TEST(DensityChart, HoldsNearlyAllProbability) {
  for (const LikelihoodInfo& info : likelihood_table()) {
    double mass[3] = {};
    int distribution = -1;
    Ink ink = Ink::muted;
    for (const Layer& layer : density_chart(info.name).layers) {
      if (layer.mark == Mark::segments) continue;  // the stems of the dots
      if (layer.ink != ink) ++distribution;
      ink = layer.ink;
      ASSERT_LT(distribution, 3) << info.name;
      for (std::size_t i = 0; i < layer.x.size(); ++i) {
        if (layer.mark == Mark::points)
          mass[distribution] += layer.y[i];
        else if (i > 0)
          mass[distribution] += (layer.x[i] - layer.x[i - 1]) * (layer.y[i] + layer.y[i - 1]) / 2;
      }
    }
    for (const double m : mass) {
      EXPECT_GT(m, 0.97) << info.name;
      EXPECT_LT(m, 1.01) << info.name;
    }
  }
}

TEST(LikelihoodPicture, IsThereForEveryFamily) {
  for (const LikelihoodInfo& info : likelihood_table()) {
    const std::string svg = likelihood_svg(info.name);
    EXPECT_THAT(svg, HasSubstr(info.name)) << info.name;
    EXPECT_EQ(svg.find("nan"), std::string::npos) << info.name;
  }
  EXPECT_THAT(likelihood_svg("poisson"), HasSubstr("log-partition"));
  EXPECT_THROW(likelihood_svg("poison"), UsageError);
  EXPECT_THROW(likelihood_svg("softmax"), UsageError);
}

}  // namespace
}  // namespace ggpm::internal::report
