// What does a likelihood cost? Seconds per point (the counter per_point; 100n is 100 ns) for every
// family and link of the registry, and for two families written as formulas:
//   derivatives  log p and three derivatives in eta: Laplace, Taylor
//   moments      tilted moments: EP
//   expectations of log p, its derivatives and d/dphi under a Gaussian: KLD
#include "ggpm/likelihood.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace {

// 256 outcomes at latents from N(0, 1), and for each a Gaussian near its latent.
struct Problem {
  std::unique_ptr<ggpm::Likelihood> likelihood;
  std::vector<ggpm::Row> rows;
  std::vector<double> mean, variance;

  Problem(const std::string& name, const std::string& link)
      : likelihood(ggpm::make_likelihood(name, link)) {
    constexpr int kRows = 256;
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    for (int i = 0; i < kRows; ++i) {
      ggpm::Row row;
      if (likelihood->domain() == ggpm::Domain::fraction_of_trials) row.trials = 10;
      const double eta = normal(random);
      row.y = likelihood->sample(row, eta, random);
      if (likelihood->domain() == ggpm::Domain::positive) row.y = std::max(row.y, 1e-9);
      if (likelihood->domain() == ggpm::Domain::proportion) {
        row.y = std::clamp(row.y, 1e-9, 1 - 1e-9);
      }
      rows.push_back(row);
      mean.push_back(eta + 0.3 * normal(random));
      variance.push_back(0.3);
    }
  }

  void count(benchmark::State& state) const {
    const auto points = static_cast<double>(rows.size()) * static_cast<double>(state.iterations());
    state.counters["per_point"] =
        benchmark::Counter(points, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  }
};

void derivatives(benchmark::State& state, const std::string& name, const std::string& link) {
  const Problem problem(name, link);
  std::vector<ggpm::LogDensity> out(problem.rows.size());
  for (auto _ : state) {
    problem.likelihood->log_density(problem.rows, problem.mean, ggpm::Derivatives::third, out);
    benchmark::DoNotOptimize(out.data());
  }
  problem.count(state);
}

void moments(benchmark::State& state, const std::string& name, const std::string& link) {
  const Problem problem(name, link);
  std::vector<ggpm::Tilted> out(problem.rows.size());
  for (auto _ : state) {
    problem.likelihood->tilted(problem.rows, problem.mean, problem.variance, out, ggpm::Dphi::skip);
    benchmark::DoNotOptimize(out.data());
  }
  problem.count(state);
}

void expectations(benchmark::State& state, const std::string& name, const std::string& link) {
  const Problem problem(name, link);
  std::vector<ggpm::Expected> out(problem.rows.size());
  for (auto _ : state) {
    problem.likelihood->expected(
        problem.rows, problem.mean, problem.variance, out, ggpm::Dphi::skip);
    benchmark::DoNotOptimize(out.data());
  }
  problem.count(state);
}

constexpr const char* kPoisson =
    "[likelihood]\ndomain = 'count'\na = '1'\nb = 'exp(theta)'\nc = '-lgamma(y+1)'\nT = 'y'\n"
    "theta = 'eta'\n";
constexpr const char* kGamma =
    "[likelihood]\ndomain = 'positive'\na = 'phi'\nb = '-log(-theta)'\n"
    "c = '(1/phi - 1)*log(y) - log(phi)/phi - lgamma(1/phi)'\nT = 'y'\ntheta = '-exp(-eta)'\n";

void add(const std::string& label, const std::string& name, const std::string& link) {
  benchmark::RegisterBenchmark(("derivatives/" + label).c_str(), derivatives, name, link);
  benchmark::RegisterBenchmark(("moments/" + label).c_str(), moments, name, link);
  benchmark::RegisterBenchmark(("expectations/" + label).c_str(), expectations, name, link);
}

const bool registered = [] {
  for (const ggpm::LikelihoodInfo& info : ggpm::likelihood_table()) {
    for (const std::string& link : info.links) add(info.name + "/" + link, info.name, link);
  }
  add("formula/poisson", kPoisson, "");
  add("formula/gamma-shape", kGamma, "");
  return true;
}();

}  // namespace
