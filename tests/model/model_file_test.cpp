#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/crc.hpp>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "ggpm/model.hpp"
#include "model/simulate.hpp"
#include "support/close.hpp"
#include "support/files.hpp"

namespace ggpm::internal {
namespace {

using testing_support::simulate;
using testing_support::some_method;
using testing_support::TemporaryFolder;
using Json = nlohmann::json;

SavedModel small_model(const std::string& likelihood = "poisson",
                       Index n = 5,
                       const std::string& kernel = "rbf") {
  const Dataset data = simulate(likelihood, n, 2, 1);
  FitOptions options;
  options.optimize = false;
  return {GeneralizedGP::fit(
      data,
      {.likelihood = likelihood, .kernel = kernel, .inference = some_method(likelihood)},
      options)};
}

std::string with_checksum(std::string bytes) {
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data(), bytes.size() - 4);
  const std::uint32_t sum = crc.checksum();
  std::memcpy(bytes.data() + bytes.size() - 4, &sum, 4);
  return bytes;
}

// Takes a file apart, lets `change` alter it, and puts it together with a right checksum.
struct Pieces {
  std::string header;
  std::string arrays;

  explicit Pieces(const std::string& bytes) {
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data() + 12, 8);
    header = bytes.substr(20, length);
    const std::size_t start = (20 + length + 7) / 8 * 8;
    arrays = bytes.substr(start, bytes.size() - 4 - start);
  }
  std::string join() const {
    std::string bytes = "\x89GGPM\r\n\x1a" + std::string("\2\0\0\0", 4);
    const std::uint64_t length = header.size();
    bytes.append(reinterpret_cast<const char*>(&length), 8);
    bytes += header;
    bytes.resize((bytes.size() + 7) / 8 * 8, '\0');
    return with_checksum(bytes + arrays + "????");
  }
  // Overwrites the first number of the array of that name.
  void set(const std::string& name, double value) {
    std::size_t place = 0;
    const Json parsed = Json::parse(header);
    for (const Json& array : parsed["arrays"]) {
      if (array["name"] == name) return set(place, value);
      place += array["rows"].get<std::size_t>() * array["cols"].get<std::size_t>();
    }
    FAIL() << "no array " << name;
  }
  void set(std::size_t place, double value) { std::memcpy(arrays.data() + 8 * place, &value, 8); }
};

void expect_refused(const std::string& bytes, const std::string& what) {
  try {
    from_bytes(bytes, "m.ggpm");
    ADD_FAILURE() << what << ": loaded";
  } catch (const DataError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("m.ggpm: ")) << what << ": " << error.what();
  }
}

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
                         testing::ValuesIn(testing_support::all_likelihoods()),
                         [](const auto& tested) {
                           return testing_support::test_name(tested.param);
                         });

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

TEST(ModelFile, RefusesEveryTruncation) {
  const std::string bytes = to_bytes(small_model("poisson", 2));
  for (std::size_t length = 0; length < bytes.size(); ++length)
    expect_refused(bytes.substr(0, length), "length " + std::to_string(length));
  expect_refused(bytes + '\0', "a byte more");
}

TEST(ModelFile, RefusesEveryBitFlip) {
  std::string bytes = to_bytes(small_model("poisson", 2));
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    expect_refused(bytes, "bit " + std::to_string(bit));
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
  }
}

TEST(ModelFile, NamesBothVersionsOfANewerFile) {
  std::string bytes = to_bytes(small_model());
  bytes[8] = 9;
  try {
    from_bytes(with_checksum(bytes));
    FAIL();
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("version 9"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("up to 2"), std::string::npos) << error.what();
  }
}

