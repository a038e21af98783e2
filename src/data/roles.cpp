#include "ggpm/roles.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "data/categories.hpp"
#include "text/text.hpp"

namespace ggpm {

using namespace internal;

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

[[noreturn]] void refuse(const char* field, Index i, double value, std::string_view why) {
  throw DataError({.row = i + 1, .argument = field},
                  fmt::format("{} {}", format_number(value), why));
}

bool is_whole(double x) { return x == std::floor(x); }

// Fractions k/N rather than counts k: between 0 and 1, and not all whole.
bool are_fractions(const Vector& y) {
  return y.minCoeff() >= 0 && y.maxCoeff() <= 1 && !std::all_of(y.begin(), y.end(), is_whole);
}

// -1 and 1, and not 1 alone.
bool are_signs(const Vector& y) { return (y.array() == -1).any() && (y.array().abs() == 1).all(); }

const std::vector<std::string>& signs() {
  static const std::vector<std::string> levels = {"-1", "1"};
  return levels;
}

// k of N: y is k, or k/N.
void interpret_trials(Observations& o, bool fractions) {
  for (Index i = 0; i < o.trials.size(); ++i) {
    const double N = o.trials[i];
    if (N < 1 || !is_whole(N))
      refuse("trials", i, N, "is not a number of trials; they are 1, 2, 3, ...");
    if (o.y.size() == 0 || std::isnan(o.y[i])) continue;
    double& y = o.y[i];
    if (fractions) {
      const double k = std::round(y * N);
      if (std::abs(y * N - k) > 1e-6 * N)
        refuse("y",
               i,
               y,
               fmt::format("of {} trials is not a whole number of successes", format_number(N)));
      y = k;
    }
    if (y > N)
      refuse("y", i, y, fmt::format("successes are more than the {} trials", format_number(N)));
  }
}

void squeeze(Vector& y, Index rows) {
  const auto n = static_cast<double>(rows);
  for (Index i = 0; i < y.size(); ++i) {
    if (y[i] < 0 || y[i] > 1)
      refuse("y", i, y[i], "cannot be squeezed; that needs numbers from 0 to 1");
    y[i] = (y[i] * (n - 1) + 0.5) / n;
  }
}

// A missing cell as NaN if it may be; otherwise as numeric_column.
Vector numbers_of(const Table& table, const std::string& name, bool may_miss) {
  const Column& column = table.column(name);
  if (!may_miss || column.is_text || column.first_infinite >= 0 || column.first_rounded >= 0)
    return numeric_column(table, name);
  return Eigen::Map<const Vector>(column.numbers.data(), column.rows());
}

// Upper ends of intervals: NaN where there is none, infinite where nothing bounds the output.
Vector upper_ends(const Table& table, const std::string& name) {
  const Column& column = table.column(name);
  if (column.is_text || column.first_rounded >= 0) return numeric_column(table, name);
  return Eigen::Map<const Vector>(column.numbers.data(), column.rows());
}

// An interval that has no upper end is censored on the right.
void close_intervals(Observations& o) {
  for (Index i = 0; i < o.upper.size(); ++i) {
    if (o.upper[i] != std::numeric_limits<double>::infinity()) continue;
    if (o.censored.size() == 0) o.censored = Vector::Zero(o.upper.size());
    if (o.censored.size() != o.upper.size()) return;  // check() says what is wrong
    o.censored[i] = 1;
    o.upper[i] = kMissing;
  }
}

// 0, 1, ... for the classes or levels as they were written.
Vector target_classes(const Table& table, const ColumnRoles& roles, bool may_miss) {
  const Column& column = table.column(roles.target);
  const std::vector<std::string>& levels = roles.levels;
  Vector y(column.rows());
  for (Index i = 0; i < y.size(); ++i) {
    const std::string cell = column.cell(i);
    if (column.missing(i) && may_miss)
      y[i] = kMissing;
    else if (const auto level = std::find(levels.begin(), levels.end(), cell);
             level != levels.end())
      y[i] = static_cast<double>(level - levels.begin());
    else
      throw DataError(table.place(i, roles.target),
                      fmt::format("{} is not a class of this model; they are {}",
                                  in_quotes(cell),
                                  text::listed(levels)));
  }
  return y;
}

constexpr std::size_t kMostClasses = 50;  // of text: more of them are names

// The classes of a target of text, as they are written: two, or up to `most`, in which names of the
// rows would not be taken for classes.
std::vector<std::string> text_classes(const Table& table,
                                      const std::string& target,
                                      std::size_t most) {
  data::require_categories(table, table.column(target));
  std::vector<std::string> levels = table.column(target).levels;
  const std::size_t count = levels.size(), rows = static_cast<std::size_t>(table.rows());
  if (count < 2 || count > most || (count > 2 && 2 * count > rows))
    throw DataError(
        table.place(target),
        fmt::format(
            "text with {} different {}; a target is a number, or text with two classes{}",
            count,
            count == 1 ? "value" : "values",
            most == 2 ? "" : fmt::format(", or up to {} that have two rows and more", most)));
  std::sort(levels.begin(), levels.end());
  return levels;
}

void check_roles(const TableOptions& options) {
  std::set<std::string> seen;
  for (const std::string& name : options.roles.names())
    if (!seen.insert(name).second)
      throw UsageError(
          fmt::format("column {} has two parts; give target, trials, exposure, offset, weights, "
                      "censored and upper a column each",
                      in_quotes(name)));
  for (const std::string& name : options.inputs)
    if (seen.contains(name))
      throw UsageError(
          fmt::format("inputs: column {} is the target or has another part", in_quotes(name)));
  std::set<std::string> levels;
  for (const std::string& level : options.roles.levels)
    if (!levels.insert(level).second)
      throw UsageError(fmt::format("levels: {} is there twice; name each once", in_quotes(level)));
}

Table used_rows(Table table, const TableOptions& options, std::vector<std::string>& notes) {
  for (const std::string& name : options.roles.names()) (void)table.column(name);
  const Index all = table.rows();
  std::vector<std::string> filled = table.names();
  std::erase(filled, options.roles.upper);  // empty: no interval
  CompleteRows complete = complete_rows(std::move(table), filled, options.missing);
  if (complete.dropped > 0)
    notes.push_back(fmt::format("{}: {} of {} rows have missing cells and are left out",
                                complete.table.source(),
                                complete.dropped,
                                all));
  return std::move(complete.table);
}

}  // namespace

