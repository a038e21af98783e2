// The mean of y given the latent function at one row: a rate, a probability. It is uncertain as the
// latent is, and nothing else is: its quantiles are those of the latent, moved through it.
#pragma once

#include "ggpm/likelihood.hpp"

namespace ggpm::internal {

class MeanFunction {
 public:
  // `number` (from 0) is for messages; eta includes the offset of the row. UsageError where the
  // mean is not monotone in eta, as a formula's may be.
  MeanFunction(const Likelihood& likelihood,
               Index number,
               const Row& row,
               double latent_mean,
               double latent_variance);

  double quantile(double p) const;       // NaN where it does not exist or is beyond the doubles
  double above(double threshold) const;  // P(mean > threshold); NaN where there is no mean

 private:
  double at(double z) const;  // that many standard deviations from the latent mean

  const Likelihood& likelihood_;
  Row row_;
  double latent_mean_, sd_;
  double sign_ = 1;  // -1: it falls with eta
};

}  // namespace ggpm::internal
