// Predictions at the edges, against integrals in 60 digits (tests/edge/references.py makes them): right to
// 1e-8, or refused, which in a likelihood is NaN (model/checked_predictive makes a sentence of it). What is
// refused is named here, with its reason.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
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

  std::string where() const {
    return fmt::format("{} {} [{}] trials {} latent {}, {}",
                       family,
                       link,
                       fmt::join(parameters, ", "),
                       trials,
                       mean,
                       variance);
  }
  std::string where(double y) const { return fmt::format("{} y {}", where(), y); }
  double tolerance(double y, double expected) const {
    const bool is_needle = family == "gaussian" && link == "log" && y == 1e12;
    return (is_needle ? kToleranceOfNeedles : kTolerance) * std::max(1.0, std::abs(expected));
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
  // The prior of the fit is the Gaussian of the latent.
  Specification specification() const {
    Specification out{.likelihood = family, .link = link};
    out.kernel = fmt::format("constant({})", variance);
    out.mean = fmt::format("constant({})", mean);
    out.inference = InferenceMethod::ep;
    const auto names = likelihood()->parameters();
    for (std::size_t k = 0; k < parameters.size() && k < names.size(); ++k)
      out.likelihood_options.parameters.push_back({names[k].name, parameters[k]});
    if (family == "student-t") out.likelihood_options.df = parameters[1];
    return out;
  }
};

bool has_steps(Domain domain) {
  return domain == Domain::count || domain == Domain::binary || domain == Domain::ordinal ||
         domain == Domain::fraction_of_trials;
}

// What is refused: `edge` begins the name of a case.
struct Refusal {
  std::string_view what, edge;
  double y;
};
// The peak of such an output lies between two doubles of the latent.
constexpr Refusal kRefusals[] = {
    {"log density", "gaussian log [1e-08]", 1e12},
    {"log marginal", "gaussian log [1e-08]", 1e12},
    {"log marginal", "inverse-gaussian softplus [0.3] trials 1 latent 0.7, 0.1", 1e100},
    {"log marginal", "inverse-gaussian softplus [0.3] trials 1 latent 3, 1e-10", 1e100},
    {"log marginal", "inverse-gaussian softplus [0.0001] trials 1 latent 3, 1e-10", 1e100},
    {"log marginal", "inverse-gaussian softplus [1000] trials 1 latent -20, 1", 1e100},
    {"log marginal", "inverse-gaussian softplus [1000] trials 1 latent 12, 0.01", 1e100},
    {"log marginal", "inverse-gaussian softplus [1000] trials 1 latent 0, 100", 1e100},
};

class Edges : public testing::TestWithParam<std::string> {
 protected:
  int asked_ = 0;

  // Refusals of this family that did not happen.
  std::set<const Refusal*> idle_;
  void expect_refusals(std::string_view what) {
    for (const Refusal& refusal : kRefusals)
      if (refusal.what == what && refusal.edge.starts_with(GetParam() + " "))
        idle_.insert(&refusal);
  }
  void refused(std::string_view what, const Edge& edge, double y, const std::string& sentence) {
    for (const Refusal& refusal : kRefusals) {
      if (refusal.what != what || refusal.y != y || !edge.where().starts_with(refusal.edge))
        continue;
      idle_.erase(&refusal);
      return;
    }
    ADD_FAILURE() << what << " of " << edge.where(y) << ": refused, " << sentence;
  }
  void TearDown() override {
    for (const Refusal* refusal : idle_)
      ADD_FAILURE() << refusal->what << " of " << refusal->edge << " y " << refusal->y
                    << ": answered";
  }

