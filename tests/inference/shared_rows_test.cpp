// Ranks that keep the numbers of their own rows only infer what one that has all of them does, bit by bit.
#include <gtest/gtest.h>

#include <mutex>
#include <random>

#include "ggpm/inference.hpp"
#include "gram/engine.hpp"
#include "inference/double_loop.hpp"
#include "inference/iterate.hpp"
#include "support/thread_ranks.hpp"

namespace ggpm::internal {
namespace {

struct SharedCase {
  std::string name, likelihood;
  InferenceMethod method;
  double outliers = 0;  // share of rows
  bool saddle = false;  // rows in pairs that contradict each other, symmetric about the prior mean
  double zeros = 0;     // outputs are 0 up to here in the first input, and far from it beyond
};
std::ostream& operator<<(std::ostream& out, const SharedCase& c) { return out << c.name; }

constexpr Index kSharedRows = 900;

struct Data {
  explicit Data(const SharedCase& c, Index rows = kSharedRows)
      : likelihood(make_likelihood(c.likelihood)) {
    std::mt19937_64 random(8);
    std::uniform_real_distribution<double> uniform;
    std::normal_distribution<double> normal;
    X = std::make_shared<const Matrix>(
        Matrix::NullaryExpr(rows, 2, [&] { return uniform(random); }));
    observed.y.resize(rows);
    observed.offset = Vector::NullaryExpr(rows, [&] { return 0.1 * normal(random); });
    for (Index i = 0; i < rows; ++i) {
      const double eta = std::sin(6 * (*X)(i, 0)) + std::cos(5 * (*X)(i, 1));
      double y = eta + 0.3 * normal(random);
      if (likelihood->domain() == Domain::count) y = std::floor(std::exp(y) + uniform(random));
      if (likelihood->domain() == Domain::binary) y = y > 0 ? 1 : 0;
      if (uniform(random) < c.outliers) y += 30;
      if (c.zeros > 0) y = (*X)(i, 0) < c.zeros ? 0 : y + 40;
      observed.y[i] = y;
    }
    if (c.saddle) stand_in_pairs();
  }
  void stand_in_pairs() {
    Matrix pairs = *X;
    for (Index i = 1; i < kSharedRows; i += 2) pairs.row(i) = pairs.row(i - 1);
    X = std::make_shared<const Matrix>(pairs);
    for (Index i = 0; i < kSharedRows; ++i) observed.y[i] = i % 2 == 0 ? 4 : -4;
    observed.offset.setZero();
  }
  std::shared_ptr<Likelihood> likelihood;
  std::shared_ptr<const Matrix> X;
  Observations observed;
};

std::vector<double> numbers_of(const Inferred& answer) {
  std::vector<double> out = {answer.log_marginal, double(answer.report.iterations)};
  const auto add = [&](const Vector& x) { out.insert(out.end(), x.begin(), x.end()); };
  for (const Vector* x :
       {&answer.gradient.kernel, &answer.gradient.mean, &answer.gradient.dispersion})
    add(*x);
  const Posterior& p = answer.posterior;
  for (const Vector* x : {&p.sites.precision,
                          &p.sites.shift,
                          &p.prior_mean,
                          &p.alpha,
                          &p.mean,
                          &p.variance,
                          &p.cavity_mean,
                          &p.cavity_variance})
    add(*x);
  return out;
}

// From nothing, and from there at other hyperparameters; latents at new inputs.
std::vector<double> answers(const SharedCase& c) {
  const Data data(c);
  const auto kernel = [](double scale) {
    return Kernel::parse("matern32(1.2, " + std::to_string(scale) + ") + white(0.05)").bind(2);
  };
  const auto engine = make_engine(
      {.name = "tree", .accuracy = EngineAccuracy::fast}, data.X, kernel(0.3), /*seed=*/1);
  Inference inference(engine, data.observed);
  const InferenceOptions options{.method = c.method};
  const Mean mean = Mean::parse("linear").bind(2);
  const Inferred cold = inference.evaluate(kernel(0.3), mean, *data.likelihood, options);
  const Inferred warm =
      inference.evaluate(kernel(0.33), mean, *data.likelihood, options, &cold.posterior);
  const LatentPredictor predictor = inference.predictor();
  Vector shift, variance;
  predictor.predict(data.X->topRows(40), Vector::Zero(40), shift, variance);
  std::vector<double> out = numbers_of(cold);
  for (const std::vector<double>& more : {numbers_of(warm),
                                          std::vector<double>(shift.begin(), shift.end()),
                                          std::vector<double>(variance.begin(), variance.end())})
    out.insert(out.end(), more.begin(), more.end());
  return out;
}

class SharedProblem : public testing::TestWithParam<SharedCase> {};

TEST_P(SharedProblem, HasTheSameBitsForAnyNumberOfRanks) {
  const std::vector<double> alone = answers(GetParam());
  for (const int ranks : {2, 3}) {
    std::mutex mutex;
    ThreadJob(ranks).run([&](int rank) {
      const std::vector<double> there = answers(GetParam());
      const std::lock_guard lock(mutex);
      EXPECT_EQ(there, alone) << "rank " << rank << " of " << ranks;
    });
  }
}

INSTANTIATE_TEST_SUITE_P(
    All,
    SharedProblem,
    testing::Values(SharedCase{"Laplace", "poisson", InferenceMethod::laplace},
                    SharedCase{"Ep", "bernoulli", InferenceMethod::ep},
                    SharedCase{"Kld", "negative-binomial", InferenceMethod::kld},
                    SharedCase{"Vb", "student-t", InferenceMethod::vb},
                    SharedCase{"Taylor", "poisson", InferenceMethod::taylor},
                    SharedCase{"Exact", "gaussian", InferenceMethod::exact},
                    SharedCase{"LaplaceWithOutliers", "student-t", InferenceMethod::laplace, 0.03},
                    SharedCase{"EpWithOutliers", "student-t", InferenceMethod::ep, 0.03},
                    SharedCase{"KldWithOutliers", "student-t", InferenceMethod::kld, 0.03},
                    SharedCase{"LaplaceInASaddle", "student-t", InferenceMethod::laplace, 0, true},
                    SharedCase{
                        "TaylorWithZerosHere", "poisson", InferenceMethod::taylor, 0, false, 0.1},
                    SharedCase{"LaplaceWithZerosHere",
                               "zero-inflated-poisson",
                               InferenceMethod::laplace,
                               0,
                               false,
                               0.1}),
    [](const auto& tested) { return tested.param.name; });

// EP's last resort, from sites that say little.
std::vector<double> by_double_loop() {
  const Data data({"", "bernoulli", InferenceMethod::ep}, 200);
  const Kernel kernel = Kernel::parse("matern32(1.2, 0.3)").bind(2);
  const auto gram =
      make_engine({.name = "tree", .accuracy = EngineAccuracy::fast}, data.X, kernel, /*seed=*/1)
          ->make_gram();
  gram->build(kernel);
  const RowsHere& here = gram->rows();
  const std::vector<Row> all = data.observed.rows();
  std::vector<Row> rows;
  for (Index i = 0; i < here.size(); ++i) rows.push_back(all[at(here.row(i))]);
  const Vector prior_mean = Vector::Zero(here.size());
  std::vector<double> out;
  const InferenceOptions options{
      .method = InferenceMethod::ep,
      .max_iterations = 100,
      .tolerance = 1e-7,
      .on_iteration = [&](const Progress& now) { out.push_back(now.residual); }};
  const Problem problem{*gram, *data.likelihood, rows, prior_mean, options};
  const auto rule = make_ep_rule();
  SiteIteration iteration(problem, *rule);
  SitePoint point;
  point.sites = {Vector::Constant(here.size(), 0.1), Vector::Zero(here.size())};
  EXPECT_TRUE(iteration.evaluate(point));
  Report report;
  run_double_loop(problem, iteration, point, report);  // it ends at its limit
  EXPECT_GT(out.size(), 3U);
  return out;
}

TEST(SharedRows, AnErrorNamesTheRowOfTheData) {
  Data data({"", "poisson", InferenceMethod::taylor});
  data.observed.y.array() += 1;
  data.observed.y[700] = 0;
  const Kernel kernel = Kernel::parse("matern32").bind(2);
  const Mean mean = Mean::parse("zero").bind(2);
  ThreadJob(3).run([&](int) {
    Inference inference(make_engine({.name = "tree"}, data.X, kernel, /*seed=*/1), data.observed);
    try {
      (void)inference.evaluate(kernel,
                               mean,
                               *data.likelihood,
                               {.method = InferenceMethod::taylor,
                                .expansion = {.point = ExpansionPoint::exact, .offset = 0}});
      ADD_FAILURE() << "a count of 0 has no exact point";
    } catch (const DataError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("row 701: y = 0:")) << error.what();
    }
  });
}

TEST(SharedRows, DoubleLoopHasTheSameBits) {
  const std::vector<double> alone = by_double_loop();
  ThreadJob(3).run([&](int) { EXPECT_EQ(by_double_loop(), alone); });
}

}  // namespace
}  // namespace ggpm::internal
