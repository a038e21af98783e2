// A model file gives back everything of a fitted model, bit for bit.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "model/model_bytes.hpp"
#include "support/close.hpp"
#include "support/files.hpp"

namespace ggpm {
namespace {

using namespace testing_support;

class ModelFile : public testing::TestWithParam<std::string> {};

TEST_P(ModelFile, GivesBackTheModelBitForBit) {
  for (const char* kernel : {"rbf(ard=true)", "matern32(0.5) + linear(0.1) * constant(2)"}) {
    for (const Index n : {1, 7, 50}) {
      SavedModel saved = small_model(GetParam(), n, kernel);
      saved.provenance["command"] = "a \"quoted\" line\n";
      saved.roles = {.target = "y", .exposure = "e", .squeeze = n};
      const std::string bytes = to_bytes(saved);
      const SavedModel loaded = from_bytes(bytes);
      EXPECT_EQ(to_bytes(loaded), bytes);
      EXPECT_EQ(loaded.provenance.at("command"), saved.provenance.at("command"));
      EXPECT_EQ(loaded.roles.exposure, "e");
      const Dataset rows{.X = Matrix::Random(5, 2)};
      const Predictions a = saved.model.predictive(rows), b = loaded.model.predictive(rows);
      EXPECT_EQ(a.latent_mean(), b.latent_mean());
      EXPECT_EQ(a.latent_variance(), b.latent_variance());
      EXPECT_EQ(a.mean(), b.mean());
      EXPECT_EQ(saved.model.loo().log_density, loaded.model.loo().log_density);
      EXPECT_EQ(saved.model.log_marginal_at(saved.model.hyperparameters()),
                loaded.model.log_marginal_at(loaded.model.hyperparameters()));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All,
                         ModelFile,
                         testing::ValuesIn(likelihood_names()),
                         [](const auto& tested) { return test_name(tested.param); });

TEST(ModelFile, KeepsEverythingOfALearnedModel) {
  Dataset data = simulate("poisson", 30, 2, 2);
  data.columns = {"a", "b \xc3\xa9"};
  data.observed.offset = Vector::LinSpaced(30, 0, 1);
  data.observed.exposure = Vector::Constant(30, 2);
  FitOptions options;
  options.restarts = 4;
  options.priors["rbf.variance"] = {Prior::Kind::gamma, 2, 1};
  options.fixed = {"mean.value"};
  SavedModel saved{GeneralizedGP::fit(
      data,
      {.likelihood = "poisson", .kernel = "rbf(ard=true)", .mean = "constant(0.3)"},
      options)};
  saved.design = Design({{.name = "a", .levels = {}, .center = 1.5, .scale = 0.1},
                         {.name = "b \xc3\xa9", .levels = {}, .center = 0, .scale = 1}});
  const SavedModel loaded = from_bytes(to_bytes(saved));
  EXPECT_EQ(to_bytes(loaded), to_bytes(saved));
  EXPECT_EQ(loaded.model.columns(), data.columns);
  EXPECT_EQ(loaded.model.observations().offset, data.observed.offset);
  EXPECT_EQ(loaded.model.observations().at(3).exposure, 2);
  EXPECT_EQ(loaded.model.optima().size(), saved.model.optima().size());
  EXPECT_EQ(loaded.model.parameters()[0].prior, options.priors["rbf.variance"]);
  EXPECT_TRUE(loaded.model.parameters()[3].parameter.fixed);
  EXPECT_EQ(loaded.design->columns()[0].scale, 0.1);
  EXPECT_EQ(loaded.model.warnings(), saved.model.warnings());
  EXPECT_EQ(loaded.model.compute_standard_errors(1).kernel,
            saved.model.compute_standard_errors(1).kernel);
}

TEST(ModelFile, KeepsAWarp) {
  FitOptions options;
  options.restarts = 2;
  options.threads = 1;
  const SavedModel saved{
      GeneralizedGP::fit(simulate("gamma-shape", 15, 1, 2), {.warp = "tanh:2"}, options)};
  const SavedModel loaded = from_bytes(to_bytes(saved));
  const Dataset rows{.X = Matrix::Random(4, 1)};
  EXPECT_EQ(loaded.model.predictive(rows).mean(), saved.model.predictive(rows).mean());
}

TEST(ModelFile, HoldsTheTextOfAFormula) {
  const TemporaryFolder folder;
  const std::string path = folder.file("counts.toml");
  std::ofstream(path) << "[likelihood]\ndomain = \"count\"\na = \"1\"\nb = \"exp(theta)\"\n"
                         "c = \"-lgamma(y+1)\"\nT = \"y\"\ntheta = \"eta\"";
  FitOptions options;
  options.optimize = false;
  const Dataset data = simulate("poisson", 8, 1, 2);
  const SavedModel saved{GeneralizedGP::fit(data, {.likelihood = path}, options)};
  std::filesystem::remove(path);
  const SavedModel loaded = from_bytes(to_bytes(saved));
  EXPECT_EQ(loaded.model.predictive({data.X}).mean(), saved.model.predictive({data.X}).mean());
  const auto built_in = GeneralizedGP::fit(data, {.likelihood = "poisson"}, options);
  EXPECT_CLOSE(loaded.model.log_marginal(), built_in.log_marginal(), 1e-9);
  EXPECT_THROW(GeneralizedGP::fit(data, {.likelihood = path}, options), Error);  // it is gone
}

// By name: neither the order of arrays matters nor trivial ones that are written out.
TEST(ModelFile, ArraysAreFoundByName) {
  const SavedModel saved = small_model();
  Pieces pieces(to_bytes(saved));
  Json json = Json::parse(pieces.header);
  const std::size_t last = json["arrays"].size() - 1;
  std::vector<std::size_t> sizes;
  for (const Json& a : json["arrays"])
    sizes.push_back(8 * a["rows"].get<std::size_t>() * a["cols"].get<std::size_t>());
  // The first goes to the end, and exposures of 1 behind it.
  json["arrays"].push_back(json["arrays"][0]);
  json["arrays"].erase(0);
  pieces.arrays = pieces.arrays.substr(sizes[0]) + pieces.arrays.substr(0, sizes[0]);
  json["arrays"].push_back({{"name", "exposure"}, {"rows", 5}, {"cols", 1}});
  const double one = 1;
  for (int i = 0; i < 5; ++i) pieces.arrays.append(reinterpret_cast<const char*>(&one), 8);
  EXPECT_EQ(json["arrays"].size(), last + 2);
  pieces.header = json.dump();
  EXPECT_EQ(to_bytes(from_bytes(pieces.join())), to_bytes(saved));
}

TEST(ModelFile, HoldsTheEngine) {
  FitOptions options;
  options.optimize = false;
  const SavedModel saved{GeneralizedGP::fit(
      simulate("poisson", 8, 1, 2),
      {.likelihood = "poisson", .engine = {.name = "dense", .accuracy = EngineAccuracy::high}},
      options)};
  const SavedModel loaded = from_bytes(to_bytes(saved));
  EXPECT_EQ(loaded.model.specification().engine.name, "dense");
  EXPECT_EQ(loaded.model.specification().engine.accuracy, EngineAccuracy::high);
  EXPECT_EQ(loaded.model.engine().name, "dense");
  EXPECT_EQ(loaded.model.engine().dense_rows, 8);
  EXPECT_EQ(small_model().model.specification().engine.name, "auto");
  EXPECT_EQ(small_model().model.engine().name, "dense");
}

// A tree of one leaf has no points: its last arrays are empty.
TEST(ModelFile, HoldsATreeOfOneLeafAndOfMany) {
  for (const Index n : {8, 300}) {
    const SavedModel saved{GeneralizedGP::fit(simulate("poisson", n, 2, 2),
                                              {.likelihood = "poisson",
                                               .inference = InferenceMethod::laplace,
                                               .engine = {.name = "tree"}},
                                              {.optimize = false})};
    const SavedModel loaded = from_bytes(to_bytes(saved));
    EXPECT_EQ(loaded.model.engine().name, "tree");
    const Dataset rows{.X = Matrix::Random(5, 2)};
    EXPECT_EQ(loaded.model.predictive(rows).mean(), saved.model.predictive(rows).mean());
    EXPECT_EQ(to_bytes(loaded), to_bytes(saved));
  }
}

// One file of each version that was ever written.
TEST(ModelFile, FilesOfVersion1StillLoad) {
  const SavedModel old = load_model(golden_file("models/version-1.ggpm").string());
  Matrix Z(2, 2);
  Z << 0.25, 0.5, -2, 1;
  const Predictions p = old.model.predictive(
      {.X = Z, .observed = {.exposure = Vector::Constant(2, 2)}, .columns = old.design->names()});
  EXPECT_CLOSE(p.mean()[0], 3.2746354563720703, 1e-12);
  EXPECT_CLOSE(p.mean()[1], 3.5146069566024156, 1e-12);
  EXPECT_CLOSE(p.variance()[1], 151.07709026046717, 1e-12);
  EXPECT_CLOSE(old.model.log_marginal(), -12.933563061072869, 1e-12);
  EXPECT_EQ(old.design->columns()[0].scale, 2);
  EXPECT_EQ(old.roles.exposure, "e");
}

// A tree engine, a text column, a prior, optima of two inferences.
TEST(ModelFile, FilesOfVersion2StillLoad) {
  const SavedModel old = load_model(golden_file("models/version-2.ggpm").string());
  const Table table = parse_csv("dose,site,days\n2.5,south,2\n9,north,1\n", "new.csv");
  const Predictions p = old.model.predictive(old.rows(table));
  EXPECT_CLOSE(p.mean()[0], 2.936592309132865, 1e-7);
  EXPECT_CLOSE(p.mean()[1], 3.213001479094624, 1e-7);
  EXPECT_CLOSE(std::sqrt(p.variance()[1]), 1.8485424641351085, 1e-7);
  EXPECT_EQ(p.quantile(0.975)[0], 7);
  EXPECT_CLOSE(old.model.log_marginal(), -288.3652950197, 1e-10);
  EXPECT_EQ(old.model.engine().name, "tree");
  EXPECT_EQ(old.model.engine().inducing, 3);
  EXPECT_EQ(old.model.optima().size(), 4u);
  EXPECT_EQ(old.model.parameters()[0].prior, (Prior{Prior::Kind::gamma, 2, 1}));
  EXPECT_EQ(old.roles.exposure, "days");
}

TEST(ModelFile, IsSavedWholeOrNotAtAll) {
  const TemporaryFolder folder;
  const std::string path = folder.file("model.ggpm");
  const SavedModel a = small_model("poisson", 3), b = small_model("poisson", 4);
  save_model(a, path);
  EXPECT_EQ(load_model(path).model.rows(), 3);
  save_model(b, path);
  EXPECT_EQ(load_model(path).model.rows(), 4);
  EXPECT_THROW(save_model(a, folder.file("no/such/folder")), DataError);
  EXPECT_THROW(save_model(a, "/dev/full"), DataError);
  EXPECT_THROW(save_model(a, folder.path().string()), DataError);
}

// Whatever fit accepts can be loaded, however far from where learning would have looked.
TEST(ModelFile, HoldsAnyDispersionThatWasGiven) {
  FitOptions options;
  options.optimize = false;
  for (const LikelihoodInfo& info : likelihood_table()) {
    if (info.dispersion.empty()) continue;
    const Dataset data = simulate(info.name, 6, 1, 2);
    for (const double dispersion : {1e-12, 1e-9, 1e9, 1e12}) {
      Specification specification{.likelihood = info.name, .inference = some_method(info.name)};
      specification.likelihood_options.dispersion = dispersion;
      std::optional<SavedModel> saved;
      try {
        saved = SavedModel{GeneralizedGP::fit(data, specification, options)};
      } catch (const Error&) {
        continue;  // refused at once is as good
      }
      const std::string bytes = to_bytes(*saved);
      const SavedModel loaded = from_bytes(bytes);
      EXPECT_EQ(loaded.model.hyperparameters().dispersion[0], dispersion) << info.name;
      EXPECT_EQ(to_bytes(loaded), bytes) << info.name;
    }
  }
}

TEST(ModelFile, HoldsDegreesOfFreedomOutsideOfThoseThatAreLearned) {
  FitOptions options;
  options.optimize = false;
  Specification specification{.likelihood = "student-t"};
  specification.likelihood_options = {.df = 0.2, .learn_df = true};
  const SavedModel saved{
      GeneralizedGP::fit(simulate("student-t", 6, 1, 2), specification, options)};
  EXPECT_EQ(to_bytes(from_bytes(to_bytes(saved))), to_bytes(saved));
}

}  // namespace
}  // namespace ggpm
