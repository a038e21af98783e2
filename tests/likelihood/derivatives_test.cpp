// Every derivative against finite differences of the same formula in 50 digits, and the regrouped
// density against the paper's (T theta - b)/a + c.
#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <iomanip>
#include <set>

#include "likelihood/composite.hpp"
#include "likelihood/families/beta.hpp"
#include "likelihood/families/binomial.hpp"
#include "likelihood/families/com_poisson.hpp"
#include "likelihood/families/gamma_scale.hpp"
#include "likelihood/families/gamma_shape.hpp"
#include "likelihood/families/gaussian.hpp"
#include "likelihood/families/inverse_gaussian.hpp"
#include "likelihood/families/negative_binomial.hpp"
#include "likelihood/families/poisson.hpp"
#include "support/random_rows.hpp"

namespace ggpm {
namespace {

using namespace families;  // NOLINT: a test lists them all
using Digits50 = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>,
                                               boost::multiprecision::et_off>;
using testing_support::density_at;
using testing_support::RandomProblems;

template <class F, class L>
struct Pair {
  using Family = F;
  using Link = L;
};

template <class... Each>
struct Listed {
  using Types = testing::Types<Each...>;
  static std::set<std::pair<std::string, std::string>> names() {
    return {{std::string(Each::Family::name), std::string(Each::Link::name)}...};
  }
};

using Pairs = Listed<Pair<Gaussian, links::Identity>,
                     Pair<Gaussian, links::RealLog>,
                     Pair<Gaussian, links::RealSoftplus>,
                     Pair<GammaShape, links::Log>,
                     Pair<GammaShape, links::Softplus>,
                     Pair<GammaScale, links::Log>,
                     Pair<GammaScale, links::Softplus>,
                     Pair<InverseGaussian, links::LogTwiceSquare>,
                     Pair<InverseGaussian, links::Log>,
                     Pair<InverseGaussian, links::Softplus>,
                     Pair<Poisson, links::Log>,
                     Pair<Poisson, links::Linear>,
                     Pair<ComPoisson, links::Log>,
                     Pair<ComPoisson, links::Linear>,
                     Pair<NegativeBinomial, FlippedLogLoss>,
                     Pair<NegativeBinomial, NegativeBinomialLink<links::Log>>,
                     Pair<NegativeBinomial, NegativeBinomialLink<links::Softplus>>,
                     Pair<Binomial, links::Logit>,
                     Pair<Binomial, links::Probit>,
                     Pair<Binomial, links::Cloglog>,
                     Pair<Bernoulli, links::Logit>,
                     Pair<Bernoulli, links::Probit>,
                     Pair<Bernoulli, links::Cloglog>,
                     Pair<Beta, links::Logit>,
                     Pair<Beta, links::Probit>,
                     Pair<Beta, links::Cloglog>>;

template <class P>
class DerivativeConformance : public testing::Test {};
TYPED_TEST_SUITE(DerivativeConformance, Pairs::Types);

// Those that are no composite of a family and a link: StandaloneDerivatives, below.
TEST(DerivativePairs, CoverTheRegistry) {
  std::set<std::pair<std::string, std::string>> known;
  for (const LikelihoodInfo& info : likelihood_table())
    for (const std::string& link : info.links)
      if (info.name != "laplace" && info.name != "student-t") known.emplace(info.name, link);
  EXPECT_EQ(Pairs::names(), known);
}

// f, f', f'', f''' by central differences of step h; in 50 digits their error is about h^2.
template <class F>
std::array<Digits50, 4> differences(const F& f, double x) {
  const Digits50 h = Digits50(1) / 10000000000LL;
  const Digits50 c = x;
  const Digits50 f0 = f(c), p1 = f(Digits50(c + h)), m1 = f(Digits50(c - h));
  const Digits50 p2 = f(Digits50(c + 2 * h)), m2 = f(Digits50(c - 2 * h));
  return {f0,
          (p1 - m1) / (2 * h),
          (p1 - 2 * f0 + m1) / (h * h),
          (p2 - 2 * p1 + 2 * m1 - m2) / (2 * h * h * h)};
}

void expect_relative(double actual,
                     const Digits50& expected,
                     double scale,
                     const std::string& what) {
  const double want = static_cast<double>(expected);
  EXPECT_LE(std::abs(actual - want), 1e-9 * (std::abs(want) + scale))
      << what << std::setprecision(17) << ": " << actual << " is not " << want;
}

TYPED_TEST(DerivativeConformance, MatchFiniteDifferencesInFiftyDigits) {
  using Model = Composite<typename TypeParam::Family, typename TypeParam::Link>;
  RandomProblems random(20260103);
  const bool slow = std::is_same_v<typename TypeParam::Family, ComPoisson>;
  for (int trial = 0; trial < (slow ? 40 : 200); ++trial) {
    const double phi = random.log_uniform(slow ? 0.2 : 1e-2, slow ? 5 : 1e2);
    const Model model(phi);
    const double eta = random.uniform(-5, slow ? 2.5 : 5);
    Row row = random.row(model, eta + 0.5 * random.normal());
    if (trial % 5 == 4 && model.domain() == Domain::count)
      row.exposure = random.log_uniform(0.1, 10);
    const auto in_eta =
        differences([&](const Digits50& e) { return Model::formula(e, Digits50(phi), row); }, eta);
    const auto in_phi = [&](const Digits50& p) {
      return differences([&](const Digits50& e) { return Model::formula(e, p, row); }, eta);
    };
    const LogDensity l = density_at(model, row, eta);
    const std::string what = model.name() + " " + model.link() + " phi=" + std::to_string(phi) +
                             " y=" + std::to_string(row.y) + " eta=" + std::to_string(eta);
    // Near a zero crossing a derivative is as accurate as its largest term.
    const double scale = 1e-3 * (1 + std::abs(l.d1) + std::abs(l.d2));
    expect_relative(l.value, in_eta[0], scale, what + " value");
    expect_relative(l.d1, in_eta[1], scale, what + " d1");
    expect_relative(l.d2, in_eta[2], scale, what + " d2");
    expect_relative(l.d3, in_eta[3], scale, what + " d3");
    if (Model::has_phi) {
      const Digits50 h = Digits50(phi) / 10000000;
      const auto plus = in_phi(Digits50(phi + h));
      const auto minus = in_phi(Digits50(phi - h));
      const double phi_scale = scale / phi;
      expect_relative(l.dphi[0], (plus[0] - minus[0]) / (2 * h), phi_scale, what + " dphi");
      expect_relative(l.d1_dphi[0], (plus[1] - minus[1]) / (2 * h), phi_scale, what + " d1_dphi");
      expect_relative(l.d2_dphi[0], (plus[2] - minus[2]) / (2 * h), phi_scale, what + " d2_dphi");
    }
  }
}

TYPED_TEST(DerivativeConformance, ClosedFormsEqualTheDerivedOnes) {
  using Model = Composite<typename TypeParam::Family, typename TypeParam::Link>;
  RandomProblems random(20260105);
  for (int trial = 0; trial < 400; ++trial) {
    const double phi = random.log_uniform(trial % 2 == 0 ? 1e-2 : 1e-6, trial % 2 == 0 ? 1e2 : 1e4);
    const Model model(
        std::is_same_v<typename TypeParam::Family, ComPoisson> ? std::clamp(phi, 0.05, 50.0) : phi);
    const double eta = random.uniform(-6, 5);
    Row row = random.row(model, eta + 0.5 * random.normal());
    if (trial % 5 == 4 && model.domain() == Domain::count)
      row.exposure = random.log_uniform(0.1, 10);
    const LogDensity derived = model.derived(row, eta);
    const LogDensity closed = density_at(model, row, eta);
    double value = 0;
    PhiArray dphi{};
    model.values(row, std::span(&eta, 1), &value, &dphi);
    const std::string what = model.name() + " " + model.link() + " phi=" + std::to_string(phi) +
                             " y=" + std::to_string(row.y) + " eta=" + std::to_string(eta);
    const double size = 1 + std::abs(derived.d1) + std::abs(derived.d2);
    EXPECT_NEAR(closed.value, derived.value, 1e-11 * (std::abs(derived.value) + 1)) << what;
    EXPECT_NEAR(value, derived.value, 1e-11 * (std::abs(derived.value) + 1)) << what;
    EXPECT_NEAR(closed.d1, derived.d1, 1e-10 * size) << what;
    EXPECT_NEAR(closed.d2, derived.d2, 1e-10 * size) << what;
    EXPECT_NEAR(closed.d3, derived.d3, 1e-9 * (std::abs(derived.d3) + size)) << what;
    if (!Model::has_phi) continue;
    const auto expect_phi = [&](double actual, double expected) {
      EXPECT_NEAR(actual, expected, 1e-9 * (std::abs(expected) + size / phi)) << what;
    };
    expect_phi(dphi[0], derived.dphi[0]);
    expect_phi(closed.dphi[0], derived.dphi[0]);
    expect_phi(closed.d1_dphi[0], derived.d1_dphi[0]);
    expect_phi(closed.d2_dphi[0], derived.d2_dphi[0]);
  }
}

TYPED_TEST(DerivativeConformance, DensityIsTheFiveFormulas) {
  using Family = typename TypeParam::Family;
  using Model = Composite<Family, typename TypeParam::Link>;
  RandomProblems random(20260104);
  for (int trial = 0; trial < 200; ++trial) {
    const double phi = random.log_uniform(0.1, 10);
    const Model model(phi);
    const double eta = random.uniform(-3, 1);
    const Row row = random.row(model, eta);
    const double theta = Family::theta(Model::coordinate(eta, phi, row), phi);
    double a = 1;
    if constexpr (requires { Family::a(phi, row); }) {
      a = Family::a(phi, row);
    } else {
      a = Family::a(phi);
    }
    const double printed =
        (Family::T(row) * theta - Family::b(theta, phi)) / a + Family::c(phi, row);
    const double scale = std::abs(Family::T(row) * theta / a) + std::abs(Family::c(phi, row)) + 1;
    EXPECT_NEAR(Model::formula(eta, phi, row), printed, 1e-12 * scale)
        << model.name() << " " << model.link() << " phi=" << phi << " y=" << row.y
        << " eta=" << eta;
  }
}

// The two that are written out, against their textbook density of (eta, phi, df).
Digits50 textbook(const std::string& name,
                  const Digits50& eta,
                  const Digits50& phi,
                  const Digits50& df,
                  double y) {
  const Digits50 r = (y - eta) / phi;
  if (name == "laplace") return -abs(r) - log(2 * phi);
  const Digits50 pi = boost::math::constants::pi<Digits50>();
  return boost::math::lgamma(Digits50((df + 1) / 2)) - boost::math::lgamma(Digits50(df / 2)) -
         log(df * pi) / 2 - log(phi) - (df + 1) / 2 * log(1 + r * r / df);
}

class StandaloneDerivatives : public testing::TestWithParam<std::string> {};

TEST_P(StandaloneDerivatives, MatchFiniteDifferencesInFiftyDigits) {
  RandomProblems random(20260106);
  for (int trial = 0; trial < 40; ++trial) {
    const double phi = random.log_uniform(1e-2, 1e2), df = random.log_uniform(1, 50);
    const auto model =
        make_likelihood(GetParam(), "", {.dispersion = phi, .df = df, .learn_df = true});
    const double eta = random.uniform(-5, 5);
    const Row row{.y = eta + phi * random.normal()};
    const auto in_eta = [&](const Digits50& p, const Digits50& f) {
      return differences([&](const Digits50& e) { return textbook(GetParam(), e, p, f, row.y); },
                         eta);
    };
    const LogDensity l = density_at(*model, row, eta);
    const std::string what = GetParam() + " phi=" + std::to_string(phi) +
                             " df=" + std::to_string(df) + " y=" + std::to_string(row.y) +
                             " eta=" + std::to_string(eta);
    const double scale = 1e-3 * (1 + std::abs(l.d1) + std::abs(l.d2));
    const auto base = in_eta(phi, df);
    expect_relative(l.value, base[0], scale, what + " value");
    expect_relative(l.d1, base[1], scale, what + " d1");
    expect_relative(l.d2, base[2], scale, what + " d2");
    expect_relative(l.d3, base[3], scale / phi, what + " d3");
    const std::size_t dispersions = model->parameters().size();
    for (std::size_t k = 0; k < dispersions; ++k) {
      const Digits50 h = Digits50(k == 0 ? phi : df) / 10000000;
      const auto plus = k == 0 ? in_eta(phi + h, df) : in_eta(phi, df + h);
      const auto minus = k == 0 ? in_eta(phi - h, df) : in_eta(phi, df - h);
      const double size = scale / (k == 0 ? phi : df);
      const std::string name = what + " parameter " + std::to_string(k);
      expect_relative(l.dphi[k], (plus[0] - minus[0]) / (2 * h), size, name + " value");
      expect_relative(l.d1_dphi[k], (plus[1] - minus[1]) / (2 * h), size, name + " d1");
      expect_relative(l.d2_dphi[k], (plus[2] - minus[2]) / (2 * h), size, name + " d2");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All,
                         StandaloneDerivatives,
                         testing::Values("laplace", "student-t"),
                         [](const auto& test) {
                           return test.param == "laplace" ? "Laplace" : "StudentT";
                         });

}  // namespace
}  // namespace ggpm
