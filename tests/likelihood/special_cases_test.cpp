// The special cases the paper names, and what a user reads when y does not fit.
#include <gtest/gtest.h>

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "likelihood/families/com_poisson_sum.hpp"
#include "support/close.hpp"
#include "support/random_rows.hpp"

namespace ggpm::internal {
namespace {

using testing_support::density_at;
using testing_support::RandomProblems;

void expect_same(const LogDensity& a,
                 const LogDensity& b,
                 double tolerance,
                 const std::string& what) {
  EXPECT_CLOSE(a.value, b.value, tolerance) << what;
  EXPECT_CLOSE(a.d1, b.d1, tolerance) << what;
  EXPECT_CLOSE(a.d2, b.d2, tolerance) << what;
  EXPECT_CLOSE(a.d3, b.d3, tolerance) << what;
}

// std::lgamma leaves the sign of Gamma in a variable of the C library: a data race where threads ask for densities.
TEST(SpecialCases, NoFamilyWritesTheSignOfGamma) {
  RandomProblems random(20);
  const auto expect_kept = [](const std::string& what) {
    EXPECT_EQ(signgam, 7) << what;
    signgam = 7;
  };
  signgam = 7;
  for (const LikelihoodInfo& info : likelihood_table())
    for (const std::string& link : info.links) {
      if (info.name == "softmax") continue;  // a latent function for each class
      const auto plain = make_likelihood(info.name, link);
      for (int i = 0; i < 60; ++i) {
        LikelihoodOptions options;
        if (!plain->parameters().empty())
          options.dispersion = plain->parameters()[0].value * random.uniform(0.1, 1.9);
        const auto likelihood = make_likelihood(info.name, link, options);
        const double eta = random.uniform(-2, 2);
        const Row row = random.row(*likelihood, eta);
        signgam = 7;  // what drew the row may have written it
        density_at(*likelihood, row, eta);
        const auto predictive = likelihood->predictive(row, eta, 0.1);
        predictive->mean();
        predictive->variance();
        predictive->cdf(row.y);
        predictive->quantile(0.3);
        expect_kept(info.name + " " + link);
      }
    }
  const auto many = make_likelihood("beta-binomial", "", {.dispersion = 0.3});
  many->predictive({.y = 4e11, .trials = 1e12}, 0.1, 0.1)->cdf(4e11);
  expect_kept("many trials");
}

TEST(SpecialCases, NegativeBinomialWithAlphaOneIsGeometricWithALogLink) {
  RandomProblems random(21);
  const auto paper = make_likelihood("negative-binomial", "", {.dispersion = 1});
  const auto log_link = make_likelihood("negative-binomial", "log", {.dispersion = 1});
  for (int i = 0; i < 200; ++i) {
    const double eta = random.uniform(-6, 6);
    const Row row = random.row(*paper, eta);
    const double p = 1 / (1 + std::exp(eta));
    EXPECT_CLOSE(density_at(*paper, row, eta).value, std::log(p) + row.y * std::log1p(-p), 1e-12);
    expect_same(density_at(*paper, row, eta), density_at(*log_link, row, eta), 1e-10, "log link");
  }
}

TEST(SpecialCases, ComPoissonWithNuOneIsPoisson) {
  RandomProblems random(22);
  for (const char* link : {"log", "linear"}) {
    const auto com = make_likelihood("com-poisson", link, {.dispersion = 1});
    const auto poisson = make_likelihood("poisson", link);
    for (int i = 0; i < 200; ++i) {
      const double eta = random.uniform(-5, 8);
      const Row row = random.row(*poisson, eta);
      expect_same(density_at(*com, row, eta), density_at(*poisson, row, eta), 1e-10, link);
    }
  }
}

TEST(SpecialCases, GammaScaleTwoIsChiSquare) {
  RandomProblems random(23);
  const auto gamma = make_likelihood("gamma-scale", "", {.dispersion = 2});
  for (int i = 0; i < 200; ++i) {
    const double df = random.log_uniform(0.2, 200);  // mean of a chi-square
    const Row row = random.row(*gamma, std::log(df));
    EXPECT_CLOSE(density_at(*gamma, row, std::log(df)).value,
                 std::log(boost::math::pdf(boost::math::chi_squared(df), row.y)),
                 1e-10)
        << "df=" << df << " y=" << row.y;
  }
}

// Also of a beta-binomial, whose correlation one trial says nothing of: exactly nothing, or EP's integral of it would
// refine rounding to its last panel (6 ms a row).
TEST(SpecialCases, BinomialsWithOneTrialAreBernoulli) {
  RandomProblems random(24);
  for (const char* link : {"logit", "probit", "cloglog"}) {
    const auto binomial = make_likelihood("binomial", link);
    const auto correlated = make_likelihood("beta-binomial", link);
    const auto bernoulli = make_likelihood("bernoulli", link);
    for (int i = 0; i < 100; ++i) {
      const double eta = random.uniform(-4, 3);
      const Row row{.y = i % 2 == 0 ? 1.0 : 0.0};
      const LogDensity expected = density_at(*bernoulli, row, eta);
      expect_same(density_at(*binomial, row, eta), expected, 1e-13, link);
      const LogDensity found = density_at(*correlated, row, eta);
      expect_same(found, expected, 1e-13, link);
      for (const PhiArray* phi : {&found.dphi, &found.d1_dphi, &found.d2_dphi})
        EXPECT_EQ((*phi)[0], 0);
    }
  }
}

TEST(SpecialCases, SlopeVanishesAtTheExactExpansionPoint) {
  RandomProblems random(25);
  for (const auto& c : testing_support::all_likelihoods()) {
    if (c.name == "laplace") continue;
    for (int i = 0; i < 50; ++i) {
      const auto likelihood = random.likelihood(c, 0.1, 5);
      Row row = random.row(*likelihood, random.uniform(0, 2));
      // The lowest and the highest level have no peak, nor have no and all of the trials.
      const bool lowest = row.y == (likelihood->levels() > 0 ? 1 : 0);
      const double highest = likelihood->levels() > 0 ? likelihood->levels() : row.trials;
      if (lowest || (row.y == highest && c.name != "student-t")) continue;
      if (c.name == "gaussian" && c.link != "identity" && row.y <= 0) continue;
      Expansion e;
      likelihood->expand(
          std::span(&row, 1), {.point = ExpansionPoint::exact, .offset = 0}, std::span(&e, 1));
      EXPECT_NEAR(e.at.d1,
                  0,
                  1e-8 * (1 + std::sqrt(std::abs(e.at.d2)) + std::abs(e.at.d2) * std::abs(e.eta)))
          << c.name << " " << c.link << " y=" << row.y;
    }
  }
}

TEST(SpecialCases, PoissonTargetsAreThoseOfBayesianPoissonRegression) {
  const auto poisson = make_likelihood("poisson");
  std::vector<Row> rows;
  for (double y : {0.0, 1.0, 2.0, 7.0, 150.0}) rows.push_back({.y = y});
  std::vector<Expansion> out(rows.size());
  poisson->expand(rows, {}, out);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double c = 0.5;
    const double w = -1 / out[i].at.d2;
    EXPECT_CLOSE(w, 1 / (rows[i].y + c), 1e-13);
    EXPECT_CLOSE(
        out[i].eta + w * out[i].at.d1, std::log(rows[i].y + c) - c / (rows[i].y + c), 1e-13);
  }
}

TEST(SpecialCases, ExposureMultipliesTheMeanOfCounts) {
  RandomProblems random(26);
  for (const auto& c : testing_support::all_likelihoods()) {
    const auto likelihood = make_likelihood(c.name, c.link);
    if (likelihood->domain() != Domain::count || c.name == "com-poisson") continue;
    if (c.name == "hurdle-poisson") continue;  // of the counts before zeros are taken out
    for (int i = 0; i < 50; ++i) {
      const double eta = random.uniform(-2, 3);
      const double exposure = random.log_uniform(0.01, 100);
      EXPECT_CLOSE(likelihood->mean(Row{.exposure = exposure}, eta),
                   exposure * likelihood->mean(Row{}, eta),
                   1e-11)
          << c.name << " " << c.link;
    }
  }
}

// S(mu, nu) of the paper by brute force in 50 digits, where brute force can reach.
TEST(ComPoissonSum, AgreesWithFiftyDigits) {
  using Digits = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>,
                                               boost::multiprecision::et_off>;
  RandomProblems random(27);
  for (int i = 0; i < 60; ++i) {
    const double nu = random.log_uniform(0.01, 100);
    const double theta = random.uniform(-3, std::min(7.5, 5 - 0.2 * std::log(nu)));
    const double y = std::floor(std::exp(theta));
    Digits term = 0, s0 = 0, s1 = 0, s2 = 0, at_y = 0;
    const Digits v = nu, t = theta;
    for (int n = 0; n < 60000; ++n) {
      if (n > 0) term += t - log(Digits(n));
      if (n == static_cast<int>(y)) at_y = term;
      const Digits w = exp(v * term);
      s0 += w;
      s1 += w * n;
      s2 += w * n * n;
      if (n > y && w < s0 * 1e-30) break;
    }
    const ComPoissonSum sum = com_poisson_sum(theta, nu, y);
    const Digits log_sum = log(s0) - v * at_y;
    const Digits mean = s1 / s0;
    const std::string what = "theta=" + std::to_string(theta) + " nu=" + std::to_string(nu);
    EXPECT_NEAR(sum.log_sum, static_cast<double>(log_sum), 1e-12 * (1 + std::abs(sum.log_sum)))
        << what;
    EXPECT_NEAR(sum.mean + y, static_cast<double>(mean), 1e-12 * (1 + y) + 1e-12 * sum.variance)
        << what;
    EXPECT_NEAR(sum.variance, static_cast<double>(s2 / s0 - mean * mean), 1e-11 * sum.variance)
        << what;
  }
}

// Millions of counts matter, and the first of them turn fastest.
TEST(ComPoissonSum, IsTheSumOfEveryCountForTinyNu) {
  for (const double nu : {3e-5, 1e-3})
    for (const double theta : {-3.0, 5.0, 9.0}) {
      long double term = 0, sum = 0;
      for (int n = 0; nu * term > -60 || n < std::exp(theta); ++n) {
        if (n > 0) term += theta - std::log(static_cast<long double>(n));
        sum += std::exp(nu * term);
      }
      const double expected = static_cast<double>(std::log(sum));
      EXPECT_NEAR(com_poisson_sum(theta, nu, 0).log_sum, expected, 1e-11)
          << "nu=" << nu << " theta=" << theta;
    }
}

// The three ways of summing agree where they meet, for means too large for brute force.
TEST(ComPoissonSum, IsSmoothInTheRate) {
  for (const double nu : {0.01, 0.03, 0.1, 0.5, 1.0, 3.0, 30.0, 100.0}) {
    for (double theta = 2; theta < 14; theta += 0.37) {
      const double y = std::floor(std::exp(theta));
      const ComPoissonSum s = com_poisson_sum(theta, nu, y);
      const double h = 1e-4;
      const double up = com_poisson_sum(theta + h, nu, y).log_sum;
      const double down = com_poisson_sum(theta - h, nu, y).log_sum;
      const double slope = nu * s.mean;
      EXPECT_NEAR((up - down) / (2 * h), slope, 1e-5 * (1 + nu * nu * s.variance) * 1e-1 + 1e-7)
          << "nu=" << nu << " theta=" << theta;
      EXPECT_NEAR((up - 2 * s.log_sum + down) / (h * h),
                  nu * nu * s.variance,
                  1e-3 * nu * nu * s.variance + 1e-3)
          << "nu=" << nu << " theta=" << theta;
    }
  }
}

TEST(DomainCheck, NamesRowAndValue) {
  const auto message = [](const char* name, std::vector<Row> rows) {
    try {
      make_likelihood(name)->check(rows);
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(message("poisson", {{.y = 1}, {.y = -2}}),
            "row 2: y = -2; poisson needs whole numbers >= 0");
  EXPECT_EQ(message("poisson", {{.y = 3.0000001}}),
            "row 1: y = 3.0000001; poisson needs whole numbers >= 0");
  EXPECT_EQ(message("binomial", {{.y = 4, .trials = 3}}),
            "row 1: y = 4; binomial needs at most its 3 trials");
  EXPECT_EQ(message("binomial", {{.y = 0, .trials = 0}}),
            "row 1: y = 0; binomial needs a whole number of trials >= 1, not 0");
  EXPECT_EQ(message("bernoulli", {{.y = 2}}), "row 1: y = 2; bernoulli needs 0 or 1");
  EXPECT_NE(message("beta", {{.y = 1}}).find("squeezing"), std::string::npos);
  EXPECT_NE(message("gamma-shape", {{.y = 0}}).find("numbers > 0"), std::string::npos);
  EXPECT_NE(message("poisson", {{.y = 9007199254740994.0}}).find("2^53"), std::string::npos);
  EXPECT_NE(message("gaussian", {{.y = NAN}}).find("finite"), std::string::npos);
  EXPECT_EQ(message("poisson", {{.y = 3}}), "accepted");
}

TEST(Registry, RefusesWhatItHasNotAndListsWhatItHas) {
  const auto message = [](const char* name, const char* link) {
    try {
      make_likelihood(name, link);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(message("poison", ""), "unknown likelihood 'poison'; did you mean 'poisson'?");
  EXPECT_NE(message("unheard-of", "").find("there are: gaussian"), std::string::npos);
  EXPECT_EQ(message("poisson", "probit"),
            "likelihood 'poisson' has no link 'probit'; there are: log, linear");
  EXPECT_EQ(message("linear-poisson", ""), "accepted");
  EXPECT_EQ(message("poisson", "softplus"), "accepted");
  EXPECT_EQ(message("bernoulli-probit", "probit"), "accepted");
  EXPECT_NE(message("bernoulli-probit", "logit").find("bernoulli"), std::string::npos);
}

}  // namespace
}  // namespace ggpm::internal
