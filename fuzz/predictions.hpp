// What every prediction promises (ggpm/model.hpp), whatever the model.
#pragma once

#include <cmath>
#include <vector>

#include "fuzz.hpp"
#include "ggpm/model.hpp"

namespace ggpm::fuzz {

// Quantiles are searched for, which takes as long as all else: `search` says whether to.
inline void check_predictions(const GeneralizedGP& model, const Dataset& rows, bool search) {
  const Predictions predictions = model.predictive(rows, 1);
  const std::vector<double> levels = {0.025, 0.5, 0.975};
  Matrix q;
  if (search && answered([&] { q = predictions.quantiles(levels); })) {
    for (Index i = 0; i < q.rows(); ++i) {
      require(std::isfinite(q(i, 0)) && std::isfinite(q(i, 2)), "quantiles are finite");
      require(q(i, 0) <= q(i, 1) && q(i, 1) <= q(i, 2), "quantiles are in order");
    }
  }
  answered([&] {
    for (const double mean : predictions.mean())
      require(!std::isinf(mean), "a mean is no infinity");
  });
  answered([&] {
    for (const double v : predictions.variance()) require(!(v < 0), "no variance is negative");
  });
  if (rows.observed.y.size() == rows.X.rows()) {
    answered([&] {
      for (const double l : predictions.log_density(rows.observed.y))
        require(!std::isnan(l) && !(std::isinf(l) && l > 0), "a log density is a number");
    });
    answered([&] {
      for (const double p : predictions.cdf(rows.observed.y))
        require(p >= 0 && p <= 1, "a probability is in [0, 1]");
    });
  }
}

}  // namespace ggpm::fuzz
