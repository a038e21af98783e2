// Predictions at the edges, against integrals in 50 digits (tests/edge/references.py makes them): right to
// 1e-8, or refused, which in a likelihood is NaN (model/checked_predictive makes a sentence of it).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ggpm/likelihood.hpp"
#include "ggpm/model.hpp"

namespace ggpm {
namespace {

using Json = nlohmann::json;

constexpr double kTolerance = 1e-8;
// Of y = 1e12 = e^eta, known to 0.5: 154 doubles of eta are as near as that.
constexpr double kToleranceOfNeedles = 2e-8;

struct Edge {
  std::string family, link;
  std::vector<double> parameters;
  double trials, mean, variance;
  bool is_needle(double y) const { return family == "gaussian" && link == "log" && y == 1e12; }
  std::string where() const {
    std::string out = family + " " + link + " parameters";
    for (const double p : parameters) out += " " + testing::PrintToString(p);
    return out + " trials " + testing::PrintToString(trials) + " latent " +
           testing::PrintToString(mean) + ", " + testing::PrintToString(variance);
  }
  std::unique_ptr<Likelihood> likelihood() const {
    LikelihoodOptions options;
    if (family == "student-t") options.df = parameters[1];
    auto out = make_likelihood(family, link, options);
    std::vector<double> values = parameters;
    values.resize(out->parameters().size());
    out->set_parameters(values);
    return out;
  }
};

class Edges : public testing::TestWithParam<std::string> {
 protected:
  // How many answers were asked for, and how many of them were none.
  int asked_ = 0, refused_ = 0;

  void compare(double actual, double expected, const std::string& what, bool is_needle = false) {
    ++asked_;
    if (std::isnan(actual)) {
      ++refused_;
      return;
    }
    const double difference = std::abs(actual - expected);
    const double tolerance = is_needle ? kToleranceOfNeedles : kTolerance;
    EXPECT_LE(difference, tolerance * std::max(1.0, std::abs(expected)))
        << what << ": " << actual << ", not " << expected << ", off by " << difference;
  }

