#include "ggpm/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace ggpm {
namespace {

using testing::HasSubstr;

std::string refusal(const std::string& name, const std::string& text) {
  FitRequest request;
  try {
    set_option(request, name, text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Options, HaveNamesSentencesAndDefaultsOfTheirOwn) {
  std::set<std::string> names, sentences;
  for (const OptionInfo& option : fit_options()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    EXPECT_TRUE(sentences.insert(option.help).second) << option.name;
    EXPECT_FALSE(option.fallback.empty()) << option.name;
    EXPECT_FALSE(option.group.empty()) << option.name;
    EXPECT_LE(option.help.size(), 80U) << option.help;
    EXPECT_EQ(option.value.empty(), option.kind == OptionKind::flag) << option.name;
  }
}

TEST(Options, ComeBackAsTheyWereSet) {
  FitRequest request;
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
           {"likelihood", "poisson"},
           {"link", "log"},
           {"inference", "kld"},
           {"kernel", "rbf + linear"},
           {"dispersion", "0.25"},
           {"parameter", "zero=0.2, power=fixed(1.5)"},
           {"learn_df", "true"},
           {"engine", "tree"},
           {"accuracy", "fast"},
           {"inducing", "64"},
           {"expansion", "canonical"},
           {"expansion_offset", "0"},
           {"warp", "tanh:3"},
           {"optimize", "false"},
           {"restarts", "0"},
           {"keep", "7"},
           {"fixed", "dispersion,rbf.variance"},
           {"priors", "dispersion ~ lognormal(0, 1), rbf.lengthscale[2] ~ gamma(2, 1)"},
           {"tolerance", "1e-07"},
           {"max_iterations", "12"},
           {"standard_errors", "false"},
           {"refit_folds", "5"},
           {"factors", "'ward','day of week'"},
           {"coordinates", "'x','y'"},
           {"seed", "9223372036854775807"},
           {"memory_limit", "2147483648"},
           {"missing", "drop"},
           {"squeeze", "true"}}) {
    set_option(request, name, text);
    EXPECT_EQ(get_option(request, name), text) << name;
  }
  EXPECT_EQ(request.specification.inference, InferenceMethod::kld);
  EXPECT_EQ(request.options.inference_iterations, 12);
  EXPECT_EQ(request.options.memory_limit, std::uint64_t{2} << 30U);
  EXPECT_EQ(request.options.priors.at("rbf.lengthscale[2]").text(), "gamma(2, 1)");
  EXPECT_EQ(request.table.missing, MissingPolicy::drop);
  set_option(request, "inference", "auto");
  EXPECT_EQ(request.specification.inference, std::nullopt);
}

TEST(Options, SetTheirDefaultsWithoutEffect) {
  for (const OptionInfo& option : fit_options()) {
    FitRequest request;
    const std::string value = get_option(request, option.name);
    if (value.empty()) continue;
    EXPECT_EQ(value, option.fallback) << option.name;
    set_option(request, option.name, value);
    EXPECT_EQ(get_option(request, option.name), value) << option.name;
  }
}

TEST(Options, HoldADispersionBesideOtherParameters) {
  FitRequest request;
  set_option(request, "dispersion", "fixed(0.5)");
  set_option(request, "fixed", "rbf.variance");
  EXPECT_EQ(request.specification.likelihood_options.dispersion, 0.5);
  EXPECT_THAT(request.options.fixed, testing::ElementsAre("dispersion", "rbf.variance"));
}

TEST(Options, AreRefusedWithASentenceThatNamesThem) {
  EXPECT_EQ(refusal("restarts", "2.5"), "restarts: '2.5' is not a whole number from 0 to 100000");
  EXPECT_EQ(refusal("dispersion", "-1"), "dispersion: -1 is not above 0");
  EXPECT_EQ(refusal("expansion_offset", "-1"), "expansion_offset: -1 is below 0");
  EXPECT_EQ(refusal("learn_df", "yes"), "learn_df: 'yes' is neither true nor false");
  EXPECT_THAT(refusal("inference", "la"), HasSubstr("there are: auto, exact, taylor, laplace, ep"));
  EXPECT_THAT(refusal("priors", "dispersion"), HasSubstr("not a name and its prior"));
  EXPECT_THAT(refusal("priors", "~ gamma(2, 1)"), HasSubstr("not a name and its prior"));
  EXPECT_THAT(refusal("parameter", "zero"), HasSubstr("not a name and its value"));
  EXPECT_THAT(refusal("parameter", "zero=much"), HasSubstr("is not a number"));
  EXPECT_THAT(refusal("engine", "sparse"), HasSubstr("there are: auto, dense, tree, variational"));
  EXPECT_THAT(refusal("priors", "dispersion ~ gama(2, 1)"), HasSubstr("gamma"));
  EXPECT_THAT(refusal("memory_limit", "much"), HasSubstr("512M"));
  EXPECT_EQ(refusal("restart", "1"), "there is no option 'restart'; did you mean 'restarts'?");
  FitRequest request;
  EXPECT_THROW(set_option(request, "keep", "0"), UsageError);
}

TEST(Families, OfADomainBelongToIt) {
  for (const LikelihoodInfo& info : likelihood_table()) {
    const std::vector<LikelihoodChoice> choices = likelihood_choices(info.domain);
    const auto is_it = [&](const LikelihoodChoice& choice) {
      return make_likelihood(choice.name)->name() == make_likelihood(info.name)->name();
    };
    EXPECT_TRUE(std::any_of(choices.begin(), choices.end(), is_it)) << info.name;
    if (info.domain == Domain::nonnegative) continue;  // takes real ones, too
    for (const std::string& name : families_of(info.domain))
      EXPECT_EQ(make_likelihood(name)->domain(), info.domain) << name;
  }
  EXPECT_EQ(families_of(Domain::count).front(), "poisson");
  EXPECT_EQ(families_of(Domain::real).front(), "gaussian");
}

}  // namespace
}  // namespace ggpm
