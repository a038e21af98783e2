// The fitted model: what it knows, predictions, files.
#include <cmath>
#include <ggpm/classes.hpp>
#include <ggpm/inference.hpp>
#include <ggpm/report.hpp>
#include <ggpm/summary.hpp>
#include <limits>

#include "glue.hpp"

using namespace ggpm;
using namespace ggpm::r;
using namespace cpp11::literals;

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

SEXP parameters_of(const GeneralizedGP& model) {
  const std::vector<FittedParameter> parameters = model.parameters();
  const auto n = static_cast<Index>(parameters.size());
  std::vector<std::string> names, remarks;
  Vector values(n), errors(n), lower(n), upper(n);
  cpp11::writable::logicals fixed(static_cast<R_xlen_t>(n)), positive(static_cast<R_xlen_t>(n));
  for (Index i = 0; i < n; ++i) {
    const FittedParameter& p = parameters[static_cast<std::size_t>(i)];
    const std::optional<Interval> interval = p.interval();
    names.push_back(p.parameter.name);
    remarks.push_back(p.remark());
    values[i] = p.parameter.value;
    errors[i] = p.standard_error.value_or(kUnknown);
    lower[i] = interval ? interval->lower : kUnknown;
    upper[i] = interval ? interval->upper : kUnknown;
    fixed[i] = p.parameter.fixed;
    positive[i] = p.parameter.positive;
  }
  return cpp11::writable::list({"name"_nm = words(names),
                                "estimate"_nm = numbers(values),
                                "std.error"_nm = numbers(errors),
                                "conf.low"_nm = numbers(lower),
                                "conf.high"_nm = numbers(upper),
                                "fixed"_nm = fixed,
                                "positive"_nm = positive,
                                "remark"_nm = words(remarks)});
}

SEXP roles_of(const ColumnRoles& roles) {
  return cpp11::writable::list({"target"_nm = roles.target,
                                "trials"_nm = roles.trials,
                                "exposure"_nm = roles.exposure,
                                "offset"_nm = roles.offset,
                                "weight"_nm = roles.weight,
                                "censored"_nm = roles.censored,
                                "upper"_nm = roles.upper,
                                "levels"_nm = words(roles.levels)});
}

std::vector<std::string> unseen_levels(const SavedModel& saved, const Table& table) {
  NewLevels unseen;
  if (saved.design && !saved.design->text_column_names().empty())
    (void)saved.design->apply(table, &unseen);
  return notes_of(unseen);
}

Drawn drawn_of(const std::string& word) {
  if (word == "latent") return Drawn::latent;
  return word == "mean" ? Drawn::mean : Drawn::outcome;
}

ReportPage page_of(SEXP model, SEXP columns, SEXP source) {
  const SavedModel& saved = model_of(model);
  std::optional<Dataset> data;
  if (!Rf_isNull(columns)) data = rows_of(saved, columns, source);
  return fit_report(saved, data);
}

}  // namespace

// ---- Files

extern "C" SEXP ggpm_is_loaded(SEXP pointer) {
  return Rf_ScalarLogical(TYPEOF(pointer) == EXTPTRSXP && R_ExternalPtrAddr(pointer) != nullptr);
}

extern "C" SEXP ggpm_to_bytes(SEXP model) {
  return guarded([&]() -> SEXP {
    const std::string bytes = to_bytes(model_of(model));
    cpp11::writable::raws out(static_cast<R_xlen_t>(bytes.size()));
    std::copy(bytes.begin(), bytes.end(), RAW(out));
    return out;
  });
}

extern "C" SEXP ggpm_from_bytes(SEXP bytes) {
  return guarded([&] {
    const cpp11::raws raw(bytes);
    return pointer_to(from_bytes(
        {reinterpret_cast<const char*>(RAW(raw)), static_cast<std::size_t>(raw.size())}));
  });
}

extern "C" SEXP ggpm_save(SEXP model, SEXP path) {
  return guarded([&] {
    save_model(model_of(model), text(path));
    return R_NilValue;
  });
}

