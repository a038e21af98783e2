// A fitted model as JSON: what `fit --json` and `show --json` print (docs/schema/fit.json).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "ggpm/model.hpp"
#include "ggpm/score.hpp"

namespace ggpm::cli {

using Json = nlohmann::ordered_json;

Json numbers(const Vector& values);

// None where it cannot be had, which a warning says.
std::optional<LeaveOneOutScores> loo_of(const GeneralizedGP& model);

// {"kernel": {"rbf.variance": 1, "rbf.lengthscale": [1, 2]}, "mean": {}, "dispersion": 0.1}
Json hyperparameters_json(const GeneralizedGP& model, const Hyperparameters& values);
Json pit_json(const PitSummary& pit);
// Above 100,000 rows the latents are null unless asked for: they are all of the output then.
enum class Latents { of_few_rows, all };
Json model_json(const SavedModel& saved,
                const std::optional<LeaveOneOutScores>& loo,
                Latents latents = Latents::of_few_rows);

}  // namespace ggpm::cli
