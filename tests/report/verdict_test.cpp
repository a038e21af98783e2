// At which numbers a report begins to speak.
#include "report/verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/simulate.hpp"

namespace ggpm::internal::report {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::Not;
using testing_support::simulate;

// A fitted model, and a judgement of 100 rows that finds nothing wrong.
struct Fitted {
  SavedModel saved;
  Subject subject;
  ScoredRows scored;

  explicit Fitted(const std::string& likelihood, const std::string& link = "", Index d = 1)
      : saved{.model = GeneralizedGP::fit(
                  simulate(likelihood, 30, d, 3),
                  {.likelihood = likelihood,
                   .link = link,
                   .inference = make_likelihood(likelihood, link)->is_exact_regression()
                                    ? InferenceMethod::exact
                                    : InferenceMethod::laplace},
                  {.optimize = false})},
        subject(saved) {
    resize(100);
  }
  void resize(Index n) {
    scored.rows_words = "the rows";
    scored.known.assign(static_cast<std::size_t>(n), {});
    scored.y.resize(n);
    for (Index i = 0; i < n; ++i) scored.y[i] = static_cast<double>(i % 7);
    scored.mean = scored.middle = scored.y;
    scored.lower = scored.y.array().max(1) - 1;
    scored.upper = scored.y.array() + 1;
    scored.log_density = Vector::Constant(n, -1);
    scored.cdf_below = scored.cdf = scored.pit = Vector::LinSpaced(n, 0.5 / 100, 1 - 0.5 / 100);
    scored.summary = {.count = n, .mean = 0.5, .variance = 1.0 / 12, .p_value = 0.5};
  }
  // The variance of the PIT so many standard deviations above that of uniform numbers.
  void set_spread(double deviations) {
    const auto n = static_cast<double>(scored.size());
    scored.summary.variance = 1.0 / 12 + deviations * std::sqrt((1.0 / 80 - 1.0 / 144) / n);
  }
  std::vector<Remark> remarks(const std::optional<Dataset>& data = {}) const {
    return report::remarks(subject, scored, data);
  }
};

auto says(const std::string& text) { return Contains(Field(&Remark::text, HasSubstr(text))); }

TEST(Verdict, HasNothingToSayOfAGoodModel) {
  EXPECT_TRUE(Fitted("poisson").remarks().empty());
  EXPECT_THAT(trust_words({}), HasSubstr("Nothing was found that speaks against the model"));
}

TEST(Verdict, CalibrationIsPoorBelowOnePercent) {
  Fitted f("gaussian");
  f.scored.summary.p_value = 0.0101;
  EXPECT_THAT(f.remarks(), Not(says("Poor calibration")));
  f.scored.summary.p_value = 0.0099;
  EXPECT_THAT(f.remarks(), says("Poor calibration"));
}

TEST(Verdict, SaysInWhichWayCalibrationIsPoor) {
  Fitted f("gaussian");
  f.scored.summary.p_value = 1e-5;
  EXPECT_THAT(f.remarks(), says("have another shape than the data"));
  f.scored.summary.mean = 0.5 + 3.1 / std::sqrt(1200.0);
  EXPECT_THAT(f.remarks(), says("predictions are too low"));
  f.scored.summary.mean = 0.5 - 3.1 / std::sqrt(1200.0);
  EXPECT_THAT(f.remarks(), says("predictions are too high"));
  f.set_spread(3.1);
  EXPECT_THAT(f.remarks(), says("intervals are too narrow"));
  f.set_spread(-3.1);
  EXPECT_THAT(f.remarks(), says("intervals are too wide"));
}

TEST(Verdict, DoesNotJudgeADistributionByFewerThanTwentyRows) {
  Fitted f("gaussian");
  f.resize(19);
  f.scored.summary.p_value = 1e-9;
  EXPECT_THAT(f.remarks(), AllOf(says("19 rows are too few"), Not(says("Poor calibration"))));
  f.resize(20);
  f.scored.summary.p_value = 1e-9;
  EXPECT_THAT(f.remarks(), says("Poor calibration"));
}

TEST(Verdict, CountsThatScatterMoreOrLessHaveOtherFamilies) {
  Fitted poisson("poisson");
  poisson.set_spread(2.9);
  EXPECT_TRUE(poisson.remarks().empty());
  poisson.set_spread(3.1);
  EXPECT_THAT(poisson.remarks(), says("scatter more than it allows"));
  EXPECT_THAT(poisson.remarks(), AllOf(says("com-poisson"), says("negative-binomial")));
  poisson.set_spread(-3.1);
  EXPECT_THAT(poisson.remarks(), says("scatter less than it allows"));
  EXPECT_THAT(poisson.remarks(), AllOf(says("com-poisson"), Not(says("negative-binomial"))));

  Fitted linear("poisson", "linear");
  linear.set_spread(3.1);
  EXPECT_THAT(linear.remarks(), says("linear-com-poisson"));

  Fitted overdispersed("negative-binomial");
  overdispersed.set_spread(3.1);
  EXPECT_TRUE(overdispersed.remarks().empty()) << "it can scatter as much as it likes";
  overdispersed.set_spread(-3.1);
  EXPECT_THAT(overdispersed.remarks(), says("--likelihoods negative-binomial,poisson,com-poisson"));
}

TEST(Verdict, AGaussianWhoseIntervalsLeaveTheOutputsIsNotedWithTheFamiliesOfTheseOutputs) {
  Fitted f("gaussian");
  f.scored.lower.setConstant(-0.4);
  EXPECT_TRUE(f.remarks().empty());
  f.scored.lower.setConstant(-0.6);
  EXPECT_THAT(f.remarks(), says("the outputs are counts, and intervals reach below 0"));
  f.scored.y.array() += 0.5;
  EXPECT_THAT(f.remarks(), AllOf(says("gamma-shape"), says("inverse-gaussian")));
  f.scored.y /= 7;
  EXPECT_THAT(f.remarks(), AllOf(says("the outputs lie between 0 and 1"), says("beta")));
}

TEST(Verdict, TwoRowsFarOutsideAreEnoughOfOneHundred) {
  Fitted f("gaussian");
  f.scored.pit[3] = 0.99995;
  EXPECT_TRUE(f.remarks().empty());
  f.scored.pit[4] = 0.00005;
  EXPECT_THAT(f.remarks(), says("2 rows lie far outside what a Gaussian allows"));
}

TEST(Verdict, AdviceRunsAsItIsPrinted) {
  Fitted f("poisson");
  f.set_spread(3.1);
  f.saved.roles.target = "n eggs";
  f.saved.roles.exposure = "hours";
  f.saved.design = Design({{.name = "x,1"}});
  EXPECT_THAT(f.remarks(),
              says("ggpm compare DATA --target 'n eggs' --inputs '\"x,1\"' --exposure hours"));
  f.saved.provenance = {{"data", "my eggs.csv"}, {"command", "ggpm fit 'my eggs.csv'"}};
  EXPECT_THAT(f.remarks(), says("ggpm compare 'my eggs.csv' --target 'n eggs' --exposure hours"));
  f.saved.provenance["command"] += " --inputs x";
  EXPECT_THAT(f.remarks(), says("--inputs"));
  EXPECT_THAT(f.remarks(), says("--likelihoods poisson,"));
}

TEST(Verdict, NamesInputsThatARowLeaves) {
  const Fitted f("gaussian", "", 2);
  const Matrix& X = f.saved.model.inputs();
  Dataset data{.X = X.topRows(4), .source = "new.csv"};
  EXPECT_TRUE(f.remarks(data).empty());
  data.X(1, 1) = X.col(1).maxCoeff() + 1;
  data.X(2, 1) = X.col(1).minCoeff() - 1;
  EXPECT_THAT(f.remarks(data), says("2 of the 4 rows of new.csv lie outside"));
}

TEST(Verdict, InputsHelpIfTheyBeatTheMedian) {
  Fitted f("gaussian");
  EXPECT_THAT(f.remarks(), Not(says("The inputs do not help")));
  f.scored.middle.setConstant(100);
  EXPECT_THAT(f.remarks(), says("The inputs do not help"));
}

// The median of few successes is 0 wherever their probability is small: Tokyo's rain.
TEST(Verdict, InputsHelpIfMeansOfCountsFollowThemThoughMediansDoNot) {
  for (const char* likelihood : {"binomial", "poisson"}) {
    Fitted f(likelihood);
    f.scored.middle.setConstant(3);  // the median of all
    EXPECT_THAT(f.remarks(), Not(says("The inputs do not help"))) << likelihood;
    f.scored.mean.setConstant(3);
    EXPECT_THAT(f.remarks(), says("The inputs do not help")) << likelihood;
  }
}

TEST(Verdict, CountsItsWarningsAndNotItsNotes) {
  const Remark warning{Tone::warning, "w"}, note{Tone::note, "n"};
  EXPECT_THAT(trust_words({note}), HasSubstr("Nothing was found"));
  EXPECT_THAT(trust_words({warning, note}), HasSubstr("One thing needs"));
  EXPECT_THAT(trust_words({warning, warning}), HasSubstr("Two things need"));
  EXPECT_THAT(trust_words({warning, warning, warning}), HasSubstr("Three things need"));
  EXPECT_THAT(trust_words({warning, warning, warning, warning, warning}),
              HasSubstr("Some things need"));
}

}  // namespace
}  // namespace ggpm::internal::report
