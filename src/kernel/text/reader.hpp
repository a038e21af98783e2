// Reads the text of kernels and means, character by character; every error is a UsageError that
// points at the column.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "kernel/expression/columns.hpp"
#include "kernel/expression/value.hpp"
#include "text/reader.hpp"

namespace ggpm::internal::kern {

class Reader final : public text::Reader {
 public:
  static constexpr std::size_t kLongestText = std::size_t{1} << 20;

  Reader(std::string_view what, std::string_view text);  // what: "kernel" or "mean"

  // These skip blanks first, as those of the base do.
  bool at_quote();
  std::string in_quotes();         // 'text' or "text", \ before a quote or backslash
  std::string_view bare_column();  // up to a blank, comma, bracket or quote; may be empty
  void expect_end(std::string_view otherwise);

  [[noreturn]] void fail(std::size_t position, const std::string& message) const override;

 private:
  std::string_view what_;
};

// The arguments "(...)" of `owner`, if there are any: in the order of `names` (the first
// `positional` of them), then name=value. Calls setting(index in names, position of the argument)
// where a value is to be read.
void read_arguments(Reader& reader,
                    std::string_view owner,
                    std::span<const std::string> names,
                    std::size_t positional,
                    const std::function<void(std::size_t, std::size_t)>& setting);

// "2", "[1, fixed(2)]", "fixed([1, 2])", "2 in [1, 3] ~ gamma(2, 1)". `name` is for messages.
Values read_values(Reader& reader, std::string_view name, Sign sign);

// "[year, 'sepal length', 3]"
std::vector<Column> read_columns(Reader& reader);

}  // namespace ggpm::internal::kern
