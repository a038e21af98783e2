// Types of R and of the library.
#include <algorithm>
#include <utility>

#include "glue.hpp"

namespace ggpm::r {

cpp11::writable::doubles numbers(const Vector& values) {
  cpp11::writable::doubles out(static_cast<R_xlen_t>(values.size()));
  std::copy(values.begin(), values.end(), REAL(out));
  return out;
}

cpp11::writable::doubles numbers(const Matrix& values) {
  cpp11::writable::doubles out(static_cast<R_xlen_t>(values.size()));
  std::copy(values.data(), values.data() + values.size(), REAL(out));
  out.attr("dim") =
      cpp11::writable::integers({static_cast<int>(values.rows()), static_cast<int>(values.cols())});
  return out;
}

cpp11::writable::strings words(const std::vector<std::string>& texts) {
  cpp11::writable::strings out(static_cast<R_xlen_t>(texts.size()));
  for (std::size_t i = 0; i < texts.size(); ++i)
    out[static_cast<R_xlen_t>(i)] = cpp11::r_string(texts[i]);
  return out;
}

std::vector<std::string> texts(SEXP words) {
  std::vector<std::string> out;
  if (Rf_isNull(words)) return out;
  for (const cpp11::r_string& word : cpp11::strings(words)) out.emplace_back(word);
  return out;
}

std::string text(SEXP word) {
  const std::vector<std::string> all = texts(word);
  return all.empty() ? std::string() : all.front();
}

Vector vector_of(SEXP numbers) {
  if (Rf_isNull(numbers)) return {};
  const cpp11::doubles values(numbers);
  return Eigen::Map<const Vector>(REAL(values), values.size());
}

std::uint64_t seed_of(SEXP number) {
  return static_cast<std::uint64_t>(cpp11::as_cpp<double>(number));
}

SEXP Fields::operator[](const char* name) const {
  const SEXP names = Rf_getAttrib(list_, R_NamesSymbol);
  for (R_xlen_t i = 0; i < Rf_xlength(names); ++i)
    if (std::string_view(CHAR(STRING_ELT(names, i))) == name) return VECTOR_ELT(list_, i);
  return R_NilValue;
}

SavedModel& model_of(SEXP pointer) {
  Pointer model(pointer);
  if (model.get() == nullptr) throw UsageError("the model is not in memory; read it again");
  return *model;
}

SEXP pointer_to(SavedModel saved) { return Pointer(new SavedModel(std::move(saved))); }

Table table_of(SEXP columns, SEXP source) {
  Table table(text(source));
  const cpp11::list given(columns);
  const cpp11::strings names(given.names());
  for (R_xlen_t j = 0; j < given.size(); ++j) {
    const std::string name(names[j]);
    const SEXP column = given[j];
    if (TYPEOF(column) == REALSXP) {
      table.add_numbers(name, {REAL(column), REAL(column) + Rf_xlength(column)});
      continue;
    }
    std::vector<std::string> cells;
    for (const cpp11::r_string& cell : cpp11::strings(column))
      cells.emplace_back(cell == NA_STRING ? std::string() : std::string(cell));
    table.add_text(name, cells);
  }
  return table;
}

Dataset rows_of(const SavedModel& saved, SEXP columns, SEXP source) {
  const GeneralizedGP& model = saved.model;
  if (Rf_isNull(columns))
    return {.X = model.inputs(), .observed = model.observations(), .columns = model.columns()};
  const Table table = table_of(columns, source);
  // New rows are of one trial, of weight 1 and not censored unless they say so.
  SavedModel reader = saved;
  for (std::string ColumnRoles::*role :
       {&ColumnRoles::trials, &ColumnRoles::weight, &ColumnRoles::censored, &ColumnRoles::upper})
    if (!table.has(reader.roles.*role)) (reader.roles.*role).clear();
  return reader.rows(table);
}

}  // namespace ggpm::r
