// ggpm predict MODEL DATA: predictive distributions, a row each, in memory that does not grow with
// DATA.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/prediction_columns.hpp"
#include "ggpm/model.hpp"
#include "ggpm/row_reader.hpp"
#include "ggpm/text.hpp"

namespace ggpm::cli {
namespace {

struct PredictOptions {
  std::string model, data, output;
  std::vector<std::string> columns, keep;
  Answers answers;
  std::int64_t samples = 0, draws = 0;
  std::string draws_of = "mean";
  FitRequest request;
  bool quiet = false;
  CsvText text = CsvText::as_it_is;
};

// Those that were asked for, or all.
std::vector<std::string> chosen_names(const PredictOptions& options,
                                      const SavedModel& saved,
                                      bool has_target) {
  std::vector<std::string> names = column_names(options.answers, saved, has_target);
  if (options.columns.empty()) return names;
  for (const std::string& name : options.columns)
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw UsageError(
          fmt::format("--columns: there is no '{}'; there are: {}", name, fmt::join(names, ", ")));
  return options.columns;
}

std::vector<std::string> header_of(const PredictOptions& options,
                                   const std::vector<std::string>& names) {
  std::vector<std::string> header = options.keep;
  for (const std::string& name : names) {
    if (std::find(options.keep.begin(), options.keep.end(), name) != options.keep.end())
      throw UsageError(
          fmt::format("--keep: '{}' is also the name of an answer; leave it out, or "
                      "choose others with --columns",
                      name));
    header.push_back(name);
  }
  for (std::int64_t k = 1; k <= options.samples; ++k) header.push_back(fmt::format("sample{}", k));
  for (std::int64_t k = 1; k <= options.draws; ++k) header.push_back(fmt::format("draw{}", k));
  return header;
}

void append_rows(std::string& out,
                 const std::vector<std::vector<std::string>>& kept,
                 const std::vector<OutputColumn>& columns,
                 const std::vector<std::string>& levels,
                 double first_level,
                 CsvText text) {
  const Index rows = columns.front().values.size();
  for (Index i = 0; i < rows; ++i) {
    std::vector<std::string> cells;
    cells.reserve(kept.size() + columns.size());
    for (const std::vector<std::string>& column : kept)
      cells.push_back(column[static_cast<std::size_t>(i)]);
    for (const OutputColumn& column : columns) {
      const double value = column.values(i), place = value - first_level;
      const bool as_class = column.is_y && place >= 0 && place == std::floor(place) &&
                            place < static_cast<double>(levels.size());
      cells.push_back(as_class ? levels[static_cast<std::size_t>(place)] : format_number(value));
    }
    append_csv_row(out, cells, text);
  }
}

void add_matrix(std::vector<OutputColumn>& columns, const Matrix& values, bool is_y) {
  for (Index k = 0; k < values.cols(); ++k) columns.push_back({"", values.col(k), is_y});
}

Drawn drawn_of(const std::string& word) {
  if (word == "latent") return Drawn::latent;
  return word == "mean" ? Drawn::mean : Drawn::outcome;
}

// Rows and the cells that are kept of them: a block, or all there are, since a function is drawn at
// all rows at once.
struct Block {
  Dataset rows;
  std::vector<std::vector<std::string>> kept;
};

std::optional<Block> next_block(RowReader& reader, const PredictOptions& options) {
  std::optional<Block> out;
  while (std::optional<Dataset> rows = reader.next()) {
    if (!out)
      out = Block{.rows = {}, .kept = std::vector<std::vector<std::string>>(options.keep.size())};
    for (std::size_t j = 0; j < options.keep.size(); ++j) {
      const Column& column = reader.kept().column(options.keep[j]);
      for (Index i = 0; i < column.rows(); ++i) out->kept[j].push_back(column.cell(i));
    }
    if (out->rows.size() == 0)
      out->rows = *std::move(rows);
    else
      out->rows.append(*rows);
    if (options.draws == 0) break;
  }
  return out;
}

void predict(const PredictOptions& options) {
  set_quiet(options.quiet);
  const SavedModel saved = load_model(options.model);
  RowReader reader(saved, options.data);
  if (!options.keep.empty()) reader.keep(options.keep);
  const std::vector<std::string> names = chosen_names(options, saved, reader.has_target());
  const std::vector<std::string> header = header_of(options, names);

  const InterruptGuard guard(5);  // so that a file that was begun is removed
  Sink sink(options.output);
  std::string out;
  append_csv_row(out, header);
  std::uint64_t block_number = 0;
  Index too_large = 0;
  const FitOptions& o = options.request.options;
  while (const std::optional<Block> block = next_block(reader, options)) {
    const Predictions predictions = saved.model.predictive(block->rows, o.threads);
    std::vector<OutputColumn> columns =
        compute_columns(names, options.answers, saved, block->rows, predictions, too_large);
    if (options.samples > 0) {
      const std::uint64_t seed = o.seed + 0x9e3779b97f4a7c15 * block_number;
      add_matrix(columns, predictions.sample(options.samples, seed), true);
    }
    if (options.draws > 0) {
      const Drawn what = drawn_of(options.draws_of);
      add_matrix(columns,
                 saved.model.draw(block->rows, options.draws, o.seed, what),
                 what == Drawn::outcome);
    }
    append_rows(out,
                block->kept,
                columns,
                saved.roles.levels,
                saved.model.domain() == Domain::ordinal ? 1 : 0,
                options.text);
    sink.write(out);
    out.clear();
    ++block_number;
    if (interrupted()) {
      warn("interrupted: the predictions are not complete");
      throw Ending{kInterrupted};
    }
  }
  for (const std::string& line : reader.notes()) note(line);
  sink.commit();
  if (too_large > 0)
    warn(
        fmt::format("{} means or standard deviations do not exist or are too large: NA; see the "
                    "quantiles",
                    too_large));
}

Command::Reader probabilities(const std::string& name, std::vector<double>& out) {
  return [name, &out](const std::string& text) {
    out = parse_numbers(name, text);
    for (const double p : out)
      if (!(p > 0 && p < 1))
        throw UsageError(fmt::format("{}: {} is not between 0 and 1", name, format_number(p)));
  };
}

}  // namespace

void add_predict(CLI::App& app) {
  Command command(app, "predict", "Predictive distributions of new rows, as CSV");
  auto o = std::make_shared<PredictOptions>();
  command.text("MODEL", o->model, "A file that ggpm fit -o saved").required().reads();
  command.text("DATA", o->data, "CSV or TSV with the inputs; - is standard input")
      .required()
      .reads();
  command.text("-o", o->output, "Write to this file instead of standard output")
      .type("FILE")
      .writes();
  command.spreadsheet(o->text);
  Answers& answers = o->answers;
  command
      .read("--quantiles",
            probabilities("--quantiles", answers.quantiles),
            "Of new observations (0.025,0.5,0.975)")
      .type("P,Q");
  command
      .read("--mean-quantiles",
            probabilities("--mean-quantiles", answers.mean_quantiles),
            "Also of the mean (a rate, a probability): mean_q0.025, ...")
      .type("P,Q");
  command
      .read(
          "--exceed",
          [&answers](const std::string& text) {
            const std::vector<double> values = parse_numbers("--exceed", text);
            if (values.size() != 1) throw UsageError("--exceed: one number is needed");
            answers.exceed = values.front();
          },
          "Also p_mean_above: the probability that the mean is above C")
      .type("C");
  command
      .read(
          "--survival",
          [&answers](const std::string& text) {
            answers.survival = parse_numbers("--survival", text);
          },
          "Also P(y > T) for each of these")
      .type("T,U");
  command.flag(
      "--latent", answers.latent, "Also latent_mean and latent_sd, without offset and exposure");
  command.flag("--terms",
               answers.terms,
               "Also what each summand of the kernel contributes to the latent: rbf.mean, rbf.sd");
  command.whole("--samples",
                o->samples,
                "Also so many draws of y, each row by itself: sample1, ...",
                1,
                100000);
  command.whole("--draws",
                o->draws,
                "Also so many functions, drawn at all rows at once: draw1, ...",
                1,
                100000);
  command.choice("--draws-of",
                 o->draws_of,
                 {"mean", "latent", "outcome"},
                 "What is drawn: the mean, the latent function, or outcomes (mean)");
  command.names("--columns", o->columns, "Only these, in this order, e.g. mean,q0.5");
  command.names("--keep", o->keep, "Columns of DATA that are written first, as they are");
  for (const char* name : {"seed", "threads"}) command.option(name, o->request);
  command.flag("--quiet", o->quiet, "No notes");
  command.run([o] { predict(*o); });
  command.examples(
      "  ggpm fit examples/counts.csv --target n --likelihood poisson -o counts.ggpm\n"
      "  ggpm predict counts.ggpm examples/counts.csv -o predictions.csv\n"
      "  ggpm predict counts.ggpm examples/counts.csv --columns mean,q0.9 --quantiles 0.9\n"
      "  ggpm predict counts.ggpm examples/counts.csv --keep x --mean-quantiles 0.025,0.975\n"
      "A target column in DATA is not needed; where there is one, log_density is added.\n");
}

}  // namespace ggpm::cli
