#include "experiments/spline.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace ggpm::paper {
namespace {

// Cubic splines with 60 knots, which is more than any of the curves needs.
constexpr const char* kScript = R"(
suppressMessages(library(mgcv))
d <- read.csv("rain.csv")
y <- cbind(d$rain, d$trials - d$rain)
smooth <- gam(y ~ s(day, bs = "cr", k = 60), data = d, family = binomial, method = "REML")
rough <- gam(y ~ s(day, bs = "cr", k = 60), data = d, family = binomial, sp = smooth$sp * 32 / 4064)
adaptive <- gam(y ~ s(day, bs = "ad", k = 60, m = 5), data = d, family = binomial, method = "REML")
write.csv(data.frame(smooth = fitted(smooth), rough = fitted(rough), adaptive = fitted(adaptive)),
          "curves.csv", row.names = FALSE)
)";

// A folder of its own, removed at the end.
struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "ggpm-spline-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path = name;
  }
  ~Folder() {
    std::error_code ignored;
    if (!path.empty()) std::filesystem::remove_all(path, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
};

std::vector<double> run_r(const Dataset& data) {
  const Folder folder;
  if (folder.path.empty()) return {};
  std::ofstream(folder.path / "fit.R") << kScript;
  std::ofstream rows(folder.path / "rain.csv");
  rows << "day,rain,trials\n";
  for (Index i = 0; i < data.X.rows(); ++i)
    rows << data.X(i, 0) << ',' << data.observed.y[i] << ',' << data.observed.trials[i] << '\n';
  rows.close();
  const std::string command = "cd '" + folder.path.string() +
                              "' && OPENBLAS_NUM_THREADS=1 Rscript --vanilla fit.R >/dev/null 2>&1";
  // NOLINTNEXTLINE(cert-env33-c,concurrency-mt-unsafe): a fixed command in a folder of our own
  if (std::system(command.c_str()) != 0) return {};
  const Table curves = read_csv((folder.path / "curves.csv").string());
  std::vector<double> out;
  for (const char* name : {"smooth", "rough", "adaptive"}) {
    const Vector values = numeric_column(curves, name);
    out.insert(out.end(), values.begin(), values.end());
  }
  return out;
}

}  // namespace

std::optional<Splines> fit_splines(const Dataset& data, const ReproduceOptions& options) {
  const auto days = static_cast<std::size_t>(data.X.rows());
  std::optional<KeptPiece> piece = options.kept->find("splines");
  if (!piece) {
    piece = {.values = run_r(data), .text = {}};
    if (piece->values.size() != 3 * days) return {};  // it may be there another time
    options.kept->add("splines", *piece);
  }
  const auto part = [&](std::size_t k) {
    const auto begin = piece->values.begin() + static_cast<std::ptrdiff_t>(k * days);
    return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(days));
  };
  return Splines{part(0), part(1), part(2)};
}

}  // namespace ggpm::paper
