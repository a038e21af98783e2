// A header and arrays from a file that nobody trusts: every question that they cannot answer is a
// DataError, and so is what nobody has asked for.
#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "data/named_array.hpp"

namespace ggpm::internal::file {

using Json = nlohmann::json;

// A JSON object, by the names of its entries.
class Fields {
 public:
  Fields(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
    if (!json.is_object()) fail("is not an object");
  }

  bool has(const char* key) const { return json_.contains(key); }
  const Json& at(const char* key) const;
  std::string text(const char* key) const;
  bool flag(const char* key) const;
  int whole(const char* key, int largest = std::numeric_limits<int>::max()) const;
  const Json& list(const char* key) const;
  std::vector<std::string> texts(const char* key) const;
  // The object of that name.
  Fields fields(const char* key) const;

  void done() const;  // DataError for an entry that nobody has asked for
  [[noreturn]] void fail(const std::string& why) const { throw DataError(where_ + " " + why); }

 private:
  const Json& json_;
  std::string where_;
  mutable std::set<std::string> asked_;
};

// The arrays of a file, by name and shape.
class Arrays {
 public:
  Arrays(NamedArrays arrays, std::string source)
      : arrays_(std::move(arrays)), source_(std::move(source)) {}

  bool has(std::string_view name) const { return find(name) != nullptr; }
  // Of any shape.
  const Matrix& at(std::string_view name) const;
  // DataError unless it has this shape; `finite` also for an entry that is not a finite number.
  const Matrix& at(std::string_view name, Index rows, Index cols) const;
  const Matrix& finite(std::string_view name, Index rows, Index cols) const;
  Vector vector(std::string_view name, Index rows) const { return finite(name, rows, 1).col(0); }
  // Empty: it is not there, or has no rows.
  Vector optional(std::string_view name, Index rows) const;
  // All whose names begin like this, without that beginning.
  NamedArrays with_prefix(std::string_view prefix) const;

  void done() const;
  [[noreturn]] void fail(const std::string& why) const { throw DataError(source_ + ": " + why); }

 private:
  const Matrix* find(std::string_view name) const;

  NamedArrays arrays_;
  std::string source_;
  mutable std::set<std::string, std::less<>> asked_;
};

}  // namespace ggpm::internal::file
