#include "likelihood/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "likelihood/formula/likelihood.hpp"
#include "likelihood/softmax.hpp"
#include "text/text.hpp"

namespace ggpm::internal {

namespace families {
#define FAMILY(header, type) struct type;
#include "likelihood/families.def"
#undef FAMILY
}  // namespace families

namespace {

std::span<const FamilyEntry> all_families() {
#define FAMILY(header, type) family_entry<families::type>(),
  static const std::array table = {
#include "likelihood/families.def"
  };
#undef FAMILY
  return table;
}

// A name that says its link.
struct Alias {
  std::string_view name, family, link;
};
constexpr std::array<Alias, 3> kAliases = {{{"linear-poisson", "poisson", "linear"},
                                            {"linear-com-poisson", "com-poisson", "linear"},
                                            {"bernoulli-probit", "bernoulli", "probit"}}};

// "softplus" and "linear" are one link; the paper's own name for counts is the second.
bool same_link(std::string_view asked, std::string_view have) {
  const auto plain = [](std::string_view s) {
    return s == "linear" ? std::string_view("softplus") : s;
  };
  return plain(asked) == plain(have);
}

// The meanings of all dispersions: "alpha; zero: probability of a zero of its own".
std::string meaning_of(std::span<const Dispersion> dispersions) {
  std::string out;
  for (const Dispersion& d : dispersions) {
    if (!out.empty()) out += "; ";
    if (d.name != "dispersion") out += std::string(d.name) + ": ";
    out += d.meaning;
  }
  return out;
}

// Beyond these its square or its reciprocal would leave the range of doubles.
constexpr double kSmallest = 1e-100, kLargest = 1e100;

void require_positive(std::string_view name, double value) {
  if (!(value > 0) || std::isinf(value))
    throw UsageError(fmt::format("{} {} is not a finite number > 0", name, value));
  if (value < kSmallest || value > kLargest)
    throw UsageError(fmt::format("{} {} is not between {} and {}; measure y in another unit",
                                 name,
                                 value,
                                 kSmallest,
                                 kLargest));
}

// Learning keeps this fraction of an interval away from its ends.
constexpr double kMargin = 1e-6;

// What was given for a parameter; the named value before the plain one.
const NamedValue* find_given(std::string_view name, const LikelihoodOptions& options) {
  for (const NamedValue& given : options.parameters)
    if (given.name == name) return &given;
  return nullptr;
}

void require_known(std::string_view family,
                   std::span<const Dispersion> dispersions,
                   const LikelihoodOptions& options) {
  for (const NamedValue& given : options.parameters) {
    const auto named = [&](const Dispersion& d) { return d.name == given.name; };
    if (std::any_of(dispersions.begin(), dispersions.end(), named)) continue;
    std::vector<std::string_view> names;
    for (const Dispersion& d : dispersions) names.push_back(d.name);
    throw UsageError(
        fmt::format("likelihood '{}' has no parameter '{}'; it has {}",
                    family,
                    given.name,
                    names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
  }
}

void require_possible(const Dispersion& d, double value, std::string_view family) {
  if (!d.interval)
    return require_positive(fmt::format("likelihood '{}': {} =", family, d.name), value);
  if (value > d.lower && value < d.upper) return;
  throw UsageError(fmt::format("likelihood '{}': {} = {} is not between {} and {}",
                               family,
                               d.name,
                               value,
                               d.lower,
                               d.upper));
}

}  // namespace

std::vector<Parameter> starting_dispersions(std::string_view family,
                                            std::span<const Dispersion> dispersions,
                                            const LikelihoodOptions& options) {
  require_known(family, dispersions, options);
  std::vector<Parameter> out;
  for (const Dispersion& d : dispersions) {
    const double margin = d.interval ? kMargin * (d.upper - d.lower) : 0;
    const bool plain = d.name == "dispersion" && options.dispersion > 0;
    Parameter p{.name = std::string(d.name),
                .value = plain ? options.dispersion : d.start,
                .positive = !d.interval,
                .lower = d.lower + margin,
                .upper = d.upper - margin,
                .role = Role::dispersion};
    if (const NamedValue* given = find_given(d.name, options)) {
      p.value = given->value;
      p.fixed = given->fixed;
    }
    require_possible(d, p.value, family);
    if (d.interval) {
      p.lower = std::min(p.lower, p.value);
      p.upper = std::max(p.upper, p.value);
    }
    out.push_back(std::move(p));
  }
  return out;
}

}  // namespace ggpm::internal

namespace ggpm {

using namespace internal;

std::unique_ptr<Likelihood> make_likelihood(std::string_view name,
                                            std::string_view link,
                                            const LikelihoodOptions& options) {
  for (const Alias& alias : kAliases) {
    if (name != alias.name) continue;
    if (!link.empty() && link != "default" && !same_link(link, alias.link)) {
      throw UsageError(
          fmt::format("likelihood '{}' has the link '{}'; for '{}' name the family '{}'",
                      name,
                      alias.link,
                      link,
                      alias.family));
    }
    return make_likelihood(alias.family, alias.link, options);
  }
  require_positive("dispersion", options.dispersion < 0 ? 1 : options.dispersion);
  require_positive("df", options.df);
  if (formula::is_formula(name)) return make_formula_likelihood(name, link, options);
  if (name == Softmax::kName) {
    if (!link.empty() && link != "default" && link != Softmax::kName)
      throw UsageError(fmt::format("likelihood 'softmax' has no link '{}'", link));
    return std::make_unique<Softmax>(options);
  }
  std::vector<std::string> names;
  for (const FamilyEntry& family : all_families()) {
    names.emplace_back(family.name);
    if (family.name != name) continue;
    if (link.empty() || link == "default") return family.links.front().make(options);
    std::vector<std::string_view> links;
    for (const LinkEntry& entry : family.links) {
      if (same_link(link, entry.link)) return entry.make(options);
      links.push_back(entry.link);
    }
    throw UsageError(fmt::format(
        "likelihood '{}' has no link '{}'; there are: {}", name, link, fmt::join(links, ", ")));
  }
  for (const Alias& alias : kAliases) names.emplace_back(alias.name);
  names.emplace_back(Softmax::kName);
  const std::string nearest = did_you_mean(name, names);
  throw UsageError(fmt::format(
      "unknown likelihood {}{}",
      in_quotes(name),
      !nearest.empty() ? nearest
                       : fmt::format("; there are: {}, or the path of a formula (*.toml)",
                                     fmt::join(names, ", "))));
}

std::string likelihood_name(std::string_view family, std::string_view link) {
  for (const Alias& alias : kAliases)
    if (alias.family == family && alias.link == link) return std::string(alias.name);
  return std::string(family);
}

std::vector<LikelihoodInfo> likelihood_table() {
  std::vector<LikelihoodInfo> out;
  for (const FamilyEntry& family : all_families()) {
    LikelihoodInfo info{std::string(family.name),
                        {},
                        family.domain,
                        family.scatter,
                        meaning_of(family.dispersions),
                        std::string(family.formula)};
    for (const LinkEntry& entry : family.links) info.links.emplace_back(entry.link);
    out.push_back(std::move(info));
  }
  return out;
}

std::vector<LikelihoodAlias> likelihood_aliases() {
  std::vector<LikelihoodAlias> out;
  out.reserve(std::size(kAliases));
  for (const Alias& alias : kAliases)
    out.push_back({std::string(alias.name), std::string(alias.family), std::string(alias.link)});
  return out;
}

std::vector<std::string> families_of(Domain domain) {
  std::vector<std::string> names;
  for (const LikelihoodChoice& choice : likelihood_choices(domain))
    if (choice.automatic) names.push_back(choice.name);
  return names;
}

std::vector<LikelihoodChoice> likelihood_choices(Domain domain) {
  std::vector<std::pair<int, LikelihoodChoice>> found;
  for (const FamilyEntry& family : all_families()) {
    // Amounts with zeros are real numbers that happen not to be negative, too.
    const bool fits =
        family.domain == domain || (domain == Domain::nonnegative && family.domain == Domain::real);
    if (!fits) continue;
    for (const FamilyCandidate& candidate : family.candidates) {
      LikelihoodChoice choice{
          std::string(family.name), std::string(candidate.link), candidate.automatic};
      if (candidate.link == family.links.front().link) choice.link.clear();
      for (const Alias& alias : kAliases)
        if (alias.family == family.name && alias.link == candidate.link && alias.link == "linear")
          choice = {std::string(alias.name), "", candidate.automatic};
      found.emplace_back(candidate.complexity, std::move(choice));
    }
  }
  std::stable_sort(
      found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<LikelihoodChoice> out;
  out.reserve(found.size() + 1);
  for (auto& [complexity, choice] : found) out.push_back(std::move(choice));
  // For levels whose order may mean nothing; with as many latent functions it is asked for.
  if (domain == Domain::ordinal) out.push_back({std::string(Softmax::kName), "", false});
  return out;
}

}  // namespace ggpm
