// The golden files' names for likelihoods, in ours.
#pragma once

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "ggpm/likelihood.hpp"
#include "support/files.hpp"

namespace ggpm::testing_support {

inline nlohmann::json read_golden(const std::string& name) {
  std::ifstream in(golden_file(name));
  EXPECT_TRUE(in.good()) << golden_file(name);
  return nlohmann::json::parse(in);
}

inline std::unique_ptr<Likelihood> golden_likelihood(const nlohmann::json& j) {
  static const std::vector<std::array<std::string, 3>> names = {
      {"gaussian", "gaussian", ""},
      {"gamma_shape", "gamma-shape", ""},
      {"gamma_scale", "gamma-scale", ""},
      {"inv_gaussian", "inverse-gaussian", ""},
      {"neg_binomial", "negative-binomial", ""},
      {"poisson", "poisson", ""},
      {"lin_poisson", "poisson", "linear"},
      {"com_poisson", "com-poisson", ""},
      {"lin_com_poisson", "com-poisson", "linear"},
      {"binomial", "binomial", ""},
      {"probit", "bernoulli", "probit"},
      {"beta", "beta", ""},
      {"laplace", "laplace", ""},
      {"student_t", "student-t", ""}};
  LikelihoodOptions options;
  if (j.contains("phi") && !j["phi"].is_null()) options.dispersion = j["phi"];
  if (j.contains("dof") && !j["dof"].is_null()) options.df = j["dof"];
  for (const auto& [golden, ours, link] : names) {
    if (golden == j["name"]) return make_likelihood(ours, link, options);
  }
  throw std::runtime_error("no likelihood for golden name " + j["name"].get<std::string>());
}

// Binomial y is the fraction k/N there, the count k here.
inline Row golden_row(const nlohmann::json& likelihood, double y, std::size_t index = 0) {
  Row row{.y = y};
  if (likelihood.contains("N") && !likelihood["N"].is_null()) {
    const auto& N = likelihood["N"];
    row.trials = N.is_array() ? N[index].get<double>() : N.get<double>();
    row.y = std::round(y * row.trials);
  }
  return row;
}

}  // namespace ggpm::testing_support