TEST(ModelFile, RefusesAbuseWithARightChecksum) {
  const std::string bytes = to_bytes(small_model());
  const auto header = [&](const std::string& what, const std::function<void(Json&)>& change) {
    Pieces pieces(bytes);
    Json json = Json::parse(pieces.header);
    change(json);
    pieces.header = json.dump();
    expect_refused(pieces.join(), what);
  };
  const auto text = [&](const std::string& what, const std::string& header_text) {
    Pieces pieces(bytes);
    pieces.header = header_text;
    expect_refused(pieces.join(), what);
  };
  const auto number = [&](const std::string& array, double value) {
    Pieces pieces(bytes);
    pieces.set(array, value);
    expect_refused(pieces.join(), array + " = " + std::to_string(value));
  };
  EXPECT_NO_THROW(from_bytes(Pieces(bytes).join()));  // the tools of this test are right

  for (const std::uint64_t length :
       {~std::uint64_t{0}, std::uint64_t{1} << 40U, std::uint64_t{0}}) {
    std::string changed = bytes;
    std::memcpy(changed.data() + 12, &length, 8);
    expect_refused(with_checksum(changed), "header length " + std::to_string(length));
  }
  const std::uint64_t huge = std::uint64_t{1} << 32U;
  header("2^32 x 2^32", [&](Json& j) { j["arrays"][0]["rows"] = j["arrays"][0]["cols"] = huge; });
  header("2^63 rows", [&](Json& j) { j["arrays"][0]["rows"] = std::uint64_t{1} << 63U; });
  header("huge x 0", [&](Json& j) {
    j["arrays"][0] = {{"name", "X"}, {"rows", huge}, {"cols", 0}};
  });
  header("no rows", [](Json& j) {
    for (Json& a : j["arrays"])
      if (a["rows"] == 5) a["rows"] = 0;
  });
  header("negative rows", [](Json& j) { j["arrays"][0]["rows"] = -1; });
  header("fractional rows", [](Json& j) { j["arrays"][0]["rows"] = 5.5; });
  header("duplicated name", [](Json& j) { j["arrays"][1]["name"] = "X"; });
  header("unknown name", [](Json& j) { j["arrays"][1]["name"] = "Y"; });
  header("missing array", [](Json& j) { j["arrays"].erase(1); });
  header("other n", [](Json& j) { j["arrays"][1]["rows"] = 4; });
  header("swapped shape",
         [](Json& j) { std::swap(j["arrays"][0]["rows"], j["arrays"][0]["cols"]); });
  header("unknown key", [](Json& j) { j["surprise"] = 1; });
  header("missing key", [](Json& j) { j.erase("seed"); });
  header("arrays is a number", [](Json& j) { j["arrays"] = 7; });
  header("specification is a list", [](Json& j) { j["specification"] = Json::array(); });
  header("unknown likelihood", [](Json& j) { j["specification"]["likelihood"] = "fish"; });
  header("a file as formula",
         [](Json& j) { j["specification"]["likelihood"] = "/etc/passwd.toml"; });
  header("bad kernel", [](Json& j) { j["specification"]["kernel"] = "rbf("; });
  header("other kernel", [](Json& j) { j["specification"]["kernel"] = "rbf + rbf"; });
  header("deep kernel", [](Json& j) { j["specification"]["kernel"] = std::string(100000, '('); });
  header("bad inference", [](Json& j) { j["specification"]["inference"] = "magic"; });
  header("impossible inference", [](Json& j) { j["specification"]["inference"] = "exact"; });
  header("bad warp", [](Json& j) { j["specification"]["warp"] = "tanh:2"; });
  header("expansion 9", [](Json& j) { j["specification"]["expansion"] = 9; });
  header("unknown engine", [](Json& j) { j["engine"]["name"] = "steam"; });
  header("engine without a name", [](Json& j) { j["engine"]["name"] = "auto"; });
  header("unknown accuracy", [](Json& j) { j["engine"]["accuracy"] = "perfect"; });
  header("negative inducing", [](Json& j) { j["engine"]["inducing"] = -1; });
  header("surprise in the engine", [](Json& j) { j["engine"]["surprise"] = 1; });
  header("array of no engine", [](Json& j) {
    j["arrays"].push_back({{"name", "engine.tree"}, {"rows", 0}, {"cols", 0}});
  });
  header("surprise in the specification", [](Json& j) { j["specification"]["surprise"] = 1; });
  header("surprise in the roles", [](Json& j) { j["roles"]["surprise"] = 1; });
  header("surprise in the report", [](Json& j) { j["report"]["surprise"] = 1; });
  header("unknown number", [](Json& j) { j["scalars"][0] = "fish"; });
  header("number twice", [](Json& j) { j["scalars"][1] = j["scalars"][0]; });
  header("numbers without names", [](Json& j) { j.erase("scalars"), j["scalars"] = {"jitter"}; });
  header("outcome 9", [](Json& j) { j["report"]["outcome"] = 9; });
  header("names of inputs", [](Json& j) { j["columns"] = {"only one"}; });
  header("design without columns", [](Json& j) { j["has_design"] = true; });
  header("fixed of other size", [](Json& j) { j["fixed"].push_back(true); });
  header("optima without numbers", [](Json& j) {
    j["optima"].push_back({{"inference", "ep"}, {"converged", true}, {"evaluations", 1}});
  });
  header("seed is a text", [](Json& j) { j["seed"] = "1"; });
  header("warnings is a text", [](Json& j) { j["warnings"] = "none"; });
  header("provenance holds a list", [](Json& j) { j["provenance"]["version"] = Json::array(); });
  text("not JSON", "hello");
  text("empty", "");
  text("a list", "[]");
  text("1e999", Pieces(bytes).header.substr(0, 2) + "x\":1e999}");
  text("spaces", Pieces(bytes).header + " ");
  text("nested 10,000 deep", std::string(10000, '[') + std::string(10000, ']'));
  text("invalid UTF-8", "{\"a\":\"\xff\"}");
  std::string twice = Pieces(bytes).header;
  twice.insert(1, "\"seed\":1,");
  text("duplicate key", twice);

  const double nan = std::numeric_limits<double>::quiet_NaN(),
               inf = std::numeric_limits<double>::infinity();
  for (const char* array : {"X",
                            "y",
                            "hyperparameter",
                            "gradient",
                            "start",
                            "prior",
                            "precision",
                            "shift",
                            "prior_mean",
                            "alpha",
                            "mean",
                            "variance",
                            "scalars"})
    for (const double value : {nan, inf, -inf}) number(array, value);
  number("lower", nan);
  number("lower", 1e9);
  number("upper", -1);
  number("hyperparameter", -1);
  number("hyperparameter", 0);
  number("hyperparameter", 1e300);
  number("variance", -1);
  number("y", -3);
  number("y", 0.5);
  number("prior", 17);
  Pieces longer(bytes);
  longer.arrays += std::string(8, '\0');
  expect_refused(longer.join(), "trailing bytes");
}