std::string ColumnRoles::column_of(std::string_view field) const {
  if (field == "y") return target;
  if (field == "trials") return trials;
  if (field == "exposure") return exposure;
  if (field == "offset") return offset;
  if (field == "weight") return weight;
  if (field == "censored") return censored;
  return field == "upper" ? upper : std::string();
}

std::vector<std::string> ColumnRoles::names() const {
  std::vector<std::string> names;
  for (const ObservationField& field : kObservationFields)
    if (std::string name = column_of(field.name); !name.empty()) names.push_back(std::move(name));
  return names;
}

std::vector<std::string> ColumnRoles::needed_names() const {
  ColumnRoles others = *this;
  others.target.clear();
  return others.names();
}

DomainGuess recognize_domain(const Observations& observed, bool has_trials) {
  if (!observed.any_censored()) return recognize_domain(observed.y, has_trials);
  const bool positive = (observed.y.array() > 0).all();
  Index censored = 0;
  for (const Row& row : observed.rows()) censored += row.is_censored() ? 1 : 0;
  return {positive ? Domain::positive : Domain::real,
          fmt::format("{} rows, {} of them censored{} → {}",
                      observed.y.size(),
                      censored,
                      positive ? ", all positive" : "",
                      to_string(positive ? Domain::positive : Domain::real))};
}

