// Data from which little can be learned still give a model, for every family.
#include <gtest/gtest.h>

#include <algorithm>

#include "model/simulate.hpp"

namespace ggpm::internal {
namespace {

using testing_support::expect_sane;
using testing_support::simulate;
using testing_support::some_method;

class Degenerate : public testing::TestWithParam<std::string> {
 protected:
  GeneralizedGP fit(const Dataset& data, const std::string& kernel = "rbf") {
    FitOptions options;
    options.restarts = 3;
    options.threads = 1;
    options.max_evaluations = 60;
    return GeneralizedGP::fit(
        data,
        {.likelihood = GetParam(), .kernel = kernel, .inference = some_method(GetParam())},
        options);
  }
  void expect_model(const Dataset& data,
                    const std::string& what,
                    const std::string& kernel = "rbf") {
    const GeneralizedGP model = fit(data, kernel);
    EXPECT_TRUE(std::isfinite(model.log_marginal())) << what;
    EXPECT_TRUE(model.hyperparameters().flat().allFinite()) << what;
    const Index m = std::min<Index>(3, data.X.rows());
    expect_sane(
        model, {.X = data.X.topRows(m), .observed = {.trials = Vector::Constant(m, 2)}}, what);
  }
};

TEST_P(Degenerate, AllTargetsAreEqual) {
  Dataset data = simulate(GetParam(), 12, 1, 1);
  data.observed = data.observed.subset(std::vector<Index>(12, 0));
  expect_model(data, "equal targets");
}

TEST_P(Degenerate, OneToFiveRows) {
  for (Index n = 1; n <= 5; ++n)
    expect_model(simulate(GetParam(), n, 1, static_cast<unsigned>(n)), std::to_string(n) + " rows");
}

TEST_P(Degenerate, MoreInputsThanRows) {
  expect_model(simulate(GetParam(), 6, 9, 3), "more inputs than rows", "rbf(ard=true)");
}

TEST_P(Degenerate, ConstantInputs) {
  Dataset data = simulate(GetParam(), 12, 2, 4);
  data.X.col(1).setConstant(3);
  const GeneralizedGP model = fit(data, "rbf(ard=true)");
  EXPECT_TRUE(model.parameters()[2].parameter.fixed);
  ASSERT_FALSE(model.warnings().empty());
  EXPECT_EQ(model.warnings()[0].kind, Warning::Kind::constant_input);
  EXPECT_NE(model.warnings()[0].text.find("is constant and tells nothing"), std::string::npos);
  data.X.setConstant(1);
  expect_model(data, "all inputs constant");
}

TEST_P(Degenerate, SmallestOutputsOnly) {
  Dataset data = simulate(GetParam(), 10, 1, 5);
  const Domain domain = make_likelihood(GetParam())->domain();
  const bool discrete =
      domain == Domain::count || domain == Domain::binary || domain == Domain::fraction_of_trials;
  data.observed.y.setConstant(domain == Domain::ordinal            ? 1
                              : discrete || domain == Domain::real ? 0
                                                                   : 1e-3);
  expect_model(data, "smallest outputs");
}

// An enormous dispersion explains zeros whatever the mean is: it was learned, and the mean was that
// of the prior with a standard deviation of hundreds.
TEST(DegenerateAmounts, OfZerosOnlyHaveASmallMean) {
  const Dataset data{.X = Vector::LinSpaced(30, 0, 3), .observed = {.y = Vector::Zero(30)}};
  for (const InferenceMethod method : {InferenceMethod::laplace, InferenceMethod::ep}) {
    const GeneralizedGP model = GeneralizedGP::fit(
        data,
        {.likelihood = "tweedie", .kernel = "rbf + constant", .inference = method},
        {.restarts = 2, .threads = 1});
    const Predictions predicted = model.predictive(data);
    EXPECT_LT(predicted.mean().maxCoeff(), 0.2) << to_string(method);
    EXPECT_LT(predicted.variance().maxCoeff(), 4) << to_string(method);
    EXPECT_TRUE(
        std::any_of(model.warnings().begin(), model.warnings().end(), [](const Warning& warning) {
          return warning.text.find("every output is 0") != std::string::npos;
        }));
  }
}

TEST_P(Degenerate, RowsThatAreCopies) {
  Dataset data = simulate(GetParam(), 10, 1, 6);
  for (Index i = 5; i < 10; ++i) data.X.row(i) = data.X.row(0);
  expect_model(data, "copies of a row");
}

INSTANTIATE_TEST_SUITE_P(All,
                         Degenerate,
                         testing::ValuesIn(testing_support::likelihood_names()),
                         [](const auto& tested) {
                           return testing_support::test_name(tested.param);
                         });

TEST(Degenerate, PerfectSeparationEndsAtABoundOrFinite) {
  for (const InferenceMethod method : {InferenceMethod::laplace, InferenceMethod::ep}) {
    Dataset data;
    data.X = Vector::LinSpaced(20, -1, 1);
    data.observed.y.resize(20);
    for (Index i = 0; i < 20; ++i) data.observed.y[i] = i < 10 ? 0.0 : 1.0;
    FitOptions options;
    options.restarts = 5;
    const auto model =
        GeneralizedGP::fit(data, {.likelihood = "bernoulli", .inference = method}, options);
    expect_sane(model, {data.X}, "separable");
    // Laplace at a large variance is known to be timid; EP is not.
    const double margin = method == InferenceMethod::ep ? 0.2 : 0.45;
    EXPECT_LT(model.predictive({data.X}).mean()[0], margin);
    EXPECT_GT(model.predictive({data.X}).mean()[19], 1 - margin);
  }
}

// Counts on a line: Taylor's log marginal climbs to 0 with nu, so that only the bound ends it.
// Gradients of such rows overflow: the climb goes on without a curvature.
TEST(Magnitudes, OutputsOf1eMinus300And1e300HaveAModel) {
  const Dataset data{.X = Vector{{1, 2, 3, 4}}, .observed = {.y = Vector{{1e-300, 1e300, 1, 2}}}};
  const GeneralizedGP model = GeneralizedGP::fit(
      data,
      {.likelihood = "gamma-scale", .kernel = "rbf + constant", .inference = InferenceMethod::ep},
      {.restarts = 2, .threads = 1});
  EXPECT_TRUE(std::isfinite(model.log_marginal()));
  EXPECT_TRUE(model.hyperparameters().flat().allFinite());
}

TEST(ComPoissonBound, IsWhereWholeOutputsTellNoMore) {
  Dataset data{.X = Vector::LinSpaced(40, 0, 10), .observed = {.y = Vector(40)}, .columns = {"x"}};
  double mean = 0;
  for (Index i = 0; i < data.X.rows(); ++i) {
    data.observed.y[i] = std::floor(3 + data.X(i, 0));
    mean += data.observed.y[i] / 40;
  }
  FitOptions options;
  options.restarts = 0;
  options.threads = 1;
  const GeneralizedGP model = GeneralizedGP::fit(
      data, {.likelihood = "com-poisson", .inference = InferenceMethod::taylor}, options);
  EXPECT_NEAR(model.hyperparameters().dispersion[0], 12 * mean, 1e-6 * mean);
  ASSERT_FALSE(model.warnings().empty());
  EXPECT_EQ(model.warnings()[0].kind, Warning::Kind::at_bound);
  EXPECT_EQ(model.warnings()[0].parameter, "dispersion");
}

}  // namespace
}  // namespace ggpm::internal
