// Every derivative of every family x link against finite differences of its formulas in 50 digits:
// (T theta - b)/a + c as the paper has it, or the log density where a family is not of that form.
// Closed forms and automatic derivatives are held to the same.
#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <iomanip>

#include "all_families.hpp"
#include "likelihood/composite.hpp"
#include "support/random_rows.hpp"

namespace ggpm::internal {
namespace {

using namespace families;  // NOLINT: a test lists them all
using Digits50 = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>,
                                               boost::multiprecision::et_off>;
using testing_support::density_at;
using testing_support::random_dispersions;
using testing_support::RandomProblems;

template <class F, class L>
struct Pair {
  using Family = F;
  using Link = L;
};

// All pairs of families.def, but for those that make their likelihood themselves.
template <class... Pairs>
struct List {
  using Types = testing::Types<Pairs...>;
  template <class... More>
  List<Pairs..., More...> operator+(List<More...>) const {
    return {};
  }
};
template <class Family, class... Links>
List<Pair<Family, Links>...> pairs_of(LinkList<Links...>) {
  return {};
}
template <class Family>
auto pairs_of() {
  if constexpr (
      requires { &Family::make; } || requires { &Family::template make<links::Probit>; }) {
    return List<>();
  } else {
    return pairs_of<Family>(typename Family::Links());
  }
}
#define FAMILY(header, type) +pairs_of<type>()
using Pairs = decltype(List<>()
#include "likelihood/families.def"
                           )::Types;
#undef FAMILY

template <class P>
class DerivativeConformance : public testing::Test {};
TYPED_TEST_SUITE(DerivativeConformance, Pairs);

template <class Family, class Link, class Real>
Real formula(const Real& eta, const Phi<Family, Real>& phi, const Row& row) {
  const auto u = coordinate<Family, Link>(eta, phi, row);
  if constexpr (requires { Family::T(row); }) {
    const Real theta = Family::theta(u, phi);
    return (Family::T(row) * theta - Family::b(theta, phi)) / scale_of<Family>(phi, row) +
           Family::c(phi, row);
  } else {
    return Family::log_density(u, phi, row);
  }
}

// phi for the formulas, with parameter k moved.
template <class Family>
Phi<Family, Digits50> digits(const std::vector<double>& phi, std::size_t k, const Digits50& step) {
  if constexpr (kDispersions < Family >> 1) {
    Phi<Family, Digits50> out;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = Digits50(phi[i]) + (i == k ? step : 0);
    return out;
  } else {
    return phi.empty() ? Digits50(1) : Digits50(phi[0] + step);
  }
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

// 1 - mu is the difference of mu from 1 in the formula of a beta: so near, even 50 digits lose it.
bool beyond_digits(const Unit<double>& u) { return std::min(u.log_mean, u.log_complement) < -20; }
bool beyond_digits(double) { return false; }

template <class Family>
Phi<Family, double> plain(const std::vector<double>& phi) {
  if constexpr (kDispersions < Family >> 1) {
    Phi<Family, double> out;
    std::copy_n(phi.begin(), out.size(), out.begin());
    return out;
  } else {
    return phi.empty() ? 1 : phi[0];
  }
}

std::string describe(const Likelihood& model, const Row& row, double eta) {
  std::string what = model.name() + " " + model.link();
  for (const Parameter& p : model.parameters())
    what += " " + p.name + "=" + std::to_string(p.value);
  return what + " y=" + std::to_string(row.y) + " eta=" + std::to_string(eta);
}

TYPED_TEST(DerivativeConformance, MatchFiniteDifferencesInFiftyDigits) {
  using Family = typename TypeParam::Family;
  using Link = typename TypeParam::Link;
  RandomProblems random(20260103);
  const bool slow = requires { requires Family::slow_in_digits; };
  for (int trial = 0; trial < (slow ? 40 : 200); ++trial) {
    Composite<Family, Link> model(starting_dispersions(Family::name, dispersions_of<Family>(), {}));
    const bool wide = trial % 2 == 1 && !slow;
    const std::vector<double> phi = random_dispersions(random,
                                                       model,
                                                       slow   ? 0.2
                                                       : wide ? 1e-6
                                                              : 1e-2,
                                                       slow   ? 5
                                                       : wide ? 1e4
                                                              : 1e2);
    model.set_parameters(phi);
    const double eta = random.uniform(wide ? -6 : -5, slow ? 2.5 : 5);
    Row row = random.row(model, eta + 0.5 * random.normal());
    if (trial % 5 == 4 && model.domain() == Domain::count)
      row.exposure = random.log_uniform(0.1, 10);
    if (beyond_digits(coordinate<Family, Link>(eta, plain<Family>(phi), row))) continue;
    const auto moved = [&](std::size_t k, const Digits50& step) {
      const auto at = digits<Family>(phi, k, step);
      return differences(
          [&](const Digits50& e) { return formula<Family, Link, Digits50>(e, at, row); }, eta);
    };
    const auto in_eta = moved(0, 0);
    if (!std::isfinite(static_cast<double>(in_eta[3]))) continue;  // -1e400, say
    const LogDensity l = density_at(model, row, eta);
    double value = 0;
    PhiArray dphi{};
    model.values(row, std::span(&eta, 1), &value, &dphi);
    const std::string what = describe(model, row, eta);
    // Near a zero crossing a derivative is as accurate as its largest term.
    const double size = 1 + std::abs(l.d1) + std::abs(l.d2);
    const double scale = 1e-3 * size;
    expect_relative(l.value, in_eta[0], scale, what + " value");
    expect_relative(value, in_eta[0], scale, what + " value alone");
    expect_relative(l.d1, in_eta[1], scale, what + " d1");
    expect_relative(l.d2, in_eta[2], scale, what + " d2");
    expect_relative(l.d3, in_eta[3], scale, what + " d3");
    for (std::size_t k = 0; k < phi.size(); ++k) {
      const Digits50 h = Digits50(phi[k]) / 10000000;
      const auto plus = moved(k, h);
      const auto minus = moved(k, -h);
      const auto slope = [&](std::size_t order) { return (plus[order] - minus[order]) / (2 * h); };
      const double phi_scale = (wide ? size : scale) / phi[k];
      expect_relative(l.dphi[k], slope(0), phi_scale, what + " dphi");
      expect_relative(dphi[k], slope(0), phi_scale, what + " dphi alone");
      expect_relative(l.d1_dphi[k], slope(1), phi_scale, what + " d1_dphi");
      expect_relative(l.d2_dphi[k], slope(2), phi_scale, what + " d2_dphi");
    }
  }
}

// A family that regroups its density for automatic differentiation means the same.
TYPED_TEST(DerivativeConformance, DensityIsTheFiveFormulas) {
  using Family = typename TypeParam::Family;
  using Link = typename TypeParam::Link;
  if constexpr (requires(const Row& row) { Family::T(row); }) {
    RandomProblems random(20260104);
    for (int trial = 0; trial < 200; ++trial) {
      const double phi = random.log_uniform(0.1, 10);
      const Composite<Family, Link> model(phi);
      const double eta = random.uniform(-3, 1);
      const Row row = random.row(model, eta);
      const double printed = formula<Family, Link>(eta, phi, row);
      const double scale = std::abs(Family::c(phi, row)) + std::abs(printed) + 1 / phi + 1;
      EXPECT_NEAR(density_at(model, row, eta).value, printed, 1e-11 * scale)
          << describe(model, row, eta);
      EXPECT_NEAR((log_density_of<Family, Link>(eta, phi, row)), printed, 1e-11 * scale)
          << describe(model, row, eta);
    }
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
}  // namespace ggpm::internal
