// A target of text with three classes, through the command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/process.hpp"
#include "ggpm/data.hpp"

namespace ggpm::internal {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::run_command;
using testing_support::TemporaryFolder;
using testing_support::write_file;

class Classes : public testing::Test {
 protected:
  void SetUp() override {
    std::string table = "x,z,kind\n";
    const char* const names[] = {"red", "green", "blue"};
    for (int i = 0; i < 30; ++i)
      table += std::to_string(std::cos(2.1 * i) + 0.02 * (i * 7 % 30)) + "," +
               std::to_string(std::sin(2.1 * i) + 0.02 * (i * 11 % 30)) + "," + names[i % 3] + "\n";
    write_file(data_, table);
  }
  testing_support::CommandResult fit(std::vector<std::string> more = {}) {
    std::vector<std::string> words = {
        "fit", data_, "--target", "kind", "--restarts", "0", "--quiet", "-o", model_};
    words.insert(words.end(), more.begin(), more.end());
    return run_command(words);
  }
  TemporaryFolder folder_;
  std::string data_ = folder_.file("data.csv"), model_ = folder_.file("m.ggpm");
};

TEST_F(Classes, OfTextTakeSoftmaxUnasked) {
  const auto fitted = fit({"--json"});
  ASSERT_EQ(fitted.exit_code, 0) << fitted.error;
  const json model = json::parse(fitted.out);
  EXPECT_EQ(model["likelihood"], "softmax");
  EXPECT_EQ(model["inference"], "laplace");
  ASSERT_EQ(model["latent"]["mean"].size(), 3U);
  EXPECT_EQ(model["latent"]["mean"][2].size(), 30U);
  EXPECT_EQ(model["latent"]["variance"].size(), 3U);

  const auto predicted = run_command({"predict", model_, data_, "--latent"});
  ASSERT_EQ(predicted.exit_code, 0) << predicted.error;
  EXPECT_EQ(predicted.error, "");
  const Table table = parse_csv(predicted.out, "out");
  EXPECT_THAT(table.names(),
              ElementsAre("mode",
                          "p_blue",
                          "p_green",
                          "p_red",
                          "latent_mean_blue",
                          "latent_mean_green",
                          "latent_mean_red",
                          "latent_sd_blue",
                          "latent_sd_green",
                          "latent_sd_red",
                          "log_density"));
  const Vector sum = numeric_column(table, "p_blue") + numeric_column(table, "p_green") +
                     numeric_column(table, "p_red");
  EXPECT_LT((sum.array() - 1).abs().maxCoeff(), 1e-12);
  EXPECT_EQ(table.column("mode").cell(0), "red");
  EXPECT_NEAR(
      std::log(numeric_column(table, "p_red")[0]), numeric_column(table, "log_density")[0], 1e-12);

  for (const std::vector<std::string>& words : {std::vector<std::string>{"show", model_},
                                                {"score", model_, data_},
                                                {"score", model_, data_, "--json"},
                                                {"predict", model_, data_, "--samples", "2"}})
    EXPECT_EQ(run_command(words).exit_code, 0) << words.front();
  for (const std::vector<std::string>& words : {std::vector<std::string>{"diagnose", model_},
                                                {"predict", model_, data_, "--draws", "2"},
                                                {"predict", model_, data_, "--terms"}}) {
    const auto refused = run_command(words);
    EXPECT_EQ(refused.exit_code, 2) << words.front();
    EXPECT_THAT(refused.error, HasSubstr("softmax has one for each class"));
  }
}

TEST_F(Classes, InAnOrderThatIsNamedAreOrdinal) {
  const auto fitted = fit({"--levels", "red,green,blue", "--json", "--inference", "laplace"});
  ASSERT_EQ(fitted.exit_code, 0) << fitted.error;
  EXPECT_EQ(json::parse(fitted.out)["likelihood"], "ordinal");
}

TEST_F(Classes, RefuseMethodsOfOneLatent) {
  for (const char* method : {"ep", "taylor", "exact"}) {
    const auto refused = fit({"--inference", method});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.error, HasSubstr("use laplace or kld"));
  }
  EXPECT_THAT(fit({"--engine", "tree"}).error, HasSubstr("engine dense"));
  EXPECT_THAT(fit({"--mean", "constant"}).error, HasSubstr("changes no probability"));
}

}  // namespace
}  // namespace ggpm::internal
