// The library as a Python module: converts types and errors, releases the GIL, and does no
// mathematics. What users see is written in Python on top of it (python/ggpm).
#include <pybind11/eigen.h>
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "ggpm/data.hpp"
#include "ggpm/inference.hpp"
#include "ggpm/kernel.hpp"
#include "ggpm/likelihood.hpp"
#include "ggpm/model.hpp"
#include "ggpm/version.hpp"

namespace py = pybind11;
using namespace ggpm;

namespace {

// NumPy arrays of doubles in any order, without a copy.
using VectorIn = Eigen::Ref<const Vector, 0, Eigen::InnerStride<>>;
using MatrixIn = py::EigenDRef<const Matrix>;
using NoGil = py::call_guard<py::gil_scoped_release>;

// ---- Errors

// ggpm.<name>, a subclass of ggpm.Error and of a built-in.
py::object make_error(py::module_& module, const char* name, py::tuple bases, const char* doc) {
  const std::string full = std::string("ggpm.") + name;
  auto type = py::reinterpret_steal<py::object>(
      PyErr_NewExceptionWithDoc(full.c_str(), doc, bases.ptr(), nullptr));
  if (!type) throw py::error_already_set();
  module.attr(name) = type;
  return type;
}

struct ErrorTypes {
  py::object usage, data, numerical;
};
ErrorTypes* error_types = nullptr;  // lives as long as the interpreter

void add_errors(py::module_& module) {
  const auto builtin = [](PyObject* type) { return py::reinterpret_borrow<py::object>(type); };
  const py::object base = make_error(module,
                                     "Error",
                                     py::make_tuple(builtin(PyExc_Exception)),
                                     "Whatever ggpm refuses or fails to do.");
  const py::tuple value = py::make_tuple(base, builtin(PyExc_ValueError));
  error_types = new ErrorTypes{
      make_error(module, "UsageError", value, "Wrong use: an unknown name, a bad option."),
      make_error(module, "DataError", value, "Bad data: a row, a column, a value, a model file."),
      make_error(module,
                 "NumericalError",
                 py::make_tuple(base, builtin(PyExc_ArithmeticError)),
                 "The computation failed after every fallback.")};
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const UsageError& error) {
      PyErr_SetString(error_types->usage.ptr(), error.what());
    } catch (const DataError& error) {
      PyErr_SetString(error_types->data.ptr(), error.what());
    } catch (const NumericalError& error) {
      PyErr_SetString(error_types->numerical.ptr(), error.what());
    } catch (const Interrupted&) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
}

// ---- Tables

Table table_of_array(const MatrixIn& X, const std::vector<std::string>& names) {
  Table table("X");
  for (Index j = 0; j < X.cols(); ++j) {
    std::vector<double> numbers(static_cast<std::size_t>(X.rows()));
    Eigen::Map<Vector>(numbers.data(), X.rows()) = X.col(j);
    table.add_numbers(names.at(static_cast<std::size_t>(j)), std::move(numbers));
  }
  return table;
}

// The inputs of the model: by its design, or the columns as they are where it has none.
Matrix inputs_of(const SavedModel& saved, const Table& table) {
  if (saved.design) return saved.design->apply(table);
  Matrix X(table.rows(), static_cast<Index>(table.columns().size()));
  Index j = 0;
  for (const Column& column : table.columns()) X.col(j++) = numeric_column(table, column.name);
  return X;
}

void add_tables(py::module_& module) {
  py::class_<Table>(module, "Table")
      .def(py::init([] { return Table("X"); }))
      .def_static("of_array", &table_of_array, py::arg("X"), py::arg("names"), NoGil())
      .def(
          "add_numbers",
          [](Table& table, std::string name, const VectorIn& numbers) {
            std::vector<double> copy(static_cast<std::size_t>(numbers.size()));
            Eigen::Map<Vector>(copy.data(), numbers.size()) = numbers;
            table.add_numbers(std::move(name), std::move(copy));
          },
          py::arg("name"),
          py::arg("numbers"))
      .def(
          "add_text",
          [](Table& table, std::string name, const std::vector<std::string>& cells) {
            table.add_text(std::move(name), cells);
          },
          py::arg("name"),
          py::arg("cells"))
      .def_property_readonly("rows", &Table::rows)
      .def_property_readonly("names", &Table::names);

  py::class_<DesignColumn>(module, "DesignColumn")
      .def_readonly("name", &DesignColumn::name)
      .def_readonly("levels", &DesignColumn::levels)
      .def_readonly("centre", &DesignColumn::centre)
      .def_readonly("scale", &DesignColumn::scale);
}

