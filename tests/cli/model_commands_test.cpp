// score, show, and what a saved model remembers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/process.hpp"
#include "ggpm/data.hpp"
#include "ggpm/model.hpp"
#include "support/close.hpp"

namespace ggpm::internal {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing_support::run_command;
using testing_support::TemporaryFolder;
using testing_support::write_file;

class SavedCounts : public testing::Test {
 protected:
  void SetUp() override {
    write_file(data_, run_command({"simulate", "--rows", "60", "--kernel", "rbf(1, 3)"}).out);
    const auto fitted = run_command({"fit",
                                     data_,
                                     "--target",
                                     "y",
                                     "--likelihood",
                                     "poisson",
                                     "--restarts",
                                     "3",
                                     "--json",
                                     "--quiet",
                                     "-o",
                                     model_});
    ASSERT_EQ(fitted.exit_code, 0) << fitted.error;
    fitted_ = json::parse(fitted.out);
  }
  TemporaryFolder folder_;
  std::string data_ = folder_.file("data.csv"), model_ = folder_.file("m.ggpm");
  json fitted_;
};

TEST_F(SavedCounts, AreScored) {
  const auto result = run_command({"score", model_, data_, "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const json scores = json::parse(result.out);
  // By hand from the predictions.
  const Table out = parse_csv(run_command({"predict", model_, data_}).out, "out");
  const Vector y = numeric_column(read_csv(data_), "y");
  const Vector mean = numeric_column(out, "mean"), mode = numeric_column(out, "mode");
  EXPECT_CLOSE(scores["mae"].get<double>(), (y - mean).cwiseAbs().mean(), 1e-12);
  EXPECT_CLOSE(scores["mae_mode"].get<double>(), (y - mode).cwiseAbs().mean(), 1e-12);
  EXPECT_CLOSE(scores["mse"].get<double>(), (y - mean).squaredNorm() / 60, 1e-12);
  EXPECT_CLOSE(scores["nlp"].get<double>(), -numeric_column(out, "log_density").mean(), 1e-12);
  const Vector low = numeric_column(out, "q0.025"), high = numeric_column(out, "q0.975");
  double inside = 0;
  for (Index i = 0; i < 60; ++i) inside += y(i) >= low(i) && y(i) <= high(i) ? 1 : 0;
  EXPECT_CLOSE(scores["coverage"]["0.95"].get<double>(), inside / 60, 1e-12);
  EXPECT_EQ(scores["n"], 60);
  EXPECT_THAT(run_command({"score", model_, data_}).out, HasSubstr("coverage"));
}

TEST_F(SavedCounts, OneRowHasNoStandardErrorAndItIsSaid) {
  const auto result = run_command({"score", model_, "-"}, "x,y\n1,1000000\n");
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(result.out, HasSubstr("standard error NA"));
  EXPECT_THAT(result.out, testing::Not(HasSubstr("nan")));
  EXPECT_THAT(result.out, testing::Not(HasSubstr("inf")));
}

TEST_F(SavedCounts, AreScoredWithoutRowsThatMissACell) {
  const auto whole = run_command({"score", model_, "-", "--json"}, "x,y\n1,2\n3,4\n");
  const auto holed = run_command({"score", model_, "-", "--json", "--missing", "drop"},
                                 "x,y\n1,2\n,3\n3,4\n5,NA\n");
  ASSERT_EQ(holed.exit_code, 0) << holed.error;
  EXPECT_EQ(holed.out, whole.out);
  EXPECT_THAT(holed.error, HasSubstr("2 of 4 rows have missing cells and are left out"));
  const auto none = run_command({"score", model_, "-", "--missing", "drop"}, "x,y\n1,NA\n");
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_THAT(none.error, HasSubstr("every row has missing cells"));
}

TEST_F(SavedCounts, AreScoredOnlyWithATarget) {
  const auto result = run_command({"score", model_, "-"}, "x\n1\n");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.error, HasSubstr("column 'y' is missing"));
  EXPECT_EQ(run_command({"score", model_, "-"}, "x,y\n1,NA\n").exit_code, 3);
}

TEST_F(SavedCounts, AreShown) {
  const auto result = run_command({"show", model_});
  ASSERT_EQ(result.exit_code, 0) << result.error;
  for (const char* word : {"poisson",
                           "log marginal",
                           "rbf.variance",
                           "leave-one-out",
                           "PIT",
                           "data hash",
                           "ggpm fit",
                           "center"})
    EXPECT_THAT(result.out, HasSubstr(word));
  const json shown = json::parse(run_command({"show", model_, "--json"}).out);
  for (const char* key : {"log_marginal", "hyperparameters", "latent", "optima", "loo"})
    EXPECT_EQ(shown[key], fitted_[key]) << key;
}

TEST_F(SavedCounts, AreComparedWithOtherModelsOfTheSameRows) {
  const std::string other = folder_.file("other.ggpm");
  ASSERT_EQ(run_command(
                {"fit", data_, "--target", "y", "--likelihood", "gaussian", "-o", other, "--quiet"})
                .exit_code,
            0);
  const auto text = run_command({"show", model_, other});
  ASSERT_EQ(text.exit_code, 0) << text.error;
  EXPECT_THAT(text.out, HasSubstr("best"));
  const json list = json::parse(run_command({"show", model_, other, "--json"}).out);
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0]["difference"], 0);
  const Vector a = load_model(list[0]["model"].get<std::string>()).model.loo().log_density,
               b = load_model(list[1]["model"].get<std::string>()).model.loo().log_density;
  const Vector d = b - a;
  EXPECT_NEAR(list[1]["difference"].get<double>(), d.sum(), 1e-9 * (1 + std::abs(d.sum())));
  EXPECT_LE(list[1]["difference"].get<double>(), 0);
  const double n = double(d.size());
  const double error = std::sqrt(n / (n - 1) * (d.array() - d.mean()).square().sum());
  EXPECT_NEAR(list[1]["difference_standard_error"].get<double>(), error, 1e-9 * error);

