// What is fitted, and how.
#include <string>

#include "bind.hpp"
#include "ggpm/choose.hpp"
#include "ggpm/inference.hpp"
#include "ggpm/likelihood.hpp"

namespace ggpm::bind {

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

  py::class_<OpenChoices>(module, "OpenChoices")
      .def(py::init([](bool likelihood, bool inference) {
             return OpenChoices{likelihood, inference};
           }),
           py::arg("likelihood") = false,
           py::arg("inference") = false)
      .def_readwrite("likelihood", &OpenChoices::likelihood)
      .def_readwrite("inference", &OpenChoices::inference);

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
      .def_property_readonly("squeeze", [](const ColumnRoles& r) { return r.squeeze > 0; })
      .def_readonly("fractions", &ColumnRoles::fractions)
      .def_readwrite("levels", &ColumnRoles::levels);
}

}  // namespace ggpm::bind