// ---- What is fitted, and how

void add_specification(py::module_& module) {
  py::class_<LikelihoodOptions>(module, "LikelihoodOptions")
      .def_readwrite("dispersion", &LikelihoodOptions::dispersion)
      .def_readwrite("df", &LikelihoodOptions::df)
      .def_readwrite("learn_df", &LikelihoodOptions::learn_df);

  py::enum_<ExpansionPoint>(module, "ExpansionPoint")
      .value("automatic", ExpansionPoint::automatic)
      .value("exact", ExpansionPoint::exact)
      .value("canonical", ExpansionPoint::canonical)
      .value("agnostic", ExpansionPoint::agnostic);

  py::class_<ExpansionOptions>(module, "ExpansionOptions")
      .def_readwrite("point", &ExpansionOptions::point)
      .def_readwrite("offset", &ExpansionOptions::offset);

  py::class_<Specification>(module, "Specification")
      .def(py::init<>())
      .def_readwrite("likelihood", &Specification::likelihood)
      .def_readwrite("link", &Specification::link)
      .def_readwrite("likelihood_options", &Specification::likelihood_options)
      .def_readwrite("kernel", &Specification::kernel)
      .def_readwrite("mean", &Specification::mean)
      .def_property(
          "inference",
          [](const Specification& s) { return std::string(to_string(s.inference)); },
          [](Specification& s, const std::string& name) { s.inference = parse_inference(name); })
      .def_readwrite("expansion", &Specification::expansion)
      .def_readwrite("warp", &Specification::warp)
      .def_readwrite("formula", &Specification::formula);

  py::class_<Prior> prior(module, "Prior");
  py::enum_<Prior::Kind>(prior, "Kind")
      .value("none", Prior::Kind::none)
      .value("normal", Prior::Kind::normal)
      .value("lognormal", Prior::Kind::lognormal)
      .value("gamma", Prior::Kind::gamma)
      .value("inverse_gamma", Prior::Kind::inverse_gamma);
  prior
      .def(py::init([](Prior::Kind kind, double a, double b) {
             return Prior{kind, a, b};
           }),
           py::arg("kind"),
           py::arg("a"),
           py::arg("b"))
      .def("text", &Prior::text);

  py::class_<FitOptions>(module, "FitOptions")
      .def(py::init<>())
      .def_readwrite("optimize", &FitOptions::optimize)
      .def_readwrite("restarts", &FitOptions::restarts)
      .def_readwrite("keep", &FitOptions::keep)
      .def_readwrite("taylor_starts", &FitOptions::taylor_starts)
      .def_readwrite("seed", &FitOptions::seed)
      .def_readwrite("threads", &FitOptions::threads)
      .def_readwrite("tolerance", &FitOptions::tolerance)
      .def_readwrite("max_evaluations", &FitOptions::max_evaluations)
      .def_readwrite("inference_tolerance", &FitOptions::inference_tolerance)
      .def_readwrite("inference_iterations", &FitOptions::inference_iterations)
      .def_readwrite("fixed", &FitOptions::fixed)
      .def_readwrite("priors", &FitOptions::priors)
      .def_readwrite("memory_limit", &FitOptions::memory_limit);

  py::class_<ColumnRoles>(module, "ColumnRoles")
      .def(py::init<>())
      .def_readwrite("target", &ColumnRoles::target)
      .def_readwrite("trials", &ColumnRoles::trials)
      .def_readwrite("exposure", &ColumnRoles::exposure)
      .def_readwrite("offset", &ColumnRoles::offset)
      .def_readwrite("squeeze", &ColumnRoles::squeeze)
      .def_readwrite("fractions", &ColumnRoles::fractions)
      .def_readwrite("levels", &ColumnRoles::levels);
}

// ---- Fitting

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

Vector vector_of(const std::optional<VectorIn>& values) {
  return values ? Vector(*values) : Vector();
}

SavedModel fit(const Table& table,
               const VectorIn& y,
               const std::optional<VectorIn>& trials,
               const std::optional<VectorIn>& exposure,
               const std::optional<VectorIn>& offset,
               const Specification& specification,
               FitOptions options,
               bool standardize,
               const ColumnRoles& roles,
               const std::map<std::string, std::string>& provenance,
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
      saved = SavedModel{.model = GeneralizedGP::fit(std::move(data), specification, options),
                         .design = std::move(design),
                         .roles = roles,
                         .provenance = provenance};
    } catch (...) {
      listener.rethrow();
      throw;
    }
  }
  listener.rethrow();
  return std::move(*saved);
}

