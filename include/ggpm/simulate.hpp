// Data from a model: a function drawn from the prior, outputs drawn from the likelihood.
//
//   std::mt19937_64 random(1);
//   Kernel kernel = Kernel::parse("rbf(1, 2)").bind(1);
//   auto poisson = make_likelihood("poisson");
//   Simulated data = simulate(kernel, Mean::parse("zero").bind(1), *poisson, {.X = X}, random);
#pragma once

#include <random>

#include "ggpm/kernel.hpp"
#include "ggpm/likelihood.hpp"
#include "ggpm/model.hpp"

namespace ggpm {

// f ~ N(0, K) at the rows of X. K may be singular (equal rows): its diagonal grows until it has a
// factor. NumericalError where K is not finite or not positive definite.
Vector draw_function(const Kernel& kernel, const Matrix& X, std::mt19937_64& random);

struct Simulated {
  Vector latent;  // (n) with mean and offset, without log exposure; of C classes (C n), one by one
  Vector y;       // (n)
};

// Kernel and mean are bound. NumericalError names a row whose latent gives no finite output.
Simulated simulate(const Kernel& kernel,
                   const Mean& mean,
                   const Likelihood& likelihood,
                   const Dataset& rows,
                   std::mt19937_64& random);

// From the prior of a fitted model, with its hyperparameters as they were learned.
Simulated simulate(const GeneralizedGP& model, const Dataset& rows, std::uint64_t seed = 1);

}  // namespace ggpm
