// Models of several classes: fit, predictions, leave-one-out, scores, files.
#include "ggpm/classes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ggpm/model.hpp"
#include "ggpm/roles.hpp"
#include "ggpm/score.hpp"
#include "ggpm/simulate.hpp"
#include "ggpm/summary.hpp"
#include "support/close.hpp"

namespace ggpm {
namespace {

using testing::HasSubstr;

// Three clouds that overlap.
Dataset clouds(Index n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Dataset out{.X = Matrix(n, 2), .observed = {.y = Vector(n)}};
  for (Index i = 0; i < n; ++i) {
    const double angle = 2.1 * static_cast<double>(i % 3);
    out.X.row(i) << 1.3 * std::cos(angle) + 0.7 * normal(random),
        1.3 * std::sin(angle) + 0.7 * normal(random);
    out.observed.y[i] = static_cast<double>(i % 3 + 1);
  }
  return out;
}

Specification softmax(InferenceMethod method = InferenceMethod::laplace) {
  return {.likelihood = "softmax", .inference = method};
}
const FitOptions kQuick = {.restarts = 3, .keep = 1};
const FitOptions kAsGiven = {.optimize = false};

TEST(SoftmaxModel, LearnsAndPredictsProbabilitiesThatSumToOne) {
  const Dataset train = clouds(60, 1), test = clouds(90, 2);
  const GeneralizedGP model = GeneralizedGP::fit(train, softmax(), kQuick);
  EXPECT_TRUE(model.report().converged) << model.report().detail;
  EXPECT_GT(model.log_marginal(), GeneralizedGP::fit(train, softmax(), kAsGiven).log_marginal());
  EXPECT_LT(check_gradient(model).largest, 1e-4);
  const Predictions p = model.predictive({.X = test.X});
  const Matrix probabilities = p.level_probabilities();
  ASSERT_EQ(probabilities.cols(), 3);
  for (Index i = 0; i < 90; ++i) EXPECT_NEAR(probabilities.row(i).sum(), 1, 1e-14);
  EXPECT_EQ(p.class_means().cols(), 3);
  EXPECT_TRUE((p.class_variances().array() > 0).all());
  const Vector log_density = p.log_density(test.observed.y);
  for (Index i = 0; i < 90; ++i)
    EXPECT_NEAR(std::exp(log_density[i]),
                probabilities(i, static_cast<Index>(test.observed.y[i]) - 1),
                1e-14);
  EXPECT_LT(-log_density.mean(), 0.6);  // of log 3 = 1.1 for whoever knows nothing
  EXPECT_TRUE(p.mean().array().isNaN().all());
  const Scores scores = score(p, test.observed.y);
  EXPECT_LT(scores.mae, 0.25);  // the share of wrong classes
  EXPECT_GT(scores.coverage, 0.85);
}

TEST(SoftmaxModel, FileHoldsWhatWasFitted) {
  const Dataset train = clouds(30, 3), test = clouds(12, 4);
  for (const InferenceMethod method : {InferenceMethod::laplace, InferenceMethod::kld}) {
    Dataset weighted = train;
    weighted.observed.weight = Vector::Constant(30, 1.5);
    const GeneralizedGP model = GeneralizedGP::fit(weighted, softmax(method), kAsGiven);
    const std::string bytes = to_bytes({.model = model});
    const SavedModel again = from_bytes(bytes);
    EXPECT_EQ(to_bytes(again), bytes);
    EXPECT_EQ(again.model.likelihood().levels(), 3);
    EXPECT_CLOSE(again.model.predictive({.X = test.X}).level_probabilities(),
                 model.predictive({.X = test.X}).level_probabilities(),
                 1e-14);
    EXPECT_EQ(again.model.loo().total, model.loo().total);
    EXPECT_THAT(summary_text(again, again.model.loo()), HasSubstr("softmax"));
  }
}

TEST(SoftmaxModel, LearnsAKernelForEachClass) {
  const Dataset train = clouds(45, 11), test = clouds(9, 12);
  Specification s = softmax();
  s.kernel = "classes(rbf + constant)";
  const GeneralizedGP model = GeneralizedGP::fit(train, s, kQuick);
  EXPECT_TRUE(model.report().converged) << model.report().detail;
  ASSERT_EQ(model.kernel().parameters().size(), 9U);
  EXPECT_EQ(model.kernel().parameters()[3].name, "rbf#2.variance");
  EXPECT_LT(check_gradient(model).largest, 1e-4);
  Specification shared = s;
  shared.kernel = "rbf + constant";
  EXPECT_GT(model.log_marginal(), GeneralizedGP::fit(train, shared, kQuick).log_marginal() - 1e-6);
  const std::string bytes = to_bytes({.model = model});
  const SavedModel again = from_bytes(bytes);
  EXPECT_EQ(to_bytes(again), bytes);
  EXPECT_CLOSE(again.model.predictive({.X = test.X}).level_probabilities(),
               model.predictive({.X = test.X}).level_probabilities(),
               1e-14);
  EXPECT_TRUE(model.loo().log_density.allFinite());
  EXPECT_EQ(simulate(model, test, 3).latent.size(), 27);
}

TEST(SoftmaxModel, RefusesKernelsOfClassesThatAreNotThere) {
  const Dataset train = clouds(15, 13);
  Specification s = softmax();
  s.kernel = "classes(rbf, linear)";
  EXPECT_THROW(GeneralizedGP::fit(train, s, kAsGiven), UsageError);
  s.likelihood = "poisson";
  s.kernel = "classes(rbf)";
  EXPECT_THROW(GeneralizedGP::fit(train, s, kAsGiven), UsageError);
}

// Linear response, against models without the row.
TEST(SoftmaxModel, LeaveOneOutIsNearThatOfModelsWithoutTheRow) {
  const Dataset train = clouds(24, 5);
  for (const InferenceMethod method : {InferenceMethod::laplace, InferenceMethod::kld}) {
    const LeaveOneOutScores loo = GeneralizedGP::fit(train, softmax(method), kAsGiven).loo();
    for (const Index left : {0, 7, 17}) {
      std::vector<Index> others;
      for (Index i = 0; i < 24; ++i)
        if (i != left) others.push_back(i);
      Specification s = softmax(method);
      s.likelihood_options.parameters = {{"levels", 3, true}};
      const GeneralizedGP model = GeneralizedGP::fit(train.subset(others), s, kAsGiven);
      const double truth = model.predictive({.X = train.X.row(left)})
                               .log_density(train.observed.y.segment(left, 1))[0];
      EXPECT_NEAR(loo.log_density[left], truth, 0.03) << to_string(method) << " row " << left;
    }
    const Vector pit = loo.pit();
    EXPECT_TRUE((pit.array() >= 0).all() && (pit.array() <= 1).all());
  }
}

TEST(SoftmaxModel, SaysWhatItCannotAnswer) {
  const Dataset train = clouds(15, 7);
  const GeneralizedGP model = GeneralizedGP::fit(train, softmax(), kAsGiven);
  EXPECT_THROW((void)model.draw(train, 2, 1), UsageError);
  EXPECT_THROW((void)model.terms(train), UsageError);
  EXPECT_THROW((void)model.predictive(train).mean_quantiles({0.5}), UsageError);
  EXPECT_THROW(GeneralizedGP::fit(train, softmax(InferenceMethod::ep), kAsGiven), UsageError);
  Specification tree = softmax();
  tree.engine.name = "tree";
  EXPECT_THROW(GeneralizedGP::fit(train, tree, kAsGiven), UsageError);
}

// Before levels were counted, and before outputs were checked, vb asked for the density at a cut point that is not there.
TEST(OrdinalModel, RefusesVbWhateverTheLevels) {
  const Specification vb{.likelihood = "ordinal", .inference = InferenceMethod::vb};
  Dataset data{.X = Vector::LinSpaced(6, 0, 1), .observed = {.y = Vector::LinSpaced(6, 1, 6)}};
  EXPECT_THROW(GeneralizedGP::fit(data, vb, kAsGiven), UsageError);
  data.observed.y[0] = -2;
  EXPECT_THROW(GeneralizedGP::fit(data, vb, kAsGiven), DataError);
}

TEST(SoftmaxModel, SimulatesEveryClass) {
  const Kernel kernel = Kernel::parse("rbf(2, 1)").bind(2);
  std::mt19937_64 random(3);
  const Dataset rows = clouds(120, 9);
  const Simulated drawn =
      simulate(kernel, Mean::parse("zero").bind(2), *make_likelihood("softmax"), rows, random);
  EXPECT_EQ(drawn.latent.size(), 360);
  for (const double level : {1.0, 2.0, 3.0}) EXPECT_TRUE((drawn.y.array() == level).any());
}

TEST(Classes, OfTextAreRecognized) {
  Table table("t.csv");
  table.add_numbers("x", {1, 2, 3, 4, 5, 6});
  table.add_text("kind", std::vector<std::string>{"b", "a", "c", "b", "a", "c"});
  const TableOptions options{.roles = {.target = "kind"}};
  const TrainingTable read = read_training(table, options);
  EXPECT_EQ(read.domain, Domain::ordinal);
  EXPECT_TRUE(read.has_classes(options));
  EXPECT_EQ(read.roles.levels, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(read.data.observed.y[0], 2);
  EXPECT_THAT(read.reason, HasSubstr("3 classes"));
  TableOptions ordered = options;
  ordered.roles.levels = {"c", "a", "b"};
  EXPECT_FALSE(read_training(table, ordered).has_classes(ordered));
}

}  // namespace
}  // namespace ggpm
