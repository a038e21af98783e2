// Fitting: the same steps in the same order as `ggpm fit`.
#include <ggpm/choose.hpp>
#include <ggpm/model_formula.hpp>
#include <ggpm/roles.hpp>
#include <ggpm/row_reader.hpp>
#include <utility>

#include "glue.hpp"

namespace ggpm::r {
namespace {

// Text for each option by its name.
void set_options(FitRequest& request, SEXP options) {
  if (Rf_isNull(options)) return;
  const cpp11::strings values(options);
  const cpp11::strings names(values.names());
  for (R_xlen_t i = 0; i < values.size(); ++i)
    set_option(request, std::string(names[i]), std::string(values[i]));
}

std::string joined(const std::vector<std::string>& reasons) {
  std::string out;
  for (const std::string& reason : reasons) out += (out.empty() ? "" : "; ") + reason;
  return out;
}

}  // namespace

Request request_of(const Fields& given) {
  Request out{.fit = {}, .table = table_of(given["columns"], given["source"])};
  FitRequest& fit = out.fit;
  fit.specification.likelihood = "auto";
  set_options(fit, given["options"]);
  ColumnRoles& roles = fit.table.roles;
  roles.target = text(given["target"]);
  roles.trials = text(given["trials"]);
  roles.exposure = text(given["exposure"]);
  roles.offset = text(given["offset"]);
  roles.weight = text(given["weight"]);
  roles.censored = text(given["censored"]);
  roles.upper = text(given["upper"]);
  roles.levels = texts(given["levels"]);
  fit.table.inputs = texts(given["inputs"]);
  if (const std::string kernel = text(given["kernel"]); !kernel.empty())
    fit.specification.kernel = kernel;
  return out;
}

}  // namespace ggpm::r

using namespace ggpm;
using namespace ggpm::r;
using namespace cpp11::literals;

extern "C" SEXP ggpm_formula(SEXP formula) {
  return guarded([&]() -> SEXP {
    const ModelFormula parts = parse_model_formula(text(formula));
    return cpp11::writable::list({"target"_nm = parts.target,
                                  "kernel"_nm = parts.kernel,
                                  "inputs"_nm = words(parts.inputs),
                                  "offset"_nm = parts.offset,
                                  "exposure"_nm = parts.exposure});
  });
}

extern "C" SEXP ggpm_fit(SEXP given, SEXP progress) {
  return guarded([&]() -> SEXP {
    const Fields fields(given);
    Request request = request_of(fields);
    FitRequest& fit = request.fit;
    Specification& specification = fit.specification;
    fit.table.groups = group_columns(specification.kernel);
    TrainingTable training =
        read_training(std::move(request.table), fit.table, given_domain(specification));
    specification.units = training.design.units();

    Listener listener(progress);
    fit.options.interrupted = [&listener] { return listener.interrupted(); };
    fit.options.on_progress = [&listener](const FitProgress& p) {
      listener.tell(std::string(p.stage), p.restart, p.restarts, p.log_marginal, p.seconds);
    };
    Completion done =
        complete_specification(specification, training.data, training.domain, fit.options);
    if (!training.reason.empty()) done.reasons.insert(done.reasons.begin(), training.reason);
    const std::string hash = data_hash(training.data);
    GeneralizedGP model = fit_table(training, done.specification, fit.options);
    listener.rethrow();

    SavedModel saved{.model = std::move(model),
                     .design = training.design,
                     .roles = training.roles,
                     .provenance = {{"data", training.table.source()},
                                    {"data hash", hash},
                                    {"command", text(fields["call"])}}};
    if (!done.reasons.empty()) saved.provenance["choice"] = joined(done.reasons);
    Vector rows(training.table.rows());
    for (Index i = 0; i < rows.size(); ++i)
      rows[i] = static_cast<double>(training.table.row_number(i));
    return cpp11::writable::list({"pointer"_nm = pointer_to(std::move(saved)),
                                  "rows"_nm = numbers(rows),
                                  "notes"_nm = words(training.notes),
                                  "reasons"_nm = words(done.reasons)});
  });
}
