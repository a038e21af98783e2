// What every likelihood promises as a distribution of y, for every entry of the registry.
#include <gtest/gtest.h>

#include <boost/math/quadrature/gauss_kronrod.hpp>

#include "likelihood/base.hpp"
#include "support/close.hpp"
#include "support/random_rows.hpp"

namespace ggpm::internal {
namespace {

using testing_support::all_likelihoods;
using testing_support::case_name;
using testing_support::density_at;
using testing_support::LikelihoodCase;
using testing_support::RandomProblems;

class Distribution : public testing::TestWithParam<LikelihoodCase> {
 protected:
  static bool discrete(const Likelihood& likelihood) {
    const Domain d = likelihood.domain();
    return d == Domain::count || d == Domain::fraction_of_trials || d == Domain::binary ||
           d == Domain::ordinal;
  }
  // The outputs that a discrete y can have, those of counts up to `top`.
  static std::vector<double> outputs(const Likelihood& likelihood, const Row& row, double top) {
    const bool ordinal = likelihood.domain() == Domain::ordinal;
    const double end = likelihood.domain() == Domain::count ? top
                       : ordinal                            ? likelihood.levels()
                                                            : row.trials;
    std::vector<double> out;
    for (double y = ordinal ? 1 : 0; y <= end; ++y) out.push_back(y);
    return out;
  }
  // Small shapes put mass closer to 1 than a double can say, so a beta keeps away from them.
  static std::unique_ptr<Likelihood> moderate(RandomProblems& random, double high) {
    const bool beta = GetParam().name == "beta";
    return random.likelihood(GetParam(), beta ? 0.005 : 0.05, beta ? 0.03 : high);
  }
  static double moderate_eta(RandomProblems& random, double low, double high) {
    return GetParam().name == "beta" ? random.uniform(-1, 0.5) : random.uniform(low, high);
  }
  static double density(const Likelihood& likelihood, Row row, double eta, double y) {
    row.y = y;
    return std::exp(density_at(likelihood, row, eta).value);
  }
  // Integral of f over y between two quantiles, in a coordinate that stretches the boundary.
  template <class F>
  static double integral(
      const Likelihood& likelihood, const Row& row, double eta, double p, const F& f) {
    using boost::math::quadrature::gauss_kronrod;
    const bool half =
        likelihood.domain() == Domain::positive || likelihood.domain() == Domain::nonnegative;
    const double low = half ? std::max(likelihood.quantile(row, eta, p), 1e-300)
                            : likelihood.quantile(row, eta, p);
    const double high = likelihood.quantile(row, eta, 1 - p);
    const auto line = [&](double y) {
      if (half) return std::log(y);
      if (likelihood.domain() == Domain::proportion) return std::log(y) - std::log1p(-y);
      return std::asinh(y - eta);
    };
    const auto g = [&](double x) {
      if (half) return f(std::exp(x)) * std::exp(x);
      if (likelihood.domain() == Domain::proportion) {
        const double y = 1 / (1 + std::exp(-x));
        return f(y) * y * (1 / (1 + std::exp(x)));
      }
      return f(eta + std::sinh(x)) * std::cosh(x);
    };
    const double a = line(low), b = line(high);
    double sum = 0;
    if (likelihood.domain() == Domain::real) {  // a Laplace density has its kink at x = 0
      return gauss_kronrod<double, 31>::integrate(g, a, 0.0, 12, 1e-13) +
             gauss_kronrod<double, 31>::integrate(g, 0.0, b, 12, 1e-13);
    }
    constexpr int kPanels = 40;
    for (int i = 0; i < kPanels; ++i) {
      sum += gauss_kronrod<double, 31>::integrate(
          g, a + (b - a) * i / kPanels, a + (b - a) * (i + 1) / kPanels, 8, 1e-13);
    }
    return sum;
  }
};

TEST_P(Distribution, SumsOrIntegratesToOne) {
  RandomProblems random(1);
  for (int trial = 0; trial < 20; ++trial) {
    const auto likelihood = moderate(random, 3);
    const double eta = moderate_eta(random, -2, 3);
    const Row row = random.row(*likelihood, eta);
    double total = 0;
    if (discrete(*likelihood)) {
      const double top = likelihood->quantile(row, eta, 1 - 1e-13) + 2;
      for (const double y : outputs(*likelihood, row, top))
        total += density(*likelihood, row, eta, y);
    } else {
      const double p = 1e-9;
      total = integral(*likelihood,
                       row,
                       eta,
                       p,
                       [&](double y) { return density(*likelihood, row, eta, y); }) +
              likelihood->cdf(row, eta, likelihood->quantile(row, eta, p)) +
              (1 - likelihood->cdf(row, eta, likelihood->quantile(row, eta, 1 - p)));
    }
    EXPECT_NEAR(total, 1, 1e-10) << "trial " << trial << " eta=" << eta << " phi="
                                 << (likelihood->parameters().empty()
                                         ? 1
                                         : likelihood->parameters()[0].value);
  }
}

TEST_P(Distribution, MeanAndVarianceAreThoseOfTheDensity) {
  RandomProblems random(2);
  for (int trial = 0; trial < 20; ++trial) {
    const auto likelihood = moderate(random, 1);
    const double eta = moderate_eta(random, -1, 2);
    const Row row = random.row(*likelihood, eta);
    const double m = likelihood->mean(row, eta);
    const double v = likelihood->variance(row, eta);
    double mean = 0, second = 0;
    if (discrete(*likelihood)) {
      const double top = likelihood->quantile(row, eta, 1 - 1e-15) + 20;
      for (const double y : outputs(*likelihood, row, top)) {
        mean += y * density(*likelihood, row, eta, y);
        second += (y - m) * (y - m) * density(*likelihood, row, eta, y);
      }
    } else {
      if (testing_support::heavy_tails(GetParam().name)) continue;
      const auto moment = [&](auto f) {
        return integral(*likelihood, row, eta, 1e-15, [&](double y) {
          return f(y) * density(*likelihood, row, eta, y);
        });
      };
      mean = moment([](double y) { return y; });
      second = moment([&](double y) { return (y - m) * (y - m); });
      if (likelihood->domain() == Domain::nonnegative)
        second += m * m * density(*likelihood, row, eta, 0);
    }
    EXPECT_CLOSE(mean, m, 1e-8) << "trial " << trial;
    EXPECT_NEAR(second, v, 1e-7 * v) << "trial " << trial;
  }
}

TEST_P(Distribution, QuantileInvertsTheCdf) {
  RandomProblems random(3);
  for (int trial = 0; trial < 100; ++trial) {
    const auto likelihood = moderate(random, 20);
    const double eta = moderate_eta(random, -3, 4);
    const Row row = random.row(*likelihood, eta);
    const double p = random.uniform(0.001, 0.999);
    const double y = likelihood->quantile(row, eta, p);
    if (discrete(*likelihood)) {
      EXPECT_GE(likelihood->cdf(row, eta, y), p) << "trial " << trial;
      EXPECT_LT(likelihood->cdf(row, eta, y - 1), p) << "trial " << trial;
    } else if (likelihood->domain() == Domain::nonnegative && y == 0) {
      EXPECT_GE(likelihood->cdf(row, eta, 0), p) << "trial " << trial;
    } else if (y > 1e-290 && y < 1 - 1e-9) {
      EXPECT_NEAR(likelihood->cdf(row, eta, y), p, 1e-8) << "trial " << trial << " y=" << y;
    }
  }
}

TEST_P(Distribution, SamplesFollowTheCdf) {
  RandomProblems random(4);
  const auto likelihood = random.likelihood(GetParam(), 0.2, 0.6);
  const double eta = 0.7;
  const Row row = random.row(*likelihood, eta);
  constexpr int kDraws = 4000;
  std::vector<double> draws(kDraws);
  for (double& y : draws) y = likelihood->sample(row, eta, random.engine());
  std::sort(draws.begin(), draws.end());
  double worst = 0;
  for (int i = 0; i < kDraws; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const bool last = i + 1 == kDraws || draws[k + 1] != draws[k];
    if (last)
      worst = std::max(worst, std::abs((i + 1.0) / kDraws - likelihood->cdf(row, eta, draws[k])));
  }
  EXPECT_LT(worst, 2.2 / std::sqrt(kDraws)) << "Kolmogorov-Smirnov, p about 1e-4";
}

TEST_P(Distribution, ModeIsTheHighestPoint) {
  RandomProblems random(5);
  for (int trial = 0; trial < 100; ++trial) {
    const auto likelihood = random.likelihood(GetParam(), 0.05, 0.9);
    const double eta = random.uniform(-1, 3);
    const Row row = random.row(*likelihood, eta);
    const double mode = likelihood->mode(row, eta);
    if (std::isnan(mode)) continue;  // beta without an interior maximum
    const auto interior = [&](double y) {
      return y > 0 || (likelihood->domain() != Domain::positive &&
                       likelihood->domain() != Domain::nonnegative);
    };
    if (!interior(mode)) continue;
    const double top = density(*likelihood, row, eta, mode);
    for (int i = 1; i < 60; ++i) {  // all over where y is likely, and on both sides of the mode
      const double near = mode + (i - 30) * 0.01 * std::max(1e-3, std::abs(mode));
      const double y = i % 2 == 0               ? likelihood->quantile(row, eta, i / 60.0)
                       : !discrete(*likelihood) ? near
                                                : mode + (i - 30) / 2;
      const auto [low, high] = support(*likelihood, row);
      if (!(y > low && y < high) && !discrete(*likelihood)) continue;
      if (y < low || y > high) continue;
      const bool unbounded_end =
          likelihood->domain() == Domain::proportion && (y < 1e-3 || y > 1 - 1e-3);
      if (!unbounded_end) {
        EXPECT_LE(density(*likelihood, row, eta, y), top * (1 + 1e-9)) << "trial " << trial;
      }
    }
  }
}

TEST_P(Distribution, FisherInformationIsTheMeanCurvature) {
  RandomProblems random(6);
  const auto likelihood = moderate(random, 0.5);
  if (!likelihood->differentiable()) GTEST_SKIP() << "its curvature is a point mass";
  const double eta = 0.4;
  Row row = random.row(*likelihood, eta);
  double expected = 0;
  if (discrete(*likelihood)) {
    for (const double y : outputs(*likelihood, row, 400)) {
      row.y = y;
      const LogDensity l = density_at(*likelihood, row, eta);
      expected -= std::exp(l.value) * l.d2;
    }
  } else {
    expected = integral(*likelihood, row, eta, 1e-13, [&](double y) {
      Row at = row;
      at.y = y;
      const LogDensity l = density_at(*likelihood, at, eta);
      return -std::exp(l.value) * l.d2;
    });
    if (likelihood->domain() == Domain::nonnegative) {
      row.y = 0;
      const LogDensity l = density_at(*likelihood, row, eta);
      expected -= std::exp(l.value) * l.d2;
    }
  }
  EXPECT_CLOSE(likelihood->fisher_information(row, eta), expected, 1e-7);
}

INSTANTIATE_TEST_SUITE_P(All, Distribution, testing::ValuesIn(all_likelihoods()), case_name);

}  // namespace
}  // namespace ggpm::internal