  static Json file() {
    std::ifstream in(std::string(GGPM_GOLDEN_DIR) + "/edges/" + GetParam() + ".json");
    return Json::parse(in);
  }
  template <class Action>
  static void for_each_edge(const Action& action) {
    const Json all = file();
    for (const Json& group : all["groups"])
      action(Edge{all["family"],
                  group["link"],
                  group["parameters"],
                  group["trials"],
                  group["latent"][0],
                  group["latent"][1]},
             group);
  }
};

TEST_P(Edges, LogDensitiesAndProbabilitiesAgreeWithFiftyDigits) {
  for_each_edge([&](const Edge& edge, const Json& group) {
    const auto likelihood = edge.likelihood();
    const Row row{.trials = edge.trials};
    const auto p = likelihood->predictive(row, edge.mean, edge.variance);
    for (const Json& line : group["rows"]) {
      const double y = line[0];
      const std::string what = edge.where() + " y " + testing::PrintToString(y);
      compare(p->log_density(y), line[1], what + " log density", edge.is_needle(y));
      if (!line[2].is_null()) compare(p->cdf(y), line[2], what + " cdf");
    }
  });
  EXPECT_GT(asked_, 10);
  // Known to 1e-4, such a y is a peak between two doubles of eta.
  EXPECT_LE(refused_, GetParam() == "gaussian" ? 5 : 0) << "of " << asked_;
}

// A mean is as exact as its size allows, or the deviation of a real output.
TEST_P(Edges, MeansAgreeWithFiftyDigits) {
  for_each_edge([&](const Edge& edge, const Json& group) {
    if (group["mean"].is_null()) return;
    const double expected = group["mean"];
    const auto likelihood = edge.likelihood();
    const double mean =
        likelihood->predictive({.trials = edge.trials}, edge.mean, edge.variance)->mean();
    const double scale = likelihood->domain() == Domain::real
                             ? std::max(std::abs(expected), std::sqrt(edge.variance))
                             : expected;
    EXPECT_LE(std::abs(mean - expected), kTolerance * scale)
        << edge.where() << ": " << mean << ", not " << expected;
  });
}

// Of a level that a probability is known to have: at y, or, where P(Y <= y) is all that there is around,
// at a y of the same probability.
TEST_P(Edges, QuantilesAreWhereTheProbabilityIs) {
  for_each_edge([&](const Edge& edge, const Json& group) {
    const auto likelihood = edge.likelihood();
    const auto p = likelihood->predictive({.trials = edge.trials}, edge.mean, edge.variance);
    const Domain domain = likelihood->domain();
    const bool whole = domain == Domain::count || domain == Domain::binary ||
                       domain == Domain::ordinal || domain == Domain::fraction_of_trials ||
                       domain == Domain::nonnegative;
    for (const Json& line : group["rows"]) {
      if (line[2].is_null()) continue;
      const double y = line[0], level = line[2];
      if (!(level > 1e-6 && level < 1 - 1e-6)) continue;
      const std::string what = edge.where() + " y " + testing::PrintToString(y);
      if (whole) {
        EXPECT_LE(p->quantile(level * (1 - 1e-7)), y) << what;
        EXPECT_GE(p->quantile(level + 1e-7 * (1 - level)), y) << what;
        continue;
      }
      const double q = p->quantile(level);
      const double density = std::exp(p->log_density(y));
      // The quantile moves by dp/density where the level has an error of 1e-8.
      EXPECT_LE(std::abs(q - y), kTolerance * (std::abs(y) + std::max(1.0, 1 / density)))
          << what << ": " << q;
    }
  });
}

// EP is exact for one row: its log marginal is the log density of the prior prediction.
TEST_P(Edges, LogMarginalsOfOneRowAgreeWithFiftyDigits) {
  for_each_edge([&](const Edge& edge, const Json& group) {
    if (edge.variance < 1e-6 || edge.variance > 1e6) return;  // bounds of a variance
    for (const Json& line : group["rows"]) {
      Dataset data{.X = Matrix::Zero(1, 1),
                   .observed = {.y = Vector::Constant(1, line[0].get<double>())}};
      data.observed.trials = Vector::Constant(1, edge.trials);
      Specification specification{.likelihood = edge.family, .link = edge.link};
      specification.kernel = "constant(" + std::to_string(edge.variance) + ")";
      specification.mean = "constant(" + std::to_string(edge.mean) + ")";
      specification.inference = InferenceMethod::ep;
      const auto names = edge.likelihood()->parameters();
      for (std::size_t k = 0; k < edge.parameters.size() && k < names.size(); ++k)
        specification.likelihood_options.parameters.push_back({names[k].name, edge.parameters[k]});
      if (edge.family == "student-t") specification.likelihood_options.df = edge.parameters[1];
      const std::string what = edge.where() + " y " + line[0].dump();
      try {
        const GeneralizedGP model = GeneralizedGP::fit(
            data, specification, {.optimize = false, .threads = 1, .standard_errors = false});
        if (model.report().converged)
          compare(model.log_marginal(), line[1], what, edge.is_needle(line[0]));
      } catch (const Error&) {
        ++refused_, ++asked_;
      }
    }
  });
  EXPECT_LE(refused_, asked_ / 10) << "of " << asked_;
}

std::vector<std::string> families() {
  std::vector<std::string> out;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(GGPM_GOLDEN_DIR) + "/edges"))
    out.push_back(entry.path().stem());
  std::sort(out.begin(), out.end());
  return out;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Edges, testing::ValuesIn(families()), test_name);

// A new family wants its references. Softmax has a latent function a class; those of the others have not
// been made yet.
TEST(EdgesOf, EveryFamilyButThese) {
  const std::vector<std::string> there = families();
  const std::vector<std::string> without = {"softmax",
                                            "gamma-shape",
                                            "gamma-scale",
                                            "inverse-gaussian",
                                            "tweedie",
                                            "com-poisson",
                                            "negative-binomial",
                                            "zero-inflated-negative-binomial",
                                            "beta-binomial",
                                            "beta",
                                            "student-t"};
  for (const LikelihoodInfo& family : likelihood_table()) {
    const bool has = std::find(there.begin(), there.end(), family.name) != there.end();
    const bool may_miss = std::find(without.begin(), without.end(), family.name) != without.end();
    EXPECT_NE(has, may_miss) << family.name;
  }
}

}  // namespace
}  // namespace ggpm
