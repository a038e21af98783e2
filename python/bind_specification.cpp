// What is fitted, and how: the options of the library's table, as text.
#include <string>

#include "bind.hpp"
#include "ggpm/options.hpp"

namespace ggpm::bind {

void add_specification(py::module_& module) {
  py::enum_<OptionKind>(module, "OptionKind")
      .value("flag", OptionKind::flag)
      .value("whole", OptionKind::whole)
      .value("number", OptionKind::number)
      .value("text", OptionKind::text)
      .value("choice", OptionKind::choice)
      .value("list", OptionKind::list);

  py::class_<OptionInfo>(module, "OptionInfo")
      .def_readonly("name", &OptionInfo::name)
      .def_readonly("kind", &OptionInfo::kind)
      .def_readonly("group", &OptionInfo::group)
      .def_readonly("value", &OptionInfo::value)
      .def_readonly("choices", &OptionInfo::choices)
      .def_readonly("help", &OptionInfo::help)
      .def_readonly("fallback", &OptionInfo::fallback);
  module.def("fit_options", &fit_options);

  py::class_<FitRequest>(module, "FitRequest")
      .def(py::init<>())
      .def(
          "set",
          [](FitRequest& request, const std::string& name, const std::string& text) {
            set_option(request, name, text);
          },
          py::arg("name"),
          py::arg("text"))
      .def("get", &get_option, py::arg("name"))
      .def(
          "memory",
          [](const FitRequest& request, Index rows, Index inputs) {
            return fit_memory(rows, inputs, request.options, request.specification.engine);
          },
          py::arg("rows"),
          py::arg("inputs"));

  py::class_<ColumnRoles>(module, "ColumnRoles")
      .def(py::init<>())
      .def_readwrite("target", &ColumnRoles::target)
      .def_readwrite("trials", &ColumnRoles::trials)
      .def_readwrite("exposure", &ColumnRoles::exposure)
      .def_readwrite("weight", &ColumnRoles::weight)
      .def_readwrite("censored", &ColumnRoles::censored)
      .def_readwrite("upper", &ColumnRoles::upper)
      .def_readwrite("offset", &ColumnRoles::offset)
      .def_property_readonly("squeeze", [](const ColumnRoles& r) { return r.squeeze > 0; })
      .def_readonly("fractions", &ColumnRoles::fractions)
      .def_readwrite("levels", &ColumnRoles::levels);
}

}  // namespace ggpm::bind
