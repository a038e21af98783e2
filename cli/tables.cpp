// ggpm likelihoods | kernels: what there is, with formulas.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/command.hpp"
#include "cli/words.hpp"
#include "ggpm/kernel.hpp"
#include "ggpm/likelihood.hpp"

namespace ggpm::cli {
namespace {

using Json = nlohmann::ordered_json;

void show_likelihoods(bool json) {
  const std::vector<LikelihoodInfo> table = likelihood_table();
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
    out += fmt::format("{}\n  outputs     {}\n  links       {}\n",
                       info.name,
                       info_of(info.domain).words,
                       fmt::join(info.links, ", "));
    out += fmt::format("  dispersion  {}\n  log p       {}\n",
                       info.dispersion.empty() ? "none" : info.dispersion,
                       info.formula);
  }
  out +=
      "\nThe first link is the default. linear-poisson, linear-com-poisson and bernoulli-probit "
      "are "
      "short for\na family with its link.\n";
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
  add_table(app, "likelihoods", "The likelihoods and their links, with formulas", show_likelihoods);
}

void add_kernels(CLI::App& app) {
  add_table(app, "kernels", "The kernels and means, with formulas", show_kernels);
}

}  // namespace ggpm::cli
