// Fitting, with progress and interrupts.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bind.hpp"
#include "ggpm/choose.hpp"
#include "ggpm/options.hpp"
#include "ggpm/roles.hpp"
#include "ggpm/sphere.hpp"

namespace ggpm::bind {
bool Listener::interrupted() {
  tell([] {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  });
  return pending_ != nullptr;
}

namespace {

void listen(FitOptions& options, Listener& listener, const py::object& progress) {
  options.interrupted = [&listener] { return listener.interrupted(); };
  if (progress.is_none()) return;
  options.on_progress = [&listener, progress = progress.ptr()](const FitProgress& p) {
    listener.tell([&] {
      py::reinterpret_borrow<py::object>(progress)(
          std::string(p.stage), p.restart, p.restarts, p.evaluation, p.log_marginal, p.seconds);
    });
  };
}

// What was left open is chosen, as the command does; the reasons as one line.
std::string make_choices(FitRequest& request, const Dataset& data, const Understood& outputs) {
  Completion done =
      complete_specification(request.specification, data, outputs.domain, request.options);
  request.specification = std::move(done.specification);
  std::string text = outputs.reason;
  for (const std::string& reason : done.reasons) text += (text.empty() ? "" : "; ") + reason;
  return text;
}

SavedModel fit(Table table,
               const Observations& given,
               FitRequest request,
               ColumnRoles roles,
               std::map<std::string, std::string> provenance,
               const py::object& progress) {
  Listener listener;
  listen(request.options, listener, progress);
  std::optional<SavedModel> saved;
  {
    const py::gil_scoped_release no_gil;
    Observations observed = with_columns(given, table, roles);
    drop_weightless(table, observed);
    const Understood outputs =
        understand(observed, roles, given_domain(request.specification), request.table.squeeze);
    request.table.groups = group_columns(request.specification.kernel);
    request.table.degrees = sphere_columns(request.specification.kernel);
    Design design = learn_design(table, request.table, roles.needed_names());
    request.specification.units = design.units();
    Dataset data = make_dataset(table, design, std::move(observed));
    try {
      const std::string choice = make_choices(request, data, outputs);
      if (!choice.empty()) provenance["choice"] = choice;
      saved = SavedModel{
          .model = GeneralizedGP::fit(std::move(data), request.specification, request.options),
          .design = std::move(design),
          .roles = std::move(roles),
          .provenance = std::move(provenance)};
    } catch (...) {
      listener.rethrow();
      throw;
    }
  }
  listener.rethrow();
  return std::move(*saved);
}

}  // namespace

void add_fit(py::module_& module) {
  module.def("fit",
             &fit,
             py::arg("table"),
             py::arg("observed"),
             py::arg("request"),
             py::arg("roles"),
             py::arg("provenance"),
             py::arg("progress"));
}

}  // namespace ggpm::bind
