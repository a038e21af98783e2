// Tables of inputs, and how they become the matrix of a model.
#include <string>
#include <vector>

#include "bind.hpp"

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
      .def_readonly("scale", &DesignColumn::scale);
}

}  // namespace ggpm::bind
