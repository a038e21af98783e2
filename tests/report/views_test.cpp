// The numbers behind the pictures.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "ggpm/report.hpp"
#include "report/calibration.hpp"
#include "report/contour.hpp"
#include "report/curves.hpp"
#include "report/learning.hpp"

namespace ggpm::internal::report {
namespace {

// y = 2 x1 + noise; x2 has no part.
SavedModel linear_model() {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  Dataset data{.X = Matrix(60, 2), .observed = {.y = Vector(60)}, .columns = {"a", "b"}};
  for (Index i = 0; i < 60; ++i) {
    data.X.row(i) << normal(random), normal(random);
    data.observed.y[i] = 2 * data.X(i, 0) + 0.1 * normal(random);
  }
  return {.model = GeneralizedGP::fit(std::move(data),
                                      {.likelihood = "gaussian",
                                       .kernel = "linear(variance=[1, 1])",
                                       .inference = InferenceMethod::exact},
                                      {.restarts = 2, .threads = 1})};
}

SavedModel count_model() {
  std::mt19937_64 random(6);
  Dataset data{.X = Matrix(50, 1), .observed = {.y = Vector(50)}};
  for (Index i = 0; i < 50; ++i) {
    data.X(i, 0) = static_cast<double>(i) / 10;
    std::poisson_distribution<int> poisson(std::exp(std::sin(data.X(i, 0)) + 1));
    data.observed.y[i] = static_cast<double>(poisson(random));
  }
  return {.model = GeneralizedGP::fit(
              std::move(data), {.likelihood = "poisson"}, {.restarts = 4, .threads = 1})};
}

TEST(PartialDependence, OfALinearFunctionIsItsSlope) {
  const SavedModel saved = linear_model();
  const Subject subject(saved);
  const InputEffect a = partial_dependence(subject, subject.inputs()[0]);
  const InputEffect b = partial_dependence(subject, subject.inputs()[1]);
  const Layer& curve = a.chart.layers.back();
  for (std::size_t k = 1; k < curve.x.size(); ++k)
    EXPECT_NEAR((curve.y[k] - curve.y[0]) / (curve.x[k] - curve.x[0]), 2, 0.05);
  EXPECT_LT(b.size, 0.1 * a.size);
}

TEST(PartialDependence, HasBandsThatContainEachOther) {
  const SavedModel saved = count_model();
  const Subject subject(saved);
  const Chart chart = partial_dependence(subject, subject.inputs()[0]).chart;
  for (std::size_t band = 0; band + 1 < 3; ++band)
    for (std::size_t k = 0; k < chart.layers[band].x.size(); ++k) {
      EXPECT_LE(chart.layers[band].y[k], chart.layers[band + 1].y[k]);
      EXPECT_GE(chart.layers[band].y2[k], chart.layers[band + 1].y2[k]);
    }
}

TEST(Curve, IsDrawnFinelyEnoughForItsLengthScale) {
  const auto places = [](const char* kernel) {
    Dataset data{.X = Vector::LinSpaced(40, 0, 10), .observed = {.y = Vector::Zero(40)}};
    const SavedModel saved{.model =
                               GeneralizedGP::fit(data, {.kernel = kernel}, {.optimize = false})};
    const Subject subject(saved);
    return subject.places_along(subject.inputs()[0]);
  };
  EXPECT_EQ(places("rbf(1, 5)"), 120);
  EXPECT_GE(places("rbf(1, 5) + rbf(1, 0.25)"), 320);
  EXPECT_GE(places("periodic(1, 1, 0.5)"), 160);
  EXPECT_EQ(places("rbf(1, 0.0001)"), 800);
}

TEST(FitChart, ShowsTheProbabilityOfTrialsAndNotBlocks) {
  Dataset data{.X = Vector::LinSpaced(30, 0, 3),
               .observed = {.y = Vector::Ones(30), .trials = Vector::Constant(30, 2)}};
  const SavedModel saved{
      .model = GeneralizedGP::fit(data, {.likelihood = "binomial"}, {.optimize = false})};
  const Subject subject(saved);
  const Chart chart = fit_chart(subject, subject.inputs()[0]);
  const Matrix expected = saved.model.predictive({.X = Vector::Constant(1, chart.layers[0].x[60])})
                              .mean_quantiles({0.025, 0.975});
  EXPECT_NEAR(chart.layers[0].y[60], expected(0, 0), 1e-9);
  EXPECT_NEAR(chart.layers[0].y2[60], expected(0, 1), 1e-9);
  EXPECT_NE(chart.layers[0].y[60], chart.layers[0].y[20]);
}

TEST(ProbabilityMap, HoldsTheWholeDistributionAtEveryPlace) {
  const SavedModel saved = count_model();
  const Subject subject(saved);
  const Chart chart = probability_map(subject, subject.inputs()[0]);
  std::map<double, double> total;
  const Layer& cells = chart.layers.front();
  for (std::size_t k = 0; k < cells.x.size(); ++k) total[cells.x[k]] += cells.value[k];
  EXPECT_EQ(total.size(), 60U);
  for (const auto& [x, sum] : total) EXPECT_NEAR(sum, 1, 0.02) << x;
}

TEST(ScoredRows, OfTheSameRowsAgreesWithPredictions) {
  const SavedModel saved = count_model();
  const Subject subject(saved);
  Vector y = saved.model.observations().y;
  y[3] = std::nan("");
  const Dataset data{.X = saved.model.inputs(), .observed = {.y = y}, .source = "t.csv"};
  const std::optional<ScoredRows> scored = score_new_rows(subject, data, 1);
  ASSERT_TRUE(scored);
  EXPECT_EQ(scored->size(), 49);
  EXPECT_EQ(scored->number[3], 5) << "the row without a target is left out";
  const Predictions p = saved.model.predictive({.X = saved.model.inputs()});
  EXPECT_EQ(scored->mean[3], p.mean()[4]);
  Index inside = 0;
  for (Index i = 0; i < 50; ++i)
    inside += i != 3 && y[i] >= p.quantile(0.1)[i] && y[i] <= p.quantile(0.9)[i] ? 1 : 0;
  EXPECT_NEAR(scored->coverage(0.8), static_cast<double>(inside) / 49, 1e-12);
  for (Index i = 0; i < 49; ++i) {
    EXPECT_GE(scored->pit[i], scored->cdf_below[i]);
    EXPECT_LE(scored->pit[i], scored->cdf[i]);
  }
}

TEST(ClimbAgain, EndsAtAnOptimumThatWasFound) {
  const SavedModel saved = count_model();
  const ClimbedPath path = climb_again(saved.model);
  ASSERT_GT(path.points.size(), 2U);
  for (std::size_t k = 1; k < path.log_marginal.size(); ++k)
    EXPECT_GT(path.log_marginal[k], path.log_marginal[k - 1]);
  EXPECT_NEAR(path.log_marginal.back(), saved.model.log_marginal(), 1e-3);
}

TEST(MarginalChart, IsHighestAtTheOptimum) {
  const SavedModel saved = count_model();
  const std::optional<Chart> chart = marginal_chart(saved.model, {.grid = 7}, {}, {});
  ASSERT_TRUE(chart);
  for (const double value : chart->layers.front().value)
    EXPECT_LE(value, saved.model.log_marginal() + 1e-6);
  EXPECT_THROW(marginal_chart(saved.model, {.parameters = {"rbf.variance", "x"}}, {}, {}),
               UsageError);
}

TEST(Contour, OfADistanceIsACircle) {
  std::vector<double> x;
  for (int i = 0; i <= 40; ++i) x.push_back(-2 + i * 0.1);
  Matrix z(41, 41);
  for (Index i = 0; i < 41; ++i)
    for (Index j = 0; j < 41; ++j)
      z(i, j) = std::hypot(x[static_cast<std::size_t>(i)], x[static_cast<std::size_t>(j)]);
  const Layer circle = contour(x, x, z, 1.03);
  ASSERT_GT(circle.x.size(), 50U);
  double length = 0;
  for (std::size_t k = 0; k < circle.x.size(); ++k) {
    EXPECT_NEAR(std::hypot(circle.x[k], circle.y[k]), 1.03, 0.01);
    length += std::hypot(circle.x2[k] - circle.x[k], circle.y2[k] - circle.y[k]);
  }
  EXPECT_NEAR(length, 2 * M_PI * 1.03, 0.1);
  z(20, 30) = std::nan("");
  EXPECT_LT(contour(x, x, z, 1.03).x.size(), circle.x.size());
}

TEST(CoverageTable, CountsRows) {
  const SavedModel saved = count_model();
  const Subject subject(saved);
  const ScoredRows scored = score_left_out(subject, 1);
  const PageTable table = coverage_table(scored);
  EXPECT_EQ(table.rows[0][1], "25.0 rows");
  EXPECT_EQ(scored.worst(3).size(), 3U);
  EXPECT_EQ(scored.log_density.minCoeff(), scored.log_density[scored.worst(1)[0]]);
}

// ---- Ordered levels, and outputs that are known in part

SavedModel level_model() {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  Dataset data{.X = Matrix(60, 2), .observed = {.y = Vector(60)}, .columns = {"a", "b"}};
  for (Index i = 0; i < 60; ++i) {
    data.X.row(i) << normal(random), normal(random);
    const double eta = 2 * data.X(i, 0) + normal(random);
    data.observed.y[i] = eta < -1 ? 1 : eta < 1 ? 2 : 3;
  }
  SavedModel out{.model = GeneralizedGP::fit(
                     std::move(data), {.likelihood = "ordinal"}, {.restarts = 1, .threads = 1})};
  out.roles.target = "rating";
  out.roles.levels = {"poor", "fair", "good"};
  return out;
}

TEST(OrderedLevels, AreNamedOnEveryAxisOfOutputs) {
  const SavedModel saved = level_model();
  const Subject subject(saved);
  const ScoredRows scored = score_left_out(subject, 1);
  const std::vector<std::string> names = {"poor", "fair", "good"};
  const Chart observed = observed_chart(subject, scored);
  EXPECT_EQ(fit_chart(subject, subject.inputs()[0]).y.categories, names);
  EXPECT_EQ(partial_dependence(subject, subject.inputs()[0]).chart.y.categories, names);
  EXPECT_EQ(observed.x.categories, names);
  EXPECT_EQ(observed.y.categories, names);
  // A point lies at its name: category k is at k, level k + 1 of the likelihood.
  const Layer& points = observed.layers.back();
  ASSERT_EQ(points.y.size(), 60U);
  for (std::size_t i = 0; i < 60; ++i)
    EXPECT_EQ(points.y[i], saved.model.observations().y[static_cast<Index>(i)] - 1);
  for (const auto& row : worst_table(subject, scored).rows) {
    EXPECT_NE(std::find(names.begin(), names.end(), row[1]), names.end()) << row[1];
    EXPECT_NE(std::find(names.begin(), names.end(), row[2]), names.end()) << row[2];
  }
  const PageTable taken = level_table(subject, scored);
  double rows = 0;
  for (const auto& row : taken.rows)
    for (std::size_t k = 1; k <= 3; ++k) rows += std::stod(row[k]);
  EXPECT_EQ(rows, 60);
  EXPECT_EQ(taken.header[3], "taken for good");
}

TEST(OrderedLevels, HaveTheProbabilityOfEachInTheFit) {
  const SavedModel saved = level_model();
  const Subject subject(saved);
  const Input& input = subject.inputs()[0];
  const Chart chart = fit_chart(subject, input);
  const Layer& cells = chart.layers.front();
  ASSERT_EQ(cells.mark, Mark::boxes);
  const Subject::Path path = subject.along(input, 60);
  const Matrix expected = saved.model.predictive(path.rows).level_probabilities();
  std::size_t found = 0;
  for (std::size_t k = 0; k < cells.x.size(); ++k) {
    const double x = (cells.x[k] + cells.x2[k]) / 2, level = (cells.y[k] + cells.y2[k]) / 2;
    const double width = path.places[1] - path.places[0];
    const auto i = static_cast<Index>(std::lround((x - path.places[0]) / width));
    EXPECT_NEAR(cells.value[k], expected(i, static_cast<Index>(level)), 1e-9);
    ++found;
  }
  EXPECT_GT(found, 100U);
}

// Rows 0, 5, ... were seen to live; 1, 6, ... died before; 2, 7, ... between two visits.
SavedModel survival_model(const char* likelihood = "weibull") {
  std::mt19937_64 random(8);
  std::exponential_distribution<double> life(1);
  Dataset data{.X = Vector::LinSpaced(50, 0, 3),
               .observed = {.y = Vector(50),
                            .censored = Vector::Zero(50),
                            .upper = Vector::Constant(50, std::nan(""))}};
  for (Index i = 0; i < 50; ++i) {
    const double t = std::exp(data.X(i, 0)) * life(random);
    data.observed.y[i] = i % 5 == 0 ? t / 2 : i % 5 == 1 ? 2 * t : t;
    data.observed.censored[i] = i % 5 == 0 ? 1 : i % 5 == 1 ? -1 : 0;
    if (i % 5 == 2) data.observed.upper[i] = 3 * t;
  }
  return {.model = GeneralizedGP::fit(
              std::move(data), {.likelihood = likelihood}, {.restarts = 1, .threads = 1})};
}

std::map<std::string, const Layer*> by_name(const Chart& chart) {
  std::map<std::string, const Layer*> out;
  for (const Layer& layer : chart.layers) out[layer.name] = &layer;
  return out;
}

TEST(CensoredRows, AreNotDrawnAsIfTheyWereObserved) {
  const SavedModel saved = survival_model();
  const Subject subject(saved);
  const ScoredRows scored = score_left_out(subject, 1);
  for (const Chart& chart :
       {fit_chart(subject, subject.inputs()[0]), observed_chart(subject, scored)}) {
    const auto layers = by_name(chart);
    EXPECT_EQ(layers.at(chart.id == "fit" ? "data" : "rows")->x.size(), 20U) << chart.id;
    ASSERT_TRUE(layers.contains("known to be larger")) << chart.id;
    EXPECT_EQ(layers.at("known to be larger")->x.size(), 10U);
    EXPECT_EQ(layers.at("known to be larger")->symbol, Symbol::up);
    EXPECT_EQ(layers.at("known to be smaller")->x.size(), 10U);
    EXPECT_EQ(layers.at("known to be smaller")->symbol, Symbol::down);
    EXPECT_EQ(layers.at("known to lie between")->x.size(), 10U);
    const auto line =
        std::find_if(chart.layers.begin(), chart.layers.end(), [](const Layer& layer) {
          return layer.mark == Mark::segments && layer.name.empty();
        });
    ASSERT_NE(line, chart.layers.end());
    EXPECT_DOUBLE_EQ(line->y2[0], 3 * line->y[0]);
  }
  for (const Chart& chart :
       {density_chart(scored), residuals_along(subject.inputs()[0], scored).chart})
    EXPECT_EQ(by_name(chart).at("censored")->symbol, Symbol::ring);
}

TEST(CensoredRows, AreCounted) {
  const SavedModel saved = survival_model();
  const Subject subject(saved);
  const ScoredRows scored = score_left_out(subject, 1);
  EXPECT_EQ(subject.censored(), 30);
  EXPECT_EQ(scored.censored(), 30);
  EXPECT_EQ(subject.known_words({.y = 2, .censored = 1}), "at least 2");
  EXPECT_EQ(subject.known_words({.y = 2, .censored = -1}), "at most 2");
  EXPECT_EQ(subject.known_words({.y = 2, .upper = 3}), "2 … 3");
  // An error is that of a row that was observed.
  double sum = 0;
  for (Index i = 0; i < 50; ++i)
    if (i % 5 > 2) sum += std::abs(scored.y[i] - scored.middle[i]) / 20;
  EXPECT_NEAR(scored.error(), sum, 1e-12);
  const std::string page = fit_report(saved, std::nullopt, {.grid = 0}).html();
  EXPECT_NE(page.find("50: 20 observed, 30 censored"), std::string::npos);
  EXPECT_NE(page.find("20 observed, 30 censored), explained by"), std::string::npos);
}

// Half of the truth of a row lies where half of its distribution does, censored or not.
TEST(CensoredRows, CountInIntervalsByTheirProbability) {
  ScoredRows scored;
  scored.y = Vector::Zero(3);
  scored.known = {{.y = 1, .censored = 1}, {.y = 1, .censored = -1}, {.y = 1}};
  scored.cdf_below.resize(3);
  scored.cdf.resize(3);
  scored.cdf_below << 0.5, 0, 0.4;
  scored.cdf << 1, 0.5, 0.4;
  EXPECT_NEAR(scored.coverage(0.8), (0.8 + 0.8 + 1) / 3, 1e-12);
  scored.cdf_below[0] = 0.95;  // beyond
  EXPECT_NEAR(scored.coverage(0.8), (0 + 0.8 + 1) / 3, 1e-12);
}

}  // namespace
}  // namespace ggpm::internal::report
