#include "likelihood/formula/file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

// toml++ asserts, or assumes in release builds, what some texts break ("[[[likelihood]]]").
// Compiled here, not taken from its shared library, it throws instead.
namespace ggpm::internal::formula {

struct BrokenAssumption {};
constexpr void assume(bool holds) {
  if (!holds) throw BrokenAssumption();
}

}  // namespace ggpm::internal::formula

#pragma push_macro("NDEBUG")
#undef NDEBUG
#undef TOML_HEADER_ONLY
#undef TOML_SHARED_LIB
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ASSERT(expression) ::ggpm::internal::formula::assume(static_cast<bool>(expression))
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

#include "parallel/ranks.hpp"
#include "text/reader.hpp"
#include "text/text.hpp"

namespace ggpm::internal::formula {
namespace {

constexpr std::size_t kLongestName = 60;

// One line without control characters, for messages.
std::string one_line(std::string_view text) { return harmless(text, "", 200); }

bool is_ascii(std::string_view rest) {
  return rest.empty() || static_cast<unsigned char>(rest[0]) < 0x80;
}

// Passes over a text in quotes, of one line or of several, as TOML has them. A text that does not
// end is left to the parser. False at a character beyond ASCII that follows a backslash, or one that ends a line.
bool skip_quoted(std::string_view& rest) {
  const char quote = rest[0];
  const std::string three(3, quote);
  const std::string end = rest.starts_with(three) ? three : std::string(1, quote);
  rest.remove_prefix(end.size());
  while (!rest.empty() && !rest.starts_with(end) && !(end.size() == 1 && rest[0] == '\n')) {
    const bool escapes = quote == '"' && rest[0] == '\\';
    rest.remove_prefix(1);
    if (!escapes || rest.empty()) continue;
    const std::size_t next = rest.find_first_not_of(" \t\r\n\v\f");
    if (next > 0) rest.remove_prefix(std::min(next, rest.size()));
    if (!is_ascii(rest)) return false;
    if (next == 0) rest.remove_prefix(1);
  }
  const std::size_t closing = rest.find_first_not_of(quote);  // """" ends in a quote of its text
  rest.remove_prefix(std::min({closing, rest.size(), end.size() == 3 ? std::size_t{5} : 1}));
  return true;
}

// Whether a line that begins so goes on with the value of a field.
bool ends_in_equals(std::string_view line) {
  const std::size_t sign = line.find('=');
  if (sign == line.npos || !text::trimmed(line.substr(sign + 1)).empty()) return false;
  const std::string_view name = text::trimmed(line.substr(0, sign));
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return text::continues_word(c) || c == '-';
  });
}

// toml++ shifts by more than the width of a number, or comes to what it says cannot be reached, where it asks what a
// character beyond ASCII is: outside of quotes, and after a backslash. None is needed there, so none gets there. Quotes are those of "name = '...'": what else
// toml++ takes for quotes, and then for a comment, takes a parser to know (1"x" has none).
void require_ascii(std::string_view text, const std::string& where) {
  std::string_view rest = text;
  const char* line = rest.data();
  bool simple = true;  // so far: tables, fields of one value, comments
  std::string_view place = "stands outside of quotes";
  while (!rest.empty()) {
    const auto byte = static_cast<unsigned char>(rest[0]);
    const bool is_mark = rest.size() == text.size() && rest.starts_with("\xEF\xBB\xBF");
    if (!is_ascii(rest) && !is_mark) {
      const std::string_view before = text.substr(0, text.size() - rest.size());
      const std::size_t length = text::utf8_length(rest);
      throw UsageError(fmt::format("{}: line {}: {} {}; there TOML has plain ASCII",
                                   where,
                                   1 + std::count(before.begin(), before.end(), '\n'),
                                   in_quotes(rest.substr(0, std::max<std::size_t>(length, 1))),
                                   place));
    }
    const std::string_view begun(line, static_cast<std::size_t>(rest.data() - line));
    const bool is_quote = byte == '"' || byte == '\'';
    if (is_quote && !ends_in_equals(begun)) simple = false;
    if (byte == '{' || (byte == '[' && begun.find_first_not_of(" \t[") != begun.npos))
      simple = false;
    if (byte == '#' && simple)
      rest.remove_prefix(std::min(rest.find('\n'), rest.size()));
    else if (is_quote && simple)
      place = skip_quoted(rest) ? place : "follows a backslash";
    else
      rest.remove_prefix(is_mark ? 3 : 1);
    if (is_mark || byte == '\n') line = rest.data();
  }
}

class FormulaReader {
 public:
  FormulaReader(const toml::table& file, const std::string& where) : where_(where) {
    for (const auto& [key, value] : file) {
      if (key.str() != "likelihood") {
        fail(fmt::format("unknown entry '{}'; expected one table, [likelihood]",
                         one_line(key.str())));
      }
    }
    table_ = file["likelihood"].as_table();
    if (table_ == nullptr) fail("the table [likelihood] is missing");
    for (const auto& [key, value] : *table_) known(key.str());
  }

