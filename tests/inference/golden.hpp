// Reading the stored reference values of tests/golden.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ggpm/inference.hpp"
#include "support/files.hpp"

namespace ggpm::testing_support {

using Json = nlohmann::json;

inline Json read_json(const std::filesystem::path& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  return Json::parse(in);
}

// Names of the files of a folder below tests/golden, without extension, sorted.
inline std::vector<std::string> golden_names(const std::string& folder, const std::string& but) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(golden_file(folder))) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() == ".json" && (but.empty() || name.rfind(but, 0) != 0))
      names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

inline double number(const Json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

inline Vector to_vector(const Json& values) {
  Vector out(static_cast<Index>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) out[static_cast<Index>(i)] = number(values[i]);
  return out;
}

inline Matrix to_matrix(const Json& rows) {
  Matrix out(static_cast<Index>(rows.size()), static_cast<Index>(rows.at(0).size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    out.row(static_cast<Index>(i)) = to_vector(rows[i]).transpose();
  return out;
}

// |actual - expected| <= tolerance, for every number.
inline testing::AssertionResult within(const Vector& actual,
                                       const Vector& expected,
                                       const Vector& tolerance) {
  if (actual.size() != expected.size())
    return testing::AssertionFailure() << actual.size() << " numbers, not " << expected.size();
  for (Index i = 0; i < actual.size(); ++i)
    if (!(std::abs(actual[i] - expected[i]) <= tolerance[i]))
      return testing::AssertionFailure()
             << "[" << i << "] " << testing::PrintToString(actual[i]) << " is not "
             << testing::PrintToString(expected[i]) << ": difference " << actual[i] - expected[i]
             << ", tolerance " << tolerance[i];
  return testing::AssertionSuccess();
}

// The tolerance of the reference, or our own target of 1e-9 relative, whichever is larger.
inline testing::AssertionResult within(const Vector& actual,
                                       const Vector& expected,
                                       double trusted) {
  return within(
      actual,
      expected,
      expected.cwiseAbs().cwiseMax(1.0) * 1e-9 + Vector::Constant(expected.size(), trusted));
}

inline testing::AssertionResult within(double actual, double expected, double trusted) {
  return within(
      Vector(Vector::Constant(1, actual)), Vector(Vector::Constant(1, expected)), trusted);
}

// Numbers that a run may have under this key, within 1e-8 of themselves and `absolute`.
inline void expect_named(const Json& run, const char* key, const Vector& actual, double absolute) {
  if (!run.contains(key) || run[key].is_null()) return;
  const Vector expected = to_vector(run[key]);
  if (!expected.allFinite()) return;
  EXPECT_TRUE(within(
      actual, expected, expected.cwiseAbs() * 1e-8 + Vector::Constant(expected.size(), absolute)))
      << key;
}

// What every run has, and the sites and cavities of those that have some.
inline void expect_posterior(const Json& run, const Inferred& result, double absolute) {
  const Json& tol = run.at("tol");
  const Posterior& q = result.posterior;
  EXPECT_EQ(result.report.outcome, Outcome::converged) << result.report.detail;
  EXPECT_TRUE(
      within(result.log_marginal, number(run.at("log_marginal")), number(tol.at("log_marginal"))))
      << "log marginal";
  EXPECT_TRUE(within(q.mean, to_vector(run.at("posterior_mean")), number(tol.at("posterior_mean"))))
      << "posterior mean";
  EXPECT_TRUE(
      within(q.variance, to_vector(run.at("posterior_var")), number(tol.at("posterior_cov"))))
      << "posterior variance";
  expect_named(run, "site_tau", q.sites.precision, absolute);
  expect_named(run, "site_nu", q.sites.shift, absolute);
  expect_named(run, "lambda", q.sites.precision, absolute);
  expect_named(run, "gamma", q.alpha, absolute);
  expect_named(run, "cavity_mean", q.cavity_mean, absolute);
  expect_named(run, "cavity_var", q.cavity_variance, absolute);
}

// The references count length-scales from 0: "rbf.lengthscale[0]" is ours with [1].
inline std::string counted_from_one(const std::string& name) {
  const auto bracket = name.find("lengthscale[");
  if (bracket == std::string::npos) return name;
  const auto number = bracket + std::string("lengthscale[").size();
  return name.substr(0, number) + std::to_string(std::stoi(name.substr(number)) + 1) + "]";
}

inline Index position(const std::vector<Parameter>& parameters, const std::string& name) {
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].name == name) return static_cast<Index>(i);
  throw std::runtime_error("no parameter is called " + name);
}

}  // namespace ggpm::testing_support
