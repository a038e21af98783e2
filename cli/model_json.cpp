#include "cli/model_json.hpp"

#include <cmath>

#include "cli/output.hpp"
#include "ggpm/classes.hpp"
#include "ggpm/engine_report.hpp"
#include "ggpm/version.hpp"

namespace ggpm::cli {

Json numbers(const Vector& values) { return std::vector<double>(values.begin(), values.end()); }

namespace {

// "rbf.lengthscale[2]" goes to the list "rbf.lengthscale".
void put(Json& group, const Parameter& parameter, double value) {
  if (parameter.list.empty())
    group[parameter.name] = value;
  else
    group[parameter.list].push_back(value);
}

Json loo_json(const LeaveOneOutScores& loo) {
  return {{"log_density", loo.total},
          {"standard_error", loo.standard_error},
          {"improper_rows", loo.improper.size()},
          {"pit", pit_json(summarize_pit(loo.pit()))}};
}

// By name, with units of the columns: what a person reads of them.
Json parameters_json(const GeneralizedGP& model) {
  Json out = Json::array();
  for (const FittedParameter& p : model.parameters()) {
    Json entry = {{"name", p.parameter.name}, {"value", p.parameter.value}};
    const std::optional<Interval> interval = p.interval();
    entry["interval"] = interval ? Json({interval->lower, interval->upper}) : Json();
    entry["remark"] = p.remark();
    out.push_back(std::move(entry));
  }
  return out;
}

Json refitted_json(const std::optional<RefittedScores>& scores) {
  if (!scores) return nullptr;
  return {{"folds", scores->folds},
          {"log_density", scores->total},
          {"standard_error", scores->standard_error}};
}

Json optima_json(const GeneralizedGP& model) {
  Json optima = Json::array();
  for (const Optimum& optimum : model.optima())
    optima.push_back({{"log_marginal", optimum.log_marginal},
                      {"hyperparameters", hyperparameters_json(model, optimum.at)},
                      {"inference", to_string(optimum.method)},
                      {"converged", optimum.converged},
                      {"evaluations", optimum.evaluations}});
  return optima;
}

constexpr Index kFewRows = 100'000;

// One list, or of several classes one for each.
Json latent_json(const GeneralizedGP& model, const Vector& values) {
  const Index n = model.rows();
  if (values.size() == n && !has_several_latents(model.likelihood())) return numbers(values);
  Json out = Json::array();
  for (Index first = 0; first < values.size(); first += n)
    out.push_back(numbers(values.segment(first, n)));
  return out;
}

Json engine_json(const GeneralizedGP& model) {
  const EngineSummary engine = model.engine();
  Json check;
  if (const std::optional<EngineCheck> found = engine_check(model))
    check = {{"mean_rms_sd", found->mean_rms_sd}, {"log_variance_rms", found->log_variance_rms}};
  return {{"name", engine.name},
          {"accuracy", to_string(engine.accuracy)},
          {"inducing", engine.inducing},
          {"check", check}};
}

Json columns_json(const SavedModel& saved) {
  Json columns = {{"inputs", saved.model.columns()}};
  const auto put_name = [&](const char* part, const std::string& name) {
    if (!name.empty()) columns[part] = name;
  };
  put_name("target", saved.roles.target);
  put_name("trials", saved.roles.trials);
  put_name("exposure", saved.roles.exposure);
  put_name("offset", saved.roles.offset);
  return columns;
}

}  // namespace

Json hyperparameters_json(const GeneralizedGP& model, const Hyperparameters& values) {
  Json out = {{"kernel", Json::object()}, {"mean", Json::object()}, {"dispersion", nullptr}};
  const Hyperparameters& shape = model.hyperparameters();
  const Vector flat = values.flat();
  if (flat.size() != shape.size()) return nullptr;
  const std::vector<FittedParameter> parameters = model.parameters();
  const Index kernel = shape.kernel.size(), mean = kernel + shape.mean.size();
  for (Index i = 0; i < flat.size(); ++i) {
    const Parameter& parameter = parameters[static_cast<std::size_t>(i)].parameter;
    if (i < kernel)
      put(out["kernel"], parameter, flat(i));
    else if (i < mean)
      put(out["mean"], parameter, flat(i));
    else  // of the likelihood: a list of its own kind, "warp.a", goes to a group of that kind
      put(parameter.role == Role::warp ? out["warp"] : out, parameter, flat(i));
  }
  return out;
}

Json pit_json(const PitSummary& pit) {
  return {{"mean", pit.mean},
          {"variance", pit.variance},
          {"distance", pit.distance},
          {"p_value", pit.p_value},
          {"histogram", pit.histogram}};
}

std::optional<LeaveOneOutScores> loo_of(const GeneralizedGP& model) {
  try {
    return model.loo();
  } catch (const NumericalError& error) {
    warn(error.what());
    return std::nullopt;
  }
}

namespace {

Json integrated_json(const GeneralizedGP& model, const IntegratedHyperparameters& integrated) {
  Json points = Json::array();
  for (const HyperparameterPoint& point : integrated.points)
    points.push_back({{"weight", point.weight},
                      {"log_marginal", point.log_marginal},
                      {"hyperparameters", hyperparameters_json(model, point.at)}});
  return {{"log_evidence", integrated.log_evidence}, {"points", std::move(points)}};
}

}  // namespace

Json model_json(const SavedModel& saved,
                const std::optional<LeaveOneOutScores>& loo,
                Latents latents) {
  const GeneralizedGP& model = saved.model;
  const FitReport& report = model.report();
  Json out;
  for (const auto& [what, name] : model.likelihood().labels()) out[what] = name;
  out["inference"] = to_string(model.inference());
  out["n"] = model.rows();
  out["d"] = model.dimensions();
  out["log_marginal"] = model.log_marginal();
  out["converged"] = report.converged;
  out["interrupted"] = report.interrupted;
  out["optimized"] = report.optimized;
  out["iterations"] = report.inference.iterations;
  out["evaluations"] = report.evaluations;
  out["learned_rows"] = report.learned_rows;
  out["fallbacks"] = report.inference.fallbacks;
  out["kernel"] = model.kernel().text();
  out["mean"] = model.mean().text();
  out["hyperparameters"] = hyperparameters_json(model, model.hyperparameters());
  out["gradient"] = hyperparameters_json(model, model.gradient());
  out["parameters"] = parameters_json(model);
  out["standard_errors"] =
      model.standard_errors() ? hyperparameters_json(model, *model.standard_errors()) : Json();
  out["latent"] = nullptr;
  if (latents == Latents::all || model.rows() <= kFewRows)
    out["latent"] = {{"mean", latent_json(model, model.latent_mean())},
                     {"variance", latent_json(model, model.latent_variance())}};
  out["loo"] = loo ? loo_json(*loo) : Json();
  out["refitted"] = refitted_json(model.refitted());
  out["optima"] = optima_json(model);
  if (const auto integrated = model.integrated())
    out["integrated"] = integrated_json(model, *integrated);
  if (const auto& sampled = model.sampled())
    out["sampled"] = {{"chains", sampled->chains},
                      {"draws", sampled->draws.cols()},
                      {"r_hat", sampled->r_hat},
                      {"ess", sampled->ess},
                      {"log_marginal_error", sampled->log_marginal_error}};
  out["engine"] = engine_json(model);
  out["columns"] = columns_json(saved);
  out["warnings"] = Json::array();
  for (const Warning& warning : model.warnings()) out["warnings"].push_back(warning.text);
  out["seed"] = model.seed();
  out["version"] = version();
  out["seconds"] = model.seconds();
  return out;
}

}  // namespace ggpm::cli
