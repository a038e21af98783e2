// Tokyo rainfall has a smooth and a rough explanation.        (Section 7, fig:rainfall_both)
#include <gtest/gtest.h>

#include "ggpm/model.hpp"
#include "support/files.hpp"

namespace ggpm {
namespace {

Dataset rainfall() {
  const Table table = read_csv(testing_support::data_file("tokyo_rainfall.csv").string());
  return {
      .X = numeric_column(table, "day"),
      .observed = {.y = numeric_column(table, "rain"), .trials = numeric_column(table, "trials")},
      .columns = {"day"}};
}

// The best optimum of the method whose length-scale is between the two, in days.
double best_between(const GeneralizedGP& model, double low, double high) {
  double best = -1e300;
  for (const Optimum& optimum : model.optima())
    if (optimum.method == model.inference() && optimum.at.kernel[1] > low &&
        optimum.at.kernel[1] < high)
      best = std::max(best, optimum.log_marginal);
  return best;
}

TEST(SlowRainfall, TaylorPrefersTheSmoothOptimumTheOthersTheRoughOne) {
  GGPM_REQUIRE_DATA("tokyo_rainfall.csv");
  for (const InferenceMethod method : {InferenceMethod::taylor,
                                       InferenceMethod::laplace,
                                       InferenceMethod::ep,
                                       InferenceMethod::kld}) {
    const auto model = GeneralizedGP::fit(
        rainfall(), {.likelihood = "binomial", .kernel = "rbf", .inference = method});
    const double smooth = best_between(model, 20, 60), rough = best_between(model, 5, 15);
    std::printf("%-8s smooth %.4f, rough %.4f, %d evaluations, %.1f s\n",
                std::string(to_string(method)).c_str(),
                smooth,
                rough,
                model.report().evaluations,
                model.seconds());
    ASSERT_GT(smooth, -1e299) << to_string(method);
    ASSERT_GT(rough, -1e299) << to_string(method);
    EXPECT_EQ(smooth > rough, method == InferenceMethod::taylor) << to_string(method);
  }
}

}  // namespace
}  // namespace ggpm
