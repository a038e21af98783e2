// The model file, read: every name, shape and number is checked before it is believed.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <system_error>

#include "model/file_format.hpp"
#include "model/model_file.hpp"
#include "model/state.hpp"

namespace ggpm {
namespace {

using Json = nlohmann::json;
using file::Array;

// A JSON object whose keys are known; every question that it cannot answer is a DataError.
class Fields {
 public:
  Fields(const Json& json, std::string where, std::size_t count)
      : json_(json), where_(std::move(where)) {
    if (!json.is_object()) fail("is not an object");
    if (json.size() != count) fail("has unknown or missing entries");
  }

  const Json& at(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) fail(std::string("has no '") + key + "'");
    return *found;
  }
  std::string text(const char* key) const {
    const Json& value = at(key);
    if (!value.is_string()) fail(std::string("'") + key + "' is not a text");
    return value.get<std::string>();
  }
  bool flag(const char* key) const {
    const Json& value = at(key);
    if (!value.is_boolean()) fail(std::string("'") + key + "' is not true or false");
    return value.get<bool>();
  }
  int whole(const char* key, int largest = std::numeric_limits<int>::max()) const {
    const Json& value = at(key);
    if (!value.is_number_unsigned() ||
        value.get<std::uint64_t>() > static_cast<std::uint64_t>(largest))
      fail(std::string("'") + key + "' is not a whole number up to " + std::to_string(largest));
    return value.get<int>();
  }
  const Json& list(const char* key) const {
    const Json& value = at(key);
    if (!value.is_array()) fail(std::string("'") + key + "' is not a list");
    return value;
  }
  std::vector<std::string> texts(const char* key) const {
    std::vector<std::string> out;
    for (const Json& value : list(key)) {
      if (!value.is_string()) fail(std::string("'") + key + "' has an entry that is not a text");
      out.push_back(value.get<std::string>());
    }
    return out;
  }
  [[noreturn]] void fail(const std::string& why) const { throw DataError(where_ + " " + why); }

 private:
  const Json& json_;
  std::string where_;
};

class Loader {
 public:
  Loader(std::string_view bytes, const std::string& source) : source_(source) {
    header_ = file::read(bytes, source, arrays_);
  }

