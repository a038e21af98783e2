#include "ggpm/model_formula.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "ggpm/kernel.hpp"
#include "kernel/expression/type.hpp"
#include "text/reader.hpp"
#include "text/text.hpp"

namespace ggpm {

using namespace internal;

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw UsageError("formula: " + why +
                   "; it looks like 'y ~ rbf(a, b) + group(c) + offset(log(d))'");
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Where a quoted name that begins here ends.
std::size_t after_quote(std::string_view in, std::size_t at) {
  for (std::size_t i = at + 1; i < in.size(); ++i) {
    if (in[i] == '\\')
      ++i;
    else if (in[i] == in[at])
      return i + 1;
  }
  refuse("a quote is not closed");
}

// Calls visit(place, depth of brackets before it) for every character outside of quotes; false stops.
template <class Visit>
void scan(std::string_view text, const Visit& visit) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '\'' || text[i] == '"') {
      i = after_quote(text, i);
      continue;
    }
    if (text[i] == ')' || text[i] == ']') --depth;
    if (depth < 0) refuse(fmt::format("column {} closes what was not opened", i + 1));
    if (!visit(i, depth)) return;
    if (text[i] == '(' || text[i] == '[') ++depth;
    ++i;
  }
  if (depth != 0) refuse("a bracket is not closed");
}

// Parts between separators outside of brackets and quotes.
std::vector<std::string> split(std::string_view in, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  scan(in, [&](std::size_t i, int depth) {
    if (in[i] != separator || depth > 0) return true;
    parts.emplace_back(text::trimmed(in.substr(begin, i - begin)));
    begin = i + 1;
    return true;
  });
  parts.emplace_back(text::trimmed(in.substr(begin)));
  return parts;
}

// The argument of "name(argument)".
std::optional<std::string> argument_of(const std::string& term, std::string_view name) {
  if (!term.starts_with(name) || !term.ends_with(')')) return std::nullopt;
  const std::string_view rest = text::trimmed(std::string_view(term).substr(name.size()));
  if (!rest.starts_with('(')) return std::nullopt;
  std::size_t closed = rest.size();
  scan(rest, [&](std::size_t i, int depth) {
    if (rest[i] == ')' && depth == 0) closed = std::min(closed, i);
    return true;
  });
  if (closed + 1 != rest.size()) return std::nullopt;
  return std::string(text::trimmed(rest.substr(1, closed - 1)));
}

bool is_quoted(std::string_view name) {
  return name.size() >= 2 && (name.front() == '\'' || name.front() == '"') &&
         after_quote(name, 0) == name.size();
}

bool is_word(std::string_view name) {
  const auto part = [](char c) { return text::continues_word(c) || c == '.'; };
  return !name.empty() && text::starts_word(name.front()) &&
         std::all_of(name.begin(), name.end(), part);
}

std::string column_name(const std::string& in, std::string_view what) {
  if (is_word(in)) return in;
  if (!is_quoted(in))
    refuse(fmt::format("{} is {}, not the name of a column; what is computed is added to the table",
                       what,
                       in_quotes(in)));
  std::string name;
  for (std::size_t i = 1; i + 1 < in.size(); ++i) {
    if (in[i] == '\\') ++i;
    name += in[i];
  }
  if (name.empty()) refuse(fmt::format("{} has an empty name", what));
  return name;
}

bool is_kernel(std::string_view name) {
  const auto& types = kern::kernel_types();
  return std::any_of(types.begin(), types.end(), [name](const kern::KernelType* type) {
    return type->name == name;
  });
}

// Columns that a kernel is given by their names alone come behind columns=.
std::string arguments_of(std::string_view in) {
  std::vector<std::string> columns, settings;
  if (text::trimmed(in).empty()) return "";
  for (const std::string& part : split(in, ',')) {
    const bool is_column = is_word(part) || is_quoted(part);
    if (!is_column && !part.empty() && text::starts_word(part.front()) &&
        !part.starts_with("fixed") && part.find('=') == std::string::npos)
      (void)column_name(part, "an input");
    (is_column ? columns : settings).push_back(part);
  }
  if (!columns.empty()) settings.push_back(fmt::format("columns=[{}]", fmt::join(columns, ", ")));
  return fmt::format("{}", fmt::join(settings, ", "));
}

// The kernels of a term as kernels are written everywhere.
std::string kernels_of(std::string_view term) {
  std::string out;
  for (std::size_t i = 0; i < term.size();) {
    if (!text::starts_word(term[i])) {
      out += term[i++];
      continue;
    }
    std::size_t end = i;
    while (end < term.size() && text::continues_word(term[end])) ++end;
    const std::string_view word = term.substr(i, end - i);
    out += word;
    i = end;
    while (i < term.size() && is_space(term[i])) ++i;
    if (!is_kernel(word) || i == term.size() || term[i] != '(') continue;
    std::size_t close = term.size();
    scan(term.substr(i), [&](std::size_t at, int depth) {
      if (term[i + at] == ')' && depth == 0) close = i + at;
      return close == term.size();
    });
    out += "(" + arguments_of(term.substr(i + 1, close - i - 1)) + ")";
    i = close + 1;
  }
  return out;
}

std::vector<std::string> columns_of(const std::string& kernel) {
  std::vector<std::string> out;
  kern::parse_kernel(kernel)->visit([&](const kern::Leaf& leaf) {
    for (const kern::Column& column : leaf.columns) {
      if (column.number > 0) refuse("columns have names, not numbers");
      if (std::find(out.begin(), out.end(), column.name) == out.end()) out.push_back(column.name);
    }
  });
  return out;
}

void set_once(std::string& role, std::string column, std::string_view what) {
  if (!role.empty()) refuse(fmt::format("there are two of {}", what));
  role = std::move(column);
}

}  // namespace

ModelFormula parse_model_formula(std::string_view formula) {
  const std::vector<std::string> sides = split(formula, '~');
  if (sides.size() != 2) refuse("there is one ~ between the target and the model");
  ModelFormula out{.target = column_name(sides[0], "the target"), .kernel = ""};
  bool needs_intercept = true, refuses_intercept = false;
  for (const std::string& term : split(sides[1], '+')) {
    if (term.empty()) refuse("a term is empty");
    needs_intercept = needs_intercept && term != "0" && term != "1" && term != "constant" &&
                      !term.starts_with("constant(") && !term.starts_with("classes(");
    if (term == "0") {
      refuses_intercept = true;
      continue;
    }
    if (const auto shift = argument_of(term, "offset")) {
      const auto of_log = argument_of(*shift, "log");
      set_once(of_log ? out.exposure : out.offset,
               column_name(of_log ? *of_log : *shift, "an offset"),
               of_log ? "offset(log())" : "offset()");
    } else if (const auto times = argument_of(term, "exposure")) {
      set_once(out.exposure, column_name(*times, "an exposure"), "exposure()");
    } else if (term == "." || (is_word(term) && term != "1" && !is_kernel(term))) {
      refuse(
          fmt::format("{} is no kernel; a column goes into one, as linear(x), rbf(x) or group(x)",
                      in_quotes(term)));
    } else {
      out.kernel +=
          (out.kernel.empty() ? "" : " + ") + (term == "1" ? "constant" : kernels_of(term));
    }
  }
  if (out.kernel.empty() && refuses_intercept)
    refuse("0 leaves the intercept out, and there is no other term");
  if (out.kernel.empty())
    out.kernel = "constant";
  else if (needs_intercept)
    out.kernel += " + constant";
  out.inputs = columns_of(out.kernel);
  return out;
}

}  // namespace ggpm
