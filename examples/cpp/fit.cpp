// Counts that were observed for some hours each: fit a model, ask it, save it.
#include <cmath>
#include <ggpm/model.hpp>
#include <iostream>
#include <random>

int main() {
  // One row an observation: inputs in X, what was seen in `observed`.
  constexpr int n = 60;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform;
  ggpm::Dataset data{.X = ggpm::Matrix(n, 1),
                     .observed = {.y = ggpm::Vector(n), .exposure = ggpm::Vector(n)},
                     .columns = {"time"}};
  for (int i = 0; i < n; ++i) {
    const double time = 10 * uniform(random), hours = 1 + 2 * uniform(random);
    std::poisson_distribution<int> count(hours * std::exp(std::sin(time)));
    data.X(i, 0) = time;
    data.observed.exposure(i) = hours;
    data.observed.y(i) = count(random);
  }

  const auto model = ggpm::GeneralizedGP::fit(
      data, {.likelihood = "poisson", .kernel = "rbf", .mean = "constant"}, {.restarts = 5});
  for (const ggpm::FittedParameter& p : model.parameters())
    std::cout << p.parameter.name << " = " << p.parameter.value << "\n";

  // New rows: inputs, and the exposure they are to have.
  const ggpm::Dataset rows{.X = ggpm::Matrix{{2.0}, {5.0}},
                           .observed = {.exposure = ggpm::Vector{{1.0, 1.0}}}};
  const ggpm::Predictions p = model.predictive(rows);
  const ggpm::Matrix rate = p.mean_quantiles({0.025, 0.975});  // of the rate itself
  for (int i = 0; i < 2; ++i)
    std::cout << "at " << rows.X(i, 0) << ": " << p.mean()(i) << " an hour, surely between "
              << rate(i, 0) << " and " << rate(i, 1) << "; 95 % of hours have at most "
              << p.quantile(0.95)(i) << "\n";
  ggpm::save_model({.model = model}, "counts.ggpm");
}
