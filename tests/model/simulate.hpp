// Data for any likelihood: drawn from itself around a smooth latent function.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "ggpm/model.hpp"

namespace ggpm::testing_support {

inline double uniform(std::mt19937_64& random) {
  return (static_cast<double>(random() >> 11U) + 0.5) * 0x1p-53;
}

// Hyperparameters are used as they are.
inline FitOptions as_given() {
  FitOptions options;
  options.optimize = false;
  return options;
}

inline Dataset simulate(const std::string& likelihood, Index n, Index d, unsigned seed) {
  std::mt19937_64 random(seed);
  const auto lik = make_likelihood(likelihood);
  Dataset data;
  data.X.resize(n, d);
  std::vector<Row> rows;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < d; ++j) data.X(i, j) = 4 * uniform(random) - 2;
    Row row;
    if (lik->domain() == Domain::fraction_of_trials)
      row.trials = 1 + std::floor(5 * uniform(random));
    row.y = lik->sample(row, std::sin(2 * data.X(i, 0)), random);
    rows.push_back(row);
  }
  data.observed = Observations::of(rows);
  return data;
}

inline std::vector<std::string> likelihood_names() {
  std::vector<std::string> out;
  for (const LikelihoodInfo& info : likelihood_table()) out.push_back(info.name);
  return out;
}

// A method that exists for the likelihood.
inline InferenceMethod some_method(const std::string& likelihood) {
  return likelihood == "laplace" ? InferenceMethod::ep : InferenceMethod::laplace;
}

// What every prediction must be, whatever the data.
inline void expect_sane(const GeneralizedGP& model, const Dataset& rows, const std::string& what) {
  const Predictions p = model.predictive(rows);
  EXPECT_TRUE(p.latent_mean().allFinite()) << what;
  EXPECT_TRUE(p.latent_variance().allFinite() && (p.latent_variance().array() >= 0).all()) << what;
  const Vector mean = p.mean(), low = p.quantile(0.1), middle = p.quantile(0.5),
               high = p.quantile(0.9);
  EXPECT_TRUE(mean.allFinite()) << what;
  EXPECT_TRUE((low.array() <= middle.array()).all() && (middle.array() <= high.array()).all())
      << what;
  const Vector at = p.cdf(middle);
  EXPECT_TRUE((at.array() >= 0.5 - 1e-6).all() && (at.array() <= 1).all()) << what;
}

inline std::string test_name(std::string name) {
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

}  // namespace ggpm::testing_support
