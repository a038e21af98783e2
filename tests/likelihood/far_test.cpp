// Outputs far from the prediction, and latents that no double can follow.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "numeric/special.hpp"
#include "support/close.hpp"
#include "support/random_rows.hpp"

namespace ggpm {
namespace {

using testing_support::all_likelihoods;
using testing_support::case_name;
using testing_support::LikelihoodCase;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Tilted tilted(const Likelihood& likelihood, const Row& row, double mean, double variance) {
  Tilted out;
  likelihood.tilted({&row, 1}, {&mean, 1}, {&variance, 1}, {&out, 1}, Dphi::wanted);
  return out;
}

struct Far {
  const char *family, *link;
  double phi, df, y, trials, mean, variance;
  double log_z, tilted_mean;
};

// By quadrature in 40 digits, with the textbook formulas of the families.
const Far kFar[] = {
    // clang-format off
    {"gaussian", "log", 0.5, 4, 1000, 1, 0.3, 0.2, -116.17775249950279, 6.9077380091830224},
    {"gaussian", "log", 0.5, 4, -50, 1, 0.3, 0.2, -2527.8449949791159, -2.136718769230464},
    {"gaussian", "softplus", 0.5, 4, 1e6, 1, 0.3, 0.2, -714285285715.0906, 285714.5},
    {"gaussian", "softplus", 0.5, 4, -1e6, 1, 0.3, 0.2, -1000000000348.4687, -10.525738378031958},
    {"gamma-shape", "log", 0.2, 4, 1e100, 1, 0.7, 0.1, -252095.38939185638, 224.1541430899934},
    {"gamma-shape", "log", 0.2, 4, 1e300, 1, 0.7, 0.1, -2338943.8757379703, 683.55543864868862},
    {"gamma-shape", "log", 0.2, 4, 1e-300, 1, 0.7, 0.1, -2760.4829758610323, 0.2},
    {"gamma-shape", "softplus", 0.2, 4, 1e6, 1, 0.7, 0.1, -93902.420566938051, 79.6023871675494},
    {"gamma-scale", "log", 0.2, 4, 1e6, 1, 0.7, 0.1, -873.66451021626939, 13.815484226300244},
    {"gamma-scale", "log", 0.2, 4, 1e-300, 1, 0.7, 0.1, 515.62597636789722, -4.2337878741191924},
    {"gamma-scale", "softplus", 0.2, 4, 1e8, 1, 0.7, 0.1, -499999586.6900142, 8.826214234273895},
    {"inverse-gaussian", "log-square", 0.2, 4, 1e12, 1, 0.7, 0.1, -2941.7490359913479, 23.800112237561627},
    {"inverse-gaussian", "log", 0.2, 4, 1e12, 1, 0.7, 0.1, -767.40419938142799, 12.249763456861924},
    {"inverse-gaussian", "log", 0.2, 4, 1e-8, 1, 0.7, 0.1, -1809.3490886778319, -18.420680358538535},
    {"inverse-gaussian", "softplus", 0.2, 4, 1e12, 1, 0.7, 0.1, -7065225.6219726388, 841.07151432580719},
    {"poisson", "log", 1, 4, 1000000, 1, 0.7, 0.1, -873.65758082357961, 13.815378895513241},
    {"poisson", "log", 1, 4, 1e15, 1, 0.7, 0.1, -5759.6203619053839, 34.538776394910346},
    {"poisson", "log", 1, 4, 0, 1, 1000, 0.1, -4918323.7728484747, 9.2010463202861385},
    {"poisson", "log", 1, 4, 0, 1, 30, 1e4, -0.9678504417308222, -70.209159807955878},
    {"poisson", "linear", 1, 4, 1000000, 1, 0.7, 0.1, -7557160.1813919064, 316.52798730121654},
    {"poisson", "linear", 1, 4, 1e15, 1, 0.7, 0.1, -17920680683952386.0, 10000000.300000007},
    {"poisson", "linear", 1, 4, 0, 1, 1e6, 0.1, -999999.95, 999999.9},
    {"negative-binomial", "flipped-log-loss", 0.3, 4, 1e6, 1, 0.7, 0.1, -572.5241719811357, 10.414084892901921},
    {"negative-binomial", "log", 0.001, 4, 1e9, 1, 0.7, 0.1, -2006.5783133271709, 20.542669842416578},
    {"negative-binomial", "softplus", 0.001, 4, 1e9, 1, 0.7, 0.1, -301484741.56554355, 4331.2952569730283},
    {"negative-binomial", "softplus", 0.3, 4, 1e9, 1, -700, 0.1, -13831747.477453694, 520.86011815660556},
    {"binomial", "logit", 1, 4, 1000000, 1000000, 0.7, 0.1, -462.20616791487322, 9.3593773696248416},
    {"binomial", "logit", 1, 4, 3, 1000000, 0.7, 0.1, -580.23229054911953, -9.1953607766739831},
    {"binomial", "logit", 1, 4, 1e15, 2e15, 3, 0.1, -78.6132752010575, 5.9999999999998829e-14},
    {"binomial", "probit", 1, 4, 1000000, 1000000, 0.7, 0.1, -74.718553970673065, 4.3265547516207589},
    {"binomial", "probit", 1, 4, 3, 1000000, 0.7, 0.1, -129.04208494087953, -4.1945516171715907},
    {"binomial", "cloglog", 1, 4, 1000000, 1000000, 0.7, 0.1, -21.031751012974879, 2.6245574442968391},
    {"binomial", "cloglog", 1, 4, 3, 1000000, 0.7, 0.1, -580.23738153661226, -9.1954526805239194},
    {"bernoulli", "logit", 1, 4, 1, 1, -700, 0.1, -699.95, -699.9},
    {"bernoulli", "probit", 1, 4, 1, 1, -700, 0.1, -222734.69509329596, -636.3634935071349},
    {"bernoulli", "cloglog", 1, 4, 0, 1, 600, 0.1, -1754183.8786151048, 8.6848498004611968},
    {"bernoulli", "cloglog", 1, 4, 1, 1, 1000, 0.1, 0, 1000.0},
    {"beta", "logit", 0.01, 4, 1e-300, 1, 0.7, 0.1, 329.97031277733253, -6.8075750596628859},
    {"beta", "probit", 0.01, 4, 1e-300, 1, 0.7, 0.1, 581.91542052904406, -3.5799220450486029},
    {"beta", "cloglog", 0.01, 4, 1e-300, 1, 0.7, 0.1, 329.92811194844268, -6.8085568307289959},
    {"beta", "probit", 0.01, 4, 1e-9, 1, 3, 0.01, -1061.8033706513379, -1.1009658248911203},
    {"beta", "cloglog", 0.01, 4, 1e-9, 1, 3, 0.01, -1342.6881303663095, -1.2428489570410351},
    {"student-t", "identity", 0.5, 4, 1e6, 1, 0.7, 0.1, -69.365231362272926, 0.70000050000035},
    {"student-t", "identity", 1e-6, 1, 3, 1, 0.7, 0.1, -16.564960629657974, 0.79284326229028869},
    {"laplace", "identity", 0.5, 4, 1e6, 1, 0.7, 0.1, -1999998.4, 0.9},
    {"negative-binomial", "flipped-log-loss", 0.3, 4, 0, 1, 700, 0.1, -2328.7645350966913, 699.66666666666667},
    // clang-format on
};

TEST(FarFromThePrediction, LogDensityAgreesWithFortyDigits) {
  for (const Far& far : kFar) {
    const auto likelihood =
        make_likelihood(far.family, far.link, {.dispersion = far.phi, .df = far.df});
    const Row row{.y = far.y, .trials = far.trials};
    const Tilted t = tilted(*likelihood, row, far.mean, far.variance);
    const std::string what =
        std::string(far.family) + " " + far.link + " y=" + std::to_string(far.y);
    EXPECT_CLOSE(t.log_z, far.log_z, 1e-10) << what;
    EXPECT_CLOSE(t.mean, far.tilted_mean, 1e-9) << what;
    EXPECT_CLOSE(
        likelihood->predictive(row, far.mean, far.variance)->log_density(far.y), far.log_z, 1e-10)
        << what;
  }
}

class FarLikelihood : public testing::TestWithParam<LikelihoodCase> {
 protected:
  static std::vector<Row> extreme_rows(Domain domain) {
    switch (domain) {
      case Domain::real:
        return {{.y = -1e100}, {.y = -1e6}, {.y = 0}, {.y = 3}, {.y = 1e12}};
      case Domain::positive:
        return {{.y = 5e-324}, {.y = 1e-100}, {.y = 1e-6}, {.y = 1}, {.y = 1e6}, {.y = 1e308}};
      case Domain::count:
        return {{.y = 0}, {.y = 1}, {.y = 1e6}, {.y = 1e9}, {.y = 9007199254740992.0}};
      case Domain::fraction_of_trials:
        return {{.y = 0, .trials = 1e6},
                {.y = 1e6, .trials = 1e6},
                {.y = 1e15, .trials = 2e15},
                {.y = 1, .trials = 9007199254740992.0}};
      case Domain::binary:
        return {{.y = 0}, {.y = 1}};
      case Domain::ordinal:
        return {{.y = 1}, {.y = 2}, {.y = 3}};
      case Domain::nonnegative:
        return {{.y = 0}, {.y = 1e-6}, {.y = 1}, {.y = 1e6}};
      case Domain::proportion:
        return {{.y = 5e-324}, {.y = 1e-9}, {.y = 0.5}, {.y = 1 - 1.2e-16}};
    }
    return {};
  }
};

// Infinite only downward, and only where that is the nearest double. Unknown (NaN), which is refused, at
// two places: where y is known better than doubles around it tell, and at the last of them where the mean
// is eta itself.
TEST_P(FarLikelihood, LogDensityIsNeverInfiniteUpward) {
  for (const double phi : {1e-8, 1e-2, 1.0, 1e2, 1e8}) {
    std::unique_ptr<Likelihood> likelihood;
    try {
      likelihood = make_likelihood(GetParam().name, GetParam().link, {.dispersion = phi, .df = 1});
    } catch (const UsageError&) {
      continue;  // a dispersion that lies in an interval
    }
    const bool counts = likelihood->domain() == Domain::count ||
                        likelihood->domain() == Domain::fraction_of_trials ||
                        likelihood->domain() == Domain::binary;
    for (const Row& row : extreme_rows(likelihood->domain()))
      for (const double mean : {-1e4, -700.0, -3.0, 0.0, 3.0, 700.0, 1e4})
        for (const double variance : {1e-10, 1e-2, 1.0, 1e4, 1e90}) {
          const double log_z = tilted(*likelihood, row, mean, variance).log_z;
          EXPECT_NE(log_z, kInfinity) << phi << " " << row.y << " " << mean << " " << variance;
          const bool needle = likelihood->name() == "gaussian" && row.y == 1e12 && phi == 1e-8 &&
                              likelihood->link() != "identity";
          const bool last = likelihood->link() == "softplus" && row.y == 1e308;
          EXPECT_TRUE(needle || last || !std::isnan(log_z))
              << phi << " " << row.y << " " << mean << " " << variance;
          if (!counts) continue;
          EXPECT_LE(log_z, 1e-7) << phi << " " << row.y << " " << mean << " " << variance;
        }
  }
}

INSTANTIATE_TEST_SUITE_P(All, FarLikelihood, testing::ValuesIn(all_likelihoods()), case_name);

double normal_cdf(double z) { return std::erfc(-z / std::sqrt(2.0)) / 2; }

// Where a count is large, p(y | eta) is a needle and y is a function of eta.
TEST(LargeCounts, QuantilesAreThoseOfTheLatent) {
  struct Case {
    const char *family, *link;
    double trials;
  };
  for (const Case& c : {Case{"poisson", "log", 1},
                        Case{"negative-binomial", "log", 1},
                        Case{"binomial", "logit", 2e15}}) {
    const auto likelihood = make_likelihood(c.family, c.link, {.dispersion = 1e-9});
    const double mean = c.trials > 1 ? 0.3 : std::log(1e12), sd = 0.2;
    const auto p = likelihood->predictive({.trials = c.trials}, mean, sd * sd);
    for (const double level : {0.025, 0.5, 0.975}) {
      const double q = p->quantile(level);
      const double eta = c.trials > 1 ? std::log(q / (c.trials - q)) : std::log(q);
      EXPECT_NEAR(normal_cdf((eta - mean) / sd), level, 1e-7) << c.family;
      EXPECT_NEAR(p->cdf(q), level, 1e-7) << c.family;
    }
  }
}

// The mode of a narrow prediction is where its mean is, to a fraction of its deviation.
TEST(LargeCounts, ModeIsNearTheMean) {
  struct Case {
    const char *family, *link;
    double phi, count;
  };
  for (const Case& c : {Case{"poisson", "log", 1, 1389975333},
                        Case{"poisson", "log", 1, 1e15},
                        Case{"poisson", "linear", 1, 1e9},
                        Case{"com-poisson", "log", 0.7, 1e7},
                        Case{"com-poisson", "log", 1.3, 1e9},
                        Case{"com-poisson", "linear", 1.3, 1e9},
                        Case{"negative-binomial", "log", 1e-8, 1e9}}) {
    const auto likelihood = make_likelihood(c.family, c.link, {.dispersion = c.phi});
    const bool log_link = std::string(c.link) == "log";
    const double eta = log_link ? std::log(c.count) : c.count;
    const double v = log_link ? 1 / c.count : c.count;
    const auto p = likelihood->predictive({}, eta, v);
    const double sd = std::sqrt(p->variance());
    EXPECT_NEAR(p->mode(), p->mean(), 0.01 * sd + 2) << c.family << " " << c.link << " " << c.count;
    EXPECT_NEAR(p->quantile(0.5), p->mean(), 0.01 * sd + 2) << c.family << " " << c.count;
  }
}

// Skewness is 1/sqrt(nu mu): Edgeworth's first term is right to 1/(nu mu).
TEST(LargeCounts, ComPoissonCdfIsEdgeworths) {
  for (const double nu : {0.2, 1.0, 3.0})
    for (const double rate : {1e8, 1e10, 1e13}) {
      const auto likelihood = make_likelihood("com-poisson", "log", {.dispersion = nu});
      // The rate of the double next to log(rate): a fiftieth of a count from 1e13.
      const double theta = std::log(rate), mu = std::exp(theta);
      const double sd = std::sqrt(mu / nu), shift = (1 / nu - 1) / 2;
      for (const double z : {-4.0, -1.0, 0.0, 0.5, 3.0}) {
        const double y = std::floor(mu + shift + z * sd), x = (y - mu + 0.5 - shift) / sd;
        const double skew = (x * x - 1) * std::exp(-x * x / 2) / std::sqrt(2 * M_PI * nu * mu) / 6;
        EXPECT_NEAR(likelihood->cdf({}, theta, y), normal_cdf(x) - skew, 1 / (nu * mu))
            << nu << " " << mu << " " << z;
      }
    }
}

// Terms one by one, where there are more of them than the library would sum.
TEST(LargeCounts, ComPoissonCdfIsASum) {
  for (const double nu : {0.002, 0.05, 0.7})
    for (const double mu : {0.3, 30.0, 4e4}) {
      const auto likelihood = make_likelihood("com-poisson", "log", {.dispersion = nu});
      const double theta = std::log(mu), end = mu + 40 * std::sqrt(mu / nu) + 60 / nu;
      std::vector<double> sums;
      double total = 0;
      for (double n = 0; n < end; ++n)
        sums.push_back(total += std::exp(nu * (n * theta - std::lgamma(n + 1) - mu)));
      for (const double level : {1e-6, 0.1, 0.5, 0.9, 1 - 1e-6}) {
        const auto y = std::lower_bound(sums.begin(), sums.end(), level * total) - sums.begin();
        EXPECT_NEAR(likelihood->cdf({}, theta, static_cast<double>(y)),
                    sums[static_cast<std::size_t>(y)] / total,
                    1e-10)
            << nu << " " << mu << " " << level;
      }
    }
}

// A search for a quantile may ask far beyond every count that has a probability.
TEST(LargeCounts, ComPoissonCdfEndsAtAnyCount) {
  for (const double nu : {0.003, 0.7, 30.0})
    for (const double theta : {-3.0, 5.0, 27.0}) {
      const auto likelihood = make_likelihood("com-poisson", "log", {.dispersion = nu});
      for (const double y : {1e16, 1e18, 1e24, 1e100, 1e300})
        EXPECT_EQ(likelihood->cdf({}, theta, y), 1) << nu << " " << theta << " " << y;
    }
}

// 1e15 trials were summed one by one. Where a sum can be had, it is the same.
TEST(LargeCounts, BetaBinomialCdfIsASum) {
  for (const double rho : {0.6, 0.3, 1e-2, 1e-5, 1e-7}) {
    const auto likelihood = make_likelihood("beta-binomial", "logit", {.dispersion = rho});
    const double n = 3e5, eta = -0.4;
    double sum = 0;
    for (double k = 0; k < n; ++k) {
      const Row row{.y = k, .trials = n};
      LogDensity l;
      likelihood->log_density({&row, 1}, {&eta, 1}, Derivatives::value, {&l, 1});
      sum += std::exp(l.value);
      if (std::fmod(k, 14999) != 0) continue;
      EXPECT_NEAR(likelihood->cdf({.trials = n}, eta, k), sum, 1e-8) << rho << " " << k;
    }
  }
  for (const double rho : {0.3, 1e-6, 1e-9}) {
    const auto likelihood = make_likelihood("beta-binomial", "logit", {.dispersion = rho});
    EXPECT_NEAR(likelihood->cdf({.trials = 2e15}, 0, 1e15), 0.5, 1e-6) << rho;
  }
}

// A dispersion that makes the distribution one count, or spreads it beyond doubles.
TEST(LargeCounts, ComPoissonOfAnyDispersionIsADistribution) {
  for (const double nu : {1e-100, 1e-8, 1e8, 1e100})
    for (const double theta : {-5.0, 0.5, 5.1, 13.0, 30.0}) {
      const auto likelihood = make_likelihood("com-poisson", "log", {.dispersion = nu});
      const double mode = std::floor(std::exp(theta));
      const Row row{.y = mode};
      LogDensity l;
      likelihood->log_density({&row, 1}, {&theta, 1}, Derivatives::value, {&l, 1});
      EXPECT_LE(l.value, 1e-9) << nu << " " << theta;
      const double above = likelihood->cdf({}, theta, mode);
      const double below = mode > 0 ? likelihood->cdf({}, theta, mode - 1) : 0;
      EXPECT_TRUE(below >= 0 && below <= above && above <= 1) << nu << " " << theta;
    }
}

// A Gaussian and a scaled Student t, in 25 digits.
TEST(HeavyTails, QuantilesOfStudentTAgreeWithManyDigits) {
  struct Case {
    double phi, df, variance, p, quantile;
  };
  for (const Case& c : {Case{1e-6, 1, 0.01, 0.025, -0.195999944743049},
                        Case{1e-6, 1, 0.01, 0.975, 0.195999944743049},
                        Case{0.5, 1, 0.01, 0.025, -6.35466709117996},
                        Case{2, 1, 1e-8, 0.975, 25.4124094727405},
                        Case{0.3, 1.5, 4, 0.025, -4.39787544275004}}) {
    const auto likelihood =
        make_likelihood("student-t", "identity", {.dispersion = c.phi, .df = c.df});
    const auto p = likelihood->predictive({}, 0, c.variance);
    EXPECT_CLOSE(p->quantile(c.p), c.quantile, 1e-8) << c.phi << " " << c.df;
    EXPECT_CLOSE(likelihood->predictive({}, 7, c.variance)->quantile(c.p), 7 + c.quantile, 1e-8);
  }
}

// P(T > t) = t^-df / 2 times a constant near 1 for a tiny df, on both sides of where t^2 overflows.
TEST(HeavyTails, StudentTHasATailAtAnyDistance) {
  const auto student = make_likelihood("student-t", "identity", {.dispersion = 1, .df = 0.01});
  double previous = 0;
  for (const double t : {1e3, 1e11, 1e13, 1e100, 1e153, 1e156, 1e200, 1e300}) {
    const double tail = student->cdf({}, 0, -t);
    EXPECT_NEAR(student->cdf({}, 0, t), 1 - tail, 1e-15);
    if (previous > 0) {
      EXPECT_LT(tail, previous) << t;
    }
    const double constant = tail * std::pow(t, 0.01);
    EXPECT_NEAR(constant, student->cdf({}, 0, -1e6) * std::pow(1e6, 0.01), 1e-7) << t;
    previous = tail;
  }
}

TEST(HeavyTails, ModeOfABoundlessLatentIsFinite) {
  const auto poisson = make_likelihood("poisson");
  EXPECT_TRUE(std::isfinite(poisson->predictive({}, 0, 1e90)->mode()));
}

TEST(HeavyTails, QuantilesBeyondTheLargestDoubleAreInfinite) {
  const auto student = make_likelihood("student-t", "identity", {.dispersion = 1, .df = 1e-3});
  EXPECT_EQ(student->predictive({}, 0, 1)->quantile(0.975), kInfinity);
  EXPECT_EQ(student->predictive({}, 0, 1)->quantile(0.025), -kInfinity);
  EXPECT_NEAR(student->predictive({}, 3, 1)->quantile(0.5), 3, 1e-6);
  const auto poisson = make_likelihood("poisson");
  const auto p = poisson->predictive({}, 0, 1e90);
  EXPECT_EQ(p->quantile(0.975), kInfinity);
  EXPECT_EQ(p->quantile(0.025), 0);
  EXPECT_EQ(p->mean(), kInfinity);
}

// E e^eta, where e^2eta is too large for a double and e^eta is not.
TEST(HeavyTails, MeanIsFiniteWhereTheVarianceIsNot) {
  const auto poisson = make_likelihood("poisson");
  const auto p = poisson->predictive({}, 1, 400);
  EXPECT_CLOSE(std::log(p->mean()), 201, 1e-9);
  EXPECT_EQ(p->variance(), kInfinity);
}

// The search began one to either side of the latent, and around 1e17 that is the latent itself: it did not end.
TEST(FarLatents, QuantilesEnd) {
  for (const char* family :
       {"inverse-gaussian", "tweedie", "gamma-shape", "gamma-scale", "weibull", "log-logistic"})
    for (const double eta : {-1e300, -1e17, -1e4, -800.0, 800.0, 1e4, 1e17, 1e300}) {
      const auto likelihood = make_likelihood(family, "log", {.dispersion = 0.5});
      for (const double p : {0.025, 0.5, 0.975}) {
        const double quantile = likelihood->quantile({}, eta, p);
        EXPECT_FALSE(quantile < 0) << family << " " << eta << " " << p;
      }
    }
}

// As the mean grows an inverse Gaussian becomes Levy's distribution, 1/(phi y) that of a squared N(0, 1).
TEST(FarLatents, InverseGaussianWithABoundlessMeanIsLevy) {
  const auto likelihood = make_likelihood("inverse-gaussian", "log", {.dispersion = 0.5});
  for (const double eta : {800.0, 1e17})
    for (const double p : {0.025, 0.5, 0.975}) {
      const double z = internal::numeric::ndtri(p / 2);
      EXPECT_CLOSE(likelihood->quantile({}, eta, p), 1 / (0.5 * z * z), 1e-12) << eta;
    }
}

// Two exponents of 2/(mu phi) cancelled, and left 1 or NaN where the distribution is narrow. In 60 digits.
TEST(NarrowOutputs, InverseGaussianHasItsProbabilities) {
  struct Case {
    double phi, y, cdf;
  };
  for (const Case& c : {Case{1e-20, 1 - 1e-10, 0.15865523391},
                        Case{1e-20, 1, 0.5},
                        Case{1e-14, 1 - 1e-7, 0.15865525406},
                        Case{1e-14, 1 + 1e-7, 0.84134474621}}) {
    const auto likelihood = make_likelihood("inverse-gaussian", "log", {.dispersion = c.phi});
    EXPECT_NEAR(likelihood->cdf({}, 0, c.y), c.cdf, 1e-6) << c.phi << " " << c.y;
  }
  EXPECT_EQ(make_likelihood("inverse-gaussian", "log", {.dispersion = 0.5})->cdf({}, -800, 1), 1);
}

TEST(Registry, RefusesDispersionsWhoseReciprocalIsNoNumber) {
  for (const char* family : {"com-poisson", "negative-binomial", "gaussian", "student-t"}) {
    EXPECT_THROW(make_likelihood(family, "", {.dispersion = 1e-320}), UsageError) << family;
    EXPECT_THROW(make_likelihood(family, "", {.dispersion = 1e300}), UsageError) << family;
  }
  EXPECT_THROW(make_likelihood("student-t", "", {.df = 1e-320}), UsageError);
}

}  // namespace
}  // namespace ggpm
