#include "cli/prediction_columns.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "ggpm/classes.hpp"
#include "ggpm/data.hpp"

namespace ggpm::cli {
namespace {

Vector counted(Vector values, Index& missing) {
  for (const double value : values) missing += std::isnan(value) ? 1 : 0;
  return values;
}

Vector log_density(const Predictions& predictions, const Vector& y) {
  if (y.allFinite()) return predictions.log_density(y);
  Vector out = y;  // stays missing where the target is
  for (Index i = 0; i < y.size(); ++i)
    if (std::isfinite(y(i))) out(i) = predictions.row(i)->log_density(y(i));
  return out;
}

std::vector<std::string> numbered_names(const std::string& prefix, const std::vector<double>& p) {
  std::vector<std::string> out;
  out.reserve(p.size());
  for (const double value : p) out.push_back(prefix + format_number(value));
  return out;
}

std::vector<std::string> level_names(const std::string& prefix, const SavedModel& saved) {
  std::vector<std::string> out;
  for (int k = 1; k <= saved.model.likelihood().levels(); ++k) {
    const auto place = static_cast<std::size_t>(k - 1);
    out.push_back(prefix + (place < saved.roles.levels.size() ? saved.roles.levels[place]
                                                              : std::to_string(k)));
  }
  return out;
}

// P(y > t) for each t.
Matrix survival(const Predictions& predictions, const std::vector<double>& times) {
  Matrix out(predictions.size(), std::ssize(times));
  for (Index k = 0; k < out.cols(); ++k)
    out.col(k) =
        1 -
        predictions.cdf(Vector::Constant(out.rows(), times[static_cast<std::size_t>(k)])).array();
  return out;
}

bool has_prior(const GeneralizedGP& model) { return !model.mean().parameters().empty(); }

std::vector<std::string> term_names(const GeneralizedGP& model) {
  std::vector<std::string> out;
  if (has_prior(model)) out.emplace_back("prior.mean");
  for (const KernelTerm& term : model.kernel().terms())
    for (const char* what : {".mean", ".sd"}) out.push_back(term.name + what);
  return out;
}

// Answers by the name of their column. Those that come together are computed once, for the first
// that is asked for.
class Desk {
 public:
  Desk(const Answers& answers,
       const SavedModel& saved,
       const Dataset& rows,
       const Predictions& predictions,
       Index& missing)
      : answers_(answers), saved_(saved), rows_(rows), p_(predictions), missing_(missing) {}

  OutputColumn column(const std::string& name) {
    if (name == "mean") return {name, counted(p_.mean(), missing_)};
    if (name == "sd") return {name, counted(p_.variance().cwiseSqrt(), missing_)};
    if (name == "mode") return {name, p_.mode(), true};
    if (name == "median") return {name, p_.quantile(0.5), true};
    if (name == "p_mean_above") return {name, counted(p_.mean_above(*answers_.exceed), missing_)};
    if (name == "latent_mean") return {name, p_.latent_mean()};
    if (name == "latent_sd") return {name, p_.latent_variance().cwiseSqrt()};
    if (name == "log_density") return {name, log_density(p_, rows_.observed.y)};
    if (!of_groups_.contains(name)) compute_group(name);
    return of_groups_.at(name);
  }

 private:
  void compute_group(const std::string& name) {
    const auto is_one_of = [&name](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    const std::vector<std::string> of_y = numbered_names("q", answers_.quantiles),
                                   of_mean = numbered_names("mean_q", answers_.mean_quantiles),
                                   of_survival = numbered_names("survival", answers_.survival),
                                   of_levels = level_names("p_", saved_),
                                   of_means = level_names("latent_mean_", saved_),
                                   of_sds = level_names("latent_sd_", saved_);
    if (is_one_of(of_y))
      add(of_y, p_.quantiles(answers_.quantiles), true);
    else if (is_one_of(of_mean))
      add(of_mean, p_.mean_quantiles(answers_.mean_quantiles), false);
    else if (is_one_of(of_survival))
      add(of_survival, survival(p_, answers_.survival), false);
    else if (is_one_of(of_means))
      add(of_means, p_.class_means(), false);
    else if (is_one_of(of_sds))
      add(of_sds, p_.class_variances().cwiseSqrt(), false);
    else if (is_one_of(of_levels))
      add(of_levels, p_.level_probabilities(), false);
    else
      add_terms();
  }
  void add(const std::vector<std::string>& names, const Matrix& values, bool is_y) {
    for (std::size_t k = 0; k < names.size(); ++k)
      of_groups_[names[k]] = {names[k], counted(values.col(static_cast<Index>(k)), missing_), is_y};
  }
  void add_terms() {
    for (const TermPrediction& term : saved_.model.terms(rows_)) {
      of_groups_[term.name + ".mean"] = {term.name + ".mean", term.mean};
      of_groups_[term.name + ".sd"] = {term.name + ".sd", term.variance.cwiseSqrt()};
    }
  }

  const Answers& answers_;
  const SavedModel& saved_;
  const Dataset& rows_;
  const Predictions& p_;
  Index& missing_;
  std::map<std::string, OutputColumn> of_groups_;
};

}  // namespace

std::vector<std::string> column_names(const Answers& answers,
                                      const SavedModel& saved,
                                      bool has_target) {
  const Likelihood& likelihood = saved.model.likelihood();
  const bool classes = has_several_latents(likelihood);
  // Classes have no order, and so neither mean nor quantile.
  if (classes && !answers.survival.empty())
    throw UsageError("--survival: classes of softmax have no order, none is above another");
  std::vector<std::string> names = {"mean", "sd", "mode"};
  if (classes) names = {"mode"};
  if (likelihood.domain() == Domain::positive && likelihood.takes_censored())
    names.emplace_back("median");
  const auto add = [&names](const std::vector<std::string>& more) {
    names.insert(names.end(), more.begin(), more.end());
  };
  add(numbered_names("survival", answers.survival));
  add(level_names("p_", saved));
  if (!classes) add(numbered_names("q", answers.quantiles));
  add(numbered_names("mean_q", answers.mean_quantiles));
  if (answers.exceed) add({"p_mean_above"});
  if (answers.latent && classes) {
    add(level_names("latent_mean_", saved));
    add(level_names("latent_sd_", saved));
  } else if (answers.latent) {
    add({"latent_mean", "latent_sd"});
  }
  if (answers.terms) add(term_names(saved.model));
  if (has_target) add({"log_density"});
  return names;
}

std::vector<OutputColumn> compute_columns(const std::vector<std::string>& names,
                                          const Answers& answers,
                                          const SavedModel& saved,
                                          const Dataset& rows,
                                          const Predictions& predictions,
                                          Index& missing) {
  Desk desk(answers, saved, rows, predictions, missing);
  std::vector<OutputColumn> out;
  out.reserve(names.size());
  for (const std::string& name : names) out.push_back(desk.column(name));
  return out;
}

}  // namespace ggpm::cli