// ---- The fitted model

NewRows new_rows(const SavedModel& saved,
                 const Table& table,
                 const std::optional<VectorIn>& offset,
                 const std::optional<VectorIn>& exposure,
                 const std::optional<VectorIn>& trials) {
  return {.X = inputs_of(saved, table),
          .offset = vector_of(offset),
          .exposure = vector_of(exposure),
          .trials = vector_of(trials)};
}

template <class Get>
Vector of_rows(const SavedModel& saved, Get get) {
  const std::vector<Row> rows = saved.model.training_rows();
  Vector out(static_cast<Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) out(static_cast<Index>(i)) = get(rows[i]);
  return out;
}

void add_results(py::module_& module) {
  py::class_<FittedParameter>(module, "FittedParameter")
      .def_property_readonly("name", [](const FittedParameter& p) { return p.parameter.name; })
      .def_property_readonly("value", [](const FittedParameter& p) { return p.parameter.value; })
      .def_property_readonly("positive",
                             [](const FittedParameter& p) { return p.parameter.positive; })
      .def_property_readonly("fixed", [](const FittedParameter& p) { return p.parameter.fixed; })
      .def_property_readonly("lower", [](const FittedParameter& p) { return p.parameter.lower; })
      .def_property_readonly("upper", [](const FittedParameter& p) { return p.parameter.upper; })
      .def_property_readonly("prior", [](const FittedParameter& p) { return p.prior.text(); })
      .def_readonly("at_lower", &FittedParameter::at_lower)
      .def_readonly("at_upper", &FittedParameter::at_upper);

  py::class_<Optimum>(module, "Optimum")
      .def_readonly("log_marginal", &Optimum::log_marginal)
      .def_property_readonly("values", [](const Optimum& o) { return o.at.flat(); })
      .def_property_readonly("inference",
                             [](const Optimum& o) { return std::string(to_string(o.method)); })
      .def_readonly("converged", &Optimum::converged)
      .def_readonly("evaluations", &Optimum::evaluations);

  py::class_<LeaveOneOutScores>(module, "LeaveOneOutScores")
      .def_readonly("latent_mean", &LeaveOneOutScores::latent_mean)
      .def_readonly("latent_variance", &LeaveOneOutScores::latent_variance)
      .def_readonly("log_density", &LeaveOneOutScores::log_density)
      .def_readonly("below", &LeaveOneOutScores::below)
      .def_readonly("upto", &LeaveOneOutScores::upto)
      .def_readonly("improper", &LeaveOneOutScores::improper)
      .def_readonly("total", &LeaveOneOutScores::total)
      .def_readonly("standard_error", &LeaveOneOutScores::standard_error)
      .def("pit", &LeaveOneOutScores::pit, py::arg("seed") = 1);

  py::class_<Predictions>(module, "Predictions")
      .def("__len__", &Predictions::size)
      .def_property_readonly("latent_mean", &Predictions::latent_mean)
      .def_property_readonly("latent_variance", &Predictions::latent_variance)
      .def("mean", &Predictions::mean, NoGil())
      .def("variance", &Predictions::variance, NoGil())
      .def("mode", &Predictions::mode, NoGil())
      .def("quantile", &Predictions::quantile, py::arg("p"), NoGil())
      .def(
          "cdf",
          [](const Predictions& p, const VectorIn& y) { return p.cdf(y); },
          py::arg("y"),
          NoGil())
      .def(
          "log_density",
          [](const Predictions& p, const VectorIn& y) { return p.log_density(y); },
          py::arg("y"),
          NoGil())
      .def("sample", &Predictions::sample, py::arg("count"), py::arg("seed"), NoGil());
}

