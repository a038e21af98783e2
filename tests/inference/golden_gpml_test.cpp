// Every case of tests/golden/gpml, whose README has the mapping between the two parametrizations.
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <map>

#include "inference/golden.hpp"

namespace ggpm::internal {
namespace {

using namespace testing_support;

// One of our parameters is exp(power x their logarithm); d/dlog ours = gradient factor x d/dlog
// theirs.
struct Mapped {
  std::string name;
  std::size_t theirs;
  double power;
};

struct MappedKernel {
  std::string text;
  std::vector<Mapped> parameters;
};

MappedKernel map_kernel(const Json& kernel) {
  const std::string name = kernel.at("name");
  const Vector hyp = to_vector(kernel.at("hyp"));
  const auto iso = [&](const std::string& ours, Index at) {
    const std::size_t k = static_cast<std::size_t>(at);
    return MappedKernel{fmt::format("{}(variance={:.17g}, lengthscale={:.17g}",
                                    ours,
                                    std::exp(2 * hyp[at + 1]),
                                    std::exp(hyp[at])),
                        {{ours + ".lengthscale", k, 1}, {ours + ".variance", k + 1, 2}}};
  };
  MappedKernel out;
  if (name == "covSEiso") {
    out = iso("rbf", 0);
  } else if (name == "covMaterniso(d=1)") {
    out = iso("matern12", 0);
  } else if (name == "covMaterniso(d=3)") {
    out = iso("matern32", 0);
  } else if (name == "covMaterniso(d=5)") {
    out = iso("matern52", 0);
  } else if (name == "covRQiso") {
    out = iso("rq", 0);
    out.text += fmt::format(", alpha={:.17g}", std::exp(hyp[2]));
    out.parameters.push_back({"rq.alpha", 2, 1});
  } else if (name == "covSEard") {
    const Index d = hyp.size() - 1;
    out.text = fmt::format("rbf(variance={:.17g}, lengthscale=[", std::exp(2 * hyp[d]));
    for (Index k = 0; k < d; ++k) {
      out.text += fmt::format("{}{:.17g}", k > 0 ? ", " : "", std::exp(hyp[k]));
      out.parameters.push_back(
          {fmt::format("rbf.lengthscale[{}]", k + 1), static_cast<std::size_t>(k), 1});
    }
    out.text += "]";
    out.parameters.push_back({"rbf.variance", static_cast<std::size_t>(d), 2});
  } else if (name == "covPeriodic") {
    out.text = fmt::format("periodic(variance={:.17g}, lengthscale={:.17g}, period={:.17g}",
                           std::exp(2 * hyp[2]),
                           std::exp(hyp[0]),
                           std::exp(hyp[1]));
    out.parameters = {
        {"periodic.lengthscale", 0, 1}, {"periodic.period", 1, 1}, {"periodic.variance", 2, 2}};
  } else if (name == "covPoly(d=2)") {
    out.text = fmt::format(
        "poly(variance={:.17g}, offset={:.17g}, degree=2", std::exp(2 * hyp[1]), std::exp(hyp[0]));
    out.parameters = {{"poly.offset", 0, 1}, {"poly.variance", 1, 2}};
  } else if (name == "covSum{covLINiso,covSEiso}") {
    out = iso("rbf", 1);
    out.text = fmt::format("linear(variance={:.17g}) + {}", std::exp(-2 * hyp[0]), out.text);
    out.parameters.push_back({"linear.variance", 0, -2});
  } else {
    throw std::runtime_error("no mapping for " + name);
  }
  out.text += ")";
  return out;
}

struct MappedLikelihood {
  std::string name, link;
  std::vector<Mapped> parameters;  // of the dispersion, in our order
  double factor = 1;               // of the dispersion itself
};

MappedLikelihood map_likelihood(const std::string& name) {
  static const std::map<std::string, MappedLikelihood> table{
      {"Gauss", {"gaussian", "identity", {{"dispersion", 0, 2}}}},
      {"Logistic", {"bernoulli", "logit", {}}},
      {"Erf", {"bernoulli", "probit", {}}},
      {"Binomial_logit", {"binomial", "logit", {}}},
      {"Poisson_exp", {"poisson", "log", {}}},
      {"Poisson_logistic", {"poisson", "linear", {}}},
      {"Gamma_exp", {"gamma-shape", "log", {{"dispersion", 0, -1}}}},
      {"Exp_exp", {"gamma-shape", "log", {}}},
      {"InvGauss_exp", {"inverse-gaussian", "log", {{"dispersion", 0, -1}}}},
      {"Beta_logit", {"beta", "logit", {{"dispersion", 0, -1}}}},
      {"NegBinom_exp", {"negative-binomial", "log", {{"dispersion", 0, -1}}}},
      {"Laplace", {"laplace", "identity", {{"dispersion", 0, 1}}, std::sqrt(0.5)}},
      {"T", {"student-t", "identity", {{"dispersion", 1, 1}}}},
  };
  return table.at(name);
}

InferenceMethod map_method(const std::string& name) {
  return name == "KL" ? InferenceMethod::kld
                      : parse_inference(name == "EP"        ? "ep"
                                        : name == "Laplace" ? "laplace"
                                                            : "exact");
}

struct Answers {
  const Json& tol;
  testing::AssertionResult near(const Vector& actual,
                                const Json& expected,
                                const char* kind) const {
    const Vector e = to_vector(expected);
    const double t = std::max(1e-9, tol.at(kind).get<double>());
    return within(actual, e, Vector(t * (e.array().abs() + 1).matrix()));
  }
};

void check_case(const Json& c, const std::string& likelihood_name, InferenceMethod method) {
  const MappedLikelihood mapped = map_likelihood(likelihood_name);
  const MappedKernel mapped_kernel = map_kernel(c.at("kernel"));
  const Vector hyp = to_vector(c.at("lik_hyp"));
  const bool classes = mapped.name == "bernoulli";
  const double trials = c.value("ntrials", 1.0);

  LikelihoodOptions options;
  if (!mapped.parameters.empty()) {
    const Mapped& p = mapped.parameters[0];
    options.dispersion = mapped.factor * std::exp(p.power * hyp[static_cast<Index>(p.theirs)]);
  }
  if (likelihood_name == "Exp_exp") options.dispersion = 1;
  if (likelihood_name == "T") {
    options.df = 1 + std::exp(hyp[0]);
    options.learn_df = true;
  }
  const auto likelihood = make_likelihood(mapped.name, mapped.link, options);

  const auto to_rows = [&](const Json& y) {
    std::vector<Row> rows;
    for (const Json& value : y) {
      const double number = value.get<double>();
      rows.push_back({.y = classes ? (number + 1) / 2 : number, .trials = trials});
    }
    return rows;
  };
  const std::vector<Row> rows = to_rows(c.at("y")), test_rows = to_rows(c.at("ys"));
  const Matrix X = to_matrix(c.at("x")), Z = to_matrix(c.at("xs"));
  const Kernel kernel = Kernel::parse(mapped_kernel.text).bind(X.cols());
  const bool constant = c.at("mean").at("name") == "meanConst";
  const Mean mean =
      constant
          ? Mean::parse(fmt::format("constant(value={:.17g})", c["mean"]["hyp"][0].get<double>()))
                .bind(X.cols())
          : Mean();

  const InferenceOptions inference_options{.method = method, .tolerance = 1e-11};
  const Inferred result =
      Inference(X, Observations::of(rows)).evaluate(kernel, mean, *likelihood, inference_options);
  EXPECT_EQ(result.report.outcome, Outcome::converged) << result.report.detail;

  const Json& expected = c.at("result");
  const Answers answers{c.at("tol")};
  const auto one = [](double value) { return Vector(Vector::Constant(1, value)); };
  const auto negated = [](Vector value) { return Vector(-value); };
  EXPECT_TRUE(answers.near(one(-result.log_marginal), Json::array({expected.at("nlZ")}), "nlZ"));
  EXPECT_TRUE(answers.near(result.posterior.mean, expected.at("train_fmu"), "latent"));
  EXPECT_TRUE(answers.near(result.posterior.variance, expected.at("train_fs2"), "latent"));
  if (expected.contains("site_precision") && method != InferenceMethod::exact) {
    const Vector sites = to_vector(expected["site_precision"]);
    EXPECT_TRUE(within(
        result.posterior.sites.precision, sites, Vector(1e-6 * (sites.array().abs() + 1).matrix())))
        << "sites";
  }

  const Json& gradient = expected.at("dnlZ");
  const std::vector<Parameter> parameters = kernel.parameters();
  for (const Mapped& p : mapped_kernel.parameters)
    EXPECT_TRUE(
        answers.near(negated(one(p.power * result.gradient.kernel[position(parameters, p.name)])),
                     Json::array({gradient.at("cov")[p.theirs]}),
                     "dnlZ"))
        << p.name;
  for (const Mapped& p : mapped.parameters)
    EXPECT_TRUE(answers.near(negated(one(p.power * result.gradient.dispersion[0])),
                             Json::array({gradient.at("lik")[p.theirs]}),
                             "dnlZ"))
        << p.name;
  if (likelihood_name == "T") {
    EXPECT_TRUE(
        answers.near(negated(one(result.gradient.dispersion[1] * (options.df - 1) / options.df)),
                     Json::array({gradient.at("lik")[0]}),
                     "dnlZ"))
        << "df";
  }
  if (constant) {
    EXPECT_TRUE(answers.near(negated(result.gradient.mean), gradient.at("mean"), "dnlZ")) << "mean";
  }

  Vector latent_mean, latent_variance;
  LatentPredictor(kernel, X, result.posterior)
      .predict(Z, mean.evaluate(Z), latent_mean, latent_variance);
  EXPECT_TRUE(answers.near(latent_mean, expected.at("fmu"), "latent"));
  EXPECT_TRUE(answers.near(latent_variance, expected.at("fs2"), "latent"));
  for (std::size_t i = 0; i < test_rows.size(); ++i) {
    const Index k = static_cast<Index>(i);
    const auto predictive =
        likelihood->predictive(test_rows[i], latent_mean[k], latent_variance[k]);
    const auto check = [&](double actual, const char* key) {
      if (expected.at(key)[i].is_null()) return;
      EXPECT_TRUE(answers.near(one(actual), Json::array({expected.at(key)[i]}), "predictive"))
          << key;
    };
    const double unit = classes ? 0.5 : trials;  // theirs: classes -1 and 1, fractions
    const double zero = classes ? 0.5 : 0;
    check((predictive->mean() - zero) / unit, "ymu");
    check(predictive->variance() / (unit * unit), "ys2");
    check(predictive->log_density(test_rows[i].y), "lp");
  }
}

class GoldenGpml : public testing::TestWithParam<std::string> {};

TEST_P(GoldenGpml, EveryCaseIsReproduced) {
  const Json file = read_json(golden_file("gpml/" + GetParam() + ".json"));
  const InferenceMethod method = map_method(file.at("inference").at("name"));
  for (const Json& c : file.at("cases")) {
    SCOPED_TRACE(c.at("id").get<std::string>());
    try {
      check_case(c, file.at("likelihood").at("name"), method);
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All,
                         GoldenGpml,
                         testing::ValuesIn(golden_names("gpml", "")),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace ggpm::internal
