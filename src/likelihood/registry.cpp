#include "likelihood/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>

#include "likelihood/families/laplace.hpp"
#include "likelihood/families/student_t.hpp"
#include "likelihood/formula/likelihood.hpp"

namespace ggpm {
namespace {

const std::array<FamilyEntry, 12>& families() {
  static const std::array<FamilyEntry, 12> table = {gaussian_entry(),
                                                    gamma_shape_entry(),
                                                    gamma_scale_entry(),
                                                    inverse_gaussian_entry(),
                                                    poisson_entry(),
                                                    com_poisson_entry(),
                                                    negative_binomial_entry(),
                                                    binomial_entry(),
                                                    bernoulli_entry(),
                                                    beta_entry(),
                                                    laplace_entry(),
                                                    student_t_entry()};
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

}  // namespace

FamilyEntry laplace_entry() {
  static constexpr std::array<LinkEntry, 1> links = {LinkEntry{
      "identity", [](const LikelihoodOptions& options) -> std::unique_ptr<Likelihood> {
        return std::make_unique<LaplaceLikelihood>(options.dispersion > 0 ? options.dispersion : 1);
      }}};
  return {"laplace", "scale", "-|y - eta|/phi - log(2 phi)", Domain::real, Scatter::any, links};
}

FamilyEntry student_t_entry() {
  static constexpr std::array<LinkEntry, 1> links = {LinkEntry{
      "identity", [](const LikelihoodOptions& options) -> std::unique_ptr<Likelihood> {
        return std::make_unique<StudentT>(
            options.dispersion > 0 ? options.dispersion : 1, options.df, options.learn_df);
      }}};
  return {
      "student-t",
      "scale of (y - eta)/phi ~ t(df)",
      "lgamma((df+1)/2) - lgamma(df/2) - log(df pi phi^2)/2 - (df+1)/2 log(1 + ((y-eta)/phi)^2/df)",
      Domain::real,
      Scatter::any,
      links};
}

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
  if (options.dispersion == 0 || std::isnan(options.dispersion) || std::isinf(options.dispersion)) {
    throw UsageError(fmt::format("dispersion {} is not a finite number > 0", options.dispersion));
  }
  if (!(options.df > 0) || std::isinf(options.df)) {
    throw UsageError(fmt::format("df {} is not a finite number > 0", options.df));
  }
  if (formula::is_formula(name)) return make_formula_likelihood(name, link, options);
  std::vector<std::string_view> names;
  for (const FamilyEntry& family : families()) {
    names.push_back(family.name);
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
  throw UsageError(
      fmt::format("unknown likelihood '{}'; there are: {}, and linear-poisson, linear-com-poisson, "
                  "bernoulli-probit, or the path of a formula (*.toml)",
                  name,
                  fmt::join(names, ", ")));
}

std::string likelihood_name(std::string_view family, std::string_view link) {
  for (const Alias& alias : kAliases)
    if (alias.family == family && alias.link == link) return std::string(alias.name);
  return std::string(family);
}

std::vector<LikelihoodInfo> likelihood_table() {
  std::vector<LikelihoodInfo> out;
  for (const FamilyEntry& family : families()) {
    LikelihoodInfo info{std::string(family.name),
                        {},
                        family.domain,
                        family.scatter,
                        std::string(family.dispersion),
                        std::string(family.formula)};
    for (const LinkEntry& entry : family.links) info.links.emplace_back(entry.link);
    out.push_back(std::move(info));
  }
  return out;
}

}  // namespace ggpm