void add_model(py::module_& module) {
  py::class_<SavedModel> model(module, "Model");
  const auto of_model = [&model](const char* name, auto get) {
    model.def_property_readonly(name, [get](const SavedModel& s) { return get(s.model); });
  };
  of_model("likelihood", [](const GeneralizedGP& m) { return m.likelihood().name(); });
  of_model("link", [](const GeneralizedGP& m) { return m.likelihood().link(); });
  of_model("domain", [](const GeneralizedGP& m) { return m.domain(); });
  of_model("inference",
           [](const GeneralizedGP& m) { return std::string(to_string(m.inference())); });
  of_model("specification", [](const GeneralizedGP& m) { return m.specification(); });
  of_model("kernel", [](const GeneralizedGP& m) { return m.kernel().text(); });
  of_model("mean", [](const GeneralizedGP& m) { return m.mean().text(); });
  of_model("rows", [](const GeneralizedGP& m) { return m.rows(); });
  of_model("dimensions", [](const GeneralizedGP& m) { return m.dimensions(); });
  of_model("columns", [](const GeneralizedGP& m) { return m.columns(); });
  of_model("inputs", [](const GeneralizedGP& m) { return m.inputs(); });
  of_model("offset", [](const GeneralizedGP& m) { return m.training_offset(); });
  of_model("parameters", [](const GeneralizedGP& m) { return m.parameters(); });
  of_model("values", [](const GeneralizedGP& m) { return m.hyperparameters().flat(); });
  of_model("gradient", [](const GeneralizedGP& m) { return m.gradient().flat(); });
  of_model("log_marginal", [](const GeneralizedGP& m) { return m.log_marginal(); });
  of_model("latent_mean", [](const GeneralizedGP& m) { return m.posterior().mean; });
  of_model("latent_variance", [](const GeneralizedGP& m) { return m.posterior().variance; });
  of_model("converged", [](const GeneralizedGP& m) { return m.report().converged; });
  of_model("evaluations", [](const GeneralizedGP& m) { return m.report().evaluations; });
  of_model("iterations", [](const GeneralizedGP& m) { return m.report().inference.iterations; });
  of_model("detail", [](const GeneralizedGP& m) { return m.report().detail; });
  of_model("optima", [](const GeneralizedGP& m) { return m.optima(); });
  of_model("warnings", [](const GeneralizedGP& m) { return m.warnings(); });
  of_model("seconds", [](const GeneralizedGP& m) { return m.seconds(); });
  of_model("seed", [](const GeneralizedGP& m) { return m.seed(); });

  model
      .def_property_readonly(
          "y", [](const SavedModel& s) { return of_rows(s, [](const Row& r) { return r.y; }); })
      .def_property_readonly(
          "trials",
          [](const SavedModel& s) { return of_rows(s, [](const Row& r) { return r.trials; }); })
      .def_property_readonly(
          "exposure",
          [](const SavedModel& s) { return of_rows(s, [](const Row& r) { return r.exposure; }); })
      .def_property_readonly("design",
                             [](const SavedModel& s) -> std::optional<std::vector<DesignColumn>> {
                               if (!s.design) return std::nullopt;
                               return s.design->columns();
                             })
      .def_property_readonly("notes",
                             [](const SavedModel& s) {
                               return s.design ? s.design->notes() : std::vector<std::string>();
                             })
      .def_readonly("roles", &SavedModel::roles)
      .def_readonly("provenance", &SavedModel::provenance);

  model
      .def(
          "standard_errors",
          [](const SavedModel& s, int threads) {
            return s.model.compute_standard_errors(threads).flat();
          },
          py::arg("threads") = 0,
          NoGil())
      .def(
          "profile_interval",
          [](const SavedModel& s, const std::string& parameter, double level) {
            const Interval i = s.model.compute_profile_interval(parameter, level);
            return std::tuple(i.lower, i.upper, i.lower_open, i.upper_open);
          },
          py::arg("parameter"),
          py::arg("level"),
          NoGil())
      .def(
          "log_marginal_at",
          [](const SavedModel& s, const VectorIn& theta, bool with_gradient) {
            Vector gradient;
            const double value =
                s.model.log_marginal_at(Vector(theta), with_gradient ? &gradient : nullptr);
            return std::pair(value, gradient);
          },
          py::arg("theta"),
          py::arg("with_gradient"),
          NoGil())
      .def(
          "loo", [](const SavedModel& s) { return s.model.loo(); }, NoGil())
      .def(
          "latent",
          [](const SavedModel& s,
             const Table& table,
             const std::optional<VectorIn>& offset,
             const std::optional<VectorIn>& exposure) {
            std::pair<Vector, Vector> out;
            s.model.latent(new_rows(s, table, offset, exposure, {}), out.first, out.second);
            return out;
          },
          py::arg("table"),
          py::arg("offset"),
          py::arg("exposure"),
          NoGil())
      .def(
          "latent_covariance",
          [](const SavedModel& s, const Table& table) {
            return s.model.latent_covariance(inputs_of(s, table));
          },
          py::arg("table"),
          NoGil())
      .def(
          "predictive",
          [](const SavedModel& s,
             const Table& table,
             const std::optional<VectorIn>& offset,
             const std::optional<VectorIn>& exposure,
             const std::optional<VectorIn>& trials,
             int threads) {
            return s.model.predictive(new_rows(s, table, offset, exposure, trials), threads);
          },
          py::arg("table"),
          py::arg("offset"),
          py::arg("exposure"),
          py::arg("trials"),
          py::arg("threads") = 0,
          NoGil())
      .def(
          "save",
          [](const SavedModel& s, const std::string& path) { save_model(s, path); },
          py::arg("path"),
          NoGil())
      .def_static("load", &load_model, py::arg("path"), NoGil())
      .def("to_bytes", [](const SavedModel& s) { return py::bytes(to_bytes(s)); })
      .def_static(
          "from_bytes",
          [](const py::bytes& bytes) { return from_bytes(std::string_view(bytes)); },
          py::arg("bytes"))
      // A pickle holds the model file and nothing else: reading it runs the checks of the file.
      .def(py::pickle([](const SavedModel& s) { return py::bytes(to_bytes(s)); },
                      [](const py::bytes& bytes) {
                        return from_bytes(std::string_view(bytes), "pickled model");
                      }));

  module.def("fit",
             &fit,
             py::arg("table"),
             py::arg("y"),
             py::arg("trials"),
             py::arg("exposure"),
             py::arg("offset"),
             py::arg("specification"),
             py::arg("options"),
             py::arg("standardize"),
             py::arg("roles"),
             py::arg("provenance"),
             py::arg("progress"));
  module.def("fit_memory", &fit_memory, py::arg("rows"), py::arg("inputs"), py::arg("options"));
}

