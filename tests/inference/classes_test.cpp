// One latent function a class, by blocks of sites.
#include "inference/classes.hpp"

#include <Eigen/LU>

#include "inference/golden.hpp"
#include "likelihood/softmax.hpp"
#include "support/close.hpp"

namespace ggpm::internal {
namespace {

using namespace testing_support;

struct ClassData {
  Matrix X;
  std::vector<Row> rows;
};

ClassData random_classes(Index n, int classes, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  ClassData out{Matrix::NullaryExpr(n, 2, [&](Index, Index) { return normal(random); }), {}};
  for (Index i = 0; i < n; ++i) {
    const double height = 3 * std::sin(out.X(i, 0)) + normal(random) + 3;
    out.rows.push_back({.y = 1 + std::clamp(std::floor(height * classes / 6), 0.0, classes - 1.0)});
  }
  out.rows.front().y = classes;
  return out;
}

std::unique_ptr<Likelihood> softmax(int classes) {
  return make_likelihood(
      "softmax", "", {.parameters = {{"levels", static_cast<double>(classes), true}}});
}

Inferred evaluate(const ClassData& data,
                  const Kernel& kernel,
                  const Likelihood& likelihood,
                  InferenceMethod method,
                  const Posterior* warm = nullptr) {
  Inference inference(data.X, Observations::of(data.rows));
  return inference.evaluate(
      kernel.bind(2), Mean(), likelihood, {.method = method, .tolerance = 1e-11}, warm);
}

const std::vector<InferenceMethod> kBoth = {InferenceMethod::laplace, InferenceMethod::kld};

void expect_inverse(const ClassMatrices& K) {
  const Index n = 7, C = 3;
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform(0.1, 1);
  Matrix d = Matrix::NullaryExpr(n, C, [&](Index, Index) { return uniform(random); });
  Matrix all = Matrix::Zero(n * C, n * C), P = all;  // class by class
  Vector blocks(n * C * C);
  for (Index c = 0; c < C; ++c) all.block(c * n, c * n, n, n) = K.of(c);
  for (Index i = 0; i < n; ++i)
    for (Index a = 0; a < C; ++a)
      for (Index b = 0; b < C; ++b) {
        P(a * n + i, b * n + i) = (a == b ? d(i, a) : 0.0) - d(i, a) * d(i, b) / d.row(i).sum();
        blocks[(a * C + b) * n + i] = P(a * n + i, b * n + i);
      }
  const Matrix E = P * (Matrix::Identity(n * C, n * C) + all * P).inverse();
  const double log_det = std::log((Matrix::Identity(n * C, n * C) + all * P).determinant());
  const Matrix x = Matrix::NullaryExpr(n, C, [&](Index, Index) { return uniform(random); });
  std::vector<Matrix> first_two;
  for (const Matrix& one : K.all()) first_two.push_back(one.leftCols(2));
  const ClassMatrices k(first_two);
  for (ClassConditional made : {ClassConditional::of_probabilities(K, d),
                                ClassConditional::of_blocks(K, by_row(blocks, n))}) {
    EXPECT_CLOSE(made.log_det(), log_det, 1e-11);
    const Vector Ex = E * x.reshaped();
    EXPECT_CLOSE(Vector(made.apply(x).reshaped()), Ex, 1e-11);
    made.prepare();
    for (Index c = 0; c < C; ++c)
      EXPECT_CLOSE(made.diagonal_block(c), Matrix(E.block(c * n, c * n, n, n)), 1e-11);
    const Matrix V = all - all * E * all;
    const Matrix found = made.covariances(k, K.diagonals(C).topRows(2));
    for (Index i = 0; i < 2; ++i)
      for (Index a = 0; a < C; ++a)
        for (Index b = 0; b < C; ++b)
          EXPECT_NEAR(found(i, a * C + b), V(a * n + i, b * n + i), 1e-11);
  }
}

TEST(ClassConditional, IsTheInverseOfKernelPlusBlocks) {
  const ClassData data = random_classes(7, 3, 1);
  std::vector<Matrix> K(3);
  kernels::rbf(1.5, 0.8).bind(2).gram(data.X, K[0]);
  kernels::matern32(0.4, 2).bind(2).gram(data.X, K[1]);
  kernels::linear(1.1).bind(2).gram(data.X, K[2]);
  expect_inverse(ClassMatrices({K[0]}));
  expect_inverse(ClassMatrices(K));
}

TEST(ClassBlocks, HaveARootAlsoWhereProbabilitiesAreTiny) {
  for (const double tiny : {0.2, 1e-9, 1e-30, 0.0}) {
    Vector p(4);
    p << tiny, 0.5, 0.5 - tiny, 0;
    const Matrix P = Matrix(p.asDiagonal()) - p * p.transpose();
    const Matrix l = root_of_block(P);
    EXPECT_CLOSE(Matrix(l * l.transpose()), P, 1e-15);
    EXPECT_NEAR((l * l.transpose())(0, 0), P(0, 0), 1e-14 * tiny);
  }
}

// The difference of two functions with kernel K each has the kernel 2 K.
TEST(Softmax, OfTwoClassesIsBernoulliOfTheDifference) {
  ClassData data = random_classes(25, 2, 3);
  ClassData binary = data;
  for (Row& row : binary.rows) row.y -= 1;
  for (const InferenceMethod method : kBoth) {
    SCOPED_TRACE(to_string(method));
    const Inferred two = evaluate(data, kernels::rbf(1.3, 0.9), *softmax(2), method);
    const Inferred one =
        evaluate(binary, kernels::rbf(2.6, 0.9), *make_likelihood("bernoulli"), method);
    EXPECT_NEAR(two.log_marginal, one.log_marginal, 1e-8);
    EXPECT_CLOSE(two.gradient.kernel, one.gradient.kernel, 1e-6);
    const Vector difference = two.posterior.mean.tail(25) - two.posterior.mean.head(25);
    EXPECT_CLOSE(difference, one.posterior.mean, 1e-7);
  }
}

// With kernels of their own, the sum of both.
TEST(Softmax, OfTwoKernelsIsBernoulliOfTheirSum) {
  ClassData data = random_classes(25, 2, 3);
  ClassData binary = data;
  for (Row& row : binary.rows) row.y -= 1;
  const Kernel each = Kernel::parse("classes(rbf(1.3, 0.9), matern32(0.7, 2) + constant(0.4))");
  const Kernel sum = Kernel::parse("rbf(1.3, 0.9) + matern32(0.7, 2) + constant(0.4)");
  for (const InferenceMethod method : kBoth) {
    SCOPED_TRACE(to_string(method));
    const Inferred two = evaluate(data, each, *softmax(2), method);
    const Inferred one = evaluate(binary, sum, *make_likelihood("bernoulli"), method);
    EXPECT_NEAR(two.log_marginal, one.log_marginal, 1e-8);
    EXPECT_CLOSE(two.gradient.kernel, one.gradient.kernel, 1e-6);
  }
}

TEST(Softmax, KernelsOfTheirOwnThatAreEqualAreOneThatIsShared) {
  const ClassData data = random_classes(16, 3, 9);
  const std::string one = "rbf(1.3, 0.9) + constant(0.5)";
  const Kernel each = Kernel::parse("classes(" + one + ", " + one + ", " + one + ")");
  const auto X = std::make_shared<const Matrix>(data.X);
  for (const InferenceMethod method : kBoth) {
    SCOPED_TRACE(to_string(method));
    const Inferred a = evaluate(data, Kernel::parse(one), *softmax(3), method);
    const Inferred b = evaluate(data, each, *softmax(3), method);
    EXPECT_NEAR(a.log_marginal, b.log_marginal, 1e-10);
    EXPECT_CLOSE(a.gradient.kernel, Vector(b.gradient.kernel.reshaped(3, 3).rowwise().sum()), 1e-8);
    EXPECT_CLOSE(a.posterior.cavity_variance, b.posterior.cavity_variance, 1e-8);
    const Matrix Z = Matrix::Random(5, 2);
    Matrix mean[2], covariance[2];
    ClassPredictor(Kernel::parse(one).bind(2), X, {}, a.posterior, method)
        .predict(Z, mean[0], covariance[0]);
    ClassPredictor(each.bind(2), X, {}, b.posterior, method).predict(Z, mean[1], covariance[1]);
    EXPECT_CLOSE(mean[0], mean[1], 1e-9);
    EXPECT_CLOSE(covariance[0], covariance[1], 1e-9);
  }
}

void expect_gradient_of_differences(const Kernel& kernel, int classes, InferenceMethod method) {
  const ClassData data = random_classes(14, classes, 5);
  const auto likelihood = softmax(classes);
  const Inferred at = evaluate(data, kernel, *likelihood, method);
  EXPECT_EQ(at.report.outcome, Outcome::converged) << at.report.detail;
  const std::vector<Parameter> parameters = kernel.parameters();
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const auto moved = [&](double by) {
      std::vector<double> values;
      for (const Parameter& p : parameters) values.push_back(p.value);
      values[k] *= std::exp(by);
      return evaluate(data, kernel.with_values(values), *likelihood, method).log_marginal;
    };
    const double h = 1e-3;
    const double slope = (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h);
    EXPECT_NEAR(at.gradient.kernel[static_cast<Index>(k)], slope, 2e-7) << parameters[k].name;
  }
}

class SoftmaxGradient : public testing::TestWithParam<std::tuple<int, InferenceMethod>> {};

TEST_P(SoftmaxGradient, IsThatOfDifferences) {
  const auto [classes, method] = GetParam();
  expect_gradient_of_differences(
      Kernel::parse("rbf(1.7, 0.8) + constant(0.6)").bind(2), classes, method);
}

TEST(SoftmaxGradientOfClasses, IsThatOfDifferences) {
  const Kernel kernel =
      Kernel::parse("classes(rbf(1.7, 0.8), matern32(0.5, 2) + constant(0.6), linear(0.4))")
          .bind(2);
  for (const InferenceMethod method : kBoth) expect_gradient_of_differences(kernel, 3, method);
}

INSTANTIATE_TEST_SUITE_P(All,
                         SoftmaxGradient,
                         testing::Values(std::tuple(2, InferenceMethod::laplace),
                                         std::tuple(3, InferenceMethod::laplace),
                                         std::tuple(5, InferenceMethod::laplace),
                                         std::tuple(2, InferenceMethod::kld),
                                         std::tuple(3, InferenceMethod::kld)),
                         [](const auto& test) {
                           return std::string(to_string(std::get<1>(test.param))) +
                                  std::to_string(std::get<0>(test.param));
                         });

TEST(Softmax, DoesNotDependOnTheNumbersOfClasses) {
  const ClassData data = random_classes(15, 4, 7);
  ClassData other = data;
  for (Row& row : other.rows) row.y = 5 - row.y;
  for (const InferenceMethod method : kBoth) {
    SCOPED_TRACE(to_string(method));
    const auto a = evaluate(data, kernels::matern52(1.2, 0.7), *softmax(4), method);
    const auto b = evaluate(other, kernels::matern52(1.2, 0.7), *softmax(4), method);
    EXPECT_NEAR(a.log_marginal, b.log_marginal, 1e-7);
    EXPECT_CLOSE(Vector(a.posterior.mean.head(15)), Vector(b.posterior.mean.tail(15)), 1e-6);
  }
}

TEST(Softmax, AWeightIsThatManyRows) {
  ClassData data = random_classes(8, 3, 11);
  data.rows[2].weight = 2;
  data.rows[5].weight = 3;
  ClassData copies = data;
  std::vector<Index> from;
  copies.rows.clear();
  for (Index i = 0; i < 8; ++i)
    for (int k = 0; k < data.rows[static_cast<std::size_t>(i)].weight; ++k) {
      copies.rows.push_back({.y = data.rows[static_cast<std::size_t>(i)].y});
      from.push_back(i);
    }
  copies.X = data.X(from, Eigen::all);
  for (const InferenceMethod method : kBoth) {
    SCOPED_TRACE(to_string(method));
    const auto a = evaluate(data, kernels::rbf(1.2, 0.7), *softmax(3), method);
    const auto b = evaluate(copies, kernels::rbf(1.2, 0.7), *softmax(3), method);
    EXPECT_NEAR(a.log_marginal, b.log_marginal, 1e-8);
    EXPECT_CLOSE(a.gradient.kernel, b.gradient.kernel, 1e-6);
  }
}

TEST(Softmax, AWarmStartEndsWhereAColdOneDoes) {
  const ClassData data = random_classes(20, 3, 13);
  for (const InferenceMethod method : kBoth) {
    SCOPED_TRACE(to_string(method));
    const auto near = evaluate(data, kernels::rbf(1.2, 0.7), *softmax(3), method);
    const auto warm = evaluate(data, kernels::rbf(1.5, 0.8), *softmax(3), method, &near.posterior);
    const auto cold = evaluate(data, kernels::rbf(1.5, 0.8), *softmax(3), method);
    EXPECT_NEAR(warm.log_marginal, cold.log_marginal, 1e-8);
  }
}

TEST(Softmax, RefusesWhatHasNoMeaningForSeveralLatents) {
  const ClassData data = random_classes(6, 3, 17);
  for (const InferenceMethod method : {InferenceMethod::ep, InferenceMethod::taylor})
    EXPECT_THROW(evaluate(data, kernels::rbf(), *softmax(3), method), UsageError);
  Observations observed = Observations::of(data.rows);
  Inference inference(data.X, observed);
  const Kernel kernel = kernels::rbf().bind(2);
  EXPECT_THROW(inference.evaluate(kernel, Mean::parse("constant").bind(2), *softmax(3)),
               UsageError);
  observed.offset = Vector::Ones(6);
  EXPECT_THROW(Inference(data.X, observed).evaluate(kernel, Mean(), *softmax(3)), UsageError);
  EXPECT_THROW(
      evaluate(data, Kernel::parse("classes(rbf, rbf)"), *softmax(3), InferenceMethod::laplace),
      UsageError);
}

class GoldenSoftmax : public testing::TestWithParam<std::string> {};

TEST_P(GoldenSoftmax, IsReproduced) {
  const Json json = read_json(golden_file("families/" + GetParam() + ".json"));
  const auto X = std::make_shared<const Matrix>(to_matrix(json.at("X")));
  const Kernel kernel =
      Kernel::parse(json.at("ggpm").at("kernel").get<std::string>()).bind(X->cols());
  ClassData data{*X, {}};
  for (const Json& y : json.at("y")) data.rows.push_back({.y = y});
  const int C = json.at("likelihood").at("levels");
  const Json& run = json.at("runs")[0];
  Inference inference(*X, Observations::of(data.rows));
  const Inferred result = inference.evaluate(
      kernel, Mean(), *softmax(C), {.method = InferenceMethod::laplace, .tolerance = 1e-11});
  const auto stacked = [](const Json& lists) {
    Matrix out = to_matrix(lists).transpose();
    return Vector(out.reshaped());
  };
  const Json& tol = run.at("tol");
  EXPECT_TRUE(within(result.log_marginal, run.at("log_marginal"), tol.at("log_marginal")));
  EXPECT_TRUE(within(
      result.posterior.mean, stacked(run.at("posterior_mean")), number(tol.at("posterior_mean"))));
  EXPECT_TRUE(within(result.posterior.variance,
                     stacked(run.at("posterior_var")),
                     number(tol.at("posterior_cov"))));
  EXPECT_CLOSE(result.posterior.alpha, stacked(run.at("alpha")), 1e-9);
  const std::vector<Parameter> known = kernel.parameters();
  for (const Json& parameter : json.at("ggpm").at("parameters")) {
    const Json& slope = run.at("grad").at(parameter.at("path").get<std::string>());
    const auto named = [&](const Parameter& p) { return p.name == parameter.at("name"); };
    const Index k = std::find_if(known.begin(), known.end(), named) - known.begin();
    EXPECT_TRUE(within(result.gradient.kernel[k], number(slope), number(tol.at("grad"))));
  }
  const ClassPredictor predictor(kernel, X, {}, result.posterior, InferenceMethod::laplace);
  Matrix mean, covariance;
  predictor.predict(to_matrix(json.at("X_test")), mean, covariance);
  for (Index i = 0; i < mean.rows(); ++i) {
    const Json& expected = run.at("predict")[static_cast<std::size_t>(i)];
    EXPECT_CLOSE(Vector(mean.row(i)), to_vector(expected.at("latent_mean")), 1e-8);
    const Matrix V = covariance.row(i).reshaped(C, C);
    EXPECT_CLOSE(V, to_matrix(expected.at("latent_cov")), 1e-8);
    EXPECT_CLOSE(
        softmax_probabilities(mean.row(i), V), to_vector(expected.at("probabilities")), 1e-9);
  }
  // A bound: below the truth.
  const Inferred kld = inference.evaluate(
      kernel, Mean(), *softmax(C), {.method = InferenceMethod::kld, .tolerance = 1e-9});
  const Json exact = json.contains("exact") ? json["exact"].at("log_marginal") : Json();
  EXPECT_GT(kld.log_marginal, result.log_marginal - 0.1);
  if (!exact.is_null()) {
    EXPECT_LT(kld.log_marginal, number(exact));
  }
}

INSTANTIATE_TEST_SUITE_P(All,
                         GoldenSoftmax,
                         testing::Values("softmax_n3", "softmax_n8", "softmax_n15"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace ggpm::internal