// That needs the factor of n x n numbers, which a file gets only when somebody predicts.
TEST(ModelFile, RefusesAnImproperPosteriorWhenItPredicts) {
  Pieces pieces(to_bytes(small_model()));
  pieces.set("precision", -1e9);
  const SavedModel model = from_bytes(pieces.join());
  const Dataset rows{.X = Matrix::Zero(1, model.model.dimensions())};
  for (int attempt = 0; attempt < 2; ++attempt)
    EXPECT_THROW((void)model.model.predictive(rows), NumericalError);
}

// Structure-aware mutation: whatever still loads predicts finite numbers.
TEST(ModelFile, MutationsWithARightChecksumAreRefusedOrPredict) {
  const std::string bytes = to_bytes(small_model("gamma-shape", 4));
  const Dataset rows{.X = Matrix::Constant(2, 2, 0.3)};
  std::mt19937_64 random(7);
  const std::vector<double> values = {0, -0.0, 1, -1, 1e-300, 1e300, -1e300, 5e-324, 1e10};
  int loaded = 0;
  for (int round = 0; round < 4000; ++round) {
    Pieces pieces(bytes);
    for (std::uint64_t edits = 1 + random() % 3; edits > 0; --edits) {
      if (random() % 2 == 0) {
        const std::size_t place = random() % (pieces.arrays.size() / 8);
        pieces.set(place, values[random() % values.size()]);
      } else {
        char& c = pieces.header[random() % pieces.header.size()];
        c = "0123456789\"{}[],:aetx-."[random() % 24];
      }
    }
    try {
      const SavedModel model = from_bytes(pieces.join());
      const Predictions p = model.model.predictive(rows);
      EXPECT_TRUE(p.latent_mean().allFinite() && p.latent_variance().allFinite()) << round;
      EXPECT_TRUE((p.latent_variance().array() >= 0).all()) << round;
      ++loaded;
    } catch (const Error& error) {
      EXPECT_FALSE(std::string(error.what()).empty());
    }
  }
  EXPECT_GT(loaded, 0);
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

// One file of each version that was ever released.
TEST(ModelFile, OlderFilesStillLoad) {
  const SavedModel old = load_model(testing_support::golden_file("models/version-1.ggpm").string());
  Matrix Z(2, 2);
  Z << 0.25, 0.5, -2, 1;
  const Predictions p =
      old.model.predictive({.X = Z, .observed = {.exposure = Vector::Constant(2, 2)}});
  EXPECT_CLOSE(p.mean()[0], 3.2746354563720703, 1e-12);
  EXPECT_CLOSE(p.mean()[1], 3.5146069566024156, 1e-12);
  EXPECT_CLOSE(p.variance()[1], 151.07709026046717, 1e-12);
  EXPECT_CLOSE(old.model.log_marginal(), -12.933563061072869, 1e-12);
  EXPECT_EQ(old.design->columns()[0].scale, 2);
  EXPECT_EQ(old.roles.exposure, "e");
}

TEST(ModelFile, RefusesForeignFiles) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& path) {
    EXPECT_THROW(load_model(path), DataError) << path;
  };
  const auto write = [&](const std::string& name, const std::string& bytes) {
    std::ofstream(folder.file(name), std::ios::binary) << bytes;
    return folder.file(name);
  };
  refused(write("empty", ""));
  refused(write("json", "{\"a\": 1}"));
  refused(write("png", "\x89PNG\r\n\x1a\n0000000000000000000000"));
  refused(folder.path().string());
  refused(folder.file("missing"));
  ASSERT_EQ(mkfifo(folder.file("pipe").c_str(), 0600), 0);
  refused(folder.file("pipe"));
  const int sparse = open(folder.file("sparse").c_str(), O_CREAT | O_WRONLY, 0600);
  ASSERT_EQ(ftruncate(sparse, off_t{5} << 30), 0);
  close(sparse);
  refused(folder.file("sparse"));
  refused("/dev/zero");
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
}  // namespace ggpm::internal
