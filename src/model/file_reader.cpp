#include "model/file_reader.hpp"

#include <fmt/format.h>

#include <cmath>

namespace ggpm::internal::file {

const Json& Fields::at(const char* key) const {
  asked_.insert(key);
  const auto found = json_.find(key);
  if (found == json_.end()) fail(std::string("has no '") + key + "'");
  return *found;
}

std::string Fields::text(const char* key) const {
  const Json& value = at(key);
  if (!value.is_string()) fail(std::string("'") + key + "' is not a text");
  return value.get<std::string>();
}

bool Fields::flag(const char* key) const {
  const Json& value = at(key);
  if (!value.is_boolean()) fail(std::string("'") + key + "' is not true or false");
  return value.get<bool>();
}

int Fields::whole(const char* key, int largest) const {
  const Json& value = at(key);
  if (!value.is_number_unsigned() ||
      value.get<std::uint64_t>() > static_cast<std::uint64_t>(largest))
    fail(std::string("'") + key + "' is not a whole number up to " + std::to_string(largest));
  return value.get<int>();
}

const Json& Fields::list(const char* key) const {
  const Json& value = at(key);
  if (!value.is_array()) fail(std::string("'") + key + "' is not a list");
  return value;
}

std::vector<std::string> Fields::texts(const char* key) const {
  std::vector<std::string> out;
  for (const Json& value : list(key)) {
    if (!value.is_string()) fail(std::string("'") + key + "' has an entry that is not a text");
    out.push_back(value.get<std::string>());
  }
  return out;
}

Fields Fields::fields(const char* key) const {
  return {at(key), where_ + (where_.ends_with("header") ? " '" : ", '") + key + "'"};
}

void Fields::done() const {
  for (const auto& entry : json_.items())
    if (!asked_.contains(entry.key())) fail("has an entry '" + entry.key() + "' that is unknown");
}

const Matrix* Arrays::find(std::string_view name) const {
  asked_.emplace(name);
  for (const NamedArray& candidate : arrays_)
    if (candidate.name == name) return &candidate.values;
  return nullptr;
}

const Matrix& Arrays::at(std::string_view name) const {
  if (const Matrix* found = find(name)) return *found;
  fail("array '" + std::string(name) + "' is missing");
}

const Matrix& Arrays::at(std::string_view name, Index rows, Index cols) const {
  const Matrix& values = at(name);
  if (values.rows() != rows || values.cols() != cols)
    fail(fmt::format("array '{}' is {} x {}, it should be {} x {}",
                     name,
                     values.rows(),
                     values.cols(),
                     rows,
                     cols));
  return values;
}

const Matrix& Arrays::finite(std::string_view name, Index rows, Index cols) const {
  const Matrix& values = at(name, rows, cols);
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i)
      if (!std::isfinite(values(i, j)))
        fail(fmt::format(
            "array '{}', row {}: {} is not a finite number", name, i + 1, values(i, j)));
  return values;
}

Vector Arrays::optional(std::string_view name, Index rows) const {
  const Matrix* found = find(name);
  if (found == nullptr || found->rows() == 0) return {};
  return vector(name, rows);
}

NamedArrays Arrays::with_prefix(std::string_view prefix) const {
  NamedArrays out;
  for (const NamedArray& array : arrays_)
    if (array.name.starts_with(prefix))
      out.push_back({array.name.substr(prefix.size()), at(array.name)});
  return out;
}

void Arrays::done() const {
  for (const NamedArray& array : arrays_)
    if (!asked_.contains(array.name)) fail("array '" + array.name + "' is unknown");
}

}  // namespace ggpm::internal::file
