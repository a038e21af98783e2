// A row of weight w counts as w rows.
#include <gtest/gtest.h>

#include "ggpm/inference.hpp"
#include "inference/problems.hpp"
#include "support/close.hpp"

namespace ggpm::internal {
namespace {

using namespace testing_support;

struct Weighted {
  Matrix X;
  std::vector<Row> rows;
};

// Six rows of weights 1, 2, 3; the same rows so many times each.
Weighted weighted(const Likelihood& likelihood, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Weighted out{Matrix(6, 1), {}};
  for (Index i = 0; i < 6; ++i) {
    out.X(i, 0) = 0.4 * static_cast<double>(i);
    out.rows.push_back(draw(likelihood, std::sin(2 * out.X(i, 0)), random));
    out.rows.back().weight = static_cast<double>(1 + i % 3);
  }
  return out;
}

Weighted copied(const Weighted& from) {
  Weighted out;
  std::vector<double> x;
  for (std::size_t i = 0; i < from.rows.size(); ++i)
    for (int k = 0; k < static_cast<int>(from.rows[i].weight); ++k) {
      out.rows.push_back(from.rows[i]);
      out.rows.back().weight = 1;
      x.push_back(from.X(static_cast<Index>(i), 0));
    }
  out.X = Eigen::Map<const Vector>(x.data(), static_cast<Index>(x.size()));
  return out;
}

Inferred evaluate(const Weighted& data, const Likelihood& likelihood, InferenceMethod method) {
  Inference inference(data.X, Observations::of(data.rows));
  const Kernel kernel = Kernel::parse("rbf(variance=0.7, lengthscale=0.9)").bind(1);
  return inference.evaluate(kernel, Mean(), likelihood, {.method = method, .tolerance = 1e-10});
}

class Weights : public testing::TestWithParam<Combination> {};

TEST_P(Weights, EqualCopiesOfTheRowForEveryMethodWithoutCavities) {
  const auto likelihood = make_likelihood(GetParam().likelihood, GetParam().link);
  if (!likelihood->differentiable()) GTEST_SKIP() << "has no curvature";
  const Weighted rows = weighted(*likelihood, 7);
  const Weighted copies = copied(rows);
  std::vector<InferenceMethod> methods = {InferenceMethod::laplace, InferenceMethod::kld};
  if (likelihood->log_concave()) methods.push_back(InferenceMethod::taylor);
  if (likelihood->is_exact_regression()) methods.push_back(InferenceMethod::exact);
  for (const InferenceMethod method : methods) {
    SCOPED_TRACE(to_string(method));
    const Inferred one = evaluate(rows, *likelihood, method);
    const Inferred all = evaluate(copies, *likelihood, method);
    EXPECT_CLOSE(one.log_marginal, all.log_marginal, 1e-8);
    EXPECT_CLOSE(one.gradient.kernel, all.gradient.kernel, 1e-6);
    EXPECT_CLOSE(one.gradient.dispersion, all.gradient.dispersion, 1e-6);
    EXPECT_NEAR(one.posterior.mean[0], all.posterior.mean[0], 1e-7);
    EXPECT_NEAR(
        one.posterior.variance[5], all.posterior.variance[all.posterior.variance.size() - 1], 1e-7);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Weights, testing::ValuesIn(combinations()), [](const auto& test) {
  return identifier(test.param);
});

// EP makes one site of the whole weight. Of a single row it has the whole posterior, which three
// sites of a third each have not.
TEST(EpOfAWeight, IsNearerToTheTruthThanCopies) {
  const auto likelihood = make_likelihood("bernoulli", "logit");
  const Weighted row{Matrix::Constant(1, 1, 0.0), {{.y = 1, .weight = 3}}};
  const double mean = 0, variance = 0.7;
  Tilted truth;
  likelihood->tilted(row.rows, {&mean, 1}, {&variance, 1}, {&truth, 1}, Dphi::skip);
  const double one = evaluate(row, *likelihood, InferenceMethod::ep).log_marginal;
  const double three = evaluate(copied(row), *likelihood, InferenceMethod::ep).log_marginal;
  EXPECT_NEAR(one, truth.log_z, 1e-9);
  EXPECT_GT(std::abs(three - truth.log_z), 1e-6);
}

TEST(LeaveOneOut, OfAWeightedRowIsTheDensityOfOneRow) {
  const auto likelihood = make_likelihood("poisson");
  const Weighted rows = weighted(*likelihood, 3);
  const Posterior q = evaluate(rows, *likelihood, InferenceMethod::ep).posterior;
  const LeaveOneOut loo = leave_one_out(*likelihood, Observations::of(rows.rows), q);
  for (Index i = 0; i < 6; ++i) {
    const Row& row = rows.rows[static_cast<std::size_t>(i)];
    const auto p = likelihood->predictive(row, q.cavity_mean[i], q.cavity_variance[i]);
    EXPECT_NEAR(loo.log_density[i], p->log_density(row.y), 1e-9);
  }
}

TEST(Weights, ThatAreNotPositiveAreRefusedWithTheirRow) {
  const auto likelihood = make_likelihood("poisson");
  for (const double weight : {0.0, -1.0, std::numeric_limits<double>::infinity()}) {
    const std::vector<Row> rows = {{.y = 1}, {.y = 2, .weight = weight}};
    try {
      likelihood->check(rows);
      FAIL() << weight;
    } catch (const DataError& error) {
      EXPECT_EQ(error.place().row, 2);
      EXPECT_EQ(error.place().argument, "weight");
    }
  }
}

}  // namespace
}  // namespace ggpm::internal
