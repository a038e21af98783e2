#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "ggpm/model.hpp"
#include "ggpm/trust.hpp"
#include "inference/problems.hpp"
#include "model/simulate.hpp"
#include "trust/brute.hpp"
#include "trust/fitted.hpp"

namespace ggpm {
namespace {

using namespace testing_support;

GeneralizedGP fitted_pair(const Combination& c, Index n, unsigned seed) {
  const SmallProblem p = small_problem(*make_likelihood(c.likelihood, c.link), n, seed);
  return fitted({.X = p.X, .observed = p.observed()}, c.likelihood, InferenceMethod::ep, c.link);
}

std::string z_scores(const PosteriorSample& sample, const Vector& mean) {
  const Vector z = (sample.mean - mean).cwiseQuotient(sample.mean_error);
  std::string out = "z";
  for (const double value : z) out += " " + std::to_string(value);
  return out;
}

// ---- Against what is exact

class EveryCombination : public testing::TestWithParam<Combination> {};

TEST_P(EveryCombination, SamplesAndAnnealsToBruteForce) {
  const GeneralizedGP model = fitted_pair(GetParam(), 2, 11);
  const Brute truth = brute_force(model);
  const PosteriorSample sample = sample_posterior(model, {.draws = 2000, .seed = 5});
  ASSERT_TRUE(sample.converged()) << sample.detail;
  for (Index i = 0; i < 2; ++i) {
    EXPECT_LT(std::abs(sample.mean[i] - truth.mean[i]), 4.5 * sample.mean_error[i])
        << z_scores(sample, truth.mean);
    EXPECT_NEAR(sample.sd[i] / truth.sd[i], 1, 0.08);
  }
  const Annealed annealed = annealed_log_marginal(model);
  EXPECT_LT(annealed.standard_error, 0.15);
  EXPECT_LT(std::abs(annealed.log_marginal - truth.log_marginal),
            4.5 * annealed.standard_error + 1e-6)
      << annealed.log_marginal << " beside " << truth.log_marginal;
}

INSTANTIATE_TEST_SUITE_P(Likelihoods,
                         EveryCombination,
                         testing::ValuesIn(combinations()),
                         [](const auto& test) { return identifier(test.param); });

TEST(SamplePosterior, OfThreeRowsIsBruteForce) {
  for (const char* name : {"poisson", "bernoulli", "student-t"}) {
    const GeneralizedGP model = fitted_pair({name, "", Domain::real}, 3, 4);
    const Brute truth = brute_force(model, 81);
    const PosteriorSample sample = sample_posterior(model, {.draws = 2000});
    ASSERT_TRUE(sample.converged()) << sample.detail;
    for (Index i = 0; i < 3; ++i)
      EXPECT_LT(std::abs(sample.mean[i] - truth.mean[i]), 4.5 * sample.mean_error[i])
          << name << " " << z_scores(sample, truth.mean);
  }
}

TEST(SamplePosterior, OfAGaussianModelIsTheExactPosterior) {
  const GeneralizedGP model =
      fitted(simulate("gaussian", 30, 2, 1), "gaussian", InferenceMethod::exact);
  const PosteriorSample sample = sample_posterior(model, {.seed = 7});
  ASSERT_TRUE(sample.converged()) << sample.detail;
  const Posterior& exact = model.posterior();
  for (Index i = 0; i < 30; ++i) {
    EXPECT_LT(std::abs(sample.mean[i] - exact.mean[i]), 4.5 * sample.mean_error[i])
        << z_scores(sample, exact.mean);
    EXPECT_NEAR(sample.sd[i] / std::sqrt(exact.variance[i]), 1, 0.06) << i;
  }
}

TEST(SamplePosterior, TakesEqualRowsAndATree) {
  Dataset data = simulate("poisson", 40, 1, 8);
  data.X.bottomRows(20) = data.X.topRows(20);  // K is singular
  const PosteriorSample dense = sample_posterior(fitted(data, "poisson", InferenceMethod::ep));
  ASSERT_TRUE(dense.converged()) << dense.detail;
  EXPECT_NEAR(dense.mean[0], dense.mean[20], 1e-5);
  const GeneralizedGP tree =
      GeneralizedGP::fit(data,
                         {.likelihood = "poisson",
                          .kernel = kKernel,
                          .inference = InferenceMethod::ep,
                          .engine = {.name = "tree", .accuracy = EngineAccuracy::high}},
                         {.optimize = false});
  const PosteriorSample other = sample_posterior(tree);
  ASSERT_TRUE(other.converged()) << other.detail;
  for (Index i = 0; i < 40; ++i) EXPECT_NEAR(other.mean[i], dense.mean[i], 0.15 * dense.sd[i]) << i;
}

// Three rows of weight 3, and each of them three times: the same posterior, of which EP's one site a
// row knows more than three that know nothing of one another.
TEST(SamplePosterior, OfAWeightIsThatOfCopiesAndEpOfTheWeightIsNearerToIt) {
  const Matrix X = Vector::LinSpaced(3, 0, 1);
  Dataset weighted{.X = X, .observed = {.y = Vector::Ones(3)}};
  weighted.observed.y[1] = 0;
  weighted.observed.weight = Vector::Constant(3, 3);
  Dataset copies{.X = X.replicate(3, 1), .observed = {.y = weighted.observed.y.replicate(3, 1)}};
  const GeneralizedGP one = fitted(weighted, "bernoulli", InferenceMethod::ep);
  const GeneralizedGP three = fitted(copies, "bernoulli", InferenceMethod::ep);
  const Brute truth = brute_force(one, 81);
  for (const GeneralizedGP* model : {&one, &three}) {
    const PosteriorSample sample = sample_posterior(*model, {.draws = 2000, .seed = 3});
    ASSERT_TRUE(sample.converged()) << sample.detail;
    for (Index i = 0; i < 3; ++i)
      EXPECT_LT(std::abs(sample.mean[i] - truth.mean[i]), 4.5 * sample.mean_error[i]);
    const Annealed annealed = annealed_log_marginal(*model);
    EXPECT_LT(std::abs(annealed.log_marginal - truth.log_marginal),
              4.5 * annealed.standard_error + 1e-6);
  }
  const double error = std::abs(one.log_marginal() - truth.log_marginal);
  const double of_copies = std::abs(three.log_marginal() - truth.log_marginal);
  std::cout << "EP of weights is off by " << error << ", of copies by " << of_copies << "\n";
  EXPECT_LT(error, of_copies);
}

// ---- What a user relies on

TEST(SamplePosterior, GivesEachChainOfASeedItsOwnDraws) {
  const GeneralizedGP model =
      fitted(simulate("poisson", 20, 1, 2), "poisson", InferenceMethod::laplace);
  // Enough draws that two chains agree as four do: where they do not, the Gaussian is widened.
  SamplingOptions options{.warmup = 200, .draws = 500, .thin = 2, .seed = 3, .threads = 1};
  const Matrix four = sample_posterior(model, options).draws;
  options.threads = 3;
  EXPECT_TRUE(sample_posterior(model, options).draws == four);
  options.chains = 2;
  EXPECT_TRUE(sample_posterior(model, options).draws == four.leftCols(1000));
  options.seed = 4;
  EXPECT_FALSE(sample_posterior(model, options).draws == four.leftCols(1000));
}

TEST(SamplePosterior, RefusesWhatCannotBeJudged) {
  const GeneralizedGP model =
      fitted(simulate("poisson", 10, 1, 2), "poisson", InferenceMethod::laplace);
  EXPECT_THROW(sample_posterior(model, {.chains = 1}), UsageError);
  EXPECT_THROW(sample_posterior(model, {.draws = 2}), UsageError);
  EXPECT_THROW(sample_posterior(model, {.warmup = -1}), UsageError);
  EXPECT_THROW(sample_posterior(model, {.seconds = -1}), UsageError);
  EXPECT_THROW(sample_posterior(model, {.chains = 1000, .draws = 2'000'000'000}), UsageError);
  EXPECT_THROW(sample_posterior(model, {.interrupted = [] { return true; }}), Interrupted);
  EXPECT_THROW(annealed_log_marginal(model, {.runs = 5}), UsageError);
}

TEST(SamplePosterior, SaysThatTooFewDrawsAreNoAnswer) {
  const GeneralizedGP model =
      fitted(simulate("poisson", 10, 1, 2), "poisson", InferenceMethod::laplace);
  const PosteriorSample sample = sample_posterior(model, {.warmup = 2, .draws = 10, .thin = 1});
  EXPECT_FALSE(sample.converged());
  EXPECT_NE(sample.detail.find("take more draws"), std::string::npos) << sample.detail;
}

// ---- Log marginals

TEST(Annealed, IsExactForAGaussianLikelihoodAndForAWarp) {
  const GeneralizedGP model =
      fitted(simulate("gaussian", 25, 2, 4), "gaussian", InferenceMethod::exact);
  const Annealed annealed = annealed_log_marginal(model);
  EXPECT_NEAR(annealed.log_marginal, model.log_marginal(), 1e-7);
  EXPECT_LT(annealed.standard_error, 1e-7);
  const GeneralizedGP warped = GeneralizedGP::fit(
      simulate("gamma-shape", 25, 2, 4), {.kernel = kKernel, .warp = "log"}, {.optimize = false});
  EXPECT_NEAR(annealed_log_marginal(warped).log_marginal, warped.log_marginal(), 1e-7);
}

// EP is close to the truth for Poisson rows, and the bound of KLD is below it.
TEST(Annealed, LiesWhereTheApproximationsSay) {
  const Dataset data = simulate("poisson", 60, 1, 5);
  const GeneralizedGP ep = fitted(data, "poisson", InferenceMethod::ep);
  const GeneralizedGP kld = fitted(data, "poisson", InferenceMethod::kld);
  const Annealed annealed = annealed_log_marginal(ep);
  EXPECT_LT(annealed.standard_error, 0.15);
  EXPECT_NEAR(annealed.log_marginal, ep.log_marginal(), 4 * annealed.standard_error + 0.05);
  EXPECT_GT(annealed.log_marginal + 4 * annealed.standard_error, kld.log_marginal());
}

// ---- Slow: the claims of docs/trust.md

TEST(SlowSampling, ConvergesByDefaultForEveryCombinationAtAHundredRows) {
  for (const Combination& c : combinations()) {
    const PosteriorSample sample = sample_posterior(fitted_pair(c, 100, 3));
    std::cout << identifier(c) << ": R-hat " << sample.largest_r_hat() << ", effective draws "
              << sample.smallest_ess() << ", share " << sample.share << ", thin " << sample.thin
              << ", evaluations " << sample.evaluations << "\n";
    EXPECT_TRUE(sample.converged()) << identifier(c) << ": " << sample.detail;
  }
}

TEST(SlowAnnealing, HasErrorBarsThatCoverTheTruthNineteenTimesOfTwenty) {
  const std::vector<Combination> all = combinations();
  int covered = 0, problems = 0;
  for (unsigned seed = 1; problems < 200; ++seed) {
    const Combination& c = all[seed % all.size()];
    const GeneralizedGP model = fitted_pair(c, 2, 100 + seed);
    const double truth = brute_force(model).log_marginal;
    const Annealed annealed = annealed_log_marginal(model, {.seed = seed});
    if (annealed.standard_error < 1e-6) continue;  // exact
    ++problems;
    if (std::abs(annealed.log_marginal - truth) < 1.96 * annealed.standard_error) ++covered;
  }
  std::cout << covered << " of " << problems << " covered\n";
  EXPECT_GE(covered, 184);  // 95 - 3 %
  EXPECT_LE(covered, 196);  // 95 + 3 %
}

}  // namespace
}  // namespace ggpm