  void compare(double actual, double expected, std::string_view what, const Edge& edge, double y) {
    ++asked_;
    if (std::isnan(actual)) return refused(what, edge, y, "no number");
    const double difference = std::abs(actual - expected);
    EXPECT_LE(difference, edge.tolerance(y, expected))
        << what << " of " << edge.where(y) << ": " << actual << ", not " << expected << ", off by "
        << difference;
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

TEST_P(Edges, LogDensitiesAndProbabilitiesAgreeWithSixtyDigits) {
  expect_refusals("log density");
  expect_refusals("cdf");
  for_each_edge([&](const Edge& edge, const Json& group) {
    const auto likelihood = edge.likelihood();
    const auto p = likelihood->predictive({.trials = edge.trials}, edge.mean, edge.variance);
    for (const Json& line : group["rows"]) {
      const double y = line[0];
      compare(p->log_density(y), line[1], "log density", edge, y);
      if (!line[2].is_null()) compare(p->cdf(y), line[2], "cdf", edge, y);
    }
  });
  EXPECT_GT(asked_, 10);
}

// A mean is as exact as its size allows, or the deviation of a real output.
TEST_P(Edges, MeansAgreeWithSixtyDigits) {
  for_each_edge([&](const Edge& edge, const Json& group) {
    if (group["mean"].is_null()) return;
    const double expected = group["mean"];
    const auto likelihood = edge.likelihood();
    const double mean =
        likelihood->predictive({.trials = edge.trials}, edge.mean, edge.variance)->mean();
    const double scale = likelihood->domain() == Domain::real
                             ? std::max(std::abs(expected), std::sqrt(edge.variance))
                             : expected;
    ++asked_;
    constexpr double kNever = 1e-100;  // a rate at which no count is ever seen
    EXPECT_LE(std::abs(mean - expected), kTolerance * scale + kNever)
        << edge.where() << ": " << mean << ", not " << expected;
  });
  EXPECT_GT(asked_, 0);
}

// Of a level that a probability is known to have: at y, or, where P(Y <= y) is all that there is around,
// at a y of the same probability.
TEST_P(Edges, QuantilesAreWhereTheProbabilityIs) {
  for_each_edge([&](const Edge& edge, const Json& group) {
    const auto likelihood = edge.likelihood();
    const auto p = likelihood->predictive({.trials = edge.trials}, edge.mean, edge.variance);
    const Domain domain = likelihood->domain();
    for (const Json& line : group["rows"]) {
      if (line[2].is_null()) continue;
      const double y = line[0], level = line[2];
      if (!(level > 1e-6 && level < 1 - 1e-6)) continue;
      if (has_steps(domain) || domain == Domain::nonnegative) {
        EXPECT_LE(p->quantile(level * (1 - 1e-7)), y) << edge.where(y);
        EXPECT_GE(p->quantile(level + 1e-7 * (1 - level)), y) << edge.where(y);
        continue;
      }
      const double q = p->quantile(level);
      const double density = std::exp(p->log_density(y));
      // The quantile moves by dp/density where the level has an error of 1e-8.
      EXPECT_LE(std::abs(q - y), kTolerance * (std::abs(y) + std::max(1.0, 1 / density)))
          << edge.where(y) << ": " << q;
    }
  });
}

// No output of the references is more likely than the mode. (A density may be highest at an end, where it is no
// maximum.)
TEST_P(Edges, NothingIsMoreLikelyThanTheMode) {
  for_each_edge([&](const Edge& edge, const Json& group) {
    const auto likelihood = edge.likelihood();
    const Domain domain = likelihood->domain();
    if (!has_steps(domain) && domain != Domain::real) return;
    const auto p = likelihood->predictive({.trials = edge.trials}, edge.mean, edge.variance);
    const double mode = p->mode(), top = p->log_density(mode);
    for (const Json& line : group["rows"]) {
      const double y = line[0], other = line[1];
      EXPECT_LE(other, top + kTolerance * std::max(1.0, std::abs(top)))
          << edge.where(y) << ": the mode is " << mode;
    }
  });
}

// EP is exact for one row: its log marginal is the log density of the prior prediction.
TEST_P(Edges, LogMarginalsOfOneRowAgreeWithSixtyDigits) {
  expect_refusals("log marginal");
  for_each_edge([&](const Edge& edge, const Json& group) {
    for (const Json& line : group["rows"]) {
      const double y = line[0], expected = line[1];
      Dataset data{.X = Matrix::Zero(1, 1), .observed = {.y = Vector::Constant(1, y)}};
      data.observed.trials = Vector::Constant(1, edge.trials);
      try {
        const GeneralizedGP model =
            GeneralizedGP::fit(data,
                               edge.specification(),
                               {.optimize = false, .threads = 1, .standard_errors = false});
        if (model.report().converged)
          compare(model.log_marginal(), expected, "log marginal", edge, y);
        else
          refused("log marginal", edge, y, model.report().detail);
      } catch (const Error& error) {
        refused("log marginal", edge, y, error.what());
      }
    }
  });
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

// A new family wants its references (tests/edge/grid.py). Softmax has a latent function a class.
TEST(EdgesOf, EveryFamilyButThese) {
  const std::vector<std::string> there = families();
  const std::vector<std::string> without = {"softmax"};
  for (const LikelihoodInfo& family : likelihood_table()) {
    const bool has = std::find(there.begin(), there.end(), family.name) != there.end();
    const bool may_miss = std::find(without.begin(), without.end(), family.name) != without.end();
    EXPECT_NE(has, may_miss) << family.name;
  }
}

// 2e15 trials with an intra-class correlation of 1e-12: gamma functions of 1e12 and 1e15 canceled, and
// P(Y <= N/2) was 0.505. By symmetry it is 1/2 and half of p(N/2); all in 60 digits (tests/edge/families.py).
TEST(BetaBinomial, KeepsItsDigitsWithEnormousTrials) {
  struct Known {
    double eta, y, log_density, cdf;
  };
  constexpr Known known[] = {
      {0, 0, -3954065103039.39, 0},
      {0, 999994000000000, -39.63345880569349, 9.95739157020057e-10},
      {0, 999999000000000, -22.142204432608942, 0.15871573161430286},
      {0, 999999999999999, -21.642454307672658, 0.4999999998005787},
      {0, 1000000000000000, -21.642454307672658, 0.5000000001994213},
      {0, 1000001000000000, -22.142204432608942, 0.8412842686276678},
      {0, 1000006000000000, -39.63345880569349, 0.9999999990042608},
      {1, 1462111157260010, -44.39852690877786, 6.709363026023347e-12},
      {1, 1462116157260010, -22.157792910069002, 0.129798518302547},
      {1, 1462117157260010, -21.522339800714473, 0.4999998617421811},
      {1, 1462118157260010, -22.15779155633157, 0.8702015218256626},
      {1, 2000000000000000, -2084242651475.0505, 1},
      {-2, 238404844044235, -22.398626673778278, 0.06145226553884823},
      {-2, 238405844044235, -21.208673477190093, 0.5000003127971725},
      {-2, 238406844044235, -22.398628172196116, 0.938547472172129},
      {-2, 2000000000000000, -7322360126565.222, 1},
  };
  const auto likelihood = make_likelihood("beta-binomial", "logit", {.dispersion = 1e-12});
  for (const Known& k : known) {
    const auto p = likelihood->predictive({.trials = 2e15}, k.eta, 1e-30);
    EXPECT_NEAR(p->log_density(k.y), k.log_density, kTolerance * std::max(1.0, -k.log_density))
        << k.eta << " " << k.y;
    EXPECT_NEAR(p->cdf(k.y), k.cdf, kTolerance) << k.eta << " " << k.y;
  }
}

}  // namespace
}  // namespace ggpm
