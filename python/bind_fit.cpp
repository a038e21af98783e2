// Fitting, with progress and interrupts.
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bind.hpp"
#include "ggpm/choose.hpp"
#include "ggpm/likelihood.hpp"
#include "ggpm/roles.hpp"

namespace ggpm::bind {
namespace {

// Called while the GIL is released. A Python exception, Ctrl-C among them, waits here until the fit
// has come to its end.
class Listener {
 public:
  Listener(FitOptions& options, const py::object& progress) {
    if (!progress.is_none()) {
      options.on_progress = [this, progress = progress.ptr()](const FitProgress& p) {
        const py::gil_scoped_acquire gil;
        guarded([&] {
          py::reinterpret_borrow<py::object>(progress)(
              std::string(p.stage), p.restart, p.restarts, p.evaluation, p.log_marginal, p.seconds);
        });
      };
    }
    options.interrupted = [this] {
      const py::gil_scoped_acquire gil;
      guarded([] {
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      });
      return pending_ != nullptr;
    };
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  void rethrow() const {
    if (pending_) std::rethrow_exception(pending_);
  }

 private:
  template <class Call>
  void guarded(Call call) {
    if (pending_) return;
    try {
      call();
    } catch (const py::error_already_set&) {
      pending_ = std::current_exception();
    }
  }

  std::exception_ptr pending_;
};

// What was left open is chosen, as the command does; the reasons as one line.
std::string make_choices(Specification& specification,
                         const OpenChoices& open,
                         const Dataset& data,
                         const Understood& outputs,
                         const FitOptions& options) {
  Completion done = complete_specification(specification, open, data, outputs.domain, options);
  specification = std::move(done.specification);
  std::string text = outputs.reason;
  for (const std::string& reason : done.reasons) text += (text.empty() ? "" : "; ") + reason;
  return text;
}

// The domain of a likelihood that was named; none: it is to be chosen by the outputs.
std::optional<Domain> given_domain(const Specification& specification, const OpenChoices& open) {
  if (open.likelihood && !is_warped(specification)) return std::nullopt;
  return make_likelihood(open.likelihood ? Specification{.warp = specification.warp}
                                         : specification)
      ->domain();
}

SavedModel fit(const Table& table,
               const Observations& given,
               bool squeeze,
               Specification specification,
               const OpenChoices& open,
               FitOptions options,
               bool standardize,
               ColumnRoles roles,
               std::map<std::string, std::string> provenance,
               const py::object& progress) {
  Listener listener(options, progress);
  std::optional<SavedModel> saved;
  {
    const py::gil_scoped_release no_gil;
    Observations observed = with_columns(given, table, roles);
    const Understood outputs =
        understand(observed, roles, given_domain(specification, open), squeeze);
    Design design =
        Design::learn(table, {.exclude = roles.needed_names(), .standardize = standardize});
    Dataset data{
        .X = design.apply(table), .observed = std::move(observed), .columns = design.names()};
    try {
      const std::string choice = make_choices(specification, open, data, outputs, options);
      if (!choice.empty()) provenance["choice"] = choice;
      saved = SavedModel{.model = GeneralizedGP::fit(std::move(data), specification, options),
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
             py::arg("squeeze"),
             py::arg("specification"),
             py::arg("open"),
             py::arg("options"),
             py::arg("standardize"),
             py::arg("roles"),
             py::arg("provenance"),
             py::arg("progress"));
  module.def(
      "fit_memory",
      [](Index rows, Index inputs, const FitOptions& options) {
        return fit_memory(rows, inputs, options);
      },
      py::arg("rows"),
      py::arg("inputs"),
      py::arg("options"));
}

}  // namespace ggpm::bind