Index drop_weightless(Table& table, Observations& observed) {
  std::vector<Index> kept;
  for (Index i = 0; i < observed.weight.size(); ++i)
    if (observed.weight[i] != 0) kept.push_back(i);
  const Index dropped = observed.weight.size() - std::ssize(kept);
  if (dropped == 0) return 0;
  if (kept.empty())
    throw DataError("every row has weight zero; give one that counts a weight above it");
  table = table.select_rows(kept);
  observed = observed.subset(kept);
  return dropped;
}

void interpret(Observations& o, const ColumnRoles& roles, Domain domain) {
  close_intervals(o);
  o.check(o.size(), "observations", /*y_may_miss=*/true);
  if (o.trials.size() != 0) {
    if (domain != Domain::fraction_of_trials)
      throw UsageError("trials are for binomial outputs; leave them out, or name such a likelihood",
                       Remedy::trials);
    interpret_trials(o, roles.fractions);
  }
  if (o.exposure.size() != 0 && domain != Domain::count)
    throw UsageError("exposures are for counts; for other outputs use an offset", Remedy::offset);
  for (Index i = 0; i < o.exposure.size(); ++i)
    if (!(o.exposure[i] > 0))
      refuse("exposure", i, o.exposure[i], "is not an exposure; they are above 0");
  if (roles.squeeze > 0) squeeze(o.y, roles.squeeze);
  if (roles.levels == signs())
    for (double& y : o.y) y = y == -1 ? 0 : y;
  else if (domain == Domain::ordinal && !roles.levels.empty())
    o.y.array() += 1;
}

Understood understand(Observations& o,
                      ColumnRoles& roles,
                      std::optional<Domain> domain,
                      bool squeeze) {
  if (o.y.size() == 0) throw DataError("target: there are no rows");
  const bool has_trials = o.trials.size() != 0;
  Understood out{.domain = domain.value_or(Domain::real)};
  if (roles.levels.empty() && domain.value_or(Domain::binary) == Domain::binary && are_signs(o.y))
    roles.levels = signs();
  if (!domain && roles.levels.size() > 2) {
    out.domain = Domain::ordinal;
    out.reason =
        fmt::format("{} rows, {} levels in order → ordinal", o.y.size(), roles.levels.size());
  } else if (!domain && !roles.levels.empty()) {
    out.domain = Domain::binary;
    out.reason = fmt::format("{} rows, two classes → binary", o.y.size());
  } else if (!domain && squeeze) {
    out.domain = Domain::proportion;
    out.reason = fmt::format("{} rows, squeezed into (0, 1) → proportion", o.y.size());
  } else if (!domain) {
    DomainGuess guess = recognize_domain(o, has_trials);
    out.domain = guess.domain;
    out.reason = std::move(guess.reason);
  }
  if (!roles.levels.empty() && out.domain == Domain::binary)
    out.notes.push_back(fmt::format("two classes; predictions are probabilities of {}",
                                    in_quotes(roles.levels[1])));
  if (out.domain == Domain::ordinal && !roles.levels.empty() &&
      o.y.maxCoeff() + 1 < static_cast<double>(roles.levels.size()))
    out.notes.push_back(
        fmt::format("no row has {}, the last level, which is left out unless "
                    "parameters of the likelihood count it",
                    in_quotes(roles.levels.back())));
  if (out.domain == Domain::fraction_of_trials) {
    if (!has_trials)
      throw UsageError("binomial needs the number of trials of each row", Remedy::trials);
    roles.fractions = are_fractions(o.y);
    if (!roles.fractions && o.y.maxCoeff() <= 1 && o.trials.maxCoeff() > 1)
      out.notes.emplace_back(
          "all are 0 or 1, read as numbers of successes, not as fractions of trials");
  }
  roles.squeeze = squeeze ? o.y.size() : 0;
  interpret(o, roles, out.domain);
  return out;
}

Observations read_columns(const Table& table, const ColumnRoles& roles, bool y_may_miss) {
  Observations out;
  for (const ObservationField& field : kObservationFields) {
    const std::string column = roles.column_of(field.name);
    if (column.empty()) continue;
    Vector& values = out.*field.values;
    if (column == roles.upper)
      values = upper_ends(table, column);
    else if (column != roles.target)
      values = numeric_column(table, column);
    else
      values = roles.levels.empty() ? numbers_of(table, column, y_may_miss)
                                    : target_classes(table, roles, y_may_miss);
  }
  return out;
}

