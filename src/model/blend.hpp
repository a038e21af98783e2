// Predictions that are averages over several: over hyperparameters, or over draws of the latents.
#pragma once

#include <memory>
#include <vector>

#include "ggpm/likelihood.hpp"
#include "model/mean_function.hpp"

namespace ggpm::internal {

// What one of them says of the latent function at all rows.
struct BlendPart {
  double weight = 0;                             // they sum to 1
  std::shared_ptr<const Likelihood> likelihood;  // with its own dispersion
  Vector mean, variance;                         // (rows) without offset and exposure
};

struct Blend {
  std::vector<BlendPart> parts;

  // Of the latent function: the law of total variance.
  Vector mean() const;
  Vector variance() const;
};

struct WeightedPredictive {
  double weight = 0;
  std::unique_ptr<Predictive> of;
};
// The mixture, exactly: densities, distribution functions and means are sums; a quantile lies between
// those of the parts. The mode is the highest of those to which the modes of the parts lead.
std::unique_ptr<Predictive> make_mixture(std::vector<WeightedPredictive> parts,
                                         const Likelihood& likelihood);

// The same for the mean of y given the latent function.
class BlendedMean {
 public:
  void add(double weight, MeanFunction part) { parts_.push_back({weight, part}); }
  double quantile(double p) const;
  double above(double threshold) const;

 private:
  struct Part {
    double weight;
    MeanFunction of;
  };
  std::vector<Part> parts_;
};

}  // namespace ggpm::internal
