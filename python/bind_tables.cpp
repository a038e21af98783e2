// Tables of inputs, observations, and how they become the matrix of a model.
#include <string>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "ggpm/roles.hpp"

namespace ggpm::bind {
namespace {

Table table_of_array(const MatrixIn& X, const std::vector<std::string>& names) {
  Table table("X");
  for (Index j = 0; j < X.cols(); ++j) {
    std::vector<double> numbers(static_cast<std::size_t>(X.rows()));
    Eigen::Map<Vector>(numbers.data(), X.rows()) = X.col(j);
    table.add_numbers(names.at(static_cast<std::size_t>(j)), std::move(numbers));
  }
  return table;
}

}  // namespace

Observations with_columns(Observations given, const Table& table, const ColumnRoles& roles) {
  ColumnRoles wanted;
  for (const auto& [role, values] : {std::pair{&ColumnRoles::trials, &Observations::trials},
                                     std::pair{&ColumnRoles::exposure, &Observations::exposure},
                                     std::pair{&ColumnRoles::offset, &Observations::offset},
                                     std::pair{&ColumnRoles::weight, &Observations::weight},
                                     std::pair{&ColumnRoles::censored, &Observations::censored},
                                     std::pair{&ColumnRoles::upper, &Observations::upper}})
    if ((given.*values).size() == 0 && table.has(roles.*role)) wanted.*role = roles.*role;
  const Observations found = read_columns(table, wanted);
  for (const ObservationField& field : kObservationFields)
    if ((found.*field.values).size() > 0) given.*field.values = found.*field.values;
  return given;
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
      .def_readonly("center", &DesignColumn::center)
      .def_readonly("scale", &DesignColumn::scale)
      .def_property_readonly("width", &DesignColumn::width);

  using Given = std::optional<VectorIn>;
  py::class_<Observations>(module, "Observations")
      .def(py::init([](const Given& y,
                       const Given& trials,
                       const Given& exposure,
                       const Given& offset,
                       const Given& weight,
                       const Given& censored,
                       const Given& upper) {
             return Observations{.y = vector_of(y),
                                 .trials = vector_of(trials),
                                 .exposure = vector_of(exposure),
                                 .offset = vector_of(offset),
                                 .weight = vector_of(weight),
                                 .censored = vector_of(censored),
                                 .upper = vector_of(upper)};
           }),
           py::arg("y") = py::none(),
           py::arg("trials") = py::none(),
           py::arg("exposure") = py::none(),
           py::arg("offset") = py::none(),
           py::arg("weight") = py::none(),
           py::arg("censored") = py::none(),
           py::arg("upper") = py::none())
      .def_readonly("y", &Observations::y)
      .def_readonly("trials", &Observations::trials)
      .def_readonly("exposure", &Observations::exposure)
      .def_readonly("offset", &Observations::offset);
}

}  // namespace ggpm::bind
