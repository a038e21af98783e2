// mean = "fixed" "(" mean ")" | name ["(" [argument {"," argument}] ")"]
#include <algorithm>
#include <array>

#include "kernel/expression/mean.hpp"
#include "kernel/text/reader.hpp"
#include "text/text.hpp"

namespace ggpm::internal::kern {
namespace {

MeanState read_mean(Reader& reader) {
  const std::size_t start = reader.position();
  if (reader.accept_word("fixed")) {
    const Reader::Depth depth(reader, start);
    const std::size_t opened_at = reader.position();
    reader.expect('(', "after fixed");
    MeanState out = read_mean(reader);
    reader.expect_closing(')', opened_at);
    for_each_mean_value(out, [](auto&, std::size_t, Value& value) { value.fixed = true; });
    return out;
  }
  static const std::array<std::string, 3> kinds = {"zero", "constant", "linear"};
  const std::string_view word = reader.peek_word();
  if (word.empty())
    reader.fail(start, "expected zero, constant or linear, found " + reader.found());
  if (std::find(kinds.begin(), kinds.end(), word) == kinds.end())
    reader.fail(start, "unknown mean " + reader.found() + text::suggestion(word, kinds));
  reader.take_word();
  MeanState out{.name = std::string(word), .parts = {}};
  if (word == "zero") return out;
  if (word == "constant") out.parts = {{.name = "value"}};
  if (word == "linear")
    out.parts = {{.name = "weights", .role = Role::mean_weight}, {.name = "intercept"}};

  std::vector<std::string> names;
  for (const MeanState::Part& part : out.parts) names.push_back(part.name);
  read_arguments(reader, word, names, names.size(), [&](std::size_t index, std::size_t) {
    const std::size_t value_at = reader.position();
    out.parts[index].values = read_values(reader, names[index], Sign::any);
    if (out.parts[index].values.is_list && out.parts[index].role != Role::mean_weight)
      reader.fail(value_at, names[index] + " is one number, not a list");
  });
  return out;
}

}  // namespace

MeanState parse_mean(std::string_view text) {
  Reader reader("mean", text);
  MeanState out = read_mean(reader);
  reader.expect_end("");
  return out;
}

}  // namespace ggpm::internal::kern
