// The stored learning references: GPML's optima from the same start.
#include <gtest/gtest.h>

#include "ggpm/model.hpp"
#include "support/files.hpp"

namespace ggpm {
namespace {

struct Reference {
  const char *likelihood, *column;
  double start, end;  // negative log marginal of GPML
};

class Gpml : public testing::TestWithParam<Reference> {};

TEST_P(Gpml, IsReachedInFewerThan50Evaluations) {
  const Reference& reference = GetParam();
  const Table table = read_csv(testing_support::golden_file("learning/n500.csv").string());
  Dataset data;
  data.X.resize(table.rows(), 8);
  for (Index j = 0; j < 8; ++j) data.X.col(j) = numeric_column(table, "x" + std::to_string(j + 1));
  data.observed.y = numeric_column(table, reference.column);
  if (std::string(reference.likelihood) == "bernoulli")
    data.observed.y = data.observed.y.cwiseMax(0);

  const Specification specification{.likelihood = reference.likelihood,
                                    .likelihood_options = {.dispersion = 1},
                                    .kernel = "rbf(ard=true)",
                                    .inference = InferenceMethod::laplace};
  const auto before = GeneralizedGP::fit(data, specification, {.optimize = false});
  EXPECT_NEAR(-before.log_marginal(), reference.start, 1e-4);

  const auto model = GeneralizedGP::fit(data, specification, {.restarts = 0, .threads = 1});
  EXPECT_LT(-model.log_marginal(), reference.end + 0.15);
  EXPECT_LT(model.report().evaluations, 50);
  EXPECT_TRUE(model.report().converged);
  RecordProperty("evaluations", model.report().evaluations);
  RecordProperty("log_marginal", std::to_string(model.log_marginal()));
  RecordProperty("seconds", std::to_string(model.seconds()));
}

INSTANTIATE_TEST_SUITE_P(N500,
                         Gpml,
                         testing::Values(Reference{"poisson", "y_poisson", 1159.8408, 917.4225},
                                         Reference{"gamma-shape", "y_gamma", 747.1144, 374.2216},
                                         Reference{"bernoulli", "y_class", 327.7162, 203.1787}),
                         [](const auto& tested) { return std::string(tested.param.column); });

}  // namespace
}  // namespace ggpm
