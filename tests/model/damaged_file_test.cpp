// What is not a model file, or no longer one, is refused in a sentence: cut off, altered by a bit or by
// somebody who knows the format.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <random>

#include "model/model_bytes.hpp"
#include "support/files.hpp"

namespace ggpm {
namespace {

using namespace testing_support;

TEST(DamagedFile, RefusesEveryTruncation) {
  const std::string bytes = to_bytes(small_model("poisson", 2));
  for (std::size_t length = 0; length < bytes.size(); ++length)
    expect_refused(bytes.substr(0, length), "length " + std::to_string(length));
  expect_refused(bytes + '\0', "a byte more");
}

TEST(DamagedFile, RefusesEveryBitFlip) {
  std::string bytes = to_bytes(small_model("poisson", 2));
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    expect_refused(bytes, "bit " + std::to_string(bit));
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
  }
}

TEST(DamagedFile, NamesBothVersionsOfANewerFile) {
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

TEST(DamagedFile, RefusesAbuseWithARightChecksum) {
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
TEST(DamagedFile, RefusesAnImproperPosteriorWhenItPredicts) {
  Pieces pieces(to_bytes(small_model()));
  pieces.set("precision", -1e9);
  const SavedModel model = from_bytes(pieces.join());
  const Dataset rows{.X = Matrix::Zero(1, model.model.dimensions())};
  for (int attempt = 0; attempt < 2; ++attempt)
    EXPECT_THROW((void)model.model.predictive(rows), NumericalError);
}

// Structure-aware mutation: whatever still loads predicts finite numbers.
TEST(DamagedFile, MutationsWithARightChecksumAreRefusedOrPredict) {
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

TEST(DamagedFile, RefusesForeignFiles) {
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
  ::close(sparse);
  refused(folder.file("sparse"));
  refused("/dev/zero");
}

}  // namespace
}  // namespace ggpm
