// Errors of the library as exceptions: ggpm.Error and its kinds.
#include <exception>
#include <string>

#include "bind.hpp"

namespace ggpm::bind {
namespace {

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

// What the library says, and which argument helps.
std::string sentence_of(const Error& error) {
  const char* const argument = error.remedy() == Remedy::squeeze  ? " (squeeze=True)"
                               : error.remedy() == Remedy::trials ? " (trials=)"
                               : error.remedy() == Remedy::offset ? " (offset=)"
                                                                  : "";
  return std::string(error.what()) + argument;
}

// With its place as attributes: source, row (from 1), column; None where it is not known.
void set_data_error(const DataError& error) {
  const Place& place = error.place();
  const auto known = [](const std::string& text) {
    return text.empty() ? py::object(py::none()) : py::object(py::str(text));
  };
  py::object raised = error_types->data(sentence_of(error));
  raised.attr("source") = known(place.source);
  raised.attr("row") = place.row > 0 ? py::object(py::int_(place.row)) : py::object(py::none());
  raised.attr("column") = known(place.column.empty() ? place.argument : place.column);
  PyErr_SetObject(error_types->data.ptr(), raised.ptr());
}

}  // namespace

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
  // pybind11 asks for this very type.   NOLINTNEXTLINE(performance-unnecessary-value-param)
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const UsageError& error) {
      PyErr_SetString(error_types->usage.ptr(), sentence_of(error).c_str());
    } catch (const DataError& error) {
      set_data_error(error);
    } catch (const NumericalError& error) {
      PyErr_SetString(error_types->numerical.ptr(), error.what());
    } catch (const Interrupted&) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
}

}  // namespace ggpm::bind
