// Models whose hyperparameters are given, so that only the inference is judged.
#pragma once

#include <string>

#include "ggpm/model.hpp"

namespace ggpm::testing_support {

inline constexpr const char* kKernel = "rbf(variance=1.5, lengthscale=0.8)";

inline GeneralizedGP fitted(const Dataset& data,
                            const std::string& likelihood,
                            InferenceMethod method,
                            const std::string& link = {}) {
  return GeneralizedGP::fit(
      data,
      {.likelihood = likelihood, .link = link, .kernel = kKernel, .inference = method},
      {.optimize = false});
}

}  // namespace ggpm::testing_support
