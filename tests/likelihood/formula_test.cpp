// Likelihoods from formulas equal the built-in ones, and what ggpm does not have works too.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "likelihood/formula/likelihood.hpp"
#include "support/close.hpp"
#include "support/random_rows.hpp"

namespace ggpm::internal {
namespace {

using testing_support::density_at;
using testing_support::RandomProblems;

// The TOML text of a likelihood.
std::string toml(const std::string& domain,
                 const std::string& a,
                 const std::string& b,
                 const std::string& c,
                 const std::string& T,
                 const std::string& theta,
                 const std::string& more = "") {
  return "[likelihood]\ndomain = \"" + domain + "\"\na = \"" + a + "\"\nb = \"" + b + "\"\nc = \"" +
         c + "\"\nT = \"" + T + "\"\ntheta = \"" + theta + "\"\n" + more;
}

// A built-in family, and the same in TOML.
struct Twin {
  std::string family, text;
  double dispersion = -1;  // negative: a random one
};

const std::vector<Twin>& twins() {
  static const std::vector<Twin> all = {
      {"poisson", toml("count", "1", "exp(theta)", "-lgamma(y+1)", "y", "eta")},
      {"gamma-shape",
       toml("positive",
            "phi",
            "-log(-theta)",
            "(1/phi - 1)*log(y) - log(phi)/phi - lgamma(1/phi)",
            "y",
            "-exp(-eta)")},
      {"bernoulli", toml("binary", "1", "softplus(theta)", "0", "y", "eta")},
      {"beta",
       toml("proportion",
            "phi",
            "phi*(lgamma(theta/phi) + lgamma((1 - theta)/phi))",
            "lgamma(1/phi) + (1/phi - 1)*log1p(-y) - log(y)",
            "log(y) - log1p(-y)",
            "logistic(eta)",
            "dispersion = 0.1\n")},
      {"gaussian", toml("real", "phi", "theta^2/2", "-y^2/(2*phi) - log(2*pi*phi)/2", "y", "eta")},
      {"negative-binomial",  // geometric
       toml("count", "1", "-log1mexp(theta)", "0", "y", "-softplus(-eta)"),
       1}};
  return all;
}

class Formula : public testing::TestWithParam<Twin> {
 protected:
  // The built-in one and its twin, with the same random dispersion.
  static std::pair<std::unique_ptr<Likelihood>, std::unique_ptr<Likelihood>> pair(
      RandomProblems& random) {
    const bool beta = GetParam().family == "beta";
    const double phi = GetParam().dispersion > 0 ? GetParam().dispersion
                                                 : random.log_uniform(0.02, beta ? 0.2 : 3);
    return {make_likelihood(GetParam().family, {}, {.dispersion = phi}),
            make_likelihood(GetParam().text, {}, {.dispersion = phi})};
  }
  // The built-in geometric has a dispersion to learn, its formula none.
  static bool same_dispersion() { return GetParam().dispersion < 0; }
};

TEST_P(Formula, HasTheLogDensityAndDerivativesOfItsTwin) {
  RandomProblems random(1);
  for (int trial = 0; trial < 100; ++trial) {
    const auto [built_in, formula] = pair(random);
    const double eta = random.uniform(-2, 2);
    const Row row = random.row(*built_in, eta + 0.5 * random.normal());
    const LogDensity expected = density_at(*built_in, row, eta);
    const LogDensity actual = density_at(*formula, row, eta);
    SCOPED_TRACE(testing::Message() << "trial " << trial << " y=" << row.y << " eta=" << eta);
    EXPECT_CLOSE(actual.value, expected.value, 1e-10);
    EXPECT_CLOSE(actual.d1, expected.d1, 1e-10);
    EXPECT_CLOSE(actual.d2, expected.d2, 1e-10);
    EXPECT_CLOSE(actual.d3, expected.d3, 1e-9);
    EXPECT_CLOSE(
        formula->fisher_information(row, eta), built_in->fisher_information(row, eta), 1e-9);
    if (!same_dispersion()) continue;
    EXPECT_CLOSE(actual.dphi[0], expected.dphi[0], 1e-9);
    EXPECT_CLOSE(actual.d1_dphi[0], expected.d1_dphi[0], 1e-9);
    EXPECT_CLOSE(actual.d2_dphi[0], expected.d2_dphi[0], 1e-9);
  }
}

TEST_P(Formula, HasTheTiltedMomentsAndExpectationsOfItsTwin) {
  RandomProblems random(2);
  for (int trial = 0; trial < 20; ++trial) {
    const auto [built_in, formula] = pair(random);
    const double m = random.uniform(-1, 1);
    const double v = random.log_uniform(0.01, 4);
    const Row row = random.row(*built_in, m + 0.5 * random.normal());
    const auto rows = std::span(&row, 1);
    Tilted t, s;
    built_in->tilted(rows, std::span(&m, 1), std::span(&v, 1), std::span(&t, 1), Dphi::wanted);
    formula->tilted(rows, std::span(&m, 1), std::span(&v, 1), std::span(&s, 1), Dphi::wanted);
    SCOPED_TRACE(testing::Message()
                 << "trial " << trial << " y=" << row.y << " m=" << m << " v=" << v);
    EXPECT_CLOSE(s.log_z, t.log_z, 1e-8);
    EXPECT_CLOSE(s.d1, t.d1, 1e-8);
    EXPECT_CLOSE(s.d2, t.d2, 1e-8);
    EXPECT_CLOSE(s.mean, t.mean, 1e-8);
    EXPECT_CLOSE(s.variance, t.variance, 1e-8);
    if (same_dispersion()) {
      EXPECT_CLOSE(s.dphi[0], t.dphi[0], 1e-8);
    }
    Expected e, f;
    built_in->expected(rows, std::span(&m, 1), std::span(&v, 1), std::span(&e, 1), Dphi::wanted);
    formula->expected(rows, std::span(&m, 1), std::span(&v, 1), std::span(&f, 1), Dphi::wanted);
    EXPECT_CLOSE(f.value, e.value, 1e-8);
    EXPECT_CLOSE(f.d1, e.d1, 1e-8);
    EXPECT_CLOSE(f.d2, e.d2, 1e-8);
    if (same_dispersion()) {
      EXPECT_CLOSE(f.dphi[0], e.dphi[0], 1e-8);
    }
  }
}

TEST_P(Formula, ExpandsWhereItsTwinDoes) {
  RandomProblems random(3);
  for (int trial = 0; trial < 20; ++trial) {
    const auto [built_in, formula] = pair(random);
    std::vector<Row> rows;
    for (int i = 0; i < 5; ++i) rows.push_back(random.row(*built_in, random.uniform(-1, 1.5)));
    for (const ExpansionPoint point : {ExpansionPoint::automatic, ExpansionPoint::exact}) {
      std::vector<Expansion> expected(rows.size()), actual(rows.size());
      built_in->expand(rows, {.point = point}, expected);
      formula->expand(rows, {.point = point}, actual);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        SCOPED_TRACE(testing::Message() << "trial " << trial << " y=" << rows[i].y);
        EXPECT_CLOSE(actual[i].eta, expected[i].eta, 1e-8);
        EXPECT_CLOSE(actual[i].at.d2, expected[i].at.d2, 1e-7);
        if (same_dispersion()) {
          EXPECT_CLOSE(actual[i].deta_dphi[0], expected[i].deta_dphi[0], 1e-7);
        }
      }
    }
  }
}

TEST_P(Formula, HasTheDistributionOfItsTwin) {
  RandomProblems random(4);
  for (int trial = 0; trial < 20; ++trial) {
    const auto [built_in, formula] = pair(random);
    const double eta = random.uniform(-1, 2);
    const Row row = random.row(*built_in, eta);
    SCOPED_TRACE(testing::Message() << "trial " << trial << " y=" << row.y << " eta=" << eta);
    EXPECT_CLOSE(formula->mean(row, eta), built_in->mean(row, eta), 1e-9);
    EXPECT_CLOSE(formula->variance(row, eta), built_in->variance(row, eta), 1e-9);
    EXPECT_CLOSE(formula->cdf(row, eta, row.y), built_in->cdf(row, eta, row.y), 1e-10);
    for (const double p : {1e-6, 0.1, 0.5, 0.975, 1 - 1e-6}) {
      EXPECT_CLOSE(formula->quantile(row, eta, p), built_in->quantile(row, eta, p), 1e-8) << p;
    }
    const double mode = built_in->mode(row, eta);
    if (std::isnan(mode)) {
      EXPECT_TRUE(std::isnan(formula->mode(row, eta)));
    } else {
      EXPECT_CLOSE(formula->mode(row, eta), mode, 1e-6);
    }
  }
}

TEST_P(Formula, PredictsAsItsTwin) {
  RandomProblems random(5);
  for (int trial = 0; trial < 4; ++trial) {
    const auto [built_in, formula] = pair(random);
    const double m = random.uniform(-1, 1);
    const double v = random.log_uniform(0.01, 1);
    const auto p = built_in->predictive({}, m, v);
    const auto q = formula->predictive({}, m, v);
    SCOPED_TRACE(testing::Message() << "trial " << trial << " m=" << m << " v=" << v);
    EXPECT_CLOSE(q->mean(), p->mean(), 1e-8);
    EXPECT_CLOSE(q->variance(), p->variance(), 1e-8);
    for (const double level : {0.025, 0.5, 0.975}) {
      EXPECT_CLOSE(q->quantile(level), p->quantile(level), 1e-8) << level;
    }
    const double y = p->quantile(0.3);
    EXPECT_CLOSE(q->log_density(y), p->log_density(y), 1e-8);
    EXPECT_CLOSE(q->cdf(y), p->cdf(y), 1e-9);
  }
}

TEST_P(Formula, MomentsOfSumsAndIntegralsAreThoseOfTheCumulants) {
  RandomProblems random(6);
  for (int trial = 0; trial < 20; ++trial) {
    const auto [built_in, unused] = pair(random);
    const auto parameters = built_in->parameters();
    const double phi = parameters.empty() ? 1 : parameters[0].value;
    const double eta = random.uniform(-1, 3);
    const formula::Formula parsed = formula::parse_formula(GetParam().text, "formula");
    const formula::FormulaDensity density(parsed, eta, phi);
    const auto outcome = outcomes::make_outcome(parsed.domain, density);
    EXPECT_CLOSE(outcome->total(), 1.0, 1e-10) << eta;
    EXPECT_CLOSE(outcome->mean(), built_in->mean({}, eta), 1e-9) << eta;
    EXPECT_CLOSE(outcome->variance(), built_in->variance({}, eta), 1e-9) << eta;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Formula, testing::ValuesIn(twins()), [](const auto& twin) {
  std::string name = twin.param.family;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(FormulaLikelihood, CountsOfAMillionAreAsCheapAsThoseOfAHundred) {
  const auto poisson = make_likelihood("poisson");
  const auto formula = make_likelihood(twins()[0].text);
  const auto negative_binomial = make_likelihood("negative-binomial", {}, {.dispersion = 1});
  const auto geometric = make_likelihood(twins()[5].text);
  for (const double eta : {8.0, 11.0, 14.0}) {
    const double mean = std::exp(eta);
    for (const double z : {-2.0, 0.0, 1.5}) {
      const double y = std::floor(mean + z * std::sqrt(mean));
      EXPECT_CLOSE(formula->cdf({}, eta, y), poisson->cdf({}, eta, y), 1e-9) << eta << " " << z;
    }
    EXPECT_EQ(formula->quantile({}, eta, 0.9), poisson->quantile({}, eta, 0.9));
    EXPECT_CLOSE(geometric->cdf({}, eta, mean), negative_binomial->cdf({}, eta, mean), 1e-9);
  }
}

// Weibull with shape 2 (Rayleigh): lifetimes whose hazard grows linearly. ggpm does not have it.
TEST(FormulaLikelihood, OffersWhatGgpmDoesNotHave) {
  const auto weibull = make_likelihood(toml("positive",
                                            "1",
                                            "-log(-theta)",
                                            "log(2*y)",
                                            "y^2",
                                            "-exp(-2*eta)",
                                            "name = \"weibull-2\"\n"));
  EXPECT_EQ(weibull->name(), "weibull-2");
  EXPECT_TRUE(weibull->parameters().empty());
  for (const double eta : {-3.0, 0.0, 0.7, 5.0}) {
    const double scale = std::exp(eta);
    EXPECT_CLOSE(weibull->mean({}, eta) / scale, std::tgamma(1.5), 1e-10);
    EXPECT_CLOSE(weibull->variance({}, eta) / (scale * scale), 1 - M_PI / 4, 1e-10);
    EXPECT_CLOSE(weibull->mode({}, eta) / scale, std::sqrt(0.5), 1e-6);
    EXPECT_CLOSE(weibull->cdf({}, eta, 0.3 * scale), -std::expm1(-0.09), 1e-10);
    EXPECT_CLOSE(weibull->quantile({}, eta, 0.99) / scale, std::sqrt(-std::log(0.01)), 1e-10);
    EXPECT_CLOSE(weibull->fisher_information({}, eta), 4.0, 1e-10);
    const Row row{.y = 1.3 * scale};
    Expansion e;
    weibull->expand(std::span(&row, 1), {}, std::span(&e, 1));
    EXPECT_CLOSE(e.eta, std::log(1.3 * scale), 1e-10);
  }
}

TEST(FormulaLikelihood, LogNormalHasItsMoments) {
  const auto log_normal = make_likelihood(toml("positive",
                                               "phi",
                                               "theta^2/2",
                                               "-log(y)^2/(2*phi) - log(2*pi*phi)/2 - log(y)",
                                               "log(y)",
                                               "eta",
                                               "dispersion = 0.5\n"));
  EXPECT_EQ(log_normal->name(), "formula");
  EXPECT_EQ(log_normal->parameters().at(0).value, 0.5);
  for (const double phi : {0.01, 0.5, 4.0}) {
    log_normal->set_parameters(std::span(&phi, 1));
    EXPECT_CLOSE(log_normal->mean({}, 0.3), std::exp(0.3 + phi / 2), 1e-9) << phi;
    EXPECT_CLOSE(log_normal->variance({}, 0.3), std::expm1(phi) * std::exp(0.6 + phi), 1e-9) << phi;
    EXPECT_CLOSE(log_normal->mode({}, 0.3), std::exp(0.3 - phi), 1e-6) << phi;
    EXPECT_CLOSE(log_normal->quantile({}, 0.3, 0.5), std::exp(0.3), 1e-9) << phi;
  }
}

TEST(FormulaLikelihood, MomentsThatDoNotExistAreNaN) {
  // Pareto on y + 1: p(y) = s (1 + y)^-(s+1) with s = e^eta has a mean for s > 1 only.
  const auto pareto =
      make_likelihood(toml("positive", "1", "-log(-theta)", "-log1p(y)", "log1p(y)", "-exp(eta)"));
  EXPECT_TRUE(std::isnan(pareto->mean({}, -0.5)));
  EXPECT_CLOSE(pareto->mean({}, std::log(3.0)), 0.5, 1e-9);
  EXPECT_TRUE(std::isnan(pareto->variance({}, std::log(1.5))));
  EXPECT_CLOSE(pareto->quantile({}, 0.0, 0.5), 1.0, 1e-9);
}

TEST(FormulaLikelihood, TakesExposureWhereItIsAShiftOfEta) {
  const auto poisson = make_likelihood(twins()[0].text);
  const auto built_in = make_likelihood("poisson");
  EXPECT_TRUE(poisson->exposure_shifts_eta());
  EXPECT_TRUE(poisson->log_concave());
  const Row row{.y = 3, .exposure = 2.5};
  EXPECT_NO_THROW(poisson->check(std::span(&row, 1)));
  EXPECT_CLOSE(density_at(*poisson, row, 0.4).value, density_at(*built_in, row, 0.4).value, 1e-12);
  EXPECT_CLOSE(poisson->mean(row, 0.4), built_in->mean(row, 0.4), 1e-12);
  EXPECT_CLOSE(poisson->cdf(row, 0.4, 2), built_in->cdf(row, 0.4, 2), 1e-12);
}

TEST(FormulaLikelihood, PredictsUnderLatentsThatOverflowTheFormula) {
  for (const Twin& twin : twins()) {
    const auto formula = make_likelihood(twin.text);
    for (const double m : {-900.0, 0.0, 900.0}) {
      const auto p = formula->predictive({}, m, 100);
      EXPECT_FALSE(std::isnan(p->cdf(0.5))) << twin.family << " " << m;
    }
    const auto wide = formula->predictive({}, 0, 1e4);
    EXPECT_NEAR(wide->cdf(0.7), 0.5, 0.2) << twin.family;
  }
}

TEST(FormulaLikelihood, ItsLinkIsItsTheta) {
  EXPECT_EQ(make_likelihood(twins()[3].text)->link(), "theta = logistic(eta)");
}

}  // namespace
}  // namespace ggpm::internal
