// The model file, read: every name, shape and number is checked before it is believed.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <system_error>

#include "ggpm/classes.hpp"
#include "model/average_file.hpp"
#include "model/checkpoint.hpp"
#include "model/file_format.hpp"
#include "model/file_reader.hpp"
#include "model/model_file.hpp"
#include "model/state.hpp"
#include "parallel/ranks.hpp"

namespace ggpm {

using namespace internal;

namespace {

using file::Fields;
using file::Json;

class Loader {
 public:
  Loader(std::string_view bytes, const std::string& source)
      : source_(source),
        header_(file::read(bytes, source, stored_)),
        arrays_(std::move(stored_), source) {}

  SavedModel load() {
    if (header_.contains(kInProgress))
      throw DataError(source_ +
                      ": is a fit in progress, not a model; the same fit that resumes it goes on");
    const Fields header(header_, source_ + ": the header");
    auto state = std::make_shared<internal::ModelState>();
    read_specification(header.fields("specification"), *state);
    read_sizes(header);
    Dataset data{.X = arrays_.finite("X", rows_, inputs_), .columns = header.texts("columns")};
    state->specification.units = read_units();
    read_rows(data);
    read_parts(header, std::move(data), *state);
    read_posterior(*state);
    read_report(header.fields("report"), *state);
    read_optima(header, *state);
    read_warnings(header, *state);
    read_extras(header, *state);
    read_averages(arrays_, header, *state);
    const Json& seed = header.at("seed");
    if (!seed.is_number_unsigned()) header.fail("'seed' is not a whole number");
    state->seed = seed.get<std::uint64_t>();
    std::optional<Design> design = read_design(header);
    state->designed = design.has_value();
    SavedModel out{GeneralizedGP(std::move(state)), std::move(design), {}, {}};
    read_labels(header, out);
    header.done();
    arrays_.done();
    return out;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { throw DataError(source_ + ": " + why); }

  double scalar(std::string_view name) const {
    for (std::size_t i = 0; i < scalars_.size(); ++i)
      if (scalars_[i] == name)
        return arrays_.vector("scalars",
                              static_cast<Index>(scalars_.size()))[static_cast<Index>(i)];
    fail("the number '" + std::string(name) + "' is missing");
  }

  void read_specification(const Fields& f, internal::ModelState& state) const {
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
    if (f.has("engine")) s.engine = read_engine_options(f.fields("engine"));
    f.done();
  }

  static EngineOptions read_engine_options(const Fields& f) {
    EngineOptions options{f.text("name"), parse_accuracy(f.text("accuracy")), f.whole("inducing")};
    f.done();
    return options;
  }

  // Before there were others every engine was dense.
  std::shared_ptr<const Engine> read_engine(const Fields& header,
                                            std::shared_ptr<const Matrix> X) const {
    EngineOptions options{.name = "dense"};
    if (header.has("engine")) options = read_engine_options(header.fields("engine"));
    if (options.name == "auto") fail("the engine has no name");
    return restore_engine(options, std::move(X), arrays_.with_prefix(file::kEnginePrefix));
  }

  void read_sizes(const Fields& header) {
    rows_ = arrays_.at("X").rows();
    inputs_ = arrays_.at("X").cols();
    parameters_ = arrays_.at("hyperparameter").rows();
    if (rows_ == 0 || inputs_ == 0) fail("there are no rows or no inputs");
    scalars_.assign(file::kScalarsOfVersion1.begin(), file::kScalarsOfVersion1.end());
    if (!header.has("scalars")) return;
    scalars_ = header.texts("scalars");
    for (const std::string& name : scalars_)
      if (std::find(file::kScalars.begin(), file::kScalars.end(), name) == file::kScalars.end())
        header.fail("has a number '" + name + "' that is unknown");
  }

  void set_units(std::vector<DesignColumn>& columns) const {
    const std::vector<double> units = read_units();
    std::size_t first = 0;
    for (DesignColumn& column : columns) {
      if (!units.empty() && column.levels.empty()) column.unit = units[first];
      first += static_cast<std::size_t>(column.width());
    }
  }

  std::optional<Design> read_design(const Fields& header) const {
    const Json& entries = header.list("design");
    const Matrix& numbers = arrays_.finite("design", static_cast<Index>(entries.size()), 2);
    if (!header.flag("has_design")) {
      if (!entries.empty()) fail("there are columns of a design, and no design");
      return std::nullopt;
    }
    std::vector<DesignColumn> columns;
    for (const Json& entry : entries) {
      const Fields f(entry, source_ + ": 'design'");
      const auto i = static_cast<Index>(columns.size());
      DesignColumn& column = columns.emplace_back();
      column = {f.text("name"), f.texts("levels"), numbers(i, 0), numbers(i, 1)};
      if (f.has("coded")) column.coded = f.flag("coded");
      if (f.has("open")) column.open = f.flag("open");
      if (f.has("is_date")) column.is_date = f.flag("is_date");
      f.done();
    }
    Index made = 0;
    for (const DesignColumn& column : columns) made += column.width();
    if (made != inputs_)
      fail(fmt::format("the design makes {} inputs, the model has {}", made, inputs_));
    set_units(columns);
    return Design(std::move(columns));
  }

  // In files before there were units, hyperparameters are in units of X.
  std::vector<double> read_units() const {
    if (!arrays_.has("units")) return {};
    const Vector units = arrays_.vector("units", inputs_);
    if (!(units.array() > 0).all()) fail("a unit of an input is not positive");
    return {units.begin(), units.end()};
  }

  // Errors of what is held, flat or at a bound are NaN.
  void read_extras(const Fields& header, internal::ModelState& state) const {
    if (arrays_.has("standard_error")) {
      const Vector errors = arrays_.at("standard_error", parameters_, 1).col(0);
      for (const double error : errors)
        if (error < 0 || std::isinf(error)) fail("a standard error is impossible");
      state.standard_errors = state.task.space.split(errors);
    }
    if (arrays_.has("engine_check")) {
      const Vector check = arrays_.vector("engine_check", 3);
      if (!(check.array() >= 0).all() || check[0] > double(rows_)) fail("the check is impossible");
      state.check = {static_cast<Index>(check[0]), check[1], check[2]};
    }
    if (!header.has("refit_folds")) return;
    RefittedScores& scores = state.refitted.emplace();
    scores.folds = header.whole("refit_folds");
    scores.log_density = arrays_.vector("refitted", rows_);
    const DensityDifference whole = difference_of(scores.log_density, Vector::Zero(rows_));
    scores.total = whole.total;
    scores.standard_error = whole.standard_error;
  }

  void read_rows(Dataset& data) const {
    if (!data.columns.empty() && static_cast<Index>(data.columns.size()) != inputs_)
      fail(fmt::format("{} names for {} inputs", data.columns.size(), inputs_));
    data.observed.y = arrays_.vector("y", rows_);
    for (const ObservationField& field : kObservationFields) {
      const std::string name = file::array_name(field);
      if (std::isnan(field.trivial) && arrays_.has(name))
        data.observed.*field.values = arrays_.at(name, rows_, 1).col(0);  // NaN: no upper end
      else if (field.values != &Observations::y && !std::isnan(field.trivial))
        data.observed.*field.values = arrays_.optional(name, rows_);
    }
    data.observed.check(rows_, source_);
    data.observed.drop_trivial();
  }

  void read_parts(const Fields& header, Dataset data, internal::ModelState& state) const {
    Specification& s = state.specification;
    s.likelihood_options.dispersion = scalar("dispersion");
    s.likelihood_options.df = scalar("df");
    s.expansion.offset = scalar("expansion_offset");
    ModelParts parts = make_parts(s, data);
    const std::vector<double> constants = {scalar("warp_center"), scalar("warp_scale")};
    if (std::shared_ptr<Likelihood> likelihood = parts.likelihood->clone();
        !likelihood->constants().empty()) {
      likelihood->set_constants(constants);
      parts.likelihood = std::move(likelihood);
    }
    parts.likelihood->check(data.observed.rows());
    LearningTask& task = state.task;
    state.given = data.observed;
    data.observed = fold_exposure(std::move(data.observed), *parts.likelihood);
    task.data = std::make_shared<const Dataset>(std::move(data));
    task.engine = read_engine(header, inputs_of(task.data));
    task.inference = make_inference(s, *task.data);
    if (header.has("learned_with"))
      task.inference.method = parse_inference(header.text("learned_with"));
    task.inference.tolerance = scalar("inference_tolerance");
    task.inference.max_iterations = header.whole("max_iterations");
    task.space = read_space(header, parts, task.data->columns);
    state.at = task.space.split(arrays_.vector("hyperparameter", parameters_));
    state.gradient = task.space.split(arrays_.vector("gradient", parameters_));
    task.parts = with_values(parts, state.at);
    state.log_marginal = scalar("log_marginal");
  }

  ParameterSpace read_space(const Fields& header,
                            const ModelParts& parts,
                            const std::vector<std::string>& columns) const {
    ParameterSpace space(parts, {}, {}, columns);
    if (space.size() != parameters_)
      fail(fmt::format("the model has {} parameters, the file {}", space.size(), parameters_));
    const Json& fixed = header.list("fixed");
    if (static_cast<Index>(fixed.size()) != space.size()) header.fail("'fixed' has another size");
    std::map<std::string, Prior> priors;
    std::vector<std::string> held;
    for (Index i = 0; i < space.size(); ++i) {
      const Json& flag = fixed[static_cast<std::size_t>(i)];
      if (!flag.is_boolean()) header.fail("'fixed' has an entry that is not true or false");
      if (flag.get<bool>()) held.push_back(space[i].name);
      const auto row = arrays_.finite("prior", parameters_, 3).row(i);
      if (!(row[0] >= 0 && row[0] <= 4 && row[0] == std::floor(row[0])))
        fail("a prior is of an unknown kind");
      priors[space[i].name] = {static_cast<Prior::Kind>(static_cast<int>(row[0])), row[1], row[2]};
    }
    space = ParameterSpace(parts, held, priors, columns);
    for (Index i = 0; i < space.size(); ++i) {
      const double lower = arrays_.at("lower", parameters_, 1)(i, 0);
      const double upper = arrays_.at("upper", parameters_, 1)(i, 0);
      const double start = arrays_.finite("start", parameters_, 1)(i, 0);
      if (std::isnan(lower) || std::isnan(upper) || !(lower <= start && start <= upper))
        fail("the bounds of '" + space[i].name + "' are impossible");
      space.restore(i, start, lower, upper);
    }
    return space;
  }

  void read_posterior(internal::ModelState& state) const {
    Posterior& q = state.posterior;
    const Likelihood& likelihood = *state.task.parts.likelihood;
    const Index classes = has_several_latents(likelihood) ? likelihood.levels() : 1;
    const Index latents = classes * rows_, blocks = classes * latents;
    q.sites = {arrays_.vector("precision", blocks), arrays_.vector("shift", latents)};
    q.prior_mean = arrays_.vector("prior_mean", latents);
    q.alpha = arrays_.vector("alpha", latents);
    q.mean = arrays_.vector("mean", latents);
    q.variance = arrays_.vector("variance", latents);
    q.cavity_mean = arrays_.vector("cavity_mean", latents);
    q.cavity_variance = arrays_.vector("cavity_variance", blocks);
    q.jitter = scalar("jitter");
    if (!(q.variance.array() >= 0).all()) fail("a posterior variance is negative");
    if (!(q.jitter >= 0)) fail("the jitter is negative");
  }

  void read_report(const Fields& f, internal::ModelState& state) const {
    FitReport& r = state.report;
    r.converged = f.flag("converged");
    r.optimized = f.flag("optimized");
    r.interrupted = f.flag("interrupted");
    r.evaluations = f.whole("evaluations");
    if (f.has("learned_rows")) r.learned_rows = f.whole("learned_rows");
    r.detail = f.text("detail");
    r.inference.outcome = static_cast<Outcome>(f.whole("outcome", 2));
    r.inference.iterations = f.whole("iterations");
    r.inference.factorizations = f.whole("factorizations");
    r.inference.fallbacks = f.texts("fallbacks");
    r.inference.detail = f.text("inference_detail");
    r.inference.residual = scalar("residual");
    r.inference.jitter = state.posterior.jitter;
    f.done();
  }

  // Older files have the sentences alone: what the state says again gets its kind back.
  void read_warnings(const Fields& header, internal::ModelState& state) const {
    const std::vector<Warning> known = collect_warnings(state, {});
    for (const Json& entry : header.list("warnings")) {
      if (entry.is_string()) {
        Warning warning{Warning::Kind::other, "", entry.get<std::string>()};
        for (const Warning& candidate : known)
          if (candidate.text == warning.text) warning = candidate;
        state.warnings.push_back(std::move(warning));
        continue;
      }
      const Fields f(entry, source_ + ": 'warnings'");
      state.warnings.push_back(
          {parse_warning_kind(f.text("kind")), f.text("parameter"), f.text("text")});
      f.done();
    }
  }

  void read_optima(const Fields& header, internal::ModelState& state) const {
    const Json& entries = header.list("optima");
    const Matrix& numbers =
        arrays_.finite("optimum", static_cast<Index>(entries.size()), parameters_ + 1);
    for (const Json& entry : entries) {
      const Fields f(entry, source_ + ": 'optima'");
      const auto row = numbers.row(static_cast<Index>(state.optima.size()));
      state.optima.push_back({row[0],
                              state.task.space.split(row.tail(parameters_).transpose()),
                              parse_inference(f.text("inference")),
                              f.flag("converged"),
                              f.whole("evaluations")});
      f.done();
    }
  }

  void read_labels(const Fields& header, SavedModel& out) const {
    const Fields roles = header.fields("roles");
    out.roles = {.target = roles.text("target"),
                 .trials = roles.text("trials"),
                 .exposure = roles.text("exposure"),
                 .offset = roles.text("offset"),
                 .levels = roles.texts("levels"),
                 .fractions = roles.flag("fractions"),
                 .squeeze = roles.flag("squeeze") ? rows_ : 0};
    for (const auto& [name, column] : {std::pair{"weight", &ColumnRoles::weight},
                                       std::pair{"censored", &ColumnRoles::censored},
                                       std::pair{"upper", &ColumnRoles::upper}})
      if (roles.has(name)) out.roles.*column = roles.text(name);
    const std::size_t levels = out.roles.levels.size();
    const bool ordinal = out.model.domain() == Domain::ordinal;
    if (levels != 0 && (ordinal ? levels < 2 : levels != 2))
      header.fail("'levels' are not those of the target");
    roles.done();
    const Json& provenance = header.at("provenance");
    if (!provenance.is_object()) header.fail("'provenance' is not an object");
    for (const auto& [key, value] : provenance.items()) {
      if (!value.is_string()) header.fail("'provenance' has an entry that is not a text");
      out.provenance[key] = value.get<std::string>();
    }
  }

  std::string source_;
  NamedArrays stored_;
  Json header_;
  file::Arrays arrays_;
  Index rows_ = 0, inputs_ = 0, parameters_ = 0;
  std::vector<std::string> scalars_;  // the names of the numbers in that array
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

SavedModel load_model(const std::string& path) {
  return from_bytes(from_first_rank([&] { return read_file(path); }), path);
}

}  // namespace ggpm
