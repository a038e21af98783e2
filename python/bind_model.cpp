// The fitted model: what it knows, predictions, files.
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "ggpm/inference.hpp"
#include "ggpm/options.hpp"
#include "ggpm/report.hpp"
#include "ggpm/roles.hpp"
#include "ggpm/simulate.hpp"
#include "ggpm/summary.hpp"

namespace ggpm::bind {
namespace {

Dataset new_rows(const SavedModel& saved, const Table& table, const Observations& given) {
  return {.X = saved.inputs(table),
          .observed = with_columns(given, table, saved.roles),
          .columns = saved.model.columns()};
}

// What `ggpm show` prints.
std::string summary_of(const SavedModel& saved) {
  std::optional<LeaveOneOutScores> loo;
  try {
    loo = saved.model.loo();
  } catch (const NumericalError&) {  // what is known without it is still worth reading
  }
  return summary_text(saved, loo) + provenance_text(saved);
}

Vector or_ones(const Vector& values, Index rows) {
  return values.size() > 0 ? values : Vector::Ones(rows);
}

}  // namespace

void add_model(py::module_& module) {
  py::class_<SavedModel> model(module, "Model");
  const auto of_model = [&model](const char* name, auto get) {
    model.def_property_readonly(name, [get](const SavedModel& s) { return get(s.model); });
  };
  of_model("likelihood",
           [](const GeneralizedGP& m) { return m.likelihood().labels().front().second; });
  of_model("link", [](const GeneralizedGP& m) { return m.likelihood().link(); });
  of_model("domain", [](const GeneralizedGP& m) { return m.domain(); });
  of_model("inference",
           [](const GeneralizedGP& m) { return std::string(to_string(m.inference())); });
  of_model("kernel", [](const GeneralizedGP& m) { return m.kernel().text(); });
  of_model("mean", [](const GeneralizedGP& m) { return m.mean().text(); });
  of_model("rows", [](const GeneralizedGP& m) { return m.rows(); });
  of_model("dimensions", [](const GeneralizedGP& m) { return m.dimensions(); });
  of_model("columns", [](const GeneralizedGP& m) { return m.columns(); });
  of_model("inputs", [](const GeneralizedGP& m) { return m.inputs(); });
  of_model("y", [](const GeneralizedGP& m) { return m.observations().y; });
  of_model("offset", [](const GeneralizedGP& m) { return m.observations().offset; });
  of_model("trials",
           [](const GeneralizedGP& m) { return or_ones(m.observations().trials, m.rows()); });
  of_model("exposure",
           [](const GeneralizedGP& m) { return or_ones(m.observations().exposure, m.rows()); });
  of_model("censored", [](const GeneralizedGP& m) { return m.observations().censored; });
  of_model("upper", [](const GeneralizedGP& m) { return m.observations().upper; });
  of_model("parameters", [](const GeneralizedGP& m) { return m.parameters(); });
  of_model("values", [](const GeneralizedGP& m) { return m.hyperparameters().flat(); });
  of_model("gradient", [](const GeneralizedGP& m) { return m.gradient().flat(); });
  of_model("log_marginal", [](const GeneralizedGP& m) { return m.log_marginal(); });
  of_model("latent_mean", [](const GeneralizedGP& m) { return m.latent_mean(); });
  of_model("latent_variance", [](const GeneralizedGP& m) { return m.latent_variance(); });
  of_model("converged", [](const GeneralizedGP& m) { return m.report().converged; });
  of_model("evaluations", [](const GeneralizedGP& m) { return m.report().evaluations; });
  of_model("iterations", [](const GeneralizedGP& m) { return m.report().inference.iterations; });
  of_model("detail", [](const GeneralizedGP& m) { return m.report().detail; });
  of_model("optima", [](const GeneralizedGP& m) { return m.optima(); });
  of_model("warnings", [](const GeneralizedGP& m) {
    std::vector<std::string> texts;
    for (const Warning& warning : m.warnings()) texts.push_back(warning.text);
    return texts;
  });
  of_model("refitted", [](const GeneralizedGP& m) -> py::object {
    if (!m.refitted()) return py::none();
    return py::dict(py::arg("folds") = m.refitted()->folds,
                    py::arg("log_density") = m.refitted()->total,
                    py::arg("standard_error") = m.refitted()->standard_error);
  });
  of_model("integrated", [](const GeneralizedGP& m) -> py::object {
    const auto integrated = m.integrated();
    if (!integrated) return py::none();
    std::vector<double> weights, log_marginals;
    std::vector<Vector> values;
    for (const HyperparameterPoint& point : integrated->points) {
      weights.push_back(point.weight);
      log_marginals.push_back(point.log_marginal);
      values.push_back(point.at.flat());
    }
    return py::dict(py::arg("weights") = weights,
                    py::arg("log_marginals") = log_marginals,
                    py::arg("values") = values,
                    py::arg("log_evidence") = integrated->log_evidence);
  });
  of_model("sampled", [](const GeneralizedGP& m) -> py::object {
    const auto& sampled = m.sampled();
    if (!sampled) return py::none();
    return py::dict(py::arg("draws") = sampled->draws,
                    py::arg("chains") = sampled->chains,
                    py::arg("r_hat") = sampled->r_hat,
                    py::arg("ess") = sampled->ess,
                    py::arg("log_marginal_error") = sampled->log_marginal_error);
  });
  of_model("seconds", [](const GeneralizedGP& m) { return m.seconds(); });
  of_model("seed", [](const GeneralizedGP& m) { return m.seed(); });

  model
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

  model.def(
      "option",
      [](const SavedModel& s, const std::string& name) {
        FitRequest request{.specification = s.model.specification()};
        request.table.squeeze = s.roles.squeeze > 0;
        request.options.seed = s.model.seed();
        if (s.model.integrated()) request.options.hyperparameters = HyperparameterUse::integrate;
        return get_option(request, name);
      },
      py::arg("name"));

  // What a person should know of levels that were not there when the model was fitted.
  model.def(
      "unseen",
      [](const SavedModel& s, const Table& table) {
        NewLevels unseen;
        if (s.design && !s.design->text_column_names().empty())
          (void)s.design->apply(table, &unseen);
        return notes_of(unseen);
      },
      py::arg("table"));

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
      // Outputs and what belongs to them, as fit read its own: successes for fractions, ...
      .def(
          "interpret",
          [](const SavedModel& s, const Table& table, const Observations& given) {
            Observations observed = with_columns(given, table, s.roles);
            interpret(observed, s.roles, s.model.domain());
            return observed;
          },
          py::arg("table"),
          py::arg("observed"),
          NoGil())
      .def(
          "latent",
          [](const SavedModel& s, const Table& table) {
            std::pair<Vector, Vector> out;
            s.model.latent(new_rows(s, table, {}), out.first, out.second);
            return out;
          },
          py::arg("table"),
          NoGil())
      .def(
          "latent_covariance",
          [](const SavedModel& s, const Table& table) {
            return s.model.latent_covariance(new_rows(s, table, {}));
          },
          py::arg("table"),
          NoGil())
      .def(
          "predictive",
          [](const SavedModel& s, const Table& table, const Observations& observed, int threads) {
            return s.model.predictive(new_rows(s, table, observed), threads);
          },
          py::arg("table"),
          py::arg("observed"),
          py::arg("threads") = 0,
          NoGil())
      .def(
          "draw",
          [](const SavedModel& s,
             const Table& table,
             const Observations& observed,
             Index count,
             std::uint64_t seed,
             Drawn what) { return s.model.draw(new_rows(s, table, observed), count, seed, what); },
          py::arg("table"),
          py::arg("observed"),
          py::arg("count"),
          py::arg("seed"),
          py::arg("what"),
          NoGil())
      .def(
          "terms",
          [](const SavedModel& s, const Table& table) {
            std::vector<std::tuple<std::string, Vector, Vector>> out;
            for (TermPrediction& term : s.model.terms(new_rows(s, table, {})))
              out.emplace_back(term.name, std::move(term.mean), std::move(term.variance));
            return out;
          },
          py::arg("table"),
          NoGil())
      .def("summary", &summary_of, NoGil())
      .def("coefficients", &compute_coefficients, py::arg("level"), NoGil())
      .def(
          "check_gradient", [](const SavedModel& s) { return check_gradient(s.model); }, NoGil())
      .def(
          "simulate",
          [](const SavedModel& s,
             const Table& table,
             const Observations& observed,
             std::uint64_t seed) {
            const Simulated drawn = simulate(s.model, new_rows(s, table, observed), seed);
            return std::pair(drawn.y, drawn.latent);
          },
          py::arg("table"),
          py::arg("observed"),
          py::arg("seed"),
          NoGil())
      .def(
          "report",
          [](const SavedModel& s, const ReportOptions& options) {
            return fit_report(s, std::nullopt, options);
          },
          py::arg("options"),
          NoGil())
      .def(
          "report_on",
          [](const SavedModel& s,
             const Table& table,
             const Observations& observed,
             const ReportOptions& options) {
            Dataset data = new_rows(s, table, observed);
            data.source = table.source();
            return fit_report(s, data, options);
          },
          py::arg("table"),
          py::arg("observed"),
          py::arg("options"),
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
}

}  // namespace ggpm::bind
