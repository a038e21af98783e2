#include "ggpm/types.hpp"

#include <array>

namespace ggpm {
namespace {

struct Word {
  Warning::Kind kind;
  std::string_view word;
};
constexpr std::array<Word, 7> kWords = {{{Warning::Kind::constant_input, "constant_input"},
                                         {Warning::Kind::at_bound, "at_bound"},
                                         {Warning::Kind::interrupted, "interrupted"},
                                         {Warning::Kind::not_converged, "not_converged"},
                                         {Warning::Kind::inference, "inference"},
                                         {Warning::Kind::indefinite_kernel, "indefinite_kernel"},
                                         {Warning::Kind::other, "other"}}};

}  // namespace

std::string_view to_string(Warning::Kind kind) {
  for (const Word& entry : kWords)
    if (entry.kind == kind) return entry.word;
  return "other";
}

Warning::Kind parse_warning_kind(std::string_view word) {
  for (const Word& entry : kWords)
    if (entry.word == word) return entry.kind;
  throw UsageError("unknown kind of warning '" + std::string(word) + "'");
}

}  // namespace ggpm