  SavedModel load() {
    const Fields header(header_, source_ + ": the header", 12);
    auto state = std::make_shared<detail::ModelState>();
    read_specification(Fields(header.at("specification"), source_ + ": 'specification'", 9),
                       *state);
    state->columns = header.texts("columns");
    const std::optional<Design> design = read_sizes_and_design(header);
    read_rows(*state);
    read_parts(header, *state);
    read_posterior(*state);
    read_report(Fields(header.at("report"), source_ + ": 'report'", 10), *state);
    read_optima(header, *state);
    read_warnings(header, *state);
    const Json& seed = header.at("seed");
    if (!seed.is_number_unsigned()) header.fail("'seed' is not a whole number");
    state->seed = seed.get<std::uint64_t>();
    // Only negative precisions can leave an improper Gaussian; otherwise the predictor waits until
    // somebody predicts.
    if ((state->posterior.sites.precision.array() < 0).any()) state->predictor();
    SavedModel out{GeneralizedGP(std::move(state)), design, {}, {}};
    read_labels(header, out);
    return out;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { throw DataError(source_ + ": " + why); }

  const Matrix& array(std::string_view name) const {
    for (const Array& candidate : arrays_)
      if (candidate.name == name) return candidate.values;
    fail("array '" + std::string(name) + "' is missing");
  }
  const Matrix& finite(std::string_view name) const {
    const Matrix& values = array(name);
    if (!values.allFinite())
      fail("array '" + std::string(name) + "' has an entry that is not a finite number");
    return values;
  }
  double scalar(file::Scalar which) const { return finite("scalars")(which, 0); }

  void read_specification(const Fields& f, detail::ModelState& state) const {
    Specification& s = state.specification;
    s.likelihood = f.text("likelihood");
    s.link = f.text("link");
    s.formula = f.text("formula");
    s.kernel = f.text("kernel");
    s.mean = f.text("mean");
    s.inference = parse_inference(f.text("inference"));
    s.expansion.point = static_cast<ExpansionPoint>(f.whole("expansion", 3));
    s.warp = f.text("warp");
    s.likelihood_options.learn_df = f.flag("learn_df");
    // A path is not followed on load: what it held is in the file.
    if (s.likelihood.ends_with(".toml") && s.formula.empty())
      fail("the text of the formula '" + s.likelihood + "' is missing");
  }

  std::optional<Design> read_sizes_and_design(const Fields& header) {
    sizes_.rows = array("y").rows();
    sizes_.inputs = array("X").cols();
    sizes_.parameters = array("hyperparameter").rows();
    sizes_.optima = static_cast<Index>(header.list("optima").size());
    sizes_.design = static_cast<Index>(header.list("design").size());
    sizes_.trials = array("trials").rows() != 0;
    sizes_.exposure = array("exposure").rows() != 0;
    sizes_.offset = array("offset").rows() != 0;
    const auto expected = file::shapes(sizes_);
    if (expected.size() != arrays_.size()) fail("there are unknown or missing arrays");
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto& [name, rows, cols] = expected[i];
      const Array& have = arrays_[i];
      if (have.name != name) fail("array '" + have.name + "' stands where '" + name + "' should");
      if (have.values.rows() != rows || have.values.cols() != cols)
        fail(fmt::format("array '{}' is {} x {}, it should be {} x {}",
                         name,
                         have.values.rows(),
                         have.values.cols(),
                         rows,
                         cols));
    }
    if (sizes_.rows == 0 || sizes_.inputs == 0) fail("there are no rows or no inputs");
    if (!header.flag("has_design")) {
      if (sizes_.design != 0) fail("there are columns of a design, and no design");
      return std::nullopt;
    }
    std::vector<DesignColumn> columns;
    for (const Json& entry : header.list("design")) {
      const Fields f(entry, source_ + ": 'design'", 2);
      const auto i = static_cast<Index>(columns.size());
      columns.push_back(
          {f.text("name"), f.texts("levels"), finite("design")(i, 0), finite("design")(i, 1)});
    }
    Design design(std::move(columns));
    if (design.dimensions() != sizes_.inputs)
      fail(fmt::format(
          "the design makes {} inputs, the model has {}", design.dimensions(), sizes_.inputs));
    return design;
  }

  void read_rows(detail::ModelState& state) const {
    if (!state.columns.empty() && static_cast<Index>(state.columns.size()) != sizes_.inputs)
      fail(fmt::format("{} names for {} inputs", state.columns.size(), sizes_.inputs));
    for (Index i = 0; i < sizes_.rows; ++i) {
      Row row{.y = finite_entry("y", i)};
      if (sizes_.trials) row.trials = finite_entry("trials", i);
      if (sizes_.exposure) row.exposure = finite_entry("exposure", i);
      state.rows.push_back(row);
    }
    if (sizes_.offset) state.offset = finite("offset").col(0);
  }
  double finite_entry(std::string_view name, Index i) const {
    const double value = array(name)(i, 0);
    if (!std::isfinite(value))
      fail(fmt::format("array '{}', row {}: {} is not a finite number", name, i + 1, value));
    return value;
  }

