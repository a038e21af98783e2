// What the files of the Python module share. Each adds its subject to the module; all convert types
// and errors, release the GIL, and do no mathematics.
#pragma once

#include <pybind11/eigen.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>

#include "ggpm/data.hpp"
#include "ggpm/model.hpp"
#include "ggpm/observations.hpp"

namespace ggpm::bind {

namespace py = pybind11;

// NumPy arrays of doubles in any order, without a copy.
using VectorIn = Eigen::Ref<const Vector, 0, Eigen::InnerStride<>>;
using MatrixIn = py::EigenDRef<const Matrix>;
using NoGil = py::call_guard<py::gil_scoped_release>;

inline Vector vector_of(const std::optional<VectorIn>& values) {
  return values ? Vector(*values) : Vector();
}

// What was given, and otherwise the columns of the table that have a role.
Observations with_columns(Observations given, const Table& table, const ColumnRoles& roles);

void add_errors(py::module_& module);
void add_registries(py::module_& module);
void add_tables(py::module_& module);
void add_specification(py::module_& module);
void add_results(py::module_& module);
void add_model(py::module_& module);
void add_fit(py::module_& module);

}  // namespace ggpm::bind