  const std::string elsewhere = folder_.file("elsewhere.csv");
  write_file(elsewhere, "x,y\n1,2\n2,3\n3,5\n");
  ASSERT_EQ(
      run_command(
          {"fit", elsewhere, "--target", "y", "--likelihood", "poisson", "-o", other, "--quiet"})
          .exit_code,
      0);
  const auto refused = run_command({"show", model_, other});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.error, HasSubstr("other rows"));
}

TEST_F(SavedCounts, PredictTheSameAfterLoading) {
  // The library in this process against the command in its own.
  const SavedModel saved = load_model(model_);
  const Table table = read_csv(data_);
  const Predictions here = saved.model.predictive(saved.rows(table));
  const Table there = parse_csv(run_command({"predict", model_, data_}).out, "out");
  EXPECT_EQ(here.mean(), numeric_column(there, "mean"));
  EXPECT_EQ(here.mode(), numeric_column(there, "mode"));
  EXPECT_EQ(here.quantile(0.975), numeric_column(there, "q0.975"));
  save_model(saved, folder_.file("again.ggpm"));
  EXPECT_TRUE(testing_support::file_contents(model_) ==
              testing_support::file_contents(folder_.file("again.ggpm")));
}

TEST_F(SavedCounts, AreRefusedWhenDamaged) {
  const std::string whole = testing_support::file_contents(model_);
  const std::string damaged = folder_.file("damaged.ggpm");
  for (std::size_t k = 0; k < 40; ++k) {
    std::string cut = whole.substr(0, whole.size() * k / 40), flipped = whole;
    char& byte = flipped[whole.size() * k / 40];
    byte = static_cast<char>(byte ^ 0x10);
    for (const std::string& bytes : {cut, flipped}) {
      write_file(damaged, bytes);
      const auto result = run_command({"show", damaged});
      EXPECT_EQ(result.exit_code, 3) << k;
      EXPECT_EQ(result.out, "");
      EXPECT_LE(result.error.size(), 201U);
    }
  }
  EXPECT_EQ(run_command({"show", data_}).exit_code, 3);
  EXPECT_EQ(run_command({"show", folder_.path().string()}).exit_code, 3);
  EXPECT_EQ(run_command({"predict", "/dev/null", data_}).exit_code, 3);
}

TEST(Coefficients, AreATableInUnitsOfTheColumns) {
  const TemporaryFolder folder;
  const std::string model = folder.file("m.ggpm");
  std::string table = "dose,y\n";
  for (int i = 0; i < 30; ++i)
    table += std::to_string(100 * i) + "," + std::to_string(5 + 2 * i + 0.1 * (i % 3)) + "\n";
  ASSERT_EQ(run_command({"fit",
                         "-",
                         "--target",
                         "y",
                         "--likelihood",
                         "gaussian",
                         "--kernel",
                         "white(0.01)",
                         "--mean",
                         "linear(columns=[dose])",
                         "--restarts",
                         "0",
                         "--quiet",
                         "-o",
                         model},
                        table)
                .exit_code,
            0);
  const auto shown = run_command({"show", model, "--coefficients", "--json"});
  ASSERT_EQ(shown.exit_code, 0) << shown.error;
  const json found = json::parse(shown.out);
  EXPECT_EQ(found[0]["input"], "dose");
  EXPECT_NEAR(found[0]["estimate"].get<double>(), 0.02, 1e-4);
  EXPECT_LT(found[0]["lower"].get<double>(), 0.02);
  EXPECT_GT(found[0]["upper"].get<double>(), 0.02);
  EXPECT_THAT(run_command({"show", model, "--coefficients"}).out, HasSubstr("intercept"));
  EXPECT_THAT(run_command({"show", model}).out,
              HasSubstr("Weights of the mean are for one standard deviation, coefficients"));
}

}  // namespace
}  // namespace ggpm::internal
