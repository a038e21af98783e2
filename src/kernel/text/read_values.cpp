// The grammar of a parameter's value:
//
//   values  = primary ["in" "[" number "," number "]"] ["~" prior]
//   primary = number | "[" values {"," values} "]" | "fixed" "(" values ")"
//   prior   = name "(" number "," number ")"
#include <array>
#include <cmath>

#include "kernel/text/reader.hpp"
#include "text/text.hpp"

namespace ggpm::internal::kern {
namespace {

Prior read_prior(Reader& reader) {
  static const std::array<std::string, 4> names = {"normal", "lognormal", "gamma", "inverse_gamma"};
  const std::size_t start = reader.position();
  const std::string_view word = reader.peek_word();
  std::size_t kind = 0;
  while (kind < names.size() && names[kind] != word) ++kind;
  if (kind == names.size()) {
    if (word.empty()) reader.fail(start, "expected a prior, found " + reader.found());
    reader.fail(start, "unknown prior " + reader.found() + text::suggestion(word, names));
  }
  reader.take_word();
  Prior prior{.kind = static_cast<Prior::Kind>(kind + 1)};
  const std::size_t opened_at = reader.position();
  reader.expect('(', "after the name of a prior");
  prior.a = reader.number();
  reader.expect(',', "between the two numbers of a prior");
  prior.b = reader.number();
  reader.expect_closing(')', opened_at);
  const bool location = prior.kind == Prior::Kind::normal || prior.kind == Prior::Kind::lognormal;
  if (!std::isfinite(prior.a) || !std::isfinite(prior.b) || prior.b <= 0 ||
      (!location && prior.a <= 0))
    reader.fail(start,
                std::string(word) + (location ? " needs a finite mean and a positive sd"
                                              : " needs two positive numbers"));
  return prior;
}

class ValueReader {
 public:
  ValueReader(Reader& reader, std::string_view name, Sign sign)
      : reader_(reader), name_(name), sign_(sign) {}

  Values values() {
    Values out = primary();
    if (reader_.accept_word("in")) {
      const std::size_t start = reader_.position();
      const Bounds bounds = read_bounds();
      for (Value& item : out.items) set_bounds(item, bounds, start);
    }
    if (reader_.accept('~')) {
      const Prior prior = read_prior(reader_);
      for (Value& item : out.items) item.prior = prior;
    }
    return out;
  }

 private:
  Values primary() {
    const std::size_t start = reader_.position();
    if (reader_.accept_word("fixed")) {
      const Reader::Depth depth(reader_, start);
      const std::size_t opened_at = reader_.position();
      reader_.expect('(', "after fixed");
      Values out = values();
      reader_.expect_closing(')', opened_at);
      for (Value& item : out.items) item.fixed = true;
      return out;
    }
    if (reader_.accept('[')) return list(start);
    Value value{.value = reader_.number()};
    if (const std::string found = fault(value.value, sign_); !found.empty())
      reader_.fail(start, std::string(name_) + " = " + text::shortest(value.value) + " " + found);
    return {.items = {value}, .is_list = false};
  }

  Values list(std::size_t opened_at) {
    const Reader::Depth depth(reader_, opened_at);
    Values out{.items = {}, .is_list = true};
    do {
      const std::size_t start = reader_.position();
      const Values item = values();
      if (item.is_list) reader_.fail(start, "a list within a list");
      out.items.push_back(item.items.front());
    } while (reader_.accept(','));
    reader_.expect_closing(']', opened_at);
    return out;
  }

  Bounds read_bounds() {
    const std::size_t opened_at = reader_.position();
    reader_.expect('[', "after in, as in 2 in [1, 3]");
    const double lower = reader_.number();
    reader_.expect(',', "between the bounds");
    const double upper = reader_.number();
    reader_.expect_closing(']', opened_at);
    if (const std::string found = fault(Bounds{lower, upper}, sign_); !found.empty())
      reader_.fail(opened_at, "the bounds of " + std::string(name_) + " " + found);
    return {lower, upper};
  }

  void set_bounds(Value& item, const Bounds& bounds, std::size_t position) {
    if (item.value < bounds.lower || item.value > bounds.upper)
      reader_.fail(position,
                   std::string(name_) + " = " + text::shortest(item.value) +
                       " is outside its bounds [" + text::shortest(bounds.lower) + ", " +
                       text::shortest(bounds.upper) + "]");
    item.bounds = bounds;
  }

  Reader& reader_;
  const std::string_view name_;
  const Sign sign_;
};

}  // namespace

Values read_values(Reader& reader, std::string_view name, Sign sign) {
  return ValueReader(reader, name, sign).values();
}

}  // namespace ggpm::internal::kern

namespace ggpm {

using namespace internal;

Prior Prior::parse(std::string_view text) {
  kern::Reader reader("prior", text);
  const Prior prior = kern::read_prior(reader);
  reader.expect_end("");
  return prior;
}

}  // namespace ggpm
