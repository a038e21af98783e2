#include "kernel/expression/columns.hpp"

#include <algorithm>
#include <cctype>

#include "text/text.hpp"

namespace ggpm::internal::kern {
namespace {

using Names = std::vector<std::string>;
using Refuse = std::function<void(const std::string&)>;

bool is_bare(const std::string& name) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-' ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  return !name.empty() && std::all_of(name.begin(), name.end(), plain) &&
         std::isalpha(static_cast<unsigned char>(name.front())) != 0;
}

// As the parser reads it back: bare, or in quotes with \ before quotes and backslashes.
std::string column_text(const Column& column) {
  if (column.number > 0) return std::to_string(column.number);
  if (is_bare(column.name)) return column.name;
  std::string out = "'";
  for (const char c : column.name) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

// Text columns are one input a level: "sex=F", "sex=M". The column itself means all of them.
std::vector<Column> with_levels(const std::vector<Column>& columns,
                                std::span<const std::string> names) {
  std::vector<Column> out;
  for (const Column& column : columns) {
    const std::size_t before = out.size();
    if (column.number == 0 && std::find(names.begin(), names.end(), column.name) == names.end())
      for (const std::string& name : names)
        if (name.starts_with(column.name + "=")) out.push_back({.name = name});
    if (out.size() == before) out.push_back(column);
  }
  return out;
}

// The names as a user knows them: a text column once.
Names without_levels(std::span<const std::string> names) {
  Names out;
  for (const std::string& name : names) {
    std::string column = name.substr(0, name.find('='));
    if (std::find(out.begin(), out.end(), column) == out.end()) out.push_back(std::move(column));
  }
  return out;
}

constexpr std::string_view kCoded = "=(levels)";

bool is_coded(std::string_view name) { return name.ends_with(kCoded); }

// None where no input is the level of a group: then a kernel sees all of them.
std::vector<Column> without_codes(std::span<const std::string> names) {
  std::vector<Column> out;
  if (std::any_of(names.begin(), names.end(), is_coded))
    for (const std::string& name : names)
      if (!is_coded(name)) out.push_back({.name = name});
  return out;
}

Index find(const Column& column,
           Index count,
           std::span<const std::string> names,
           const Refuse& refuse) {
  if (column.number > count)
    refuse("there is no input " + std::to_string(column.number) + "; the inputs count from 1 to " +
           std::to_string(count));
  if (column.number > 0) return column.number - 1;
  const auto found = std::find(names.begin(), names.end(), column.name);
  if (found != names.end()) return found - names.begin();
  const std::string what = "unknown input " + in_quotes(column.name);
  if (names.empty()) refuse(what + "; these inputs have no names, use numbers from 1");
  const bool level = column.name.find('=') != std::string::npos;
  refuse(what +
         text::suggestion(column.name,
                          level ? Names(names.begin(), names.end()) : without_levels(names)));
  return -1;
}

}  // namespace

std::string text(std::span<const Column> columns) {
  std::string list;
  for (const Column& column : columns) list += (list.empty() ? "" : ", ") + column_text(column);
  return "[" + list + "]";
}

std::vector<Index> resolve_columns(std::vector<Column>& columns,
                                   Index count,
                                   std::span<const std::string> names,
                                   const Refuse& refuse) {
  std::vector<Column> each = with_levels(columns, names);
  std::vector<Index> chosen;
  for (const Column& column : each) {
    const Index index = find(column, count, names, refuse);
    if (std::find(chosen.begin(), chosen.end(), index) != chosen.end())
      refuse("input " + column_text(column) + " is listed twice");
    chosen.push_back(index);
  }
  columns = std::move(each);
  return chosen;
}

std::vector<Index> resolve_quantities(std::vector<Column>& columns,
                                      Index count,
                                      std::span<const std::string> names,
                                      const Refuse& refuse) {
  if (columns.empty()) columns = without_codes(names);
  if (columns.empty() && std::any_of(names.begin(), names.end(), is_coded))
    refuse("every input is the level of a group, which only group looks at");
  std::vector<Index> chosen = resolve_columns(columns, count, names, refuse);
  if (!names.empty())
    for (const Index index : chosen)
      if (const std::string& name = names[static_cast<std::size_t>(index)]; is_coded(name))
        refuse("input " + in_quotes(name.substr(0, name.find('='))) +
               " is the level of a group, which only group looks at");
  return chosen;
}

}  // namespace ggpm::internal::kern