DataError located(const DataError& error, const Table& table, const ColumnRoles& roles) {
  const Place& place = error.place();
  if (place.row < 1 || place.row > table.rows() || !place.source.empty()) return error;
  const std::string column = place.column.empty() ? roles.column_of(place.argument) : place.column;
  return {table.place(place.row - 1, column), error.problem(), error.remedy()};
}

Observations read_observations(const Table& table,
                               const ColumnRoles& roles,
                               Domain domain,
                               bool y_may_miss) {
  Observations out = read_columns(table, roles, y_may_miss);
  try {
    interpret(out, roles, domain);
  } catch (const DataError& error) {
    throw located(error, table, roles);
  }
  return out;
}

Design learn_design(const Table& table,
                    const TableOptions& options,
                    std::vector<std::string> exclude) {
  return Design::learn(table,
                       {.inputs = options.inputs,
                        .exclude = std::move(exclude),
                        .factors = options.factors,
                        .groups = options.groups,
                        .coordinates = options.coordinates,
                        .degrees = options.degrees,
                        .standardize = options.standardize});
}

Dataset make_dataset(const Table& table, const Design& design, Observations observed) {
  return {.X = design.apply(table),
          .observed = std::move(observed),
          .columns = design.names(),
          .source = table.source(),
          .row_numbers = table.row_numbers()};
}

TrainingTable read_training(Table given,
                            const TableOptions& options,
                            std::optional<Domain> domain) {
  check_roles(options);
  std::vector<std::string> notes;
  Table table = used_rows(std::move(given), options, notes);
  ColumnRoles roles = options.roles;
  const bool text = table.column(roles.target).is_text;
  if (text && roles.levels.empty() && (!domain || *domain == Domain::binary || options.unordered))
    roles.levels = text_classes(table, roles.target, domain == Domain::binary ? 2 : kMostClasses);
  if (domain == Domain::ordinal && text && roles.levels.empty())
    throw UsageError(
        fmt::format("{}: text; name its levels in their order, lowest first: --levels {}",
                    table.where(roles.target),
                    fmt::join(table.column(roles.target).levels, ",")));
  Observations observed = read_columns(table, roles, false);
  if (const Index dropped = drop_weightless(table, observed); dropped > 0)
    notes.push_back(
        fmt::format("{}: {} rows of weight 0 are left out", table.where(roles.weight), dropped));
  Understood understood{Domain::real, {}, {}};
  try {
    understood = understand(observed, roles, domain, options.squeeze);
  } catch (const DataError& error) {
    throw located(error, table, roles);
  }
  if (!domain && options.roles.levels.empty() && roles.levels.size() > 2)
    understood.reason = fmt::format(
        "{} rows, {} classes → several classes (if they have an order, name it with levels)",
        observed.y.size(),
        roles.levels.size());
  for (const std::string& note : understood.notes)
    notes.push_back(table.where(roles.target) + ": " + note);
  Design design = learn_design(table, options, roles.names());
  notes.insert(notes.end(), design.notes().begin(), design.notes().end());
  Dataset data = make_dataset(table, design, std::move(observed));
  return {.data = std::move(data),
          .roles = std::move(roles),
          .design = std::move(design),
          .domain = understood.domain,
          .reason = std::move(understood.reason),
          .notes = std::move(notes),
          .table = std::move(table)};
}

TrainingTable read_training(const std::string& path,
                            const TableOptions& options,
                            std::optional<Domain> domain) {
  check_roles(options);
  CsvOptions wanted{.text_columns = options.factors};
  if (!options.inputs.empty()) {
    wanted.columns = options.roles.names();
    wanted.columns.insert(wanted.columns.end(), options.inputs.begin(), options.inputs.end());
  }
  return read_training(read_csv(path, wanted), options, domain);
}

}  // namespace ggpm
