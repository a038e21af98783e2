// What a person reads of hyperparameters: names and units of columns, intervals, findings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ggpm/model.hpp"
#include "ggpm/splits.hpp"
#include "model/simulate.hpp"
#include "support/close.hpp"
#include "support/files.hpp"

namespace ggpm::internal {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing_support::simulate;

FitOptions two_starts() { return {.restarts = 2, .threads = 1}; }

std::vector<std::string> names_of(const GeneralizedGP& model) {
  std::vector<std::string> out;
  for (const FittedParameter& p : model.parameters()) out.push_back(p.parameter.name);
  return out;
}
std::vector<std::string> texts_of(const GeneralizedGP& model) {
  std::vector<std::string> out;
  for (const Warning& warning : model.warnings()) out.push_back(warning.text);
  return out;
}
const FittedParameter& find(const std::vector<FittedParameter>& all, const std::string& name) {
  for (const FittedParameter& p : all)
    if (p.parameter.name == name) return p;
  throw UsageError("no parameter " + name);
}

Dataset named(Index n, std::vector<std::string> columns, unsigned seed) {
  Dataset data = simulate("gaussian", n, std::ssize(columns), seed);
  data.columns = std::move(columns);
  return data;
}

TEST(Parameters, HaveTheNamesOfTheirColumns) {
  const Dataset data = named(25, {"age", "dose (mg)"}, 1);
  FitOptions options = two_starts();
  options.fixed = {"rbf.lengthscale[2]"};  // a place is understood as well
  options.priors["rbf.lengthscale[age]"] = Prior::parse("gamma(2, 1)");
  const auto model =
      GeneralizedGP::fit(data, {.kernel = "rbf(ard=true)", .mean = "linear"}, options);
  EXPECT_THAT(names_of(model),
              testing::ElementsAre("rbf.variance",
                                   "rbf.lengthscale[age]",
                                   "rbf.lengthscale[dose (mg)]",
                                   "mean.weights[age]",
                                   "mean.weights[dose (mg)]",
                                   "mean.intercept",
                                   "dispersion"));
  EXPECT_TRUE(find(model.parameters(), "rbf.lengthscale[dose (mg)]").parameter.fixed);
  EXPECT_EQ(find(model.parameters(), "rbf.lengthscale[age]").prior.text(), "gamma(2, 1)");
  const auto loaded = from_bytes(to_bytes({model})).model;
  EXPECT_EQ(names_of(loaded), names_of(model));
  EXPECT_TRUE(find(loaded.parameters(), "rbf.lengthscale[dose (mg)]").parameter.fixed);
}

// The same rows, scaled or not: the same model, told in the same words.
TEST(Parameters, AreInUnitsOfTheirColumns) {
  const Dataset data = named(30, {"a", "b"}, 2);
  Dataset scaled = data;
  scaled.X.col(0) /= 7;
  scaled.X.col(1) /= 0.02;
  const std::string kernel = "rbf(lengthscale=[1.5 in [0.1, 100], 2]) + constant";
  const auto plain = GeneralizedGP::fit(data, {.kernel = kernel}, two_starts());
  const auto units =
      GeneralizedGP::fit(scaled, {.kernel = kernel, .units = {7, 0.02}}, two_starts());
  EXPECT_CLOSE(units.log_marginal(), plain.log_marginal(), 1e-4);
  EXPECT_CLOSE(units.hyperparameters().flat(), plain.hyperparameters().flat(), 0.02);
  const auto loaded = from_bytes(to_bytes({units})).model;
  EXPECT_EQ(loaded.hyperparameters().flat(), units.hyperparameters().flat());
  EXPECT_EQ(loaded.predictive({.X = scaled.X}).mean(), units.predictive({.X = scaled.X}).mean());
  EXPECT_EQ(loaded.kernel().text(), units.kernel().text());
}

TEST(Parameters, KeepTheirIntervals) {
  const auto model = GeneralizedGP::fit(named(40, {"x"}, 3), {}, two_starts());
  ASSERT_TRUE(model.standard_errors());
  const FittedParameter noise = find(model.parameters(), "dispersion");
  ASSERT_TRUE(noise.interval());
  EXPECT_LT(noise.interval()->lower, noise.parameter.value);
  EXPECT_GT(noise.interval()->upper, noise.parameter.value);
  const auto loaded = from_bytes(to_bytes({model})).model;
  EXPECT_EQ(find(loaded.parameters(), "dispersion").interval()->upper, noise.interval()->upper);
  FitOptions without = two_starts();
  without.standard_errors = false;
  EXPECT_FALSE(GeneralizedGP::fit(named(40, {"x"}, 3), {}, without).standard_errors());
}

TEST(Parameters, ThatNoDataTellAreNotIdentified) {
  FittedParameter p{.parameter = {.name = "rbf.lengthscale"}};
  EXPECT_FALSE(p.unidentified());  // nobody has looked
  EXPECT_FALSE(p.interval());
  p.standard_error = 0.5;
  EXPECT_CLOSE(p.interval()->upper, std::exp(0.98), 1e-12);
  EXPECT_EQ(p.remark(), "");
  for (const double wide : {4.0, 1e3, std::nan("")}) {
    p.standard_error = wide;
    EXPECT_FALSE(p.interval()) << wide;
    EXPECT_EQ(p.remark(), "not identified") << wide;
  }
  p.parameter.fixed = true;
  EXPECT_EQ(p.remark(), "held");
}

TEST(Parameters, BetweenTwoEndsHaveIntervalsBetweenThem) {
  FittedParameter p{.parameter = {.name = "dispersion",
                                  .value = 0.02,
                                  .positive = false,
                                  .upper = 1,
                                  .role = Role::dispersion},
                    .standard_error = 0.02};
  EXPECT_GT(p.interval()->lower, 0);
  EXPECT_LT(p.interval()->upper, 0.2);
  p.standard_error = 1e-6;  // to first order the same as without the ends
  EXPECT_CLOSE(p.interval()->upper, 0.02 + 1.96e-6, 1e-8);
  p.parameter.value = 0.98, p.standard_error = 0.02;
  EXPECT_LT(p.interval()->upper, 1);
}

TEST(Findings, NameInputsWithoutEffectInOneLine) {
  const Dataset data = named(60, {"x", "u", "v", "w"}, 4);
  const auto model = GeneralizedGP::fit(data, {.kernel = "rbf(ard=true)"}, two_starts());
  std::vector<std::string> about;
  for (const std::string& text : texts_of(model))
    if (text.find("does not depend on") != std::string::npos) about.push_back(text);
  ASSERT_LE(about.size(), 1U);
  for (const FittedParameter& p : model.parameters()) {
    if (!p.at_upper || p.parameter.input() < 1) continue;
    EXPECT_THAT(about, Contains(HasSubstr(input_name(data.columns, p.parameter.input()))));
  }
}

TEST(Findings, CallACollapsedLengthScaleNoise) {
  std::mt19937_64 random(6);
  Dataset data{.X = Vector::LinSpaced(40, 0, 39)};
  data.observed.y.resize(40);
  for (double& y : data.observed.y) y = testing_support::uniform(random) - 0.5;
  const Specification noise{.kernel = "rbf(1, fixed(0.1))"}, smooth{.kernel = "rbf(1, fixed(3))"};
  EXPECT_THAT(texts_of(GeneralizedGP::fit(data, noise, two_starts())),
              Contains(HasSubstr("rbf.lengthscale = 0.1 is below the spacing of the rows")));
  EXPECT_THAT(texts_of(GeneralizedGP::fit(data, smooth, two_starts())),
              Each(Not(HasSubstr("spacing"))));
}

// A row in the middle of a grid has a twentieth of its variance from each neighbor at 1.73 scales.
TEST(Findings, CallALengthScaleNoiseWhereRowsShareATwentieth) {
  std::mt19937_64 random(6);
  Dataset data{.X = Vector::LinSpaced(40, 0, 39)};
  data.observed.y.resize(40);
  for (double& y : data.observed.y) y = testing_support::uniform(random) - 0.5;
  const auto with = [](double scale) {
    return Specification{.kernel = fmt::format("rbf(1, fixed({}))", scale)};
  };
  EXPECT_THAT(texts_of(GeneralizedGP::fit(data, with(1 / 1.75), quick())),
              Contains(HasSubstr("below the spacing of the rows")));
  EXPECT_THAT(texts_of(GeneralizedGP::fit(data, with(1 / 1.71), quick())),
              Each(Not(HasSubstr("spacing"))));
  // Every place twice: the term is a level of each place, which both rows know.
  for (Index i = 0; i < 40; ++i) data.X(i, 0) = static_cast<double>(i / 2);
  EXPECT_THAT(texts_of(GeneralizedGP::fit(data, with(0.01), quick())),
              Each(Not(HasSubstr("spacing"))));
}

// Real counts with four inputs, whose default model had collapsed unnoticed: half of the rows are 3
// length-scales or more from their nearest.
TEST(Findings, CallTheCollapsedLengthScaleOfCrabsNoise) {
  GGPM_REQUIRE_DATA("horseshoe_crabs.csv");
  const Table table = read_csv(testing_support::data_file("horseshoe_crabs.csv").string());
  Dataset data{.X = Design::learn(table, {.exclude = {"satellites"}}).apply(table)};
  data.observed.y = numeric_column(table, "satellites");
  const auto model = GeneralizedGP::fit(data, {.likelihood = "poisson"}, quick());
  EXPECT_THAT(texts_of(model), Contains(HasSubstr("below the spacing of the rows")));
}

TEST(Findings, WarnOfManyParametersForFewRows) {
  const std::vector<std::string> columns = {"a", "b", "c", "d", "e", "f"};
  const Specification ard{.kernel = "rbf(ard=true)"};
  EXPECT_THAT(texts_of(GeneralizedGP::fit(named(60, columns, 7), ard, two_starts())),
              Contains(HasSubstr("8 hyperparameters were learned from 60 rows")));
  FitOptions refitted = two_starts();
  refitted.refit_folds = 2;
  const auto judged = GeneralizedGP::fit(named(60, columns, 7), ard, refitted);
  EXPECT_THAT(texts_of(judged),
              Contains(HasSubstr(fmt::format("in 2 folds have a log density of {:.1f}",
                                             judged.refitted()->total))));
  EXPECT_THAT(texts_of(GeneralizedGP::fit(named(81, columns, 7), ard, two_starts())),
              Each(Not(HasSubstr("hyperparameters were learned"))));
  EXPECT_THAT(texts_of(GeneralizedGP::fit(named(12, {"x"}, 7), {}, two_starts())),
              Each(Not(HasSubstr("hyperparameters were learned"))));
}

// Every row is predicted by a model that has not seen it: done here by hand for one part.
TEST(Refitted, PredictsPartsByModelsThatLearnAgain) {
  const Dataset data = named(24, {"x"}, 8);
  FitOptions options = two_starts();
  options.refit_folds = 3;
  const auto model = GeneralizedGP::fit(data, {}, options);
  ASSERT_TRUE(model.refitted());
  EXPECT_EQ(model.refitted()->folds, 3);
  EXPECT_EQ(model.refitted()->log_density.size(), 24);
  const Split part = k_folds(24, 3, 1, options.seed)[1];
  const auto apart = GeneralizedGP::fit(data.subset(part.train), {}, two_starts());
  const Dataset test = data.subset(part.test);
  EXPECT_CLOSE(model.refitted()->log_density(part.test),
               apart.predictive(test).log_density(test.observed.y),
               1e-6);
  const auto loaded = from_bytes(to_bytes({model})).model;
  EXPECT_EQ(loaded.refitted()->total, model.refitted()->total);
  options.refit_folds = 25;
  EXPECT_THROW(GeneralizedGP::fit(data, {}, options), UsageError);
}

TEST(Refitted, KeepsExposures) {
  Dataset data = simulate("poisson", 30, 1, 9);
  data.observed.exposure = Vector::LinSpaced(30, 1, 30);
  FitOptions options = two_starts();
  options.refit_folds = 2;
  const auto model = GeneralizedGP::fit(
      data, {.likelihood = "poisson", .inference = InferenceMethod::laplace}, options);
  EXPECT_TRUE(model.refitted()->log_density.allFinite());
  EXPECT_LT(std::abs(model.refitted()->total - model.loo().total),
            0.3 * std::abs(model.loo().total));
}

TEST(Warnings, SayThatEveryOutputIsCensoredOnOneSide) {
  Dataset data = simulate("weibull", 8, 1, 5);
  const Specification weibull{.likelihood = "weibull", .inference = InferenceMethod::laplace};
  const auto says = [&](const char* text) {
    for (const std::string& warning : texts_of(GeneralizedGP::fit(data, weibull, quick())))
      if (warning.find(text) != std::string::npos) return true;
    return false;
  };
  data.observed.censored = Vector::Ones(8);
  EXPECT_TRUE(says("every output is censored on the right"));
  data.observed.censored[3] = 0;
  EXPECT_FALSE(says("every output is censored"));
  data.observed.censored.setConstant(-1);
  EXPECT_TRUE(says("every output is censored on the left"));
}

}  // namespace
}  // namespace ggpm::internal
