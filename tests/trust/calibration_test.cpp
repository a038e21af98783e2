// Simulation-based calibration (Talts et al. 2018): hyperparameters and functions from the prior,
// outputs from the model; the rank of the true latent among draws of its posterior is uniform.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <numeric>

#include "ggpm/model.hpp"
#include "ggpm/simulate.hpp"
#include "ggpm/trust.hpp"
#include "inference/problems.hpp"

namespace ggpm {
namespace {

using namespace testing_support;

constexpr int kProblems = 120, kRanked = 99, kBins = 10;
constexpr Index kRows = 5;
constexpr std::array kLevels = {0.5, 0.8, 0.95};
constexpr std::array kDeviations = {0.6744897501960817, 1.2815515655446004, 1.959963984540054};

struct Drawn {
  Dataset data;
  Vector latent;
  std::string kernel;
};

Drawn draw_problem(const Combination& c, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  const auto likelihood = make_likelihood(c.likelihood, c.link);
  Drawn out;
  out.kernel = "rbf(variance=" + std::to_string(0.5 * std::exp(0.4 * normal(random))) +
               ", lengthscale=" + std::to_string(std::exp(0.5 * normal(random))) + ")";
  out.data.X.resize(kRows, 1);
  for (double& x : out.data.X.reshaped()) x = 2 * normal(random);
  if (c.domain == Domain::fraction_of_trials) out.data.observed.trials = Vector::Constant(kRows, 6);
  const Simulated drawn = simulate(Kernel::parse(out.kernel).bind(1),
                                   Mean::parse("zero").bind(1),
                                   *likelihood,
                                   out.data,
                                   random);
  out.data.observed.y = drawn.y;
  out.latent = drawn.latent;
  return out;
}

GeneralizedGP fit_drawn(const Drawn& problem, const Combination& c, InferenceMethod method) {
  return GeneralizedGP::fit(
      problem.data,
      {.likelihood = c.likelihood, .link = c.link, .kernel = problem.kernel, .inference = method},
      {.optimize = false});
}

// How many of kRanked draws, evenly through the chains, are below the truth.
int rank_of(double truth, const Vector& draws) {
  int below = 0;
  for (Index k = 0; k < kRanked; ++k)
    if (draws[k * draws.size() / kRanked] < truth) ++below;
  return below;
}

using Covered = std::map<InferenceMethod, std::array<int, kLevels.size()>>;

void count_covered(const Drawn& problem, const Combination& c, Covered& covered) {
  for (const InferenceMethod method :
       {InferenceMethod::laplace, InferenceMethod::ep, InferenceMethod::kld}) {
    if (c.likelihood == "laplace" && method == InferenceMethod::laplace) continue;
    const GeneralizedGP model = fit_drawn(problem, c, method);
    const Posterior& q = model.posterior();
    const double z = std::abs(problem.latent[0] - q.mean[0]) / std::sqrt(q.variance[0]);
    for (std::size_t k = 0; k < kLevels.size(); ++k)
      if (z < kDeviations[k]) ++covered[method][k];
  }
}

class SlowCalibration : public testing::TestWithParam<Combination> {};

TEST_P(SlowCalibration, RanksOfTheTruthAreUniform) {
  const Combination& c = GetParam();
  const std::string name = identifier(c);
  // Its own seed, and others to see whether a large chi-square was chance.
  const char* const given = std::getenv("GGPM_SEED");
  const unsigned seed = given == nullptr ? 1U : static_cast<unsigned>(std::stoul(given));
  std::mt19937_64 random(std::accumulate(name.begin(), name.end(), seed));
  std::array<int, kBins> bins{};
  Covered covered;
  int refused = 0;
  for (int done = 0; done < kProblems;) {
    try {
      const Drawn problem = draw_problem(c, random);
      const PosteriorSample sample =
          sample_posterior(fit_drawn(problem, c, InferenceMethod::ep),
                           {.warmup = 100, .draws = 500, .thin = 2, .seed = random()});
      ++bins[static_cast<std::size_t>(rank_of(problem.latent[0], sample.draws.row(0)) * kBins /
                                      (kRanked + 1))];
      count_covered(problem, c, covered);
      ++done;
    } catch (const DataError&) {  // an output that rounding has put outside of its domain
      ASSERT_LT(++refused, kProblems / 10);
    }
  }
  const double expected = static_cast<double>(kProblems) / kBins;
  double chi_square = 0;
  for (const int count : bins) chi_square += std::pow(count - expected, 2) / expected;
  std::cout << identifier(c) << ": chi-square " << chi_square << " of 9 degrees of freedom";
  for (const auto& [method, counts] : covered) {
    std::cout << "; " << to_string(method) << " covers";
    for (std::size_t k = 0; k < kLevels.size(); ++k)
      std::cout << " " << 100 * counts[k] / kProblems << "/" << 100 * kLevels[k];
  }
  std::cout << " %\n";
  EXPECT_LT(chi_square, 33.7);  // one in 10,000
}

INSTANTIATE_TEST_SUITE_P(Likelihoods,
                         SlowCalibration,
                         testing::ValuesIn(combinations()),
                         [](const auto& test) { return identifier(test.param); });

}  // namespace
}  // namespace ggpm
