// Cross-validation in which the hyperparameters are learned again for every part.
#include <algorithm>

#include "ggpm/splits.hpp"
#include "model/state.hpp"

namespace ggpm::internal {
namespace {

constexpr int kRestartsToRefit = 5;  // of models whose optimum is near that of all rows

FitOptions quicker(FitOptions options) {
  options.restarts = std::min(options.restarts, kRestartsToRefit);
  options.standard_errors = false;
  options.refit_folds = 0;
  options.on_progress = {};
  options.resume.clear();
  return options;
}

}  // namespace

std::optional<RefittedScores> refit_folds(const ModelState& state, const FitOptions& options) {
  Dataset all = *state.task.data;
  all.observed = state.given;  // exposures as they were given
  RefittedScores out{.folds = options.refit_folds, .log_density = Vector(all.size())};
  const FitOptions quick = quicker(options);
  for (const Split& split : k_folds(all.size(), options.refit_folds, 1, options.seed)) {
    const GeneralizedGP model =
        GeneralizedGP::fit(all.subset(split.train), state.specification, quick);
    if (model.report().interrupted) return std::nullopt;
    const Dataset test = all.subset(split.test);
    const Vector density = model.predictive(test, options.threads).log_density(test.observed.y);
    out.log_density(split.test) = density;
  }
  out.total = out.log_density.sum();
  out.standard_error = difference_of(out.log_density, Vector::Zero(all.size())).standard_error;
  return out;
}

}  // namespace ggpm::internal
