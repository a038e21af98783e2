// Every pointwise value of the high-precision oracle: derivatives, links, integrals, extremes.
#include <gtest/gtest.h>

#include <cmath>
#include <iomanip>

#include "support/golden_likelihood.hpp"

namespace ggpm {
namespace {

using nlohmann::json;
using testing_support::golden_likelihood;
using testing_support::golden_row;
using testing_support::read_golden;

// Relative; the scale adds what rounding of the inputs alone does to a number near a zero crossing.
void expect_relative(
    double actual, const json& want, double tolerance, double scale, const std::string& what) {
  if (want.is_null()) return;
  const double expected = want.get<double>();
  // 1e-140: the noise of the oracle's own differences.
  EXPECT_LE(std::abs(actual - expected), tolerance * (std::abs(expected) + scale) + 1e-140)
      << what << ": " << std::setprecision(17) << actual << " is not " << expected << " (relative "
      << std::abs(actual / expected - 1) << ")";
}

LogDensity evaluate(const Likelihood& likelihood, const Row& row, double eta) {
  LogDensity out;
  likelihood.log_density(
      std::span(&row, 1), std::span(&eta, 1), Derivatives::dispersion, std::span(&out, 1));
  return out;
}

void check_point(const json& point, double scale) {
  const auto likelihood = golden_likelihood(point["likelihood"]);
  const Row row = golden_row(point["likelihood"], point["y"]);
  const double eta = point["eta"];
  const LogDensity l = evaluate(*likelihood, row, eta);
  const std::string what =
      point["likelihood"].dump() + " y=" + point["y"].dump() + " eta=" + point["eta"].dump();
  const auto get = [&](const char* key) { return point.contains(key) ? point[key] : json(); };
  expect_relative(l.value, get("log_p"), 1e-12, scale, what + " value");
  expect_relative(l.d1, get("d1"), 1e-11, scale, what + " d1");
  if (likelihood->differentiable()) {
    expect_relative(l.d2, get("d2"), 1e-10, scale, what + " d2");
    expect_relative(l.d3, get("d3"), 1e-9, scale, what + " d3");
  }
  expect_relative(l.dphi[0], get("dphi"), 1e-11, scale, what + " dphi");
  expect_relative(l.d1_dphi[0], get("d1_dphi"), 1e-10, scale, what + " d1_dphi");
  if (likelihood->differentiable()) {
    expect_relative(l.d2_dphi[0], get("d2_dphi"), 1e-9, scale, what + " d2_dphi");
  }
  if (point.contains("mean_y")) {
    const double per = row.trials;  // moments of the fraction there
    expect_relative(likelihood->mean(row, eta) / per, point["mean_y"], 1e-10, 0, what + " mean");
    expect_relative(
        likelihood->variance(row, eta) / (per * per), point["var_y"], 1e-9, 0, what + " variance");
  }
}

TEST(GoldenPoints, DerivativesAgree) {
  const json file = read_golden("oracle/points_likelihood.json");
  for (const json& point : file["points"]) check_point(point, 1e-2);
}

TEST(GoldenPoints, ExtremesAgree) {
  const json file = read_golden("oracle/points_likelihood.json");
  for (const json& point : file["extreme_points"]) {
    // COM-Poisson counts far from 0: rounding eta moves the mean by y times a rounding error.
    check_point(point,
                point["likelihood"]["name"] == "com_poisson" ? 1e-4 * point["y"].get<double>() : 0);
  }
}

TEST(GoldenPoints, ExpansionPointsAgree) {
  const json file = read_golden("oracle/points_likelihood.json");
  for (const json& link : file["links"]) {
    const auto likelihood = golden_likelihood(link["likelihood"]);
    const Row row = golden_row(link["likelihood"], link["y"]);
    const std::string what = link.dump();
    for (const auto& [key, point] : {std::pair{"table_link", ExpansionPoint::canonical},
                                     std::pair{"exact_link", ExpansionPoint::exact}}) {
      if (link[key].is_null()) continue;
      Expansion e;
      likelihood->expand(std::span(&row, 1), {.point = point, .offset = 0}, std::span(&e, 1));
      expect_relative(e.eta, link[key], 1e-12, 1, what);
      const std::string suffix = std::string("_at_") + key;
      if (link.contains("u" + suffix))
        expect_relative(e.at.d1, link["u" + suffix], 1e-10, 1, what + " u");
      if (link.contains("w" + suffix))
        expect_relative(-1 / e.at.d2, link["w" + suffix], 1e-9, 0, what + " w");
    }
  }
}

TEST(GoldenPoints, TiltedMomentsAgree) {
  const json file = read_golden("oracle/points_integral.json");
  for (const json& point : file["tilted"]) {
    const auto likelihood = golden_likelihood(point["likelihood"]);
    const Row row = golden_row(point["likelihood"], point["y"]);
    const double mu = point["mu"];
    const double var = point["var"];
    Tilted t;
    likelihood->tilted(
        std::span(&row, 1), std::span(&mu, 1), std::span(&var, 1), std::span(&t, 1), Dphi::wanted);
    const std::string what = point.dump();
    const double sd = std::sqrt(point["variance"].get<double>());
    expect_relative(t.log_z, point["log_Z"], 1e-10, 1, what + " log_z");
    expect_relative(t.mean, point["mean"], 1e-10, sd, what + " mean");
    expect_relative(t.variance, point["variance"], 1e-9, 0, what + " variance");
    if (point.contains("E_dphi"))
      expect_relative(t.dphi[0], point["E_dphi"], 1e-9, 1e-2, what + " dphi");
  }
}

TEST(GoldenPoints, GaussianExpectationsAgree) {
  const json file = read_golden("oracle/points_integral.json");
  for (const json& point : file["gauss"]) {
    const auto likelihood = golden_likelihood(point["likelihood"]);
    const Row row = golden_row(point["likelihood"], point["y"]);
    const double m = point["m"];
    const double v = point["v"];
    Expected e;
    likelihood->expected(
        std::span(&row, 1), std::span(&m, 1), std::span(&v, 1), std::span(&e, 1), Dphi::wanted);
    const std::string what = point.dump();
    expect_relative(e.value, point["E_log_p"], 1e-10, 1e-2, what + " value");
    expect_relative(e.d1, point["dE_dm"], 1e-10, 1e-2, what + " d1");
    expect_relative(e.d2 / 2, point["dE_dv"], 1e-9, 1e-3, what + " d2");
    if (point.contains("E_dphi"))
      expect_relative(e.dphi[0], point["E_dphi"], 1e-9, 1e-2, what + " dphi");
    const auto predictive = likelihood->predictive(row, m, v);
    const double per = row.trials;
    expect_relative(predictive->mean() / per, point["pred_mean"], 1e-9, 1e-3, what + " mean");
    expect_relative(
        predictive->variance() / (per * per), point["pred_var"], 1e-8, 0, what + " variance");
    if (point.contains("pred_mode") && point.value("pred_mode_status", "") != "boundary") {
      expect_relative(predictive->mode() / per, point["pred_mode"], 1e-5, 1e-5, what + " mode");
    }
  }
}

}  // namespace
}  // namespace ggpm
