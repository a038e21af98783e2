// Fitting, with progress and interrupts.
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bind.hpp"
#include "ggpm/choose.hpp"
#include "ggpm/likelihood.hpp"

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

std::vector<Row> observed_rows(const VectorIn& y,
                               const std::optional<VectorIn>& trials,
                               const std::optional<VectorIn>& exposure) {
  std::vector<Row> rows(static_cast<std::size_t>(y.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto at = static_cast<Index>(i);
    rows[i].y = y(at);
    if (trials) rows[i].trials = (*trials)(at);
    if (exposure) rows[i].exposure = (*exposure)(at);
  }
  return rows;
}

// What was left open is chosen, as the command does; the reasons as one line.
std::string make_choices(Specification& specification,
                         const OpenChoices& open,
                         const TrainingData& data,
                         const Vector& y,
                         bool has_trials,
                         const FitOptions& options) {
  DomainGuess guess{Domain::real, ""};
  if (open.likelihood && specification.warp.empty()) guess = recognize_domain(y, has_trials);
  Completion done = complete_specification(specification, open, data, guess.domain, options);
  specification = std::move(done.specification);
  std::string text = guess.reason;
  for (const std::string& reason : done.reasons) text += (text.empty() ? "" : "; ") + reason;
  return text;
}

SavedModel fit(const Table& table,
               const VectorIn& y,
               const std::optional<VectorIn>& trials,
               const std::optional<VectorIn>& exposure,
               const std::optional<VectorIn>& offset,
               Specification specification,
               const OpenChoices& open,
               FitOptions options,
               bool standardize,
               const ColumnRoles& roles,
               std::map<std::string, std::string> provenance,
               const py::object& progress) {
  Listener listener(options, progress);
  std::optional<SavedModel> saved;
  {
    const py::gil_scoped_release no_gil;
    Design design = Design::learn(table, {.standardize = standardize});
    TrainingData data{.X = design.apply(table),
                      .rows = observed_rows(y, trials, exposure),
                      .offset = vector_of(offset),
                      .columns = design.names()};
    try {
      const std::string choice =
          make_choices(specification, open, data, y, trials.has_value(), options);
      if (!choice.empty()) provenance["choice"] = choice;
      saved = SavedModel{.model = GeneralizedGP::fit(std::move(data), specification, options),
                         .design = std::move(design),
                         .roles = roles,
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
             py::arg("y"),
             py::arg("trials"),
             py::arg("exposure"),
             py::arg("offset"),
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
