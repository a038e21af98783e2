// What the files of the Python module share. Each adds its subject to the module; all convert types
// and errors, release the GIL, and do no mathematics.
#pragma once

#include <pybind11/eigen.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <exception>
#include <optional>
#include <vector>

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

// Callbacks of Python while the GIL is released. An exception, Ctrl-C among them, waits here until
// the work has come to its end.
class Listener {
 public:
  Listener() = default;
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  bool interrupted();  // Ctrl-C, or a callback has thrown
  template <class Call>
  void tell(Call call) {
    const py::gil_scoped_acquire gil;
    if (pending_) return;
    try {
      call();
    } catch (const py::error_already_set&) {
      pending_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (pending_) std::rethrow_exception(pending_);
  }

 private:
  std::exception_ptr pending_;
};

void add_errors(py::module_& module);
void add_registries(py::module_& module);
void add_tables(py::module_& module);
void add_specification(py::module_& module);
void add_results(py::module_& module);
void add_model(py::module_& module);
void add_fit(py::module_& module);
void add_study(py::module_& module);
void add_trust(py::module_& module);

}  // namespace ggpm::bind
