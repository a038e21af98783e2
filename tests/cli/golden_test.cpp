// The whole command, end to end, against the stored reference values.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/process.hpp"
#include "ggpm/data.hpp"
#include "support/close.hpp"

namespace ggpm::internal {
namespace {

using nlohmann::json;
using testing_support::close;
using testing_support::golden_file;
using testing_support::run_command;

json read_case(const std::string& name) {
  std::ifstream in(golden_file("oracle/" + name + ".json"));
  return json::parse(in);
}

double trials_of(const json& likelihood, std::size_t row) {
  const json& N = likelihood["N"];
  return N.is_array() ? N[row].get<double>() : N.get<double>();
}

std::string csv_of(const json& c) {
  const bool binomial = c["likelihood"].contains("N");
  std::string out = binomial ? "trials,y" : "y";
  for (std::size_t d = 0; d < c["X"][0].size(); ++d) out += ",x" + std::to_string(d + 1);
  out += "\n";
  for (std::size_t i = 0; i < c["y"].size(); ++i) {
    if (binomial) out += format_number(trials_of(c["likelihood"], i)) + ",";
    out += format_number(c["y"][i].get<double>());  // of binomials: a fraction
    for (const json& x : c["X"][i]) out += "," + format_number(x.get<double>());
    out += "\n";
  }
  return out;
}

std::vector<std::string> arguments_of(const json& c, const json& run) {
  const json& model = c["ggpm"];
  std::vector<std::string> words = {"fit", "-", "--target", "y", "--json", "--quiet"};
  words.insert(words.end(), {"--no-optimize", "--no-standardize", "--seed", "1"});
  words.insert(words.end(), {"--likelihood", model["likelihood"], "--kernel", model["kernel"]});
  words.insert(words.end(), {"--inference", run["method"]});
  const std::string link = model["link"];
  if (link.find('=') == std::string::npos) words.insert(words.end(), {"--link", link});
  const json& likelihood = c["likelihood"];
  if (likelihood.contains("phi"))
    words.insert(words.end(), {"--dispersion", format_number(likelihood["phi"].get<double>())});
  if (likelihood.contains("dof"))
    words.insert(words.end(), {"--df", format_number(likelihood["dof"].get<double>())});
  if (likelihood.contains("N")) words.insert(words.end(), {"--trials", "trials"});
  if (!run.contains("expansion") || run["expansion"].is_null()) return words;
  const std::string type = run["expansion"]["type"];
  words.insert(words.end(),
               {"--expansion",
                type == "zero"         ? "agnostic"
                : type == "table_link" ? "canonical"
                                       : "exact"});
  if (run["expansion"].contains("offset"))
    words.insert(words.end(),
                 {"--expansion-offset", format_number(run["expansion"]["offset"].get<double>())});
  return words;
}

// "rbf.lengthscale[1]" of {"kernel": {"rbf.lengthscale": [...]}}; the references count from 0.
double value_of(const json& grouped, const std::string& name) {
  if (name == "dispersion") return grouped["dispersion"].get<double>();
  const auto bracket = name.find('[');
  if (bracket == std::string::npos) return grouped["kernel"].at(name).get<double>();
  const auto index = static_cast<std::size_t>(std::stoul(name.substr(bracket + 1)));
  return grouped["kernel"].at(name.substr(0, bracket)).at(index).get<double>();
}

class GoldenFit : public testing::TestWithParam<std::string> {};

TEST_P(GoldenFit, EqualsTheReference) {
  const json c = read_case(GetParam());
  const std::string table = csv_of(c);
  int compared = 0;
  for (const json& run : c["runs"]) {
    if (run["status"] == "not_converged") continue;
    const auto result = run_command(arguments_of(c, run), table);
    SCOPED_TRACE(run["method"].get<std::string>() + ": " + result.error);
    if (run["status"] == "undefined") {
      EXPECT_NE(result.exit_code, 0);
      EXPECT_EQ(result.out, "");
      continue;
    }
    ASSERT_EQ(result.exit_code, 0);
    const json fitted = json::parse(result.out);
    EXPECT_CLOSE(fitted["log_marginal"].get<double>(), run["log_marginal"].get<double>(), 1e-8);
    for (std::size_t i = 0; i < c["y"].size(); ++i) {
      EXPECT_CLOSE(
          fitted["latent"]["mean"][i].get<double>(), run["posterior_mean"][i].get<double>(), 1e-7);
      EXPECT_CLOSE(fitted["latent"]["variance"][i].get<double>(),
                   run["posterior_var"][i].get<double>(),
                   1e-7);
    }
    for (const json& parameter : c["ggpm"]["parameters"]) {
      const std::string name = parameter["name"], path = parameter["path"];
      EXPECT_CLOSE(
          value_of(fitted["hyperparameters"], name), parameter["value"].get<double>(), 1e-12)
          << name;
      EXPECT_CLOSE(value_of(fitted["gradient"], name), run["grad_log"].at(path).get<double>(), 1e-6)
          << name;
    }
    ++compared;
  }
  EXPECT_GE(compared, 2);
}

INSTANTIATE_TEST_SUITE_P(Oracle,
                         GoldenFit,
                         testing::Values("beta_n12",
                                         "binomial_n12",
                                         "com_poisson_n12",
                                         "edge_binomial_all_ones",
                                         "edge_binomial_trials_per_row",
                                         "edge_poisson_duplicates",
                                         "gamma_scale_n12",
                                         "gamma_shape_n12",
                                         "gaussian_n12",
                                         "inv_gaussian_n12",
                                         "laplace_n12",
                                         "lin_com_poisson_n12",
                                         "lin_poisson_n12",
                                         "neg_binomial_n12",
                                         "poisson_n40",
                                         "probit_n12",
                                         "student_t_n3"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace ggpm::internal
