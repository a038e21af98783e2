#include "model/checkpoint.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "ggpm/model.hpp"
#include "model/simulate.hpp"
#include "support/close.hpp"
#include "support/files.hpp"

namespace ggpm {
namespace {

using testing_support::simulate;
using testing_support::TemporaryFolder;

std::string bytes_in(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

const Specification kCounts{
    .likelihood = "poisson", .kernel = "rbf(ard=true)", .inference = InferenceMethod::laplace};

FitOptions quick(const std::string& file) {
  FitOptions options;
  options.restarts = 6;
  options.threads = 1;
  options.resume = file;
  return options;
}

// Stopped after so many evaluations of the method, the same fit goes on to the same optimum.
TEST(Resume, ReachesTheSameOptimumFromWhereverItWasStopped) {
  const TemporaryFolder folder;
  const Dataset data = simulate("poisson", 720, 2, 4);  // first on 500 rows, then on all
  const GeneralizedGP whole = GeneralizedGP::fit(data, kCounts, quick(""));
  for (const int stop : {0, 3, 9, 14}) {
    const std::string file = folder.file(std::to_string(stop));
    FitOptions options = quick(file);
    int first = -1, last = -1;
    options.on_progress = [&](const FitProgress& p) {
      if (!p.stage.starts_with("laplace on") && p.stage != "laplace") return;
      last = p.evaluation;
      if (first < 0) first = last;
    };
    options.interrupted = [&] { return first >= 0 && last - first >= stop; };
    try {
      (void)GeneralizedGP::fit(data, kCounts, options);
    } catch (const Interrupted&) {
    }
    options = quick(file);
    const GeneralizedGP again = GeneralizedGP::fit(data, kCounts, options);
    EXPECT_LT(again.report().evaluations, whole.report().evaluations + 40) << stop;
    EXPECT_NEAR(again.log_marginal(), whole.log_marginal(), 1e-3) << stop;
    // The second input explains nothing: its length-scale may be any large number.
    EXPECT_CLOSE(again.hyperparameters().kernel.head(2).eval(),
                 whole.hyperparameters().kernel.head(2).eval(),
                 0.02);
  }
}

TEST(Resume, OfAFinishedFitTakesAFewEvaluations) {
  const TemporaryFolder folder;
  const Dataset data = simulate("poisson", 100, 1, 4);
  const FitOptions options = quick(folder.file("fit"));
  const GeneralizedGP first = GeneralizedGP::fit(data, kCounts, options);
  const int before = first.report().evaluations;
  const GeneralizedGP again = GeneralizedGP::fit(data, kCounts, options);
  EXPECT_LE(again.report().evaluations, before + 30);
  EXPECT_CLOSE(again.log_marginal(), first.log_marginal(), 1e-6);
}

// It is made for the kernel as it was before these rows, not for that where the fit goes on: with
// another approximation there is another optimum.
TEST(Resume, KeepsAnEngineThatApproximates) {
  const TemporaryFolder folder;
  Specification coarse = kCounts;
  coarse.kernel = "matern32";
  coarse.engine = {.name = "tree", .accuracy = EngineAccuracy::fast};
  Dataset data = simulate("poisson", 600, 2, 4);
  for (Index i = 0; i < data.size(); ++i) {
    const double u = std::fmod(0.7549 * static_cast<double>(i), 1);
    const double v = std::fmod(0.5698 * static_cast<double>(i), 1);
    data.X.row(i) << 3.5 * u, 3.5 * v;
    data.observed.y[i] = std::round(2 * std::exp(std::sin(6 * u) + std::cos(5 * v)));
  }
  FitOptions options = quick(folder.file("fit"));
  options.restarts = 1;
  const double first = GeneralizedGP::fit(data, coarse, options).log_marginal();
  EXPECT_NEAR(GeneralizedGP::fit(data, coarse, options).log_marginal(), first, 1e-6);
}

TEST(Resume, RefusesAFileOfAnotherFitAndLeavesItAlone) {
  const TemporaryFolder folder;
  const std::string file = folder.file("fit");
  const Dataset data = simulate("poisson", 60, 1, 4);
  (void)GeneralizedGP::fit(data, kCounts, quick(file));
  const std::string before = bytes_in(file);
  Specification other = kCounts;
  other.kernel = "matern32";
  EXPECT_THROW(GeneralizedGP::fit(data, other, quick(file)), DataError);
  EXPECT_THROW(GeneralizedGP::fit(simulate("poisson", 60, 1, 5), kCounts, quick(file)), DataError);
  FitOptions seed = quick(file);
  seed.seed = 2;
  EXPECT_THROW(GeneralizedGP::fit(data, kCounts, seed), DataError);
  EXPECT_EQ(bytes_in(file), before);
  FitOptions threads = quick(file);
  threads.threads = 2;  // decides nothing
  EXPECT_NO_THROW(GeneralizedGP::fit(data, kCounts, threads));
}

TEST(Resume, RefusesModelsDamageAndOtherFiles) {
  const TemporaryFolder folder;
  const std::string file = folder.file("fit"), model = folder.file("m.ggpm");
  const Dataset data = simulate("poisson", 60, 1, 4);
  save_model({GeneralizedGP::fit(data, kCounts, quick(file))}, model);
  EXPECT_THROW(GeneralizedGP::fit(data, kCounts, quick(model)), DataError);
  EXPECT_THROW((void)load_model(file), DataError);
  const std::string good = bytes_in(file);
  for (std::size_t k = 0; k < good.size(); k += 97) {
    std::string bad = good;
    bad[k] = static_cast<char>(bad[k] ^ 1);
    std::ofstream(file, std::ios::binary) << bad;
    EXPECT_THROW(GeneralizedGP::fit(data, kCounts, quick(file)), DataError) << k;
    EXPECT_EQ(bytes_in(file), bad);
    std::ofstream(file, std::ios::binary) << good.substr(0, k);
    EXPECT_THROW(GeneralizedGP::fit(data, kCounts, quick(file)), DataError) << k;
  }
}

}  // namespace
}  // namespace ggpm
