#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <thread>

#include "ggpm/model.hpp"
#include "model/simulate.hpp"
#include "support/close.hpp"

namespace ggpm::internal {
namespace {

using testing_support::as_given;
using testing_support::expect_sane;
using testing_support::simulate;
using testing_support::some_method;

class Family : public testing::TestWithParam<std::string> {
 protected:
  GeneralizedGP model(Index n = 25) const {
    return GeneralizedGP::fit(simulate(GetParam(), n, 2, 3),
                              {.likelihood = GetParam(), .inference = some_method(GetParam())},
                              as_given());
  }
};

TEST_P(Family, PredictsSanely) { expect_sane(model(), {.X = Matrix::Random(6, 2)}, GetParam()); }

TEST_P(Family, ThreadsAndBatchesDoNotChangeABit) {
  const GeneralizedGP m = model();
  const Dataset rows{.X = Matrix::Random(40, 2)};
  const Predictions one = m.predictive(rows, 1), four = m.predictive(rows, 4);
  EXPECT_EQ(one.mean(), four.mean());
  EXPECT_EQ(one.quantile(0.9), four.quantile(0.9));
  EXPECT_EQ(one.sample(3, 5), four.sample(3, 5));
}

TEST_P(Family, LooIsFiniteAndItsPitLiesBetweenItsTwoProbabilities) {
  const GeneralizedGP m = model();
  const LeaveOneOutScores loo = m.loo();
  EXPECT_TRUE(loo.log_density.allFinite());
  EXPECT_CLOSE(loo.total, loo.log_density.sum(), 1e-12);
  EXPECT_TRUE((loo.cdf_below.array() >= 0).all() && (loo.cdf.array() <= 1).all());
  EXPECT_TRUE((loo.cdf_below.array() <= loo.cdf.array()).all());
  const Vector pit = loo.pit(3);
  EXPECT_TRUE((pit.array() >= loo.cdf_below.array()).all() &&
              (pit.array() <= loo.cdf.array()).all());
  EXPECT_EQ(pit, loo.pit(3));
}

TEST(ExactSites, LooMatchesAFitWithoutTheRow) {
  const LeaveOneOutScores loo =
      GeneralizedGP::fit(simulate("gaussian", 25, 2, 3), {}, as_given()).loo();
  Dataset rest = simulate("gaussian", 25, 2, 3);
  const Row left_out = rest.observed.at(24);
  const Matrix x = rest.X.bottomRows(1);
  rest.X.conservativeResize(24, 2);
  rest.observed.y.conservativeResize(24);
  const auto without = GeneralizedGP::fit(rest, {}, as_given());
  EXPECT_CLOSE(loo.log_density[24],
               without.predictive({x}).log_density(Vector::Constant(1, left_out.y))[0],
               1e-8);
}

TEST_P(Family, LogMarginalAtTheFittedPointIsTheStoredOne) {
  const GeneralizedGP m = model();
  Hyperparameters gradient;
  EXPECT_CLOSE(m.log_marginal_at(m.hyperparameters(), &gradient), m.log_marginal(), 1e-8);
  EXPECT_CLOSE(gradient.flat(), m.gradient().flat(), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(All,
                         Family,
                         testing::ValuesIn(testing_support::likelihood_names()),
                         [](const auto& tested) {
                           return testing_support::test_name(tested.param);
                         });

TEST(Exposure, EqualsTheOffsetOfItsLogarithm) {
  for (const InferenceMethod method : {InferenceMethod::taylor,
                                       InferenceMethod::laplace,
                                       InferenceMethod::ep,
                                       InferenceMethod::kld}) {
    Dataset exposed = simulate("poisson", 20, 1, 2), shifted = exposed;
    shifted.observed.offset.resize(20);
    exposed.observed.exposure.resize(20);
    for (Index i = 0; i < 20; ++i) {
      const double e = 0.5 + 0.1 * static_cast<double>(i);
      exposed.observed.exposure[i] = e;
      shifted.observed.offset[i] = std::log(e);
    }
    const Specification s{.likelihood = "poisson", .inference = method};
    const auto a = GeneralizedGP::fit(exposed, s, as_given());
    const auto b = GeneralizedGP::fit(shifted, s, as_given());
    EXPECT_CLOSE(a.log_marginal(), b.log_marginal(), 1e-12);
    const Matrix Z = Matrix::Random(3, 1);
    EXPECT_CLOSE(
        a.predictive({.X = Z, .observed = {.exposure = Vector::Constant(3, 3)}}).mean(),
        b.predictive({.X = Z, .observed = {.offset = Vector::Constant(3, std::log(3))}}).mean(),
        1e-12);
    EXPECT_CLOSE(a.predictive({.X = Z, .observed = {.exposure = Vector::Constant(3, 2)}}).mean(),
                 2 * a.predictive({.X = Z}).mean(),
                 1e-12);
    EXPECT_CLOSE(a.loo().log_density, b.loo().log_density, 1e-9);
  }
}

TEST(Exposure, MultipliesTheMeanUnderAnotherLink) {
  Dataset data = simulate("poisson", 20, 1, 2);
  data.observed.exposure = Vector::Constant(20, 2);
  const auto model = GeneralizedGP::fit(data, {.likelihood = "linear-poisson"}, as_given());
  const Matrix Z = Matrix::Random(3, 1);
  EXPECT_CLOSE(model.predictive({.X = Z, .observed = {.exposure = Vector::Constant(3, 5)}}).mean(),
               5 * model.predictive({.X = Z}).mean(),
               1e-9);
}

TEST(Exposure, IsRefusedWhereItHasNoMeaning) {
  Dataset data = simulate("gaussian", 5, 1, 2);
  data.observed.exposure = Vector::Ones(5);
  data.observed.exposure[3] = 2;
  try {
    GeneralizedGP::fit(data, {}, as_given());
    FAIL();
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("row 4: exposure = 2"), std::string::npos);
  }
}

TEST(Predictions, BadRowsAreNamed) {
  const auto model =
      GeneralizedGP::fit(simulate("binomial", 8, 2, 2), {.likelihood = "binomial"}, as_given());
  const double inf = std::numeric_limits<double>::infinity();
  Matrix Z = Matrix::Zero(3, 2);
  Z(1, 1) = inf;
  const auto message = [&](const Dataset& rows) -> std::string {
    try {
      model.predictive(rows);
    } catch (const DataError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({.X = Z}), "row 2, column 'x2': inf is not a finite number");
  Z(1, 1) = 0;
  EXPECT_NE(message({.X = Z, .observed = {.trials = Vector::Constant(3, 1.5)}}), "");
  EXPECT_NE(message({.X = Z, .observed = {.offset = Vector::Constant(2, 1)}}), "");
  EXPECT_NE(message({.X = Matrix::Zero(3, 1)}), "");
  EXPECT_THROW(model.predictive({.X = Z}).log_density(Vector::Constant(3, 7)), DataError);
  EXPECT_EQ(model.predictive({.X = Matrix(0, 2)}).mean().size(), 0);
}

TEST(Predictions, CountTheTrialsOfTheBinomial) {
  const auto model =
      GeneralizedGP::fit(simulate("binomial", 20, 1, 2), {.likelihood = "binomial"}, as_given());
  const Matrix Z = Matrix::Zero(1, 1);
  const double one = model.predictive({.X = Z}).mean()[0];
  EXPECT_CLOSE(
      model.predictive({.X = Z, .observed = {.trials = Vector::Constant(1, 10)}}).mean()[0],
      10 * one,
      1e-9);
}

TEST(Fit, BadDataIsNamed) {
  const auto message = [](const Dataset& data, const Specification& s = {}) -> std::string {
    try {
      GeneralizedGP::fit(data, s, as_given());
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  Dataset data = simulate("gaussian", 5, 2, 2);
  data.columns = {"a", "b"};
  data.X(2, 1) = std::nan("");
  EXPECT_EQ(message(data), "row 3, column 'b': nan is not a finite number");
  data.X(2, 1) = 0;
  data.observed.y[4] = std::nan("");
  EXPECT_EQ(message(data), "row 5: y = nan is not a finite number");
  data.observed.y[4] = -2;
  EXPECT_NE(message(data, {.likelihood = "poisson"}).find("row"), std::string::npos);
  EXPECT_NE(message({}), "");
  EXPECT_NE(message(simulate("poisson", 5, 1, 1),
                    {.likelihood = "poisson", .inference = InferenceMethod::exact}),
            "");
  EXPECT_NE(message(simulate("laplace", 5, 1, 1),
                    {.likelihood = "laplace", .inference = InferenceMethod::laplace}),
            "");
}

// The first prediction makes what all of them use.
TEST(Threads, MayBeginTogether) {
  const Dataset data = simulate("poisson", 30, 1, 2);
  const Specification specification{.likelihood = "poisson"};
  const Dataset rows{.X = Vector::LinSpaced(10, -2, 2)};
  const Vector expected =
      GeneralizedGP::fit(data, specification, as_given()).predictive(rows, 1).mean();
  for (int repeat = 0; repeat < 5; ++repeat) {
    const GeneralizedGP model = GeneralizedGP::fit(data, specification, as_given());
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0}, waiting{8};
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&] {
        for (--waiting; waiting > 0;) std::this_thread::yield();
        if (model.predictive(rows, 1).mean() != expected) ++wrong;
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
  }
}

TEST(Threads, MayShareAModel) {
  const auto model =
      GeneralizedGP::fit(simulate("poisson", 30, 1, 2), {.likelihood = "poisson"}, as_given());
  const Dataset rows{.X = Vector::LinSpaced(10, -2, 2)};
  const Vector expected = model.predictive(rows, 1).mean();
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int k = 0; k < 20; ++k)
        if (model.predictive(rows, 1).mean() != expected) ++wrong;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

// K(Z, Z) - K(Z, X) (K + P^-1)^-1 K(X, Z), with the sites of the posterior.
TEST(LatentCovariance, IsThatOfTheGaussianWithItsSites) {
  for (const char* name : {"gaussian", "poisson"}) {
    const auto m = GeneralizedGP::fit(simulate(name, 20, 2, 4),
                                      {.likelihood = name,
                                       .kernel = "rbf(0.8, 0.6) + white(0.1)",
                                       .inference = some_method(name)},
                                      as_given());
    const Matrix Z = Matrix::Random(6, 2);
    Matrix K, cross, prior;
    m.kernel().gram(m.inputs(), K);
    m.kernel().cross(m.inputs(), Z, cross);
    m.kernel().gram(Z, prior);
    K.diagonal() += m.posterior().sites.precision.cwiseInverse();
    const Matrix expected = prior - cross.transpose() * K.inverse() * cross;
    const Matrix covariance = m.latent_covariance({Z});
    EXPECT_CLOSE(covariance, expected, 1e-9) << name;
    Vector mean, variance;
    m.latent({Z}, mean, variance);
    EXPECT_CLOSE(covariance.diagonal(), variance, 1e-10) << name;
  }
}

// Quantiles that doubles cannot hold end in a sentence, and soon.
TEST(Predictions, RefuseWhatIsBeyondDoubles) {
  Dataset data;
  data.X = Matrix::Random(8, 1);
  data.observed.y = Vector{{1, 0, 2, 3, 1, 4, 2, 5}};
  for (const char* kernel : {"linear(1e90)", "white(1e90)", "rbf(1e90)"}) {
    const GeneralizedGP model =
        GeneralizedGP::fit(data, {.likelihood = "poisson", .kernel = kernel}, as_given());
    Predictions p = model.predictive({.X = Matrix::Constant(2, 1, 30)});
    EXPECT_NO_THROW(p.mean()) << kernel;
    try {
      p.quantiles({0.025, 0.5, 0.975});
      FAIL() << kernel;
    } catch (const NumericalError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("row ")) << kernel;
      EXPECT_THAT(error.what(), testing::HasSubstr("beyond the range of doubles")) << kernel;
    }
  }
}

TEST(Predictions, QuantilesAreTheOnesOneByOne) {
  const GeneralizedGP model = GeneralizedGP::fit(
      simulate("gamma-shape", 20, 1, 5), {.likelihood = "gamma-shape"}, as_given());
  const Predictions p = model.predictive({.X = Matrix::Random(5, 1)});
  const Matrix all = p.quantiles({0.9, 0.1});
  EXPECT_EQ(all.col(0), p.quantile(0.9));
  EXPECT_EQ(all.col(1), p.quantile(0.1));
  EXPECT_THROW(p.quantiles({0.5, 1.5}), UsageError);
}

// An output of 1,000,000 where the model has seen ten.
TEST_P(Family, ScoresAnyOutputOfItsDomain) {
  const GeneralizedGP m = model();
  const Predictions p =
      m.predictive({.X = Matrix::Zero(1, 2), .observed = {.trials = Vector::Constant(1, 1e6)}});
  switch (m.domain()) {
    case Domain::binary:
    case Domain::ordinal:
      EXPECT_LE(p.log_density(Vector::Ones(1))[0], 0);
      return;
    case Domain::proportion:
      EXPECT_TRUE(std::isfinite(p.log_density(Vector::Constant(1, 1e-300))[0]));
      return;
    default:
      for (const double y : {1.0, 1e3, 1e6})
        EXPECT_TRUE(std::isfinite(p.log_density(Vector::Constant(1, y))[0])) << y;
      EXPECT_LT(p.log_density(Vector::Constant(1, 1e6))[0], 0);
  }
}

}  // namespace
}  // namespace ggpm::internal
