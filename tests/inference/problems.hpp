// Small random problems for every likelihood and link.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "ggpm/inference.hpp"

namespace ggpm::testing_support {

struct Combination {
  std::string likelihood, link;
  Domain domain = Domain::real;
};

inline std::vector<Combination> combinations() {
  std::vector<Combination> all;
  for (const LikelihoodInfo& info : likelihood_table())
    for (const std::string& link : info.links) all.push_back({info.name, link, info.domain});
  return all;
}

// For the names of parameterised tests.
inline std::string identifier(const Combination& c) {
  std::string name = c.likelihood + "_" + c.link;
  for (char& letter : name)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  return name;
}

inline bool has_dispersion(const std::string& likelihood) {
  for (const LikelihoodInfo& info : likelihood_table())
    if (info.name == likelihood) return !info.dispersion.empty();
  return false;
}

// The first dispersion; for one of an interval, phi/(1 + phi) of it.
inline void set_dispersion(Likelihood& likelihood, double phi) {
  std::vector<double> values;
  for (const Parameter& p : likelihood.parameters()) values.push_back(p.value);
  if (values.empty() || likelihood.levels() > 0) return;
  const Parameter first = likelihood.parameters().front();
  values[0] = first.positive ? phi : first.lower + (first.upper - first.lower) * phi / (1 + phi);
  likelihood.set_parameters(values);
}

// An output drawn from the model at eta, kept inside of what the family and its expansion can take.
inline Row draw(const Likelihood& likelihood, double eta, std::mt19937_64& random) {
  Row row;
  if (likelihood.domain() == Domain::fraction_of_trials)
    row.trials = static_cast<double>(1 + random() % 12);
  row.y = likelihood.sample(row, eta, random);
  if (!std::isfinite(row.y)) row.y = likelihood.sample(row, 0, random);  // e.g. beta with mean 1
  switch (likelihood.domain()) {
    case Domain::real:
      // Under a link with a positive range Taylor has no expansion point for y <= 0.
      if (likelihood.link() != "identity") row.y = std::abs(row.y) + 0.1;
      break;
    case Domain::positive:
      row.y = std::clamp(row.y, 1e-12, 1e12);
      break;
    case Domain::proportion:
      row.y = std::clamp(row.y, 1e-9, 1 - 1e-9);
      break;
    case Domain::count:
      row.y = std::min(row.y, 1e6);
      break;
    default:
      break;
  }
  return row;
}

struct SmallProblem {
  Matrix X;
  std::vector<Row> rows;
  Vector offset;
  Observations observed() const {
    Observations out = Observations::of(rows);
    out.offset = offset;
    return out;
  }
};

inline SmallProblem small_problem(const Likelihood& likelihood, Index n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  SmallProblem p;
  p.X.resize(n, 2);
  p.offset.resize(n);
  for (Index i = 0; i < n; ++i) {
    p.X(i, 0) = normal(random);
    p.X(i, 1) = normal(random);
    p.offset[i] = 0.1 * normal(random);
    const double eta = 0.3 + 0.7 * std::sin(1.5 * p.X(i, 0)) + 0.2 * p.X(i, 1);
    p.rows.push_back(draw(likelihood, eta, random));
  }
  return p;
}

}  // namespace ggpm::testing_support
