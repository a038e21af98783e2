// A likelihood that ggpm does not have, as five formulas:
//   log p(y | eta) = (T(y) theta - b(theta, phi)) / a(phi) + c(phi, y),   theta = theta(eta).
// Here the geometric distribution of counts, with success probability 1 - e^theta. Derivatives,
// every inference method, predictive distributions and the model file follow from them.
#include <cmath>
#include <ggpm/model.hpp>
#include <iostream>

int main() {
  const std::string geometric = R"toml([likelihood]
name = "geometric"
domain = "count"
a = "1"
b = "-log1p(-exp(theta))"
c = "0"
T = "y"
theta = "-log1p(exp(-eta))"
)toml";
  ggpm::Dataset data{.X = ggpm::Matrix(12, 1), .observed = {.y = ggpm::Vector(12)}};
  for (int i = 0; i < 12; ++i) {
    data.X(i, 0) = i;
    data.observed.y(i) = (i * i) % 5 + i / 3;
  }
  const auto model = ggpm::GeneralizedGP::fit(
      data, {.likelihood = geometric, .inference = ggpm::InferenceMethod::ep}, {.restarts = 2});
  const ggpm::Predictions p = model.predictive({.X = ggpm::Matrix{{5.5}}});
  std::cout << model.likelihood().name() << ": log marginal " << model.log_marginal()
            << ", mean at 5.5 is " << p.mean()(0)
            << ", P(y = 0) = " << std::exp(p.log_density(ggpm::Vector{{0.0}})(0)) << "\n";
}