  Formula read() const {
    Formula out;
    out.where = where_;
    out.domain = domain();
    out.a = expression("a", "", true);
    out.b = expression("b", "theta", true);
    out.c = expression("c", "y", true);
    out.T = expression("T", "y", false);
    out.theta = expression("theta", "eta", true);
    if (!out.T.uses_variable()) fail("field 'T' does not depend on y");
    if (!out.theta.uses_variable()) fail("field 'theta' does not depend on eta");
    if (table_->contains("name")) out.name = name();
    if (table_->contains("dispersion")) out.dispersion = dispersion(out);
    return out;
  }

 private:
  static constexpr std::array<std::string_view, 8> kFields = {
      "domain", "a", "b", "c", "T", "theta", "name", "dispersion"};

  void known(std::string_view key) const {
    for (const std::string_view field : kFields) {
      if (key == field) return;
    }
    fail(fmt::format("unknown field '{}'; there are domain, a, b, c, T, theta, name, dispersion",
                     one_line(key)));
  }

  const toml::node& field(std::string_view key) const {
    const toml::node* node = table_->get(key);
    if (node == nullptr) {
      fail(fmt::format("field '{}' is missing; [likelihood] needs domain, a, b, c, T and theta",
                       key));
    }
    return *node;
  }

  std::string text(std::string_view key) const {
    const auto value = field(key).value_exact<std::string>();
    if (!value) fail(fmt::format("field '{}' is not a text in quotes", key));
    return *value;
  }

  Domain domain() const {
    const std::string word = text("domain");
    const std::optional<Domain> found = find_domain(word);
    if (found && *found != Domain::fraction_of_trials) return *found;
    std::vector<std::string_view> known;
    for (const DomainInfo& info : kDomains)
      if (info.domain != Domain::fraction_of_trials) known.push_back(info.name);
    fail(fmt::format("unknown domain '{}'; there are {}", one_line(word), fmt::join(known, ", ")));
  }

  // A formula in quotes, or a number.
  Expression expression(std::string_view key, std::string_view variable, bool phi) const {
    const toml::node& node = field(key);
    const std::string here = fmt::format("{}: field '{}'", where_, key);
    const Scope scope{here, variable, phi};
    if (const auto number = node.value<double>(); number && node.is_number()) {
      if (!std::isfinite(*number)) fail(fmt::format("field '{}' is {}", key, *number));
      return Expression::parse(fmt::format("{}", *number), scope);
    }
    return Expression::parse(text(key), scope);
  }

  std::string name() const {
    std::string word = text("name");
    if (word.empty() || word.size() > kLongestName || word != one_line(word)) {
      fail(fmt::format("field 'name' is not one line of 1 to {} characters", kLongestName));
    }
    return word;
  }

  double dispersion(const Formula& formula) const {
    const auto number = field("dispersion").value<double>();
    if (!number || !field("dispersion").is_number()) fail("field 'dispersion' is not a number");
    if (!(*number > 0) || std::isinf(*number)) {
      fail(fmt::format("dispersion {} is not a finite number > 0", *number));
    }
    if (!formula.uses_phi()) fail("there is a dispersion, but no formula mentions phi");
    return *number;
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw UsageError(fmt::format("{}: {}", where_, message));
  }

  const std::string& where_;
  const toml::table* table_ = nullptr;
};

}  // namespace

Formula parse_formula(std::string_view text, const std::string& where) {
  if (text.size() > kLongestText) {
    throw UsageError(fmt::format(
        "{}: the text has {} bytes; a formula has at most {}", where, text.size(), kLongestText));
  }
  require_ascii(text, where);
  toml::table file;
  try {
    file = toml::parse(text);
  } catch (const toml::parse_error& error) {
    const toml::source_position place = error.source().begin;
    throw UsageError(fmt::format("{}: line {}, column {}: {}",
                                 where,
                                 place.line,
                                 place.column,
                                 one_line(error.description())));
  } catch (const BrokenAssumption&) {
    throw UsageError(fmt::format("{}: is not TOML; expected [likelihood] and its fields", where));
  }
  Formula out = FormulaReader(file, where).read();
  return out;
}

namespace {

std::string read_whole(const std::string& path) {
  std::error_code status;
  if (std::filesystem::is_directory(path, status)) {
    throw UsageError(fmt::format("{}: is a folder, not a formula", path));
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text(kLongestText + 1, '\0');
  if (file) file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) {
    throw UsageError(fmt::format(
        "{}: cannot be read: {}", path, errno != 0 ? std::strerror(errno) : "unknown reason"));
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kLongestText) {
    throw UsageError(fmt::format(
        "{}: the file is longer than {} bytes, the most that a formula has", path, kLongestText));
  }
  return text;
}

}  // namespace

std::string read_formula(const std::string& path) {
  return from_first_rank([&] { return read_whole(path); });
}

}  // namespace ggpm::internal::formula
