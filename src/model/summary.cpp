#include "ggpm/summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "ggpm/engine_report.hpp"
#include "ggpm/text.hpp"
#include "model/state.hpp"

namespace ggpm {
namespace {

constexpr std::size_t kOptimaShown = 5;

std::string line(std::string_view title, std::string_view text) {
  return fmt::format("{:<14} {}\n", harmless(title), harmless(text));
}

std::string likelihood_line(const GeneralizedGP& model) {
  std::string text;
  for (const auto& [what, name] : model.likelihood().labels())
    text += text.empty() ? name : fmt::format(", {} {}", what, name);
  if (const std::string more = model.likelihood().settings(); !more.empty()) text += ", " + more;
  return text;
}

// Columns of the table; of arrays, those of X.
Index inputs_of(const SavedModel& saved) {
  return saved.design ? std::ssize(saved.design->columns()) : saved.model.dimensions();
}

std::string inference_line(const GeneralizedGP& model) {
  const FitReport& report = model.report();
  std::string text =
      fmt::format("{}, {} in {} {}",
                  to_string(model.inference()),
                  report.inference.outcome == Outcome::converged ? "converged" : "not converged",
                  report.inference.iterations,
                  report.inference.iterations == 1 ? "iteration" : "iterations");
  if (const auto& sampled = model.sampled())
    return fmt::format(
        "mcmc, hyperparameters learned with {}: {} draws of {} chains, R-hat {:.3f}, at least {:.0f} "
        "effective ones",
        to_string(model.state().task.inference.method),
        sampled->draws.cols(),
        sampled->chains,
        sampled->r_hat,
        sampled->ess);
  if (!report.inference.fallbacks.empty())
    text += fmt::format(", after {}", fmt::join(report.inference.fallbacks, ", "));
  return text;
}

std::string integrated_text(const IntegratedHyperparameters& integrated) {
  return fmt::format(
      "answers are averages over {} sets of hyperparameters around the optimum; log evidence {:.4f}",
      integrated.points.size(),
      integrated.log_evidence);
}

// Of an engine that approximates: which, and how near.
std::string engine_line(const GeneralizedGP& model) {
  const EngineSummary engine = model.engine();
  const std::optional<EngineCheck> check = engine_check(model);
  if (engine.name == "dense") return {};
  std::string text = fmt::format("{}, accuracy {}", engine.name, to_string(engine.accuracy));
  if (engine.inducing > 0) text += fmt::format(", {} points that all rows see", engine.inducing);
  if (check)
    text += fmt::format("; off by {:.2g} sd in the latent mean, {:.2g} in the log of its variance",
                        check->mean_rms_sd,
                        check->log_variance_rms);
  return text;
}

std::string interval_text(const FittedParameter& fitted) {
  const std::optional<Interval> interval = fitted.interval();
  return interval ? fmt::format("{:.4g} ... {:.4g}", interval->lower, interval->upper)
                  : fitted.remark();
}

bool has_standardized_inputs(const GeneralizedGP& model) {
  const std::vector<double>& units = model.specification().units;
  return std::any_of(units.begin(), units.end(), [](double unit) { return unit != 1; });
}

// Length-scales of columns that are standardized one by one have no unit of their own.
bool is_in_deviations(const FittedParameter& p) {
  return p.parameter.role == Role::lengthscale && p.parameter.inputs.size() > 1 && p.unit == 1;
}

std::string parameter_table(const GeneralizedGP& model) {
  const std::vector<FittedParameter> parameters = model.parameters();
  if (parameters.empty()) return "";
  std::size_t width = 9;
  for (const FittedParameter& fitted : parameters)
    width = std::max(width, harmless(fitted.parameter.name).size());
  std::string out = fmt::format("{:<{}}  {:<12} {}\n",
                                "parameter",
                                width,
                                "value",
                                model.standard_errors() ? "95 % interval (curvature)" : "");
  const bool standardized = has_standardized_inputs(model);
  std::string note, weights;
  for (const FittedParameter& fitted : parameters) {
    out += fmt::format("{:<{}}  {:<12.6g} {}\n",
                       harmless(fitted.parameter.name),
                       width,
                       fitted.parameter.value,
                       interval_text(fitted));
    if (standardized && is_in_deviations(fitted))
      note = "A length-scale of several columns is in standard deviations of each.\n";
    if (standardized && fitted.parameter.role == Role::mean_weight)
      weights = "Weights of the mean are for one standard deviation, coefficients for one unit.\n";
  }
  return out + note + weights;
}

std::string optima_text(const GeneralizedGP& model) {
  std::vector<std::string> values;
  for (const Optimum& optimum : model.optima())
    values.push_back(fmt::format("{:.4f} ({})", optimum.log_marginal, to_string(optimum.method)));
  const std::size_t all = values.size();
  if (all > kOptimaShown) values.resize(kOptimaShown);
  return fmt::format("{}{}", fmt::join(values, ", "), all > kOptimaShown ? ", ..." : "");
}

}  // namespace

std::string duration_text(double seconds) {
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const long whole = std::lround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string pit_text(const PitSummary& pit) {
  return fmt::format("mean {:.3f}, variance {:.4f} (uniform: 0.500, 0.0833), p = {:.2g}",
                     pit.mean,
                     pit.variance,
                     pit.p_value);
}

std::string summary_text(const SavedModel& saved, const std::optional<LeaveOneOutScores>& loo) {
  const GeneralizedGP& model = saved.model;
  const FitReport& report = model.report();
  std::string out;
  out += line("target",
              fmt::format("{}, {} {}, {} {}",
                          saved.roles.target.empty() ? "y" : saved.roles.target,
                          model.rows(),
                          model.rows() == 1 ? "row" : "rows",
                          inputs_of(saved),
                          inputs_of(saved) == 1 ? "input" : "inputs"));
  for (const auto& [title, name] : {std::pair{"trials", saved.roles.trials},
                                    std::pair{"exposure", saved.roles.exposure},
                                    std::pair{"offset", saved.roles.offset}})
    if (!name.empty()) out += line(title, name);
  out += line("likelihood", likelihood_line(model));
  out += line("inference", inference_line(model));
  if (const std::string engine = engine_line(model); !engine.empty()) out += line("engine", engine);
  out += line("kernel", model.specification().kernel);
  if (model.specification().mean != "zero") out += line("mean", model.specification().mean);
  out += line("log marginal",
              model.sampled() ? fmt::format("{:.4f} ± {:.4f}, annealed",
                                            model.log_marginal(),
                                            model.sampled()->log_marginal_error)
                              : fmt::format("{:.6f}", model.log_marginal()));
  if (const auto integrated = model.integrated())
    out += line("integrated", integrated_text(*integrated));
  if (loo) {
    out += line("leave-one-out",
                fmt::format("log density {:.4f}, standard error {:.4f}{}",
                            loo->total,
                            loo->standard_error,
                            loo->improper.empty() ? ""
                                                  : fmt::format("; {} rows without a proper cavity",
                                                                loo->improper.size())));
    out += line("PIT", pit_text(summarize_pit(loo->pit())));
  }
  if (const std::optional<RefittedScores>& refitted = model.refitted())
    out += line("refitted",
                fmt::format("log density {:.4f}, standard error {:.4f}, in {} folds",
                            refitted->total,
                            refitted->standard_error,
                            refitted->folds));
  if (model.optima().size() > 1) out += line("optima", optima_text(model));
  if (model.seconds() > 0)
    out += line(
        "effort",
        fmt::format("{} evaluations, {}{}",
                    report.evaluations,
                    duration_text(model.seconds()),
                    report.learned_rows > 0
                        ? fmt::format("; hyperparameters are those of {} rows", report.learned_rows)
                        : ""));
  const std::string parameters = parameter_table(model);
  if (!parameters.empty()) out += "\n" + parameters;
  return out;
}

std::string provenance_text(const SavedModel& saved) {
  std::string out;
  if (saved.design) {
    out += "\ninput            center        scale\n";
    for (const DesignColumn& column : saved.design->columns()) {
      const std::string name = harmless(column.name);
      out += column.levels.empty()
                 ? fmt::format("{:<15}  {:<12.6g}  {:.6g}{}\n",
                               name,
                               column.center,
                               column.scale,
                               column.is_date ? "  dates, in days since 1970-01-01" : "")
                 : fmt::format("{:<15}  text, an input for each of: {}\n",
                               name,
                               harmless(fmt::format("{}", fmt::join(column.levels, ", "))));
    }
  }
  if (!saved.provenance.empty()) out += "\n";
  for (const auto& [key, value] : saved.provenance) out += line(key, value);
  for (const Warning& warning : saved.model.warnings()) out += line("warning", warning.text);
  return out;
}

}  // namespace ggpm