// ---- Kernels, likelihoods, domains

Kernel bound_kernel(const std::string& text, Index dimensions) {
  return Kernel::parse(text).bind(dimensions);
}

void add_registries(py::module_& module) {
  py::enum_<Domain>(module, "Domain")
      .value("real", Domain::real)
      .value("positive", Domain::positive)
      .value("count", Domain::count)
      .value("fraction_of_trials", Domain::fraction_of_trials)
      .value("binary", Domain::binary)
      .value("proportion", Domain::proportion);

  py::class_<LikelihoodInfo>(module, "LikelihoodInfo")
      .def_readonly("name", &LikelihoodInfo::name)
      .def_readonly("links", &LikelihoodInfo::links)
      .def_readonly("domain", &LikelihoodInfo::domain)
      .def_readonly("dispersion", &LikelihoodInfo::dispersion)
      .def_readonly("formula", &LikelihoodInfo::formula);
  module.def("likelihoods", &likelihood_table);

  py::class_<KernelInfo>(module, "KernelInfo")
      .def_readonly("name", &KernelInfo::name)
      .def_readonly("formula", &KernelInfo::formula)
      .def_readonly("parameters", &KernelInfo::parameters);
  module.def("kernels", &kernel_table);

  module.def(
      "recognise_domain",
      [](const VectorIn& y, bool has_trials) {
        const DomainGuess guess = recognise_domain(y, has_trials);
        return std::pair(guess.domain, guess.reason);
      },
      py::arg("y"),
      py::arg("has_trials"));

  module.def(
      "kernel_text",
      [](const std::string& text) { return Kernel::parse(text).text(); },
      py::arg("text"));
  module.def(
      "kernel_parameters",
      [](const std::string& text) {
        std::vector<std::pair<std::string, double>> out;
        for (const Parameter& p : Kernel::parse(text).parameters())
          out.emplace_back(p.name, p.value);
        return out;
      },
      py::arg("text"));
  module.def(
      "kernel_gram",
      [](const std::string& text, const MatrixIn& X) {
        Matrix K;
        bound_kernel(text, X.cols()).gram(X, K);
        return K;
      },
      py::arg("text"),
      py::arg("X"),
      NoGil());
  module.def(
      "kernel_cross",
      [](const std::string& text, const MatrixIn& X, const MatrixIn& Z) {
        Matrix K;
        bound_kernel(text, X.cols()).cross(X, Z, K);
        return K;
      },
      py::arg("text"),
      py::arg("X"),
      py::arg("Z"),
      NoGil());
  module.def(
      "kernel_diagonal",
      [](const std::string& text, const MatrixIn& X) {
        return bound_kernel(text, X.cols()).diagonal(X);
      },
      py::arg("text"),
      py::arg("X"),
      NoGil());
  module.def("mean_text", [](const std::string& text) { return Mean::parse(text).text(); });
  module.def("version", [] { return std::string(version()); });
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  module.doc() = "The compiled part of ggpm. Use the package above it.";
  add_errors(module);
  add_registries(module);
  add_tables(module);
  add_specification(module);
  add_results(module);
  add_model(module);
}
