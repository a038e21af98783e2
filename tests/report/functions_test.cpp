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

TEST(LikelihoodPicture, IsThereForEveryFamily) {
  for (const LikelihoodInfo& info : likelihood_table()) {
    const std::string svg = likelihood_svg(info.name);
    EXPECT_THAT(svg, HasSubstr(info.name)) << info.name;
    EXPECT_EQ(svg.find("nan"), std::string::npos) << info.name;
  }
  EXPECT_THAT(likelihood_svg("poisson"), HasSubstr("log-partition"));
  EXPECT_THROW(likelihood_svg("poison"), UsageError);
}

}  // namespace
}  // namespace ggpm::internal::report
