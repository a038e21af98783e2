// Gradients of every likelihood x link x method against differences of the converged log marginal.
#include <gtest/gtest.h>

#include "inference/problems.hpp"
#include "support/close.hpp"

namespace ggpm::internal {
namespace {

using namespace testing_support;

// All hyperparameters of a model in one vector, as they are learned.
struct Model {
  Kernel kernel;
  Mean mean;
  std::unique_ptr<Likelihood> likelihood;

  std::vector<Parameter> parameters() const {
    std::vector<Parameter> all;
    for (const auto& part : {kernel.parameters(), mean.parameters(), likelihood->parameters()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }

  // Moves parameter k by `change`, of its logarithm where it is positive.
  Model moved(std::size_t k, double change) const {
    const auto values = [&](const std::vector<Parameter>& parameters) {
      std::vector<double> out;
      for (const Parameter& p : parameters) {
        const bool mine = k-- == 0;
        out.push_back(!mine ? p.value : p.positive ? p.value * std::exp(change) : p.value + change);
      }
      return out;
    };
    const auto kernel_values = values(kernel.parameters());
    const auto mean_values = values(mean.parameters());
    const auto dispersion_values = values(likelihood->parameters());
    Model out{
        kernel.with_values(kernel_values), mean.with_values(mean_values), likelihood->clone()};
    out.likelihood->set_parameters(dispersion_values);
    return out;
  }
};

Vector concatenate(const Gradient& gradient) {
  Vector all(gradient.kernel.size() + gradient.mean.size() + gradient.dispersion.size());
  all << gradient.kernel, gradient.mean, gradient.dispersion;
  return all;
}

class Gradients : public testing::TestWithParam<Combination> {
 protected:
  void check(InferenceMethod method) {
    LikelihoodOptions given;
    if (has_dispersion(GetParam().likelihood)) given.dispersion = 0.4;
    given.learn_df = GetParam().likelihood == "student-t";
    const Model model{Kernel::parse("rbf(variance=0.9, lengthscale=[0.8, 1.7]) + "
                                    "matern32(variance=0.3, lengthscale=1.1)")
                          .bind(2),
                      Mean::parse("linear").bind(2).with_values(std::vector{0.2, -0.1, 0.15}),
                      make_likelihood(GetParam().likelihood, GetParam().link, given)};
    const SmallProblem p = small_problem(*model.likelihood, 9, 20);
    Inference inference(p.X, p.observed());
    InferenceOptions options{.method = method, .tolerance = 1e-12};
    const Inferred base = inference.evaluate(model.kernel, model.mean, *model.likelihood, options);
    ASSERT_EQ(base.report.outcome, Outcome::converged) << base.report.detail;
    ASSERT_EQ(base.report.fallbacks.size(), 0u);

    const Vector gradient = concatenate(base.gradient);
    const std::vector<Parameter> parameters = model.parameters();
    ASSERT_EQ(gradient.size(), static_cast<Index>(parameters.size()));
    options.gradient = false;
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      const auto value = [&](double change) {
        const Model m = model.moved(k, change);
        return inference.evaluate(m.kernel, m.mean, *m.likelihood, options, &base.posterior)
            .log_marginal;
      };
      const double h = 2e-3;  // fourth order: an error of h^4 against rounding of 1e-12 / h
      const double difference =
          (8 * (value(h) - value(-h)) - (value(2 * h) - value(-2 * h))) / (12 * h);
      EXPECT_CLOSE(gradient[static_cast<Index>(k)], difference, 1e-6)
          << to_string(method) << " " << parameters[k].name;
    }
  }
};

TEST_P(Gradients, EpMatchesDifferences) { check(InferenceMethod::ep); }
TEST_P(Gradients, KldMatchesDifferences) { check(InferenceMethod::kld); }

class CurvedGradients : public Gradients {};
TEST_P(CurvedGradients, TaylorMatchesDifferences) { check(InferenceMethod::taylor); }
TEST_P(CurvedGradients, LaplaceMatchesDifferences) { check(InferenceMethod::laplace); }

class ExactGradients : public Gradients {};
TEST_P(ExactGradients, ExactMatchesDifferences) { check(InferenceMethod::exact); }

template <class Property>
std::vector<Combination> those(const Property& has) {
  std::vector<Combination> out = combinations();
  std::erase_if(out,
                [&](const Combination& c) { return !has(*make_likelihood(c.likelihood, c.link)); });
  return out;
}
const auto kName = [](const auto& test) { return identifier(test.param); };

INSTANTIATE_TEST_SUITE_P(All, Gradients, testing::ValuesIn(combinations()), kName);
INSTANTIATE_TEST_SUITE_P(All,
                         CurvedGradients,
                         testing::ValuesIn(those([](const Likelihood& l) {
                           return l.differentiable();
                         })),
                         kName);
INSTANTIATE_TEST_SUITE_P(All,
                         ExactGradients,
                         testing::ValuesIn(those([](const Likelihood& l) {
                           return l.is_exact_regression();
                         })),
                         kName);

}  // namespace
}  // namespace ggpm::internal