extern "C" SEXP ggpm_load(SEXP path) {
  return guarded([&] { return pointer_to(load_model(text(path))); });
}

// ---- What it knows

extern "C" SEXP ggpm_information(SEXP pointer) {
  return guarded([&]() -> SEXP {
    const SavedModel& saved = model_of(pointer);
    const GeneralizedGP& m = saved.model;
    const FitReport& report = m.report();
    std::vector<std::string> warnings;
    for (const Warning& warning : m.warnings()) warnings.push_back(warning.text);
    const Observations& observed = m.observations();
    return cpp11::writable::list(
        {"likelihood"_nm = m.likelihood().labels().front().second,
         "link"_nm = m.likelihood().link(),
         "domain"_nm = std::string(to_string(m.domain())),
         "classes"_nm = m.likelihood().levels(),
         "latent_of_each"_nm = has_several_latents(m.likelihood()),
         "inference"_nm = std::string(to_string(m.inference())),
         "engine"_nm = m.engine().name,
         "kernel"_nm = m.kernel().text(),
         "mean"_nm = m.mean().text(),
         "rows"_nm = static_cast<int>(m.rows()),
         "columns"_nm = words(m.columns()),
         "needed"_nm = words(saved.design ? saved.design->column_names() : m.columns()),
         "roles"_nm = roles_of(saved.roles),
         "parameters"_nm = parameters_of(m),
         "log_marginal"_nm = m.log_marginal(),
         "converged"_nm = report.converged,
         "evaluations"_nm = report.evaluations,
         "seconds"_nm = m.seconds(),
         "warnings"_nm = words(warnings),
         "y"_nm = numbers(observed.y),
         "trials"_nm = numbers(observed.trials),
         "exposure"_nm = numbers(observed.exposure),
         "offset"_nm = numbers(observed.offset),
         "censored"_nm = numbers(observed.censored),
         "upper"_nm = numbers(observed.upper)});
  });
}

extern "C" SEXP ggpm_summary(SEXP pointer) {
  return guarded([&]() -> SEXP {
    const SavedModel& saved = model_of(pointer);
    std::optional<LeaveOneOutScores> loo;
    try {
      loo = saved.model.loo();
    } catch (const NumericalError&) {  // what is known without it is still worth reading
    }
    return words({summary_text(saved, loo)});
  });
}

extern "C" SEXP ggpm_coefficients(SEXP pointer, SEXP level) {
  return guarded([&]() -> SEXP {
    const std::vector<Coefficient> all =
        compute_coefficients(model_of(pointer), cpp11::as_cpp<double>(level));
    std::vector<std::string> terms, inputs;
    Matrix values(static_cast<Index>(all.size()), 4);
    for (const Coefficient& c : all) {
      const auto row = static_cast<Index>(terms.size());
      terms.push_back(c.term);
      inputs.push_back(c.input);
      values.row(row) << c.estimate, c.standard_error, c.lower, c.upper;
    }
    return cpp11::writable::list({"term"_nm = words(terms),
                                  "input"_nm = words(inputs),
                                  "estimate"_nm = numbers(Vector(values.col(0))),
                                  "std.error"_nm = numbers(Vector(values.col(1))),
                                  "conf.low"_nm = numbers(Vector(values.col(2))),
                                  "conf.high"_nm = numbers(Vector(values.col(3)))});
  });
}

extern "C" SEXP ggpm_loo(SEXP pointer, SEXP seed) {
  return guarded([&]() -> SEXP {
    const LeaveOneOutScores loo = model_of(pointer).model.loo();
    return cpp11::writable::list({"log_density"_nm = numbers(loo.log_density),
                                  "pit"_nm = numbers(loo.pit(seed_of(seed))),
                                  "total"_nm = loo.total,
                                  "standard_error"_nm = loo.standard_error,
                                  "improper"_nm = static_cast<int>(loo.improper.size())});
  });
}

// ---- Predictions

