// What a fit and its predictions give back.
#include <string>

#include "bind.hpp"

namespace ggpm::bind {

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
      .def_property_readonly("interval",
                             [](const FittedParameter& p) -> py::object {
                               const std::optional<Interval> interval = p.interval();
                               if (!interval) return py::none();
                               return py::make_tuple(interval->lower, interval->upper);
                             })
      .def_property_readonly("remark", &FittedParameter::remark)
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
      .def_readonly("cdf_below", &LeaveOneOutScores::cdf_below)
      .def_readonly("cdf", &LeaveOneOutScores::cdf)
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
      .def("quantiles", &Predictions::quantiles, py::arg("p"), NoGil())
      .def("level_probabilities", &Predictions::level_probabilities, NoGil())
      .def_property_readonly("class_means", &Predictions::class_means)
      .def_property_readonly("class_variances", &Predictions::class_variances)
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
      .def("sample", &Predictions::sample, py::arg("count"), py::arg("seed"), NoGil())
      .def("mean_quantiles", &Predictions::mean_quantiles, py::arg("p"), NoGil())
      .def("mean_above", &Predictions::mean_above, py::arg("threshold"), NoGil());

  py::enum_<Drawn>(module, "Drawn")
      .value("latent", Drawn::latent)
      .value("mean", Drawn::mean)
      .value("outcome", Drawn::outcome);

  py::class_<Coefficient>(module, "Coefficient")
      .def_readonly("term", &Coefficient::term)
      .def_readonly("input", &Coefficient::input)
      .def_readonly("estimate", &Coefficient::estimate)
      .def_readonly("standard_error", &Coefficient::standard_error)
      .def_readonly("lower", &Coefficient::lower)
      .def_readonly("upper", &Coefficient::upper);
}

}  // namespace ggpm::bind