  void read_parts(const Fields& header, detail::ModelState& state) const {
    Specification& s = state.specification;
    s.likelihood_options.dispersion = scalar(file::dispersion);
    s.likelihood_options.df = scalar(file::df);
    s.expansion.offset = scalar(file::expansion_offset);
    ModelParts parts = make_parts(s, sizes_.inputs, state.columns, {});
    parts.warp = parts.warp.with_constants(scalar(file::warp_center), scalar(file::warp_scale));
    if (parts.warp.none())
      parts.likelihood->check(state.rows);
    else
      parts.warp.check(state.rows);
    LearningTask& task = state.task;
    task.data =
        std::make_shared<const Observed>(observe(finite("X"), state.rows, state.offset, parts));
    task.engine = restore_engine({.name = "dense"}, inputs_of(task.data), {});
    task.inference = make_inference(s, parts);
    task.inference.tolerance = scalar(file::inference_tolerance);
    task.inference.max_iterations = header.whole("max_iterations");
    task.space = read_space(header, parts);
    state.at = task.space.split(finite("hyperparameter").col(0));
    state.gradient = task.space.split(finite("gradient").col(0));
    task.parts = with_values(parts, state.at);
    state.log_marginal = scalar(file::log_marginal);
  }

  ParameterSpace read_space(const Fields& header, const ModelParts& parts) const {
    ParameterSpace space(parts, {}, {});
    if (space.size() != sizes_.parameters)
      fail(
          fmt::format("the model has {} parameters, the file {}", space.size(), sizes_.parameters));
    const Json& fixed = header.list("fixed");
    if (static_cast<Index>(fixed.size()) != space.size()) header.fail("'fixed' has another size");
    std::map<std::string, Prior> priors;
    std::vector<std::string> held;
    for (Index i = 0; i < space.size(); ++i) {
      const Json& flag = fixed[static_cast<std::size_t>(i)];
      if (!flag.is_boolean()) header.fail("'fixed' has an entry that is not true or false");
      if (flag.get<bool>()) held.push_back(space[i].name);
      const auto row = finite("prior").row(i);
      if (!(row[0] >= 0 && row[0] <= 4 && row[0] == std::floor(row[0])))
        fail("a prior is of an unknown kind");
      priors[space[i].name] = {static_cast<Prior::Kind>(static_cast<int>(row[0])), row[1], row[2]};
    }
    space = ParameterSpace(parts, held, priors);
    for (Index i = 0; i < space.size(); ++i) {
      const double lower = array("lower")(i, 0), upper = array("upper")(i, 0);
      const double start = finite("start")(i, 0);
      if (std::isnan(lower) || std::isnan(upper) || !(lower <= start && start <= upper))
        fail("the bounds of '" + space[i].name + "' are impossible");
      space.restore(i, start, lower, upper);
    }
    return space;
  }

  void read_posterior(detail::ModelState& state) const {
    Posterior& q = state.posterior;
    q.sites = {finite("precision").col(0), finite("shift").col(0)};
    q.prior_mean = finite("prior_mean").col(0);
    q.alpha = finite("alpha").col(0);
    q.mean = finite("mean").col(0);
    q.variance = finite("variance").col(0);
    q.cavity_mean = finite("cavity_mean").col(0);
    q.cavity_variance = finite("cavity_variance").col(0);
    q.jitter = scalar(file::jitter);
    if (!(q.variance.array() >= 0).all()) fail("a posterior variance is negative");
    if (!(q.jitter >= 0)) fail("the jitter is negative");
  }

  void read_report(const Fields& f, detail::ModelState& state) const {
    FitReport& r = state.report;
    r.converged = f.flag("converged");
    r.optimized = f.flag("optimized");
    r.interrupted = f.flag("interrupted");
    r.evaluations = f.whole("evaluations");
    r.detail = f.text("detail");
    r.inference.outcome = static_cast<Outcome>(f.whole("outcome", 2));
    r.inference.iterations = f.whole("iterations");
    r.inference.factorizations = f.whole("factorizations");
    r.inference.fallbacks = f.texts("fallbacks");
    r.inference.detail = f.text("inference_detail");
    r.inference.residual = scalar(file::residual);
    r.inference.jitter = state.posterior.jitter;
  }

