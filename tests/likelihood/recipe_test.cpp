// The recipe of CONTRIBUTING.md, "How to add: a family": what stands here is all that a family
// needs, and everything works. Each has a twin in the library with closed forms.
#include <gtest/gtest.h>

#include "ggpm/inference.hpp"
#include "likelihood/composite.hpp"
#include "support/close.hpp"
#include "support/random_rows.hpp"

namespace ggpm::internal {
namespace {

using testing_support::RandomProblems;

// [recipe: five formulas]
// Positive outputs with mean mu and shape 1/phi.
//   log p(y | theta) = (y theta + log(-theta))/phi + c,   theta = -1/mu
struct PlainGamma {
  static constexpr std::string_view name = "plain-gamma";
  static constexpr std::string_view formula = "(y theta + log(-theta))/phi + c(y, phi)";
  static constexpr Domain domain = Domain::positive;
  static constexpr std::array dispersions = {Dispersion{"1/shape"}};
  using Links = families::LinkList<links::Log>;

  template <class Real>
  static Real theta(const Real& log_mean, const Real& /*phi*/) {
    using std::exp;
    return -exp(-log_mean);
  }
  template <class Real>
  static Real a(const Real& phi) {
    return phi;
  }
  template <class Real>
  static Real b(const Real& theta, const Real& /*phi*/) {
    using std::log;
    return -log(-theta);
  }
  template <class Real>
  static Real c(const Real& phi, const Row& row) {
    using std::log;
    return (1 / phi - 1) * std::log(row.y) - log(phi) / phi - families::log_gamma(Real(1 / phi));
  }
  static double T(const Row& row) { return row.y; }
};
// [end of recipe]

// Counts, without a dispersion.
struct PlainPoisson {
  static constexpr std::string_view name = "plain-poisson";
  static constexpr std::string_view formula = "y theta - e^theta - log y!";
  static constexpr Domain domain = Domain::count;
  using Links = families::LinkList<links::Log>;

  template <class Real>
  static Real theta(const Real& log_mean, const Real& /*phi*/) {
    return log_mean;
  }
  template <class Real>
  static Real a(const Real& /*phi*/) {
    return Real(1);
  }
  template <class Real>
  static Real b(const Real& theta, const Real& /*phi*/) {
    using std::exp;
    return exp(theta);
  }
  template <class Real>
  static Real c(const Real& /*phi*/, const Row& row) {
    return -numeric::lgamma1p(Real(row.y));
  }
  static double T(const Row& row) { return row.y; }
};

// k of N trials, not of exponential form as far as anybody can see.
struct PlainBinomial {
  static constexpr std::string_view name = "plain-binomial";
  static constexpr std::string_view formula = "log C(N, k) + k log mu + (N - k) log(1 - mu)";
  static constexpr Domain domain = Domain::fraction_of_trials;
  using Links = families::LinkList<links::Probit>;

  template <class Real>
  static Real log_density(const links::Unit<Real>& u, const Real& /*phi*/, const Row& row) {
    const double k = row.y, rest = row.trials - row.y;
    const double constant =
        std::lgamma(row.trials + 1) - std::lgamma(k + 1) - std::lgamma(rest + 1);
    return constant + k * u.log_mean + rest * u.log_complement;
  }
};

// Two dispersions, one of them in an interval: a mixture of two Gaussians, wide with probability w.
struct PlainMixture {
  static constexpr std::string_view name = "plain-mixture";
  static constexpr std::string_view formula = "log((1-w) N(y; eta, phi) + w N(y; eta, 100 phi))";
  static constexpr Domain domain = Domain::real;
  static constexpr std::array dispersions = {Dispersion{"variance"},
                                             Dispersion{.meaning = "of a wide outlier",
                                                        .name = "weight",
                                                        .start = 0.2,
                                                        .lower = 0,
                                                        .upper = 1,
                                                        .interval = true}};
  using Links = families::LinkList<links::Identity>;

