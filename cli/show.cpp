// ggpm show MODEL...: what was fitted, for a person; several models of the same rows, compared.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/comparison_text.hpp"
#include "cli/model_json.hpp"
#include "ggpm/model.hpp"
#include "ggpm/summary.hpp"

namespace ggpm::cli {
namespace {

void show_one(const std::string& path, bool json) {
  const SavedModel saved = load_model(path);
  const std::optional<LeaveOneOutScores> loo = loo_of(saved.model);
  print(json ? model_json(saved, loo).dump() + "\n"
             : summary_text(saved, loo) + provenance_text(saved));
}

std::string coefficients_text(const std::vector<Coefficient>& coefficients) {
  std::vector<std::vector<std::string>> rows = {
      {"term", "input", "estimate", "std. error", "95 % interval"}};
  const auto number = [](double value) {
    return std::isfinite(value) ? fmt::format("{:.6g}", value) : std::string("not known");
  };
  for (const Coefficient& c : coefficients)
    rows.push_back({c.term,
                    c.input,
                    number(c.estimate),
                    number(c.standard_error),
                    std::isfinite(c.lower) ? number(c.lower) + " ... " + number(c.upper) : ""});
  return aligned_table(rows) +
         "Slopes of the latent function for one unit of the input; an intercept is its level where "
         "the inputs have their centers.\n";
}

Json coefficients_json(const std::vector<Coefficient>& coefficients) {
  Json out = Json::array();
  for (const Coefficient& c : coefficients)
    out.push_back({{"term", c.term},
                   {"input", c.input},
                   {"estimate", c.estimate},
                   {"standard_error", c.standard_error},
                   {"lower", c.lower},
                   {"upper", c.upper}});
  return out;
}

void show_coefficients(const std::vector<std::string>& paths, bool json) {
  if (paths.size() != 1) throw UsageError("--coefficients: of one model, not of several");
  const std::vector<Coefficient> found = compute_coefficients(load_model(paths.front()));
  if (found.empty())
    throw UsageError(
        "--coefficients: the model has none; fit with --mean linear, or with a linear or constant "
        "kernel in a sum, such as --kernel 'rbf + linear'");
  print(json ? coefficients_json(found).dump() + "\n" : coefficients_text(found));
}

struct Compared {
  std::string path;
  SavedModel saved;
  LeaveOneOutScores loo;
  DensityDifference below;  // the best model
};

bool same_targets(const GeneralizedGP& a, const GeneralizedGP& b) {
  const Observations &x = a.observations(), &y = b.observations();
  return a.rows() == b.rows() && x.y == y.y && x.trials.size() == y.trials.size() &&
         x.trials == y.trials;
}

std::vector<Compared> compare_models(const std::vector<std::string>& paths) {
  std::vector<Compared> models;
  for (const std::string& path : paths) {
    SavedModel saved = load_model(path);
    if (!models.empty() && !same_targets(models.front().saved.model, saved.model))
      throw DataError(fmt::format(
          "{} and {} were fitted to other rows; their densities cannot be compared: fit them to "
          "the same table",
          paths.front(),
          path));
    LeaveOneOutScores loo = saved.model.loo();
    models.push_back({path, std::move(saved), std::move(loo), {}});
  }
  std::stable_sort(models.begin(), models.end(), [](const Compared& a, const Compared& b) {
    return a.loo.total > b.loo.total;
  });
  for (Compared& model : models)
    model.below = difference_of(model.loo.log_density, models.front().loo.log_density);
  return models;
}

std::string kind_of(const GeneralizedGP& model) { return model.likelihood().name(); }

std::string as_text(const std::vector<Compared>& models) {
  std::vector<std::vector<std::string>> rows = {
      {"model", "likelihood", "inference", "log marginal", "LOO log density", "below the best"}};
  for (const Compared& model : models)
    rows.push_back(
        {model.path,
         kind_of(model.saved.model),
         std::string(to_string(model.saved.model.inference())),
         fmt::format("{:.2f}", model.saved.model.log_marginal()),
         fmt::format("{:.2f} ± {:.2f}", model.loo.total, model.loo.standard_error),
         &model == &models.front()
             ? "best"
             : fmt::format("{:.2f} ± {:.2f}", -model.below.total, model.below.standard_error)});
  return aligned_table(rows) +
         "± is one standard error; of a difference, that of the sum over rows of the difference.\n";
}

Json as_json(const std::vector<Compared>& models) {
  Json out = Json::array();
  for (const Compared& model : models)
    out.push_back({{"model", model.path},
                   {"likelihood", model.saved.model.likelihood().labels().front().second},
                   {"inference", to_string(model.saved.model.inference())},
                   {"log_marginal", model.saved.model.log_marginal()},
                   {"loo", model.loo.total},
                   {"loo_standard_error", model.loo.standard_error},
                   {"difference", model.below.total},
                   {"difference_standard_error", model.below.standard_error}});
  return out;
}

void show(const std::vector<std::string>& paths, bool json) {
  if (paths.size() == 1) return show_one(paths.front(), json);
  const std::vector<Compared> models = compare_models(paths);
  print(json ? as_json(models).dump() + "\n" : as_text(models));
}

}  // namespace

void add_show(CLI::App& app) {
  Command command(app, "show", "What is in a model file; several of the same rows side by side");
  auto paths = std::make_shared<std::vector<std::string>>();
  auto json = std::make_shared<bool>(false);
  command.texts("MODEL", *paths, "Files that ggpm fit -o saved").required();
  command.flag("--json", *json, "One model: as fit --json; several: a list");
  auto coefficients = std::make_shared<bool>(false);
  command.flag("--coefficients",
               *coefficients,
               "Only the weights of linear terms: estimate, standard error, 95 % interval");
  command.run([paths, json, coefficients] {
    *coefficients ? show_coefficients(*paths, *json) : show(*paths, *json);
  });
  command.examples(
      "  ggpm fit examples/counts.csv --target n --likelihood poisson -o counts.ggpm\n"
      "  ggpm show counts.ggpm\n"
      "  ggpm fit examples/counts.csv --target n --likelihood gaussian -o gauss.ggpm\n"
      "  ggpm show counts.ggpm gauss.ggpm\n"
      "  ggpm fit examples/counts.csv --target n --kernel 'rbf + linear' -o line.ggpm\n"
      "  ggpm show line.ggpm --coefficients\n");
}

}  // namespace ggpm::cli