// Those of `wanted`: a named list.
extern "C" SEXP ggpm_predict(
    SEXP pointer, SEXP columns, SEXP source, SEXP wanted, SEXP probabilities, SEXP threads) {
  return guarded([&]() -> SEXP {
    const SavedModel& saved = model_of(pointer);
    const Dataset rows = rows_of(saved, columns, source);
    const Predictions predictions = saved.model.predictive(rows, cpp11::as_cpp<int>(threads));
    const Vector p = vector_of(probabilities);
    const std::vector<double> levels(p.begin(), p.end());
    cpp11::writable::list out;
    const auto put = [&out](const std::string& name, SEXP value) {
      out.push_back(cpp11::named_arg(name.c_str()) = value);
    };
    for (const std::string& name : texts(wanted)) {
      if (name == "mean") put(name, numbers(predictions.mean()));
      if (name == "sd") put(name, numbers(Vector(predictions.variance().cwiseSqrt())));
      if (name == "mode") put(name, numbers(predictions.mode()));
      if (name == "latent_mean") put(name, numbers(predictions.latent_mean()));
      if (name == "latent_sd")
        put(name, numbers(Vector(predictions.latent_variance().cwiseSqrt())));
      if (name == "class_means") put(name, numbers(predictions.class_means()));
      if (name == "class_sds")
        put(name, numbers(Matrix(predictions.class_variances().cwiseSqrt())));
      if (name == "probabilities") put(name, numbers(predictions.level_probabilities()));
      if (name == "quantiles") put(name, numbers(predictions.quantiles(levels)));
      if (name == "mean_quantiles") put(name, numbers(predictions.mean_quantiles(levels)));
      if (name == "log_density" && rows.observed.y.size() > 0)
        put(name, numbers(predictions.log_density(rows.observed.y)));
      if (name == "log_density_at")  // of each of the given outputs
        for (const double y : levels)
          put(name, numbers(predictions.log_density(Vector::Constant(rows.size(), y))));
      if (name == "cdf_at")
        for (const double y : levels)
          put(name, numbers(predictions.cdf(Vector::Constant(rows.size(), y))));
      if (name == "offset") put(name, numbers(rows.observed.offset));
      if (name == "exposure") put(name, numbers(rows.observed.exposure));
      if (name == "notes" && !Rf_isNull(columns))
        put(name, words(unseen_levels(saved, table_of(columns, source))));
    }
    return out;
  });
}

extern "C" SEXP ggpm_terms(SEXP pointer, SEXP columns, SEXP source) {
  return guarded([&]() -> SEXP {
    const SavedModel& saved = model_of(pointer);
    cpp11::writable::list means, sds;
    for (const TermPrediction& term : saved.model.terms(rows_of(saved, columns, source))) {
      means.push_back(cpp11::named_arg(term.name.c_str()) = numbers(term.mean));
      sds.push_back(cpp11::named_arg(term.name.c_str()) =
                        numbers(Vector(term.variance.cwiseSqrt())));
    }
    return cpp11::writable::list({"mean"_nm = means, "sd"_nm = sds});
  });
}

extern "C" SEXP ggpm_draw(
    SEXP pointer, SEXP columns, SEXP source, SEXP count, SEXP seed, SEXP what) {
  return guarded([&]() -> SEXP {
    const SavedModel& saved = model_of(pointer);
    return numbers(saved.model.draw(rows_of(saved, columns, source),
                                    cpp11::as_cpp<int>(count),
                                    seed_of(seed),
                                    drawn_of(text(what))));
  });
}

// Outputs of each row by itself.
extern "C" SEXP ggpm_sample(SEXP pointer, SEXP columns, SEXP source, SEXP count, SEXP seed) {
  return guarded([&]() -> SEXP {
    const SavedModel& saved = model_of(pointer);
    return numbers(saved.model.predictive(rows_of(saved, columns, source))
                       .sample(cpp11::as_cpp<int>(count), seed_of(seed)));
  });
}

extern "C" SEXP ggpm_report(SEXP pointer, SEXP columns, SEXP source) {
  return guarded([&]() -> SEXP { return words({page_of(pointer, columns, source).html()}); });
}
