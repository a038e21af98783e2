// The model file, written.
#include <nlohmann/json.hpp>

#include "ggpm/atomic_file.hpp"
#include "ggpm/version.hpp"
#include "model/average_file.hpp"
#include "model/file_format.hpp"
#include "model/model_file.hpp"
#include "model/state.hpp"
#include "parallel/ranks.hpp"

namespace ggpm {

using namespace internal;

namespace {

using Json = nlohmann::json;

// In the order of file::kScalars. A likelihood without constants has those of no warp.
Matrix scalars(const internal::ModelState& s) {
  std::vector<double> constants = s.task.parts.likelihood->constants();
  if (constants.empty()) constants = {0, 1};
  Vector out(static_cast<Index>(file::kScalars.size()));
  out << s.log_marginal, s.specification.likelihood_options.dispersion,
      s.specification.likelihood_options.df, s.specification.expansion.offset, s.posterior.jitter,
      s.report.inference.residual, s.task.inference.tolerance, constants[0], constants[1];
  return out;
}

// What is trivial is left out. "upper" is the name of bounds: ends of intervals are "upper_end".
void add_rows(const internal::ModelState& s, NamedArrays& out) {
  out.push_back({"X", s.task.data->X});
  for (const ObservationField& field : kObservationFields)
    if (const Vector& values = s.given.*field.values; values.size() != 0)
      out.push_back({file::array_name(field), values});
}

// What only some models have.
void add_extras(const internal::ModelState& s, NamedArrays& out) {
  const std::vector<double>& units = s.specification.units;
  if (!units.empty())
    out.push_back({"units", Eigen::Map<const Vector>(units.data(), std::ssize(units))});
  if (s.standard_errors) out.push_back({"standard_error", s.standard_errors->flat()});
  if (s.refitted) out.push_back({"refitted", s.refitted->log_density});
  for (NamedArray& array : average_arrays(s)) out.push_back(std::move(array));
  if (s.check)
    out.push_back(
        {"engine_check",
         Eigen::Vector3d(double(s.check->rows), s.check->mean_rms_sd, s.check->log_variance_rms)});
}

NamedArrays arrays_of(const SavedModel& saved) {
  const internal::ModelState& s = saved.model.state();
  const ParameterSpace& space = s.task.space;
  const Index p = space.size();
  Matrix lower(p, 1), upper(p, 1), start(p, 1), prior(p, 3);
  for (Index i = 0; i < p; ++i) {
    lower(i, 0) = space[i].lower;
    upper(i, 0) = space[i].upper;
    start(i, 0) = space[i].value;
    prior.row(i) << static_cast<double>(space.prior(i).kind), space.prior(i).a, space.prior(i).b;
  }
  Matrix optimum(static_cast<Index>(s.optima.size()), p + 1);
  for (Index i = 0; i < optimum.rows(); ++i) {
    const Optimum& o = s.optima[static_cast<std::size_t>(i)];
    optimum.row(i) << o.log_marginal, o.at.flat().transpose();
  }
  Matrix design(0, 2);
  if (saved.design) {
    const auto& columns = saved.design->columns();
    design.resize(static_cast<Index>(columns.size()), 2);
    for (Index i = 0; i < design.rows(); ++i)
      design.row(i) << columns[static_cast<std::size_t>(i)].center,
          columns[static_cast<std::size_t>(i)].scale;
  }
  const Posterior& q = s.posterior;
  NamedArrays out;
  add_rows(s, out);
  add_extras(s, out);
  for (NamedArray& array : NamedArrays{{"hyperparameter", s.at.flat()},
                                       {"gradient", s.gradient.flat()},
                                       {"lower", lower},
                                       {"upper", upper},
                                       {"start", start},
                                       {"prior", prior},
                                       {"optimum", optimum},
                                       {"precision", q.sites.precision},
                                       {"shift", q.sites.shift},
                                       {"prior_mean", q.prior_mean},
                                       {"alpha", q.alpha},
                                       {"mean", q.mean},
                                       {"variance", q.variance},
                                       {"cavity_mean", q.cavity_mean},
                                       {"cavity_variance", q.cavity_variance},
                                       {"design", design},
                                       {"scalars", scalars(s)}})
    out.push_back(std::move(array));
  for (NamedArray& array : s.task.engine->arrays())
    out.push_back({std::string(file::kEnginePrefix) + array.name, std::move(array.values)});
  return out;
}

Json engine_of(const EngineOptions& options) {
  return {{"name", options.name},
          {"accuracy", std::string(to_string(options.accuracy))},
          {"inducing", static_cast<std::uint64_t>(options.inducing)}};
}

Json specification_of(const Specification& s) {
  return {{"likelihood", s.likelihood},
          {"link", s.link},
          {"learn_df", s.likelihood_options.learn_df},
          {"formula", s.formula},
          {"kernel", s.kernel},
          {"mean", s.mean},
          {"inference", std::string(to_string(s.inference.value()))},
          {"expansion", static_cast<int>(s.expansion.point)},
          {"warp", s.warp},
          {"engine", engine_of(s.engine)}};
}

Json report_of(const FitReport& r) {
  return {{"converged", r.converged},
          {"optimized", r.optimized},
          {"interrupted", r.interrupted},
          {"evaluations", r.evaluations},
          {"learned_rows", r.learned_rows},
          {"detail", r.detail},
          {"outcome", static_cast<int>(r.inference.outcome)},
          {"iterations", r.inference.iterations},
          {"factorizations", r.inference.factorizations},
          {"fallbacks", r.inference.fallbacks},
          {"inference_detail", r.inference.detail}};
}

Json warnings_of(const std::vector<Warning>& warnings) {
  Json out = Json::array();
  for (const Warning& w : warnings)
    out.push_back(
        {{"kind", std::string(to_string(w.kind))}, {"parameter", w.parameter}, {"text", w.text}});
  return out;
}

Json header_of(const SavedModel& saved) {
  const internal::ModelState& s = saved.model.state();
  Json header;
  header["specification"] = specification_of(s.specification);
  header["engine"] = engine_of(s.task.engine->options());
  header["scalars"] = file::kScalars;
  header["columns"] = s.task.data->columns;
  header["report"] = report_of(s.report);
  header["warnings"] = warnings_of(s.warnings);
  header["seed"] = s.seed;
  if (s.refitted) header["refit_folds"] = s.refitted->folds;
  if (s.specification.inference == InferenceMethod::mcmc)
    header["learned_with"] = std::string(to_string(s.task.inference.method));
  if (s.sampled) header["chains"] = s.sampled->chains;
  header["max_iterations"] = s.task.inference.max_iterations;
  Json fixed = Json::array(), optima = Json::array();
  for (const Parameter& p : s.task.space.parameters()) fixed.push_back(p.fixed);
  for (const Optimum& o : s.optima)
    optima.push_back({{"inference", std::string(to_string(o.method))},
                      {"converged", o.converged},
                      {"evaluations", o.evaluations}});
  header["fixed"] = std::move(fixed);
  header["optima"] = std::move(optima);
  Json design = Json::array();
  if (saved.design)
    for (const DesignColumn& c : saved.design->columns())
      design.push_back({{"name", c.name},
                        {"levels", c.levels},
                        {"coded", c.coded},
                        {"open", c.open},
                        {"is_date", c.is_date}});
  header["has_design"] = saved.design.has_value();
  header["design"] = std::move(design);
  header["roles"] = {{"target", saved.roles.target},
                     {"trials", saved.roles.trials},
                     {"exposure", saved.roles.exposure},
                     {"offset", saved.roles.offset},
                     {"squeeze", saved.roles.squeeze > 0},
                     {"fractions", saved.roles.fractions},
                     {"levels", saved.roles.levels}};
  for (const auto& [name, column] : {std::pair{"weight", &saved.roles.weight},
                                     std::pair{"censored", &saved.roles.censored},
                                     std::pair{"upper", &saved.roles.upper}})
    if (!column->empty()) header["roles"][name] = *column;
  std::map<std::string, std::string> provenance = saved.provenance;
  provenance.try_emplace("version", std::string(version()));
  header["provenance"] = provenance;
  return header;
}

}  // namespace

std::string to_bytes(const SavedModel& model) {
  return file::bytes_of(header_of(model), arrays_of(model));
}

void save_model(const SavedModel& model, const std::string& path) {
  if (writes_nothing()) return;
  AtomicFile file(path);
  file::write(
      header_of(model), arrays_of(model), [&](std::string_view bytes) { file.write(bytes); });
  file.commit();
}

}  // namespace ggpm
