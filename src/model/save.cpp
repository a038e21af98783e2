// The model file, written.
#include <nlohmann/json.hpp>

#include "data/atomic_file.hpp"
#include "ggpm/version.hpp"
#include "model/file_format.hpp"
#include "model/model_file.hpp"
#include "model/state.hpp"

namespace ggpm {
namespace file {

std::vector<Shape> shapes(const Sizes& s) {
  const Index n = s.rows, p = s.parameters;
  return {{"X", n, s.inputs},
          {"y", n, 1},
          {"trials", s.trials ? n : 0, 1},
          {"exposure", s.exposure ? n : 0, 1},
          {"offset", s.offset ? n : 0, 1},
          {"hyperparameter", p, 1},
          {"gradient", p, 1},
          {"lower", p, 1},
          {"upper", p, 1},
          {"start", p, 1},
          {"prior", p, 3},
          {"optimum", s.optima, p + 1},
          {"precision", n, 1},
          {"shift", n, 1},
          {"prior_mean", n, 1},
          {"alpha", n, 1},
          {"mean", n, 1},
          {"variance", n, 1},
          {"cavity_mean", n, 1},
          {"cavity_variance", n, 1},
          {"design", s.design, 2},
          {"scalars", scalar_count, 1}};
}

}  // namespace file

namespace {

using Json = nlohmann::json;
using file::Array;

template <class Field>
bool any_other_than_one(const std::vector<Row>& rows, Field field) {
  for (const Row& row : rows)
    if (row.*field != 1) return true;
  return false;
}

template <class Field>
Matrix column(const std::vector<Row>& rows, Field field) {
  Matrix out(static_cast<Index>(rows.size()), 1);
  for (Index i = 0; i < out.rows(); ++i) out(i, 0) = rows[static_cast<std::size_t>(i)].*field;
  return out;
}

Matrix scalars(const detail::ModelState& s) {
  Matrix out(file::scalar_count, 1);
  out(file::log_marginal, 0) = s.log_marginal;
  out(file::dispersion, 0) = s.specification.likelihood_options.dispersion;
  out(file::df, 0) = s.specification.likelihood_options.df;
  out(file::expansion_offset, 0) = s.specification.expansion.offset;
  out(file::jitter, 0) = s.posterior.jitter;
  out(file::residual, 0) = s.report.inference.residual;
  out(file::inference_tolerance, 0) = s.task.inference.tolerance;
  out(file::warp_center, 0) = s.task.parts.warp.center();
  out(file::warp_scale, 0) = s.task.parts.warp.scale();
  return out;
}

std::vector<Array> arrays_of(const SavedModel& saved) {
  const detail::ModelState& s = saved.model.state();
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
  const Matrix none(0, 1);
  const Posterior& q = s.posterior;
  return {
      {"X", s.task.data->X},
      {"y", column(s.rows, &Row::y)},
      {"trials", any_other_than_one(s.rows, &Row::trials) ? column(s.rows, &Row::trials) : none},
      {"exposure",
       any_other_than_one(s.rows, &Row::exposure) ? column(s.rows, &Row::exposure) : none},
      {"offset", s.offset.size() != 0 ? Matrix(s.offset) : none},
      {"hyperparameter", s.at.flat()},
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
      {"scalars", scalars(s)}};
}

Json specification_of(const Specification& s) {
  return {{"likelihood", s.likelihood},
          {"link", s.link},
          {"learn_df", s.likelihood_options.learn_df},
          {"formula", s.formula},
          {"kernel", s.kernel},
          {"mean", s.mean},
          {"inference", std::string(to_string(s.inference))},
          {"expansion", static_cast<int>(s.expansion.point)},
          {"warp", s.warp}};
}

Json report_of(const FitReport& r) {
  return {{"converged", r.converged},
          {"optimized", r.optimized},
          {"interrupted", r.interrupted},
          {"evaluations", r.evaluations},
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
  const detail::ModelState& s = saved.model.state();
  Json header;
  header["specification"] = specification_of(s.specification);
  header["columns"] = s.columns;
  header["report"] = report_of(s.report);
  header["warnings"] = warnings_of(s.warnings);
  header["seed"] = s.seed;
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
      design.push_back({{"name", c.name}, {"levels", c.levels}});
  header["has_design"] = saved.design.has_value();
  header["design"] = std::move(design);
  header["roles"] = {{"target", saved.roles.target},
                     {"trials", saved.roles.trials},
                     {"exposure", saved.roles.exposure},
                     {"offset", saved.roles.offset},
                     {"squeeze", saved.roles.squeeze},
                     {"fractions", saved.roles.fractions},
                     {"levels", saved.roles.levels}};
  std::map<std::string, std::string> provenance = saved.provenance;
  provenance.try_emplace("version", std::string(version()));
  header["provenance"] = provenance;
  return header;
}

}  // namespace

std::string to_bytes(const SavedModel& model) {
  return file::write(header_of(model), arrays_of(model));
}

void save_model(const SavedModel& model, const std::string& path) {
  write_file_atomically(path, to_bytes(model));
}

}  // namespace ggpm
