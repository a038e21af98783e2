#include "model/rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "ggpm/model.hpp"
#include "ggpm/roles.hpp"
#include "model/simulate.hpp"
#include "support/close.hpp"

namespace ggpm::internal {
namespace {

using testing_support::as_given;
using testing_support::simulate;
using testing_support::test_name;

std::vector<std::string> of_counts() {
  std::vector<std::string> out;
  for (const LikelihoodInfo& info : likelihood_table())
    if (info.domain == Domain::count)
      for (const std::string& link : info.links) out.push_back(info.name + "/" + link);
  return out;
}

class LatentMean : public testing::TestWithParam<std::string> {};

// One meaning for every family and link, at training rows, new rows, and rows left out.
TEST_P(LatentMean, IsWithoutOffsetAndExposure) {
  const auto slash = GetParam().find('/');
  const std::string family = GetParam().substr(0, slash), link = GetParam().substr(slash + 1);
  Dataset data = simulate(family, 12, 1, 3);
  data.observed.exposure = Vector::LinSpaced(12, 0.5, 4);
  data.observed.offset = Vector::LinSpaced(12, -0.3, 0.3);
  const GeneralizedGP model =
      GeneralizedGP::fit(data, {.likelihood = family, .link = link}, as_given());
  const Vector here = model.predictive(data).latent_mean();
  EXPECT_CLOSE(model.latent_mean(), here, 1e-6);
  const Vector bare = model.predictive({.X = data.X}).latent_mean();
  EXPECT_EQ(here, bare);
  Vector mean, variance;
  model.latent(data, mean, variance);
  EXPECT_EQ(mean, bare);
  EXPECT_LT((model.loo().latent_mean - bare).cwiseAbs().maxCoeff(), 2);
}

INSTANTIATE_TEST_SUITE_P(Counts, LatentMean, testing::ValuesIn(of_counts()), [](const auto& one) {
  return test_name(one.param);
});

// An offset of the Gaussian is as if y were smaller by it: the same latent everywhere.
TEST(LatentMeanOfGaussian, IsThatOfOutputsWithoutTheirOffset) {
  Dataset plain = simulate("gaussian", 15, 1, 3), moved = plain;
  moved.observed.offset = Vector::LinSpaced(15, -20, 20);
  moved.observed.y += moved.observed.offset;
  const GeneralizedGP a = GeneralizedGP::fit(plain, {}, as_given()),
                      b = GeneralizedGP::fit(moved, {}, as_given());
  EXPECT_CLOSE(a.latent_mean(), b.latent_mean(), 1e-10);
  EXPECT_CLOSE(a.loo().latent_mean, b.loo().latent_mean, 1e-9);
}

Table ages() {
  Table table("ages.csv");
  table.add_numbers("age", {20, 30, 40, 50, 60});
  table.add_text("sex", std::vector<std::string>{"F", "M", "F", "M", "F"});
  table.add_numbers("hours", {1, 2, 1, 2, 1});
  table.add_numbers("n", {1, 3, 2, 6, 4});
  return table;
}

SavedModel saved_model() {
  TrainingTable read =
      read_training(ages(), {.roles = {.target = "n", .exposure = "hours"}}, Domain::count);
  const GeneralizedGP model = GeneralizedGP::fit(read.data, {.likelihood = "poisson"}, as_given());
  return from_bytes(to_bytes({.model = model, .design = read.design, .roles = read.roles}));
}

TEST(SavedModel, MakesRowsOfATable) {
  const SavedModel saved = saved_model();
  const Dataset rows = saved.rows(ages());
  EXPECT_CLOSE(rows.X, saved.model.inputs(), 1e-12);
  EXPECT_EQ(rows.observed.y, saved.model.observations().y);
  EXPECT_EQ(rows.observed.exposure, saved.model.observations().exposure);
  EXPECT_EQ(rows.source, "ages.csv");
  Table bare("new.csv");
  for (const char* name : {"age", "sex", "hours"}) bare.add_column(ages().column(name));
  EXPECT_EQ(saved.rows(bare).observed.y.size(), 0);
  EXPECT_EQ(saved.model.predictive(saved.rows(bare)).mean(), saved.model.predictive(rows).mean());
}

TEST(SavedModel, RefusesInputsThatDidNotGoThroughItsDesign) {
  const SavedModel saved = saved_model();
  const Dataset raw{.X = Matrix::Ones(1, saved.model.dimensions())};
  for (const auto& ask :
       std::vector<std::function<void()>>{[&] { saved.model.predictive(raw); },
                                          [&] { saved.model.draw(raw, 1, 1); },
                                          [&] { saved.model.terms(raw); },
                                          [&] { saved.model.latent_covariance(raw); }}) {
    try {
      ask();
      FAIL();
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("SavedModel::rows(table)"));
    }
  }
}

}  // namespace
}  // namespace ggpm::internal
