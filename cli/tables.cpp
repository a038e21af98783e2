// ggpm likelihoods | kernels: what there is, with formulas.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/command.hpp"
#include "cli/picture.hpp"
#include "ggpm/classes.hpp"
#include "ggpm/inference.hpp"
#include "ggpm/kernel.hpp"
#include "ggpm/likelihood.hpp"
#include "ggpm/likelihood_picture.hpp"
#include "ggpm/options.hpp"

namespace ggpm::cli {
namespace {

using Json = nlohmann::ordered_json;

// All of them, or the one of this name; a short name such as linear-poisson is its family's.
std::vector<LikelihoodInfo> likelihoods_named(const std::string& name) {
  std::vector<LikelihoodInfo> table = every_likelihood();
  if (name.empty()) return table;
  std::string family = name;
  for (const LikelihoodAlias& alias : likelihood_aliases())
    if (alias.name == name) family = alias.family;
  std::erase_if(table, [&](const LikelihoodInfo& info) { return info.name != family; });
  if (table.empty()) make_likelihood(name);  // says what there is
  return table;
}

void show_likelihoods(const std::string& name, bool json) {
  const std::vector<LikelihoodInfo> table = likelihoods_named(name);
  if (json) {
    Json out = Json::array();
    for (const LikelihoodInfo& info : table)
      out.push_back({{"name", info.name},
                     {"domain", to_string(info.domain)},
                     {"links", info.links},
                     {"dispersion", info.dispersion.empty() ? Json() : Json(info.dispersion)},
                     {"formula", info.formula}});
    return print(out.dump(2) + "\n");
  }
  std::string out;
  for (const LikelihoodInfo& info : table) {
    out += fmt::format(
        "{}\n  outputs     {}\n  links       {}\n",
        info.name,
        info.name == softmax_info().name ? "levels without order" : info_of(info.domain).words,
        fmt::join(info.links, ", "));
    out += fmt::format("  dispersion  {}\n  log p       {}\n",
                       info.dispersion.empty() ? "none" : info.dispersion,
                       info.formula);
  }
  if (!name.empty()) return print(out);
  std::vector<std::string> aliases;
  for (const LikelihoodAlias& alias : likelihood_aliases()) aliases.push_back(alias.name);
  out += fmt::format("\nThe first link is the default. Short for a family with its link: {}.\n",
                     fmt::join(aliases, ", "));
  print(out);
}

void show_kernels(bool json) {
  const std::vector<KernelInfo> table = kernel_table();
  if (json) {
    Json out = Json::array();
    for (const KernelInfo& info : table)
      out.push_back(
          {{"name", info.name}, {"parameters", info.parameters}, {"formula", info.formula}});
    return print(out.dump(2) + "\n");
  }
  std::size_t width = 0;
  const auto call = [](const KernelInfo& info) {
    return fmt::format("{}({})", info.name, fmt::join(info.parameters, ", "));
  };
  for (const KernelInfo& info : table) width = std::max(width, call(info).size());
  std::string out;
  for (const KernelInfo& info : table)
    out += fmt::format("{:<{}}  {}\n", call(info), width, info.formula);
  out +=
      "\n"
      "a + b, a * b, (a + b) * c        expressions\n"
      "rbf(columns=[age, 'body mass'])  only these inputs\n"
      "rbf(ard=true)                    a length-scale for each input; or lengthscale=[1, 2]\n"
      "rbf(variance=fixed(2)), fixed(rbf)   not learned\n"
      "rbf(lengthscale=2 in [0.1, 10])  within bounds\n"
      "rbf(lengthscale=2 ~ gamma(2, 1)) with a prior: normal, lognormal, gamma, inverse_gamma\n"
      "\nMeans: zero, constant(value=0), linear(weights=0, intercept=0)\n";
  print(out);
}

void show_inferences(bool json) {
  Json out = Json::array();
  std::string text;
  for (const InferenceInfo& info : inference_table()) {
    out.push_back({{"name", info.name},
                   {"title", info.title},
                   {"needs", info.needs.empty() ? Json() : Json(info.needs)}});
    text += fmt::format("{:<8}  {}{}\n",
                        info.name,
                        info.title,
                        info.needs.empty() ? "" : fmt::format("; needs {}", info.needs));
  }
  print(json ? out.dump(2) + "\n" : text);
}

// Columns as wide as their widest cell.
std::string left_aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows)
    for (std::size_t j = 0; j < row.size(); ++j) widths[j] = std::max(widths[j], row[j].size());
  std::string out;
  for (const auto& row : rows) {
    for (std::size_t j = 0; j + 1 < row.size(); ++j)
      out += fmt::format("{:<{}}  ", row[j], widths[j]);
    out += row.back() + "\n";
  }
  return out;
}

// --max-evaluations for max_evaluations, --no-optimize for a flag that is on.
std::string command_name(const OptionInfo& info) {
  std::string words = info.name;
  std::replace(words.begin(), words.end(), '_', '-');
  return (info.fallback == "true" ? "--no-" : "--") + words;
}

void show_options(bool json) {
  Json out = Json::array();
  std::vector<std::vector<std::string>> rows = {{"command", "Python", "default", "what it is"}};
  for (const OptionInfo& info : fit_options()) {
    out.push_back({{"name", info.name},
                   {"command", command_name(info)},
                   {"group", info.group},
                   {"value", info.value},
                   {"choices", info.choices},
                   {"default", info.fallback},
                   {"help", info.help}});
    rows.push_back({command_name(info), info.name, info.fallback, info.help});
  }
  print(json ? out.dump(2) + "\n" : left_aligned(rows));
}

void add_table(CLI::App& app,
               const std::string& name,
               const std::string& help,
               void (*show)(bool json)) {
  Command command(app, name, help);
  auto json = std::make_shared<bool>(false);
  command.flag("--json", *json, "As a JSON array");
  command.run([json, show] { show(*json); });
  command.examples(fmt::format("  ggpm {0}\n  ggpm {0} --json\n", name));
}

}  // namespace

void add_likelihoods(CLI::App& app) {
  struct Arguments {
    std::string name, picture;
    bool json = false;
  };
  Command command(app, "likelihoods", "The likelihoods and their links, with formulas");
  auto a = std::make_shared<Arguments>();
  command.text("NAME", a->name, "This one alone; without it all are listed");
  command.text("--picture", a->picture, "Draw its functions: .svg, or .png by rsvg-convert")
      .type("FILE")
      .writes();
  command.flag("--json", a->json, "As a JSON array");
  command.run([a] {
    if (!a->picture.empty()) {
      if (a->name.empty()) throw UsageError("--picture: needs the NAME of a likelihood");
      check_picture_name(a->picture);
      write_picture(likelihood_svg(a->name), a->picture);
    }
    show_likelihoods(a->name, a->json);
  });
  command.examples(
      "  ggpm likelihoods\n  ggpm likelihoods poisson --picture poisson.svg\n"
      "  ggpm likelihoods --json\n");
}

void add_inferences(CLI::App& app) {
  add_table(app, "inferences", "The inference methods, and what they need", show_inferences);
}

void add_options(CLI::App& app) {
  add_table(
      app, "options", "The options of a fit, in every face, with their defaults", show_options);
}

void add_kernels(CLI::App& app) {
  add_table(app, "kernels", "The kernels and means, with formulas", show_kernels);
}

}  // namespace ggpm::cli
