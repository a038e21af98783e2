// sum  = mean {"+" mean}
// mean = "fixed" "(" sum ")" | name ["(" [argument {"," argument}] ")"]
#include <algorithm>
#include <array>

#include "kernel/expression/mean.hpp"
#include "kernel/text/reader.hpp"
#include "text/text.hpp"

namespace ggpm::internal::kern {
namespace {

MeanState read_sum(Reader& reader);

MeanState::Term make_term(std::string_view word) {
  if (word == "constant") return {.name = "constant", .parts = {{.name = "value"}}};
  return {.name = "linear",
          .parts = {{.name = "weights", .role = Role::mean_weight}, {.name = "intercept"}}};
}

void read_settings(Reader& reader, MeanState::Term& term, bool& level_given) {
  std::vector<std::string> names;
  for (const MeanState::Part& part : term.parts) names.push_back(part.name);
  if (term.is_linear()) names.emplace_back("columns");
  read_arguments(reader, term.name, names, term.parts.size(), [&](std::size_t index, std::size_t) {
    const std::size_t value_at = reader.position();
    if (index == term.parts.size()) {
      term.columns = read_columns(reader);
      return;
    }
    MeanState::Part& part = term.parts[index];
    part.values = read_values(reader, part.name, Sign::any);
    if (part.values.is_list && part.role != Role::mean_weight)
      reader.fail(value_at, part.name + " is one number, not a list");
    level_given = level_given || part.role == Role::mean_level;
  });
}

// Adds the term to the sum. One level is enough: of `constant + linear(columns=[a])` the second is
// held at 0, unless it is given.
void read_term(Reader& reader, MeanState& sum) {
  const std::size_t start = reader.position();
  if (reader.accept_word("fixed")) {
    const Reader::Depth depth(reader, start);
    const std::size_t opened_at = reader.position();
    reader.expect('(', "after fixed");
    MeanState held = read_sum(reader);
    reader.expect_closing(')', opened_at);
    for_each_mean_value(held, [](const MeanSlot&, Value& value) { value.fixed = true; });
    sum.terms.insert(sum.terms.end(), held.terms.begin(), held.terms.end());
    return;
  }
  static const std::array<std::string, 3> kinds = {"zero", "constant", "linear"};
  const std::string_view word = reader.peek_word();
  if (word.empty())
    reader.fail(start, "expected zero, constant or linear, found " + reader.found());
  if (std::find(kinds.begin(), kinds.end(), word) == kinds.end())
    reader.fail(start, "unknown mean " + reader.found() + text::suggestion(word, kinds));
  reader.take_word();
  if (word == "zero") return;
  MeanState::Term term = make_term(word);
  bool level_given = false;
  read_settings(reader, term, level_given);
  if (!sum.terms.empty() && !level_given) term.parts.back().values.items.front().fixed = true;
  sum.terms.push_back(std::move(term));
}

MeanState read_sum(Reader& reader) {
  MeanState out;
  do read_term(reader, out);
  while (reader.accept('+'));
  return out;
}

}  // namespace

MeanState parse_mean(std::string_view text) {
  Reader reader("mean", text);
  MeanState out = read_sum(reader);
  reader.expect_end("+ or ");
  return out;
}

}  // namespace ggpm::internal::kern
