#include "inference/cavity_bound.hpp"

#include <gtest/gtest.h>

#include "support/close.hpp"
#include "support/gram_of.hpp"

namespace ggpm::internal {
namespace {

using testing_support::GramOf;

struct Case {
  std::string likelihood;
  double y, mean, variance;  // of the cavity
};

class CavityBoundOf : public testing::TestWithParam<Case> {
 protected:
  const std::unique_ptr<Likelihood> likelihood_ = make_likelihood(GetParam().likelihood);
  const std::vector<Row> rows_{{.y = GetParam().y}};

  Site site(const Site& now = {0, 0}) const {
    const GramOf gram(Matrix::Identity(1, 1));
    const Vector prior_mean = Vector::Zero(1);
    const InferenceOptions options;
    const Problem problem{*gram, *likelihood_, rows_, prior_mean, options};
    return CavityBound(problem, 0, GetParam().mean, GetParam().variance).site(now);
  }
  // E log p - KL(N(m, v) || cavity).
  double bound(double m, double v) const {
    Expected e;
    likelihood_->expected(rows_, {&m, 1}, {&v, 1}, {&e, 1}, Dphi::skip);
    const double ratio = v / GetParam().variance, d = m - GetParam().mean;
    return e.value - 0.5 * (ratio - 1 - std::log(ratio) + d * d / GetParam().variance);
  }
};

TEST_P(CavityBoundOf, NoMarginalNearbyIsBetter) {
  const Site best = site();
  const double v = 1 / (1 / GetParam().variance + best.precision);
  ASSERT_GT(v, 0);
  const double m = v * (GetParam().mean / GetParam().variance + best.shift);
  for (const double dm : {-3.0, -0.3, -0.02, 0.0, 0.02, 0.3, 3.0})
    for (const double factor : {0.25, 0.9, 0.98, 1.0, 1.02, 1.1, 4.0}) {
      if (dm == 0 && factor == 1) continue;
      EXPECT_LT(bound(m + dm * std::sqrt(v), v * factor), bound(m, v)) << dm << " " << factor;
    }
}

// From a site that is nearly right, far too strong, or that leaves no Gaussian.
TEST_P(CavityBoundOf, IsTheSameFromAnySite) {
  const Site best = site();
  const double v = 1 / (1 / GetParam().variance + best.precision);
  for (const Site& now : {best,
                          Site{best.precision + 0.1 / v, best.shift},
                          Site{best.precision + 50 / v, best.shift + 1 / std::sqrt(v)},
                          Site{-2 / GetParam().variance, 0}}) {
    const Site found = site(now);
    EXPECT_NEAR(v * (found.precision - best.precision), 0, 0.01) << now.precision;
    EXPECT_NEAR(std::sqrt(v) * (found.shift - best.shift), 0, 0.02) << now.precision;
  }
}

INSTANTIATE_TEST_SUITE_P(All,
                         CavityBoundOf,
                         testing::Values(Case{"gaussian", 1.3, 0.4, 2},
                                         Case{"poisson", 0, 0.5, 1},
                                         Case{"poisson", 40, -2, 4},
                                         Case{"bernoulli", 1, -3, 5},
                                         Case{"student-t", 6, 0, 3},
                                         Case{"gamma-scale", 0.01, 3, 2},
                                         Case{"laplace", -1, 0.2, 0.5}));

TEST(CavityBound, OfAGaussianIsItsOwnSite) {
  const GramOf gram(Matrix::Identity(1, 1));
  const auto likelihood = make_likelihood("gaussian", "", {.dispersion = 0.25});
  const std::vector<Row> rows{{.y = 1.5}};
  const Vector prior_mean = Vector::Zero(1);
  const InferenceOptions options;
  const Site site = CavityBound({*gram, *likelihood, rows, prior_mean, options}, 0, -1, 3).site();
  EXPECT_CLOSE(site.precision, 1 / 0.25, 1e-3);
  EXPECT_CLOSE(site.shift, 1.5 / 0.25, 1e-3);
}

}  // namespace
}  // namespace ggpm::internal
