// Random problems for every family x link of the registry.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "ggpm/likelihood.hpp"

namespace ggpm::testing_support {

struct LikelihoodCase {
  std::string name, link;
};

inline std::vector<LikelihoodCase> all_likelihoods() {
  std::vector<LikelihoodCase> out;
  for (const LikelihoodInfo& info : likelihood_table()) {
    for (const std::string& link : info.links) out.push_back({info.name, link});
  }
  return out;
}

inline std::string case_name(const testing::TestParamInfo<LikelihoodCase>& info) {
  std::string text = info.param.name + "_" + info.param.link;
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

class RandomProblems {
 public:
  explicit RandomProblems(std::uint64_t seed) : random_(seed) {}

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  double log_uniform(double low, double high) {
    return std::exp(uniform(std::log(low), std::log(high)));
  }
  double normal() { return std::normal_distribution<double>()(random_); }

  // A likelihood with a random dispersion.
  std::unique_ptr<Likelihood> likelihood(const LikelihoodCase& c,
                                         double low = 0.05,
                                         double high = 20) {
    return make_likelihood(
        c.name, c.link, {.dispersion = log_uniform(low, high), .df = uniform(2.5, 9)});
  }

  // A row whose y was drawn at `eta`, so that it is of the right domain and size.
  Row row(const Likelihood& likelihood, double eta) {
    Row out;
    if (likelihood.domain() == Domain::fraction_of_trials) {
      out.trials = std::floor(uniform(1, 30));
    }
    out.y = likelihood.sample(out, eta, random_);
    if (likelihood.domain() == Domain::positive) out.y = std::clamp(out.y, 1e-12, 1e12);
    if (likelihood.domain() == Domain::proportion) out.y = std::clamp(out.y, 1e-9, 1 - 1e-9);
    return out;
  }
  std::mt19937_64& engine() { return random_; }

 private:
  std::mt19937_64 random_;
};

inline LogDensity density_at(const Likelihood& likelihood, const Row& row, double eta) {
  LogDensity out;
  likelihood.log_density(
      std::span(&row, 1), std::span(&eta, 1), Derivatives::dispersion, std::span(&out, 1));
  return out;
}

}  // namespace ggpm::testing_support
