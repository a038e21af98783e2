// What a person should know of a fit.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "gram/engine.hpp"
#include "model/spacing.hpp"
#include "model/state.hpp"

namespace ggpm::internal {
namespace {

constexpr Index kRowsPerParameter = 10;  // fewer, and learning fits their noise
constexpr double kRoughEngine = 0.1;     // error of an engine in standard deviations
constexpr Index kFewParameters = 5;      // that learning from few rows is known to survive

// An intercept is added unasked, by the default kernel, by "auto" and by formulas. Where the data do
// not ask for it either, there is nothing to tell.
bool is_unused_default(const ModelState& state, const FittedParameter& p) {
  return p.at_lower && state.specification.kernel.ends_with(" + constant") &&
         p.parameter.name == "constant.variance";
}

std::string at_bound_text(const FittedParameter& p) {
  const Parameter& of = p.parameter;
  std::string text = fmt::format("{} ended at its {} bound {:.6g}",
                                 of.name,
                                 p.at_lower ? "lower" : "upper",
                                 p.at_lower ? of.lower : of.upper);
  if (p.at_lower && of.role == Role::variance) text += ": its term is not used";
  if (p.at_upper && of.role == Role::lengthscale)
    text += ": the output does not depend on its inputs";
  return text;
}

// Inputs that ARD has switched off are one finding, however many they are.
void add_bounds(const ModelState& state,
                const std::vector<FittedParameter>& parameters,
                std::vector<Warning>& out) {
  std::vector<std::string> without_effect;
  for (const FittedParameter& p : parameters) {
    if ((!p.at_lower && !p.at_upper) || is_unused_default(state, p)) continue;
    const Index input = p.parameter.input();
    if (p.at_upper && p.parameter.role == Role::lengthscale && input >= 0 &&
        !p.parameter.list.empty()) {
      without_effect.push_back(input_name(state.task.data->columns, input));
      continue;
    }
    out.push_back({Warning::Kind::at_bound, p.parameter.name, at_bound_text(p)});
  }
  if (!without_effect.empty())
    out.push_back({Warning::Kind::at_bound,
                   "",
                   fmt::format("the output does not depend on {} (length-scales at their upper "
                               "bounds)",
                               fmt::join(without_effect, ", "))});
}

// "rbf#2" of "rbf#2.lengthscale[year]".
std::string kernel_of(const Parameter& p) { return p.name.substr(0, p.name.find('.')); }

void add_noise(const ModelState& state,
               const std::vector<FittedParameter>& parameters,
               std::vector<Warning>& out) {
  std::map<std::string, std::vector<FittedParameter>> scales;  // by kernel
  std::vector<std::string> periodic;
  for (const FittedParameter& p : parameters) {
    if (p.parameter.role == Role::lengthscale) scales[kernel_of(p.parameter)].push_back(p);
    if (p.parameter.role == Role::period) periodic.push_back(kernel_of(p.parameter));
  }
  for (const auto& [kernel, of] : scales) {
    if (std::find(periodic.begin(), periodic.end(), kernel) != periodic.end()) continue;
    if (!is_below_spacing(state.task.data->X, of)) continue;
    const std::string what =
        of.size() == 1
            ? fmt::format("{} = {:.3g} is", of.front().parameter.name, of.front().parameter.value)
            : fmt::format("the length-scales of {} are", kernel);
    out.push_back({Warning::Kind::other,
                   of.size() == 1 ? of.front().parameter.name : "",
                   fmt::format("{} below the spacing of the rows: its term is noise to most of "
                               "them, and tells little of new rows",
                               what)});
  }
}

void add_many_parameters(const ModelState& state, std::vector<Warning>& out) {
  const auto learned = static_cast<Index>(state.task.space.free().size());
  const Index rows = state.task.data->size();
  if (!state.report.optimized || learned <= kFewParameters || rows >= kRowsPerParameter * learned)
    return;
  const std::string instead =
      state.refitted
          ? fmt::format("models that learned again in {} folds have a log density of {:.1f}",
                        state.refitted->folds,
                        state.refitted->total)
          : "refit_folds = 5 judges by models that learn again";
  out.push_back(
      {Warning::Kind::other,
       "",
       fmt::format("{} hyperparameters were learned from {} rows: leave-one-out, which is "
                   "given them, looks better than new rows will; {}",
                   learned,
                   rows,
                   instead)});
}

// Then the likelihood has no end on that side, and learning goes to the bounds.
void add_all_censored(const ModelState& state, std::vector<Warning>& out) {
  const Observations& o = state.task.data->observed;
  if (o.censored.size() == 0 || o.upper.size() > 0) return;
  for (const double side : {1.0, -1.0})
    if ((o.censored.array() == side).all())
      out.push_back({Warning::Kind::other,
                     "",
                     fmt::format("every output is censored on the {}: no row says how {} outputs "
                                 "are, and predictions beyond are those of the prior",
                                 side > 0 ? "right" : "left",
                                 side > 0 ? "large" : "small")});
}

// Rows of the same output say nothing of how outputs differ.
void add_all_equal(const ModelState& state, std::vector<Warning>& out) {
  const Observations& o = state.task.data->observed;
  const auto same = [](const Vector& v) { return v.size() == 0 || (v.array() == v[0]).all(); };
  if (o.y.size() < 2 || !same(o.y) || !same(o.trials) || !same(o.exposure) || o.any_censored())
    return;
  out.push_back({Warning::Kind::other,
                 "",
                 fmt::format("every output is {:.6g}: no row says how outputs differ, and learning "
                             "goes to the bounds",
                             o.y[0])});
}

void add_check(const ModelState& state, std::vector<Warning>& out) {
  if (!state.check) return;
  const EngineCheck& check = *state.check;
  const double worst = std::max(check.mean_rms_sd, check.log_variance_rms);
  if (!(worst > kRoughEngine)) return;
  out.push_back(
      {Warning::Kind::other,
       "",
       fmt::format(
           "the engine {} is off by about {:.2g} posterior standard deviations in the latent "
           "mean, and by {:.2g} in the logarithm of its variance; a higher accuracy, more "
           "inducing points or the engine dense come nearer",
           state.task.engine->options().name,
           check.mean_rms_sd,
           check.log_variance_rms)});
}

void add_broken_down(const ModelState& state, std::vector<Warning>& out) {
  const Vector& cavity = state.posterior.cavity_variance;
  const Index rows = state.task.data->size();
  if (state.is_average() || cavity.size() != rows) return;
  const auto improper = static_cast<std::size_t>((cavity.array() <= 0).count());
  if (!has_broken_down(improper, rows)) return;
  out.push_back(
      {Warning::Kind::inference,
       "",
       fmt::format(
           "{} has broken down: without its own output, {} of {} rows have no Gaussian, and the log "
           "marginal that was learned from is of no use; take ep or kld",
           to_string(state.task.inference.method),
           improper,
           rows)});
}

void add_report(const FitReport& report, std::vector<Warning>& out) {
  if (!report.detail.empty())
    out.push_back({report.interrupted                 ? Warning::Kind::interrupted
                   : !report.inference.detail.empty() ? Warning::Kind::inference
                                                      : Warning::Kind::not_converged,
                   "",
                   report.detail});
  if (report.inference.jitter > 0)
    out.push_back(
        {Warning::Kind::indefinite_kernel,
         "",
         fmt::format(
             "the kernel matrix is numerically indefinite; {:.3g} was added to its diagonal",
             report.inference.jitter)});
}

}  // namespace

std::vector<Warning> collect_warnings(const ModelState& state, std::vector<Warning> notes) {
  std::vector<Warning> out = std::move(notes);
  const GeneralizedGP view(std::shared_ptr<const ModelState>(&state, [](auto*) {}));
  const std::vector<FittedParameter> parameters = view.parameters();
  add_bounds(state, parameters, out);
  if (state.report.optimized) add_noise(state, parameters, out);
  add_many_parameters(state, out);
  add_all_censored(state, out);
  if (state.report.optimized) add_all_equal(state, out);
  add_check(state, out);
  add_broken_down(state, out);
  add_report(state.report, out);
  return out;
}

}  // namespace ggpm::internal
