// Every run of tests/golden/families: likelihoods that came after the paper, against values of a
// slow program of its own.
#include <algorithm>
#include <cmath>

#include "inference/golden.hpp"

namespace ggpm::internal {
namespace {

using namespace testing_support;

struct FamilyCase {
  Json json;
  std::unique_ptr<Likelihood> likelihood;
  std::vector<Row> rows;
  Row test_row;

  explicit FamilyCase(const std::string& name)
      : json(read_json(golden_file("families/" + name + ".json"))) {
    const Json& model = json.at("ggpm");
    LikelihoodOptions options;
    if (model.contains("df") && !model["df"].is_null()) options.df = model["df"];
    for (const Json& parameter : model.at("parameters"))
      if (const std::string own = parameter.at("name"); own.find('.') == std::string::npos)
        options.parameters.push_back({own, parameter.at("value")});
    likelihood = make_likelihood(
        model.at("likelihood").get<std::string>(), model.at("link").get<std::string>(), options);
    for (std::size_t i = 0; i < json.at("y").size(); ++i) rows.push_back(row(i));
    if (json.contains("N_test")) test_row.trials = json["N_test"];
  }

 private:
  Row row(std::size_t i) const {
    Row out{.y = json.at("y")[i]};
    const auto given = [&](const char* key, double& value) {
      if (json.contains(key) && !json[key].is_null() && !json[key][i].is_null())
        value = json[key][i];
    };
    given("trials", out.trials);
    given("weights", out.weight);
    given("censored", out.censored);
    given("upper", out.upper);
    return out;
  }
};

void check_posterior(const Json& run, const Inferred& result, const FamilyCase& c) {
  const Posterior& posterior = result.posterior;
  const auto expect = [&](const Vector& actual, const char* key) {
    expect_named(run, key, actual, 1e-8);
  };
  expect_posterior(run, result, 1e-8);
  expect(posterior.alpha, "alpha");
  expect(posterior.sites.precision, "site_precision");
  if (!run.contains("log_Zhat")) return;
  // Those of p^weight.
  std::vector<Tilted> tilted(c.rows.size());
  const std::size_t n = c.rows.size();
  c.likelihood->tilted(c.rows,
                       {posterior.cavity_mean.data(), n},
                       {posterior.cavity_variance.data(), n},
                       tilted,
                       Dphi::skip);
  Vector log_z(posterior.mean.size());
  for (Index i = 0; i < log_z.size(); ++i) log_z[i] = tilted[static_cast<std::size_t>(i)].log_z;
  expect(log_z, "log_Zhat");
  const bool weighted =
      std::any_of(c.rows.begin(), c.rows.end(), [](const Row& row) { return row.weight != 1; });
  if (!weighted)
    expect(leave_one_out(*c.likelihood, Observations::of(c.rows), posterior).log_density,
           "log_Zhat");
}

void check_gradient(const Json& run,
                    const Inferred& result,
                    const FamilyCase& c,
                    const Kernel& kernel) {
  const double trusted = run.at("tol").at("grad");
  for (const Json& parameter : c.json.at("ggpm").at("parameters")) {
    const std::string name = counted_from_one(parameter.at("name"));
    const Json& expected = run.at("grad").at(parameter.at("path").get<std::string>());
    if (expected.is_null()) continue;
    const bool own = name.find('.') == std::string::npos;
    const auto parameters = own ? c.likelihood->parameters() : kernel.parameters();
    const Index k = position(parameters, name);
    EXPECT_EQ(parameters[static_cast<std::size_t>(k)].positive,
              parameter.at("coordinate") == "log");
    const Vector& gradient = own ? result.gradient.dispersion : result.gradient.kernel;
    EXPECT_TRUE(within(gradient[k], number(expected), trusted)) << name;
  }
}

void check_predictions(const Json& run,
                       const Inferred& result,
                       const FamilyCase& c,
                       const Kernel& kernel,
                       const Matrix& X) {
  const Matrix Z = to_matrix(c.json.at("X_test"));
  Vector mean, variance;
  LatentPredictor(kernel, X, result.posterior).predict(Z, Vector::Zero(Z.rows()), mean, variance);
  const double trusted = std::max(1e-8, number(run.at("tol").at("predict_rel")));
  const auto close = [&](double actual, const Json& expected, const char* what) {
    if (expected.is_null()) return;
    const double e = number(expected);
    EXPECT_NEAR(actual, e, trusted * std::max(1.0, std::abs(e))) << what;
  };
  for (std::size_t i = 0; i < run.at("predict").size(); ++i) {
    SCOPED_TRACE("test input " + std::to_string(i));
    const Json& expected = run["predict"][i];
    const Index k = static_cast<Index>(i);
    close(mean[k], expected.at("latent_mean"), "latent mean");
    close(variance[k], expected.at("latent_var"), "latent variance");
    const auto predictive = c.likelihood->predictive(c.test_row, mean[k], variance[k]);
    if (expected.contains("mean")) close(predictive->mean(), expected["mean"], "mean");
    if (expected.contains("var")) close(predictive->variance(), expected["var"], "variance");
    if (expected.contains("probabilities"))
      for (std::size_t level = 0; level < expected["probabilities"].size(); ++level)
        close(std::exp(predictive->log_density(static_cast<double>(level + 1))),
              expected["probabilities"][level],
              "probability");
    const Json& y = c.json.at("y_test")[i];
    for (std::size_t j = 0; j < y.size(); ++j)
      close(predictive->log_density(y[j]), expected.at("log_density")[j], "log density");
    // A jump that is nearer to the level than the reference is sure of may fall on either side.
    if (expected.value("quantile_margin", 1.0) < 1e-8) continue;
    const double levels[] = {0.025, 0.5, 0.975};
    for (std::size_t j = 0; j < 3; ++j)
      close(predictive->quantile(levels[j]), expected.at("quantiles")[j], "quantile");
  }
}

class GoldenFamilies : public testing::TestWithParam<std::string> {};

TEST_P(GoldenFamilies, EveryRunIsReproduced) {
  const FamilyCase c(GetParam());
  const Matrix X = to_matrix(c.json.at("X"));
  const Kernel kernel =
      Kernel::parse(c.json.at("ggpm").at("kernel").get<std::string>()).bind(X.cols());
  c.likelihood->check(c.rows);
  Inference inference(X, Observations::of(c.rows));
  for (const Json& run : c.json.at("runs")) {
    SCOPED_TRACE(run.at("method").get<std::string>());
    if (run.at("status") != "ok") continue;
    const InferenceOptions options{.method = parse_inference(run.at("method").get<std::string>()),
                                   .tolerance = 1e-11};
    Inferred result;
    try {
      result = inference.evaluate(kernel, Mean(), *c.likelihood, options);
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
      continue;
    }
    check_posterior(run, result, c);
    check_gradient(run, result, c, kernel);
    check_predictions(run, result, c, kernel, X);
  }
}

INSTANTIATE_TEST_SUITE_P(All,
                         GoldenFamilies,
                         testing::ValuesIn(golden_names("families", "softmax")),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace ggpm::internal
