// Every answer about y, looked at before it is given.
#pragma once

#include <memory>
#include <string_view>

#include "ggpm/likelihood.hpp"

namespace ggpm::internal {

// What an answer has to agree with.
struct PredictiveFacts {
  std::string_view source = {};  // these two begin a message
  Index row = 0;                 // as a person counts, from 1
  bool left_out = false;         // it is predicted from the others
  double latent_mean = 0, latent_variance = 0;
  double low = 0, high = 0;  // the ends of the support
  bool has_mean = true, has_variance = true;
};
// All but where the row is from.
PredictiveFacts predictive_facts(const Likelihood& likelihood,
                                 const Row& row,
                                 double latent_mean,
                                 double latent_variance);

// The same distribution, but NumericalError instead of an answer that cannot be: a quantile or a
// draw that is not a finite number of the support, a cdf that is no probability, a log density that
// is not finite. Means and variances that do not exist, and those beyond the largest double, are
// NaN.
std::unique_ptr<Predictive> make_checked_predictive(std::unique_ptr<Predictive> predictive,
                                                    PredictiveFacts facts);

}  // namespace ggpm::internal
