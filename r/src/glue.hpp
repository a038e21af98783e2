// What the files of the R module share: types of both languages, errors as conditions, interrupts.
// No mathematics: every number comes from the library or goes to it.
#pragma once

#include <cpp11.hpp>
#include <cpp11/declarations.hpp>
#include <ggpm/data.hpp>
#include <ggpm/learning.hpp>
#include <ggpm/model.hpp>
#include <ggpm/options.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ggpm::r {

using Pointer = cpp11::external_pointer<SavedModel>;

// ---- Values

cpp11::writable::doubles numbers(const Vector& values);
cpp11::writable::doubles numbers(const Matrix& values);  // with its dim
cpp11::writable::strings words(const std::vector<std::string>& texts);
std::vector<std::string> texts(SEXP words);  // empty for NULL
std::string text(SEXP word);                 // empty for NULL
Vector vector_of(SEXP numbers);              // empty for NULL
std::uint64_t seed_of(SEXP number);

// A list of R by its names.
class Fields {
 public:
  explicit Fields(SEXP list) : list_(list) {}
  SEXP operator[](const char* name) const;  // NULL where there is none

 private:
  cpp11::list list_;
};

SavedModel& model_of(SEXP pointer);  // UsageError where it was not loaded again
SEXP pointer_to(SavedModel saved);

// Columns of numbers and of text, as a data frame has them; NA is missing.
Table table_of(SEXP columns, SEXP source);
// Rows to be predicted; NULL: those that the model was fitted to.
Dataset rows_of(const SavedModel& saved, SEXP columns, SEXP source);

// ---- Errors

// Stops with a condition of the class of the error and its sentence.
[[noreturn]] void raise(const char* kind, const Error& error);

template <class Body>
SEXP guarded(Body body) {
  BEGIN_CPP11
  try {
    return body();
  } catch (const UsageError& error) {
    raise("usage", error);
  } catch (const DataError& error) {
    raise("data", error);
  } catch (const NumericalError& error) {
    raise("numerical", error);
  } catch (const Interrupted& error) {
    raise("interrupt", error);
  } catch (const std::bad_alloc&) {
    raise("numerical", Error("there is not enough memory for this"));
  }
  END_CPP11
}

// ---- Interrupts and progress

// Callbacks of the thread that R runs in. What R throws, and Ctrl-C, waits here until the work has
// come to its end: no jump of R leaves through the library.
class Listener {
 public:
  explicit Listener(SEXP progress) : progress_(progress) {}

  bool interrupted();  // Ctrl-C, or the callback has failed
  template <class... Values>
  void tell(Values... values) {
    if (Rf_isNull(progress_) || failure_) return;
    try {
      cpp11::function call(progress_);
      call(values...);
    } catch (const cpp11::unwind_exception& failure) {
      failure_ = failure.token;
    }
  }
  void rethrow() const;  // what has waited

 private:
  cpp11::sexp progress_;
  std::optional<SEXP> failure_;
  bool stopped_ = false;
};

// ---- The request of a fit

// list(columns, source, formula | target, levels, options, ...), see R/fit.R
struct Request {
  FitRequest fit;
  Table table;
};
Request request_of(const Fields& given);

}  // namespace ggpm::r
