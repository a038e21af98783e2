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

// Their variance may not exist, and a sum or an integral over y does not find it.
inline bool heavy_tails(const std::string& family) {
  return family == "student-t" || family == "log-logistic";
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

  // A likelihood with random dispersions.
  std::unique_ptr<Likelihood> likelihood(const LikelihoodCase& c,
                                         double low = 0.05,
                                         double high = 20);

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

// Between low and high where positive, anywhere where a parameter lies in an interval.
inline std::vector<double> random_dispersions(RandomProblems& random,
                                              const Likelihood& likelihood,
                                              double low,
                                              double high) {
  std::vector<double> out;
  for (const Parameter& p : likelihood.parameters())
    out.push_back(p.positive ? random.log_uniform(low, high)
                             : p.lower + (p.upper - p.lower) * random.uniform(0.05, 0.95));
  if (likelihood.levels() > 0) {  // cut points are in order
    for (double& cut : out) cut = random.uniform(-2, 2);
    std::sort(out.begin(), out.end());
  }
  return out;
}

inline std::unique_ptr<Likelihood> RandomProblems::likelihood(const LikelihoodCase& c,
                                                              double low,
                                                              double high) {
  const double phi = log_uniform(low, high);
  auto out = make_likelihood(c.name, c.link, {.df = uniform(2.5, 9)});
  std::vector<double> values;
  for (const Parameter& p : out->parameters()) {
    const bool first = values.empty() && p.positive;
    values.push_back(first        ? phi
                     : p.positive ? log_uniform(low, high)
                                  : p.lower + (p.upper - p.lower) * uniform(0.05, 0.95));
  }
  if (out->levels() > 0) {  // cut points are in order
    for (double& cut : values) cut = uniform(-2, 2);
    std::sort(values.begin(), values.end());
  }
  out->set_parameters(values);
  return out;
}

inline LogDensity density_at(const Likelihood& likelihood, const Row& row, double eta) {
  LogDensity out;
  likelihood.log_density(
      std::span(&row, 1), std::span(&eta, 1), Derivatives::dispersion, std::span(&out, 1));
  return out;
}

}  // namespace ggpm::testing_support
