// What kind of number an output is: it decides which likelihoods can be asked.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace ggpm {

enum class Domain {
  real,
  positive,
  count,
  fraction_of_trials,
  binary,
  proportion,
  nonnegative,  // amounts, some of them exactly 0
  ordinal,      // levels 1, 2, ..., of which only the order is known
};

struct DomainInfo {
  Domain domain;
  std::string_view name;   // in options, files and Python
  std::string_view words;  // for a person
};
inline constexpr std::array<DomainInfo, 8> kDomains = {
    {{Domain::real, "real", "real numbers"},
     {Domain::positive, "positive", "positive numbers"},
     {Domain::count, "count", "counts"},
     {Domain::fraction_of_trials, "fraction_of_trials", "successes among trials"},
     {Domain::binary, "binary", "two classes"},
     {Domain::proportion, "proportion", "numbers between 0 and 1"},
     {Domain::nonnegative, "nonnegative", "amounts with exact zeros"},
     {Domain::ordinal, "ordinal", "ordered levels"}}};

constexpr const DomainInfo& info_of(Domain domain) {
  return kDomains[static_cast<std::size_t>(domain)];
}
constexpr std::string_view to_string(Domain domain) { return info_of(domain).name; }

constexpr std::optional<Domain> find_domain(std::string_view name) {
  for (const DomainInfo& info : kDomains)
    if (info.name == name) return info.domain;
  return std::nullopt;
}

// Whether outputs are whole numbers, so that P(Y < y) and P(Y <= y) differ.
constexpr bool is_discrete(Domain domain) {
  return domain == Domain::count || domain == Domain::fraction_of_trials ||
         domain == Domain::binary || domain == Domain::ordinal;
}

// The distribution function at this point is P(Y < y): a step before y where y has a probability.
constexpr double just_below(Domain domain, double y) {
  const bool step = is_discrete(domain) || (domain == Domain::nonnegative && y == 0);
  return step ? y - 1 : y;
}

}  // namespace ggpm