  // Older files have the sentences alone: what the state says again gets its kind back.
  void read_warnings(const Fields& header, detail::ModelState& state) const {
    const std::vector<Warning> known = collect_warnings(state, {});
    for (const Json& entry : header.list("warnings")) {
      if (entry.is_string()) {
        Warning warning{Warning::Kind::other, "", entry.get<std::string>()};
        for (const Warning& candidate : known)
          if (candidate.text == warning.text) warning = candidate;
        state.warnings.push_back(std::move(warning));
        continue;
      }
      const Fields f(entry, source_ + ": 'warnings'", 3);
      state.warnings.push_back(
          {parse_warning_kind(f.text("kind")), f.text("parameter"), f.text("text")});
    }
  }

  void read_optima(const Fields& header, detail::ModelState& state) const {
    for (const Json& entry : header.list("optima")) {
      const Fields f(entry, source_ + ": 'optima'", 3);
      const auto row = finite("optimum").row(static_cast<Index>(state.optima.size()));
      state.optima.push_back({row[0],
                              state.task.space.split(row.tail(sizes_.parameters).transpose()),
                              parse_inference(f.text("inference")),
                              f.flag("converged"),
                              f.whole("evaluations")});
    }
  }

  void read_labels(const Fields& header, SavedModel& out) const {
    const Fields roles(header.at("roles"), source_ + ": 'roles'", 7);
    out.roles = {roles.text("target"),
                 roles.text("trials"),
                 roles.text("exposure"),
                 roles.text("offset"),
                 roles.flag("squeeze"),
                 roles.flag("fractions"),
                 roles.texts("levels")};
    if (!out.roles.levels.empty() && out.roles.levels.size() != 2)
      header.fail("'levels' are not two classes");
    const Json& provenance = header.at("provenance");
    if (!provenance.is_object()) header.fail("'provenance' is not an object");
    for (const auto& [key, value] : provenance.items()) {
      if (!value.is_string()) header.fail("'provenance' has an entry that is not a text");
      out.provenance[key] = value.get<std::string>();
    }
  }

  std::string source_;
  Json header_;
  std::vector<Array> arrays_;
  file::Sizes sizes_;
};

// Whole file; only regular files, so that a pipe or a device cannot hang or flood.
std::string read_file(const std::string& path) {
  const auto fail = [&](const std::string& why) { throw DataError(path + ": " + why); };
  const auto reason = [] { return std::generic_category().message(errno); };
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) fail("cannot be read: " + reason());
  struct Closer {
    int descriptor;
    ~Closer() { close(descriptor); }
  } closer{descriptor};
  struct stat status {};
  if (fstat(descriptor, &status) != 0) fail("cannot be read: " + reason());
  if (!S_ISREG(status.st_mode)) fail("is not a file");
  std::string bytes;
  const auto read_up_to = [&](std::size_t size) {
    std::size_t have = bytes.size();
    bytes.resize(size);
    while (have < size) {
      const ssize_t count = read(descriptor, bytes.data() + have, size - have);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail("cannot be read: " + reason());
      if (count == 0) break;
      have += static_cast<std::size_t>(count);
    }
    bytes.resize(have);
  };
  const auto size = static_cast<std::size_t>(status.st_size);
  read_up_to(std::min<std::size_t>(size, 8));  // a foreign file is refused before it is read
  if (file::has_magic(bytes)) read_up_to(size);
  return bytes;
}

}  // namespace

SavedModel from_bytes(std::string_view bytes, const std::string& source) {
  try {
    return Loader(bytes, source).load();
  } catch (const DataError& error) {
    const std::string what = error.what();
    throw DataError(what.starts_with(source) ? what : source + ": " + what);
  } catch (const Error& error) {
    throw DataError(source + ": " + error.what());
  } catch (const Json::exception&) {
    throw DataError(source + ": the header is not that of a model");
  }
}

SavedModel load_model(const std::string& path) { return from_bytes(read_file(path), path); }

}  // namespace ggpm
