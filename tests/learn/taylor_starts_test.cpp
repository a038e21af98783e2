// Taylor starts against 50 random starts of the method itself.            (Section 7, tab:comIni1)
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "ggpm/model.hpp"
#include "support/files.hpp"

namespace ggpm {
namespace {

struct Split {
  Dataset train;
  Matrix X;
  Vector y;
};

Split split(const std::string& file,
            const std::string& target,
            const std::vector<std::string>& exclude,
            Index train,
            unsigned seed) {
  const Table table = read_csv(testing_support::data_file(file).string());
  std::vector<std::string> others = exclude;
  others.push_back(target);
  const Design design = Design::learn(table, {.exclude = others});
  const Matrix X = design.apply(table);
  const Vector y = numeric_column(table, target);
  std::vector<Index> order(static_cast<std::size_t>(y.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::mt19937_64 random(seed);
  std::shuffle(order.begin(), order.end(), random);
  Split out;
  out.train.X.resize(train, X.cols());
  out.train.observed.y.resize(train);
  out.X.resize(y.size() - train, X.cols());
  out.y.resize(y.size() - train);
  for (Index i = 0; i < y.size(); ++i) {
    const Index row = order[static_cast<std::size_t>(i)];
    if (i < train) {
      out.train.X.row(i) = X.row(row);
      out.train.observed.y[i] = y[row];
    } else {
      out.X.row(i - train) = X.row(row);
      out.y[i - train] = y[row];
    }
  }
  return out;
}

struct Score {
  double mae, nlp, seconds, log_marginal;
};

Score learn_and_score(const Split& data,
                      const std::string& likelihood,
                      InferenceMethod method,
                      bool taylor_starts) {
  FitOptions options;
  options.taylor_starts = taylor_starts;
  const auto model =
      GeneralizedGP::fit(data.train,
                         {.likelihood = likelihood, .kernel = "rbf(ard=true)", .inference = method},
                         options);
  const Predictions p = model.predictive({data.X});
  return {(p.mean() - data.y).cwiseAbs().mean(),
          -p.log_density(data.y).mean(),
          model.seconds(),
          model.log_marginal()};
}

struct Study {
  const char *name, *file, *target;
  std::vector<std::string> exclude;
  Index train;
};

class SlowTaylorStarts : public testing::TestWithParam<std::tuple<Study, InferenceMethod>> {};

// One split of each data set.
TEST_P(SlowTaylorStarts, AreAsGoodAsRandomStartsAndFaster) {
  const auto& [study, method] = GetParam();
  GGPM_REQUIRE_DATA(study.file);
  const Split data = split(study.file, study.target, study.exclude, study.train, 1);
  for (const char* likelihood : {"gamma-shape", "gamma-scale", "inverse-gaussian"}) {
    const Score taylor = learn_and_score(data, likelihood, method, true);
    const Score random = learn_and_score(data, likelihood, method, false);
    std::printf(
        "%-8s %-13s %-17s MAE %.4f (%+.4f) NLP %.4f (%+.4f) log marginal %.3f (%+.3f) %.1f s, "
        "%.1f times faster\n",
        std::string(to_string(method)).c_str(),
        study.file,
        likelihood,
        taylor.mae,
        taylor.mae / random.mae - 1,
        taylor.nlp,
        taylor.nlp / random.nlp - 1,
        taylor.log_marginal,
        taylor.log_marginal - random.log_marginal,
        taylor.seconds,
        random.seconds / taylor.seconds);
    std::fflush(stdout);
    EXPECT_GT(taylor.log_marginal, random.log_marginal - 1) << "a random start found more";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Paper,
    SlowTaylorStarts,
    testing::Combine(
        testing::Values(Study{"servo", "servo.csv", "rise_time", {}, 70},
                        Study{"auto_mpg", "auto_mpg.csv", "mpg", {"horsepower_imputed"}, 100},
                        Study{"housing", "housing.csv", "medv", {}, 200}),
        testing::Values(InferenceMethod::laplace, InferenceMethod::ep)),
    [](const auto& tested) {
      return std::string(std::get<0>(tested.param).name) + "_" +
             std::string(to_string(std::get<1>(tested.param)));
    });

}  // namespace
}  // namespace ggpm
