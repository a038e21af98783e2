// Rows of which only a bound is known, or two.
#include <gtest/gtest.h>

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "ggpm/likelihood.hpp"
#include "likelihood/families/student_t_noise.hpp"
#include "support/close.hpp"

namespace ggpm::internal {
namespace {

struct Case {
  std::string likelihood;
  LikelihoodOptions options;
};

std::vector<Case> cases() {
  return {{"gaussian", {.dispersion = 0.3}},
          {"student-t", {.dispersion = 0.4, .df = 3}},
          {"student-t", {.dispersion = 0.4, .df = 2.5, .learn_df = true}},
          {"exponential", {}},
          {"weibull", {.dispersion = 0.6}},
          {"log-logistic", {.dispersion = 0.6}},
          {"log-normal", {.dispersion = 0.3}}};
}

std::vector<Row> rows() {
  return {{.y = 1.7, .censored = 1},
          {.y = 1.7, .censored = -1},
          {.y = 1.7, .upper = 1.9},
          {.y = 0.2, .upper = 40},
          {.y = 1.7, .upper = 1.7 * (1 + 1e-7)}};
}

LogDensity at(const Likelihood& likelihood, const Row& row, double eta) {
  LogDensity out;
  likelihood.log_density({&row, 1}, {&eta, 1}, Derivatives::dispersion, {&out, 1});
  return out;
}

// Of f at 0, by differences of the fourth order.
template <class F>
double slope(const F& f, double h) {
  return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

TEST(Censored, DerivativesAreThoseOfDifferences) {
  for (const Case& c : cases()) {
    const auto likelihood = make_likelihood(c.likelihood, "", c.options);
    for (const Row& row : rows())
      for (const double eta : {-6.0, -1.5, 0.0, 0.4, 2.0, 7.0}) {
        SCOPED_TRACE(c.likelihood + " censored " + std::to_string(row.censored) + " upper " +
                     std::to_string(row.upper) + " eta " + std::to_string(eta));
        const LogDensity l = at(*likelihood, row, eta);
        const double h = 3e-4;
        EXPECT_CLOSE(
            l.d1, slope([&](double d) { return at(*likelihood, row, eta + d).value; }, h), 1e-7);
        EXPECT_CLOSE(
            l.d2, slope([&](double d) { return at(*likelihood, row, eta + d).d1; }, h), 1e-7);
        EXPECT_CLOSE(
            l.d3, slope([&](double d) { return at(*likelihood, row, eta + d).d2; }, h), 1e-7);
        const auto parameters = likelihood->parameters();
        for (std::size_t k = 0; k < parameters.size(); ++k) {
          const auto moved = [&](double d) {
            auto other = likelihood->clone();
            std::vector<double> values;
            for (const Parameter& p : parameters) values.push_back(p.value);
            values[k] += d;
            other->set_parameters(values);
            return at(*other, row, eta);
          };
          EXPECT_CLOSE(l.dphi[k], slope([&](double d) { return moved(d).value; }, h), 1e-6) << k;
          EXPECT_CLOSE(l.d1_dphi[k], slope([&](double d) { return moved(d).d1; }, h), 1e-6) << k;
          EXPECT_CLOSE(l.d2_dphi[k], slope([&](double d) { return moved(d).d2; }, h), 1e-6) << k;
        }
      }
  }
}

TEST(Censored, RowsSayTheProbabilityOfWhatIsKnown) {
  for (const Case& c : cases()) {
    const auto likelihood = make_likelihood(c.likelihood, "", c.options);
    const double eta = 0.3, y = 1.7, upper = 2.2;
    const double F = likelihood->cdf({}, eta, y), G = likelihood->cdf({}, eta, upper);
    EXPECT_CLOSE(at(*likelihood, {.y = y, .censored = 1}, eta).value, std::log1p(-F), 1e-12);
    EXPECT_CLOSE(at(*likelihood, {.y = y, .censored = -1}, eta).value, std::log(F), 1e-12);
    EXPECT_CLOSE(at(*likelihood, {.y = y, .upper = upper}, eta).value, std::log(G - F), 1e-12);
  }
}

TEST(Censored, NarrowIntervalsAreTheDensityTimesTheirWidth) {
  for (const Case& c : cases()) {
    const auto likelihood = make_likelihood(c.likelihood, "", c.options);
    for (const double width : {1e-5, 1e-8, 1e-11})
      for (const double eta : {-8.0, 0.3, 9.0}) {
        const double y = 1.7, upper = y + width;
        const LogDensity whole = at(*likelihood, {.y = y}, eta);
        const LogDensity part = at(*likelihood, {.y = y, .upper = upper}, eta);
        const double tolerance = 1e-9 + 1e2 * width * (1 + std::abs(whole.d1));
        EXPECT_CLOSE(part.value, whole.value + std::log(upper - y), tolerance);
        EXPECT_CLOSE(part.d1, whole.d1, tolerance);
        EXPECT_CLOSE(part.d2, whole.d2, tolerance);
      }
  }
}

// log Phi(-z) = -z^2/2 - log z - ...: the curvature of a far tail is that of the density.
TEST(Censored, FarTailsKeepTheirDigits) {
  const auto likelihood = make_likelihood("gaussian", "", {.dispersion = 1});
  for (const double far : {1e3, 1e6, 1e9}) {
    const LogDensity l = at(*likelihood, {.y = 0, .censored = 1}, -far);
    EXPECT_CLOSE(l.value / (far * far), -0.5, 1e-4);
    EXPECT_CLOSE(l.d1 / far, 1, 1e-5);
    EXPECT_CLOSE(l.d2, -1 + 1 / (far * far), 1e-9);
    const LogDensity other = at(*likelihood, {.y = 0, .censored = 1}, far);
    EXPECT_EQ(other.value, 0);
    EXPECT_EQ(other.d2, 0);
  }
  const auto weibull = make_likelihood("weibull");
  EXPECT_CLOSE(at(*weibull, {.y = 1, .censored = -1}, 300).value, -300, 1e-14);
  EXPECT_CLOSE(at(*weibull, {.y = 1, .censored = -1}, 300).d1, -1, 1e-14);
}

TEST(LogOfTheTDistribution, IsKnownWhereTheProbabilityUnderflows) {
  numeric::Derivs d;
  families::log_t_cdf_derivs(1e4, -60, 1, d);
  // By 40 digits.
  EXPECT_CLOSE(d[0], -1542.2833420150749, 1e-12);
  EXPECT_CLOSE(d[1], 44.129892716202061, 1e-10);
  families::log_t_cdf_derivs(3, -1e200, 2, d);
  EXPECT_CLOSE(d[1] * 1e200, 3, 1e-12);
  EXPECT_TRUE(std::isfinite(d[0]));
}

TEST(Censored, RowsAreRefusedWhereAFamilyHasNoTails) {
  const auto poisson = make_likelihood("poisson");
  const std::vector<Row> censored = {{.y = 1, .censored = 1}};
  EXPECT_THROW(poisson->check(censored), DataError);
  const auto weibull = make_likelihood("weibull");
  EXPECT_NO_THROW(weibull->check(censored));
  const std::vector<Row> strange = {{.y = 1, .censored = 2}};
  EXPECT_THROW(weibull->check(strange), DataError);
  const std::vector<Row> backwards = {{.y = 3, .upper = 2}};
  EXPECT_THROW(weibull->check(backwards), DataError);
  const std::vector<Row> from_zero = {{.y = 0, .upper = 2}};
  EXPECT_NO_THROW(weibull->check(from_zero));
  EXPECT_CLOSE(at(*weibull, from_zero[0], 0.1).value,
               at(*weibull, {.y = 2, .censored = -1}, 0.1).value,
               1e-15);
}

TEST(Predictive, OfACensoredRowHasTheLogOfItsProbability) {
  const auto weibull = make_likelihood("weibull", "", {.dispersion = 0.7});
  const auto plain = weibull->predictive({}, 0.4, 0.5);
  const auto right = weibull->predictive({.censored = 1}, 0.4, 0.5);
  const auto interval = weibull->predictive({.upper = 3}, 0.4, 0.5);
  EXPECT_NEAR(right->log_density(2), std::log1p(-plain->cdf(2)), 1e-9);
  EXPECT_NEAR(interval->log_density(2), std::log(plain->cdf(3) - plain->cdf(2)), 1e-8);
  EXPECT_EQ(right->quantile(0.5), plain->quantile(0.5));
  EXPECT_EQ(right->mode(), plain->mode());
}

}  // namespace
}  // namespace ggpm::internal