  template <class Real>
  static Real log_density(const Real& mean, const std::array<Real, 2>& phi, const Row& row) {
    using std::log;
    const Real z = (mean - row.y) * (mean - row.y) / phi[0];
    const Real narrow = log(1 - phi[1]) - z / 2;
    const Real wide = log(phi[1]) - log(10.0) - z / 200;
    return narrow + numeric::softplus(Real(wide - narrow)) - (numeric::kLog2Pi + log(phi[0])) / 2;
  }
};

struct Twins {
  std::unique_ptr<LikelihoodBase> plain;
  std::unique_ptr<Likelihood> closed;
};

template <class Family, class Link>
Twins twins(const char* name, const char* link, double phi) {
  return {std::make_unique<Composite<Family, Link>>(phi),
          make_likelihood(name, link, {.dispersion = phi})};
}
std::vector<Twins> all_twins(double phi) {
  std::vector<Twins> out;
  out.push_back(twins<PlainGamma, links::Log>("gamma-shape", "log", phi));
  out.push_back(twins<PlainPoisson, links::Log>("poisson", "log", phi));
  out.push_back(twins<PlainBinomial, links::Probit>("binomial", "probit", phi));
  return out;
}

TEST(FamilyRecipe, DerivativesAndDistributionAreThoseOfTheClosedForms) {
  RandomProblems random(401);
  for (int trial = 0; trial < 30; ++trial) {
    for (const auto& [plain, closed] : all_twins(random.log_uniform(0.1, 2))) {
      const double eta = random.uniform(-1.5, 2);
      const Row row = random.row(*closed, eta);
      SCOPED_TRACE(plain->name() + " y=" + std::to_string(row.y) + " eta=" + std::to_string(eta));
      const LogDensity l = testing_support::density_at(*plain, row, eta);
      const LogDensity m = testing_support::density_at(*closed, row, eta);
      EXPECT_CLOSE(l.value, m.value, 1e-10);
      EXPECT_CLOSE(l.d1, m.d1, 1e-10);
      EXPECT_CLOSE(l.d2, m.d2, 1e-10);
      EXPECT_CLOSE(l.d3, m.d3, 1e-10);
      EXPECT_CLOSE(l.dphi[0], m.dphi[0], 1e-9);
      EXPECT_CLOSE(plain->mean(row, eta), closed->mean(row, eta), 1e-8);
      EXPECT_CLOSE(plain->variance(row, eta), closed->variance(row, eta), 1e-7);
      EXPECT_CLOSE(plain->mode(row, eta), closed->mode(row, eta), 1e-6);
      EXPECT_CLOSE(plain->cdf(row, eta, row.y), closed->cdf(row, eta, row.y), 1e-9);
      const double p = random.uniform(0.01, 0.99);
      EXPECT_CLOSE(plain->quantile(row, eta, p), closed->quantile(row, eta, p), 1e-7);
      EXPECT_CLOSE(plain->fisher_information(row, eta), closed->fisher_information(row, eta), 1e-7);
    }
  }
}

TEST(FamilyRecipe, EveryInferenceAndPredictionIsThatOfTheClosedForms) {
  RandomProblems random(402);
  for (const auto& [plain, closed] : all_twins(0.4)) {
    const Index n = 8;
    Matrix X(n, 1);
    std::vector<Row> rows;
    for (Index i = 0; i < n; ++i) {
      X(i, 0) = 0.4 * static_cast<double>(i);
      rows.push_back(random.row(*closed, std::sin(X(i, 0))));
    }
    Inference inference(X, Observations::of(rows));
    const Kernel kernel = Kernel::parse("rbf(1.2, 0.8)").bind(1);
    for (const InferenceMethod method : {InferenceMethod::taylor,
                                         InferenceMethod::laplace,
                                         InferenceMethod::ep,
                                         InferenceMethod::kld}) {
      SCOPED_TRACE(plain->name() + " " + std::string(to_string(method)));
      const InferenceOptions options{.method = method, .tolerance = 1e-11};
      const Inferred a = inference.evaluate(kernel, Mean(), *plain, options);
      const Inferred b = inference.evaluate(kernel, Mean(), *closed, options);
      EXPECT_CLOSE(a.log_marginal, b.log_marginal, 1e-8);
      EXPECT_CLOSE(a.posterior.mean, b.posterior.mean, 1e-7);
      EXPECT_CLOSE(a.gradient.kernel, b.gradient.kernel, 1e-6);
      EXPECT_CLOSE(a.gradient.dispersion, b.gradient.dispersion, 1e-6);
      const auto p = plain->predictive(rows[0], 0.3, 0.5),
                 q = closed->predictive(rows[0], 0.3, 0.5);
      EXPECT_CLOSE(p->mean(), q->mean(), 1e-8);
      EXPECT_CLOSE(p->variance(), q->variance(), 1e-7);
      EXPECT_CLOSE(p->mode(), q->mode(), 1e-5);
      EXPECT_CLOSE(p->log_density(rows[1].y), q->log_density(rows[1].y), 1e-9);
      for (const double level : {0.025, 0.5, 0.975})
        EXPECT_CLOSE(p->quantile(level), q->quantile(level), 1e-7);
    }
  }
}

TEST(FamilyRecipe, SeveralDispersionsHaveTheirGradients) {
  const Composite<PlainMixture, links::Identity> model(
      starting_dispersions(PlainMixture::name, PlainMixture::dispersions, {.dispersion = 0.3}));
  const std::vector<Parameter> parameters = model.parameters();
  ASSERT_EQ(parameters.size(), 2u);
  EXPECT_TRUE(parameters[0].positive);
  EXPECT_FALSE(parameters[1].positive);
  Matrix X(6, 1);
  X << 0, 0.5, 1, 1.5, 2, 2.5;
  std::vector<Row> rows;
  for (const double y : {0.1, 0.7, 4.0, 0.9, 1.2, 0.4}) rows.push_back({.y = y});
  Inference inference(X, Observations::of(rows));
  const Kernel kernel = Kernel::parse("rbf(1.2, 0.8)").bind(1);
  for (const InferenceMethod method :
       {InferenceMethod::laplace, InferenceMethod::ep, InferenceMethod::kld}) {
    SCOPED_TRACE(to_string(method));
    const InferenceOptions options{.method = method, .tolerance = 1e-12};
    const Inferred base = inference.evaluate(kernel, Mean(), model, options);
    const auto at = [&](double variance, double weight) {
      const auto moved = model.clone();
      moved->set_parameters(std::vector{variance, weight});
      return inference.evaluate(kernel, Mean(), *moved, options, &base.posterior).log_marginal;
    };
    const double h = 1e-4;
    EXPECT_NEAR(base.gradient.dispersion[0],
                (at(0.3 * std::exp(h), 0.2) - at(0.3 * std::exp(-h), 0.2)) / (2 * h),
                1e-5);
    EXPECT_NEAR(base.gradient.dispersion[1], (at(0.3, 0.2 + h) - at(0.3, 0.2 - h)) / (2 * h), 1e-5);
  }
}

TEST(FamilyRecipe, GivenParametersAreTakenByName) {
  const auto start = [](const LikelihoodOptions& options) {
    return starting_dispersions(PlainMixture::name, PlainMixture::dispersions, options);
  };
  const auto held = start({.parameters = {{"weight", 0.7, true}}});
  EXPECT_EQ(held[1].value, 0.7);
  EXPECT_TRUE(held[1].fixed);
  EXPECT_EQ(held[0].value, 1);
  const auto message = [&](const LikelihoodOptions& options) {
    try {
      start(options);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(message({.parameters = {{"zero", 0.7}}}),
            "likelihood 'plain-mixture' has no parameter 'zero'; it has dispersion, weight");
  EXPECT_EQ(message({.parameters = {{"weight", 1.0}}}),
            "likelihood 'plain-mixture': weight = 1 is not between 0 and 1");
}

TEST(FamilyRecipe, EveryFamilyIsAChoiceForItsDomain) {
  for (const LikelihoodInfo& info : likelihood_table()) {
    bool found = false;
    for (const LikelihoodChoice& choice : likelihood_choices(info.domain))
      found = found || choice.name == info.name;
    EXPECT_TRUE(found) << info.name;
  }
  std::vector<std::string> counts;
  for (const LikelihoodChoice& choice : likelihood_choices(Domain::count))
    if (choice.automatic) counts.push_back(choice.name);
  counts.resize(3);
  EXPECT_EQ(counts, (std::vector<std::string>{"poisson", "linear-poisson", "negative-binomial"}));
}

}  // namespace
}  // namespace ggpm::internal
