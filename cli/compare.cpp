// ggpm compare DATA --target Y: fits candidates to splits of a table, says which suits it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/comparison_text.hpp"
#include "cli/interrupt.hpp"
#include "ggpm/classes.hpp"
#include "ggpm/data.hpp"
#include "ggpm/roles.hpp"
#include "ggpm/sphere.hpp"
#include "ggpm/study.hpp"
#include "ggpm/text.hpp"
#include "ggpm/trial_file.hpp"

namespace ggpm::cli {
namespace {

struct CompareOptions {
  std::string data;  // "-": standard input
  FitRequest request;
  CandidateOptions candidates;
  SplitOptions splits;
  std::string group, time;  // columns that a split respects
  std::vector<std::string> blocks;
  std::string resume, csv, report;
  int part = 1, parts = 1;
  std::vector<std::string> merge;
  CsvText text = CsvText::as_it_is;
  bool json = false, quiet = false;
};

// With the columns that a split respects. A group that no kernel looks at is not an input.
TrainingTable read_with_structure(const CompareOptions& o, TableOptions options) {
  CsvOptions wanted;
  std::vector<std::string> more = options.roles.names();
  for (const std::string& name : {o.group, o.time})
    if (!name.empty()) more.push_back(name);
  more.insert(more.end(), o.blocks.begin(), o.blocks.end());
  if (!options.inputs.empty()) {
    wanted.columns = options.inputs;
    for (const std::string& name : more)
      if (std::find(wanted.columns.begin(), wanted.columns.end(), name) == wanted.columns.end())
        wanted.columns.push_back(name);
  }
  Table table = read_csv(o.data, wanted);
  const auto& groups = options.groups;
  if (options.inputs.empty() && !o.group.empty() &&
      std::find(groups.begin(), groups.end(), o.group) == groups.end()) {
    const std::vector<std::string> roles = options.roles.names();
    for (const std::string& name : table.names())
      if (name != o.group && std::find(roles.begin(), roles.end(), name) == roles.end())
        options.inputs.push_back(name);
  }
  return read_training(std::move(table), options);
}

TrainingTable read_problem(const CompareOptions& o) {
  TableOptions table = o.request.table;
  for (const std::string& kernel : o.candidates.kernels) {
    for (std::string& column : group_columns(kernel)) table.groups.push_back(std::move(column));
    for (std::string& column : sphere_columns(kernel)) table.degrees.push_back(std::move(column));
  }
  const bool structured = !o.group.empty() || !o.time.empty() || !o.blocks.empty();
  TrainingTable read =
      structured ? read_with_structure(o, std::move(table)) : read_training(o.data, table);
  for (const std::string& line : read.notes) note(line);
  return read;
}

constexpr int kStructuredFolds = 5;
constexpr Index kBlocksPerFold = 4;

// Blocks of neighbors, each of one fold.
std::vector<Index> blocks_of(const CompareOptions& o, const TrainingTable& problem, int folds) {
  Matrix places(problem.table.rows(), std::ssize(o.blocks));
  for (Index j = 0; j < places.cols(); ++j)
    places.col(j) = numeric_column(problem.table, o.blocks[static_cast<std::size_t>(j)]);
  return spatial_blocks(places, std::min(kBlocksPerFold * folds, places.rows()));
}

// Groups stay together, the future is predicted from the past, places from others than their
// neighbors; otherwise rows are split at random.
std::vector<Split> splits_of(const CompareOptions& o, const TrainingTable& problem) {
  SplitOptions options = o.splits;
  options.seed = o.request.options.seed;
  const int ways =
      (o.group.empty() ? 0 : 1) + (o.time.empty() ? 0 : 1) + (o.blocks.empty() ? 0 : 1);
  if (ways == 0) return make_splits(options, problem.data.X.rows());
  if (ways > 1) throw UsageError("--group, --time and --blocks are ways to split; name one");
  const int folds = options.folds > 0 ? options.folds : kStructuredFolds;
  if (!o.time.empty()) return forward_splits(numeric_column(problem.table, o.time), folds);
  if (!o.blocks.empty())
    return group_folds(
        blocks_of(o, problem, folds), folds, std::max(1, options.splits), options.seed);
  const Column& column = problem.table.column(o.group);
  std::map<std::string, Index> codes;
  std::vector<Index> groups;
  for (Index i = 0; i < column.rows(); ++i)
    groups.push_back(
        codes.try_emplace(column.cell(i), static_cast<Index>(codes.size())).first->second);
  return group_folds(groups, folds, std::max(1, options.splits), options.seed);
}

Comparison make_study(const CompareOptions& o, const TrainingTable& problem) {
  CandidateOptions candidates = o.candidates;
  candidates.mean = o.request.specification.mean;
  candidates.units = problem.design.units();
  if (candidates.likelihoods.empty() && problem.has_classes(o.request.table))
    candidates.likelihoods = {softmax_info().name};
  return {.candidates = make_candidates(candidates, problem.domain, problem.data.observed),
          .splits = splits_of(o, problem),
          .fit = o.request.options,
          .threads = o.request.options.threads,
          .part = o.part,
          .parts = o.parts};
}

void check_parts(const CompareOptions& o) {
  if (o.parts > 1 && o.resume.empty())
    throw UsageError(
        "--part: needs --resume FILE, a file of its own for each part, to keep trials in");
  if (!o.merge.empty() && (o.parts > 1 || !o.resume.empty()))
    throw UsageError("--merge: runs nothing; leave --part and --resume out");
}

// Trials of all parts, which have to be all trials there are.
std::vector<Trial> merged(const CompareOptions& o,
                          const Comparison& study,
                          const std::string& fingerprint) {
  std::set<std::pair<std::string, Index>> missing;
  for (const Candidate& candidate : study.candidates)
    for (std::size_t split = 0; split < study.splits.size(); ++split)
      missing.emplace(candidate.name(), static_cast<Index>(split));
  std::vector<Trial> out;
  for (const std::string& path : o.merge)
    for (Trial& trial : TrialFile::trials_of(path, fingerprint, study.candidates)) {
      missing.erase({trial.candidate, trial.split});
      out.push_back(std::move(trial));
    }
  if (!missing.empty())
    throw DataError(fmt::format(
        "--merge: {} of {} trials are in no file, the first is split {} of {}; run the part that has "
        "not ended again, it goes on from its file",
        missing.size(),
        study.candidates.size() * study.splits.size(),
        missing.begin()->second + 1,
        in_quotes(missing.begin()->first)));
  return out;
}

// What a part has to say: nothing is compared before all of them are there.
void end_part(const CompareOptions& o, std::size_t done, std::size_t total) {
  const auto part = static_cast<std::size_t>(o.part), parts = static_cast<std::size_t>(o.parts);
  const std::size_t own = total / parts + (part <= total % parts ? 1 : 0);
  if (done < own) {
    warn(fmt::format(
        "interrupted after {} of {} trials; the same command goes on from there", done, own));
    throw Ending{kInterrupted};
  }
  print(
      fmt::format("part {} of {}: {} of {} trials are in {}; when all parts are done, the same "
                  "command with --merge FILE,FILE,... compares them\n",
                  o.part,
                  o.parts,
                  own,
                  total,
                  o.resume));
}

void compare_command(const CompareOptions& o) {
  set_quiet(o.quiet);
  check_parts(o);
  const TrainingTable problem = read_problem(o);
  if (o.candidates.likelihoods.empty()) note(problem.reason);
  Comparison study = make_study(o, problem);
  const std::string fingerprint = study_fingerprint(problem.data, study.splits, study.fit);
  if (!o.merge.empty()) study.done = merged(o, study, fingerprint);
  std::optional<TrialFile> file;
  if (!o.resume.empty()) {
    file.emplace(o.resume, fingerprint, study.candidates);
    study.done = file->done();
    if (!study.done.empty())
      note(fmt::format("{}: {} trials are done", o.resume, study.done.size()));
  }
  const std::size_t total = study.candidates.size() * study.splits.size();
  std::size_t count = 0;
  study.on_trial = [&](const Trial& trial) {
    if (file) file->append(trial);
    if (!o.quiet) say(trial_line(trial, ++count, total, study.splits.size()));
  };
  study.interrupted = interrupted;
  std::vector<Trial> trials;
  {
    const InterruptGuard guard;
    trials = compare(problem.data, study);
  }
  if (o.parts > 1) return end_part(o, trials.size(), total);
  const Summary summary = summarize(study.candidates, trials);
  if (!o.csv.empty()) {
    Sink sink(o.csv);
    sink.write(trials_csv(trials, o.text));
    sink.commit();
  }
  const auto train = static_cast<Index>(study.splits.front().train.size());
  if (!o.report.empty()) {
    Sink sink(o.report);
    sink.write(comparison_page(summary,
                               trials,
                               o.request.table.roles.target,
                               comparison_heading(study.splits.size(), train)));
    sink.commit();
  }
  print(o.json ? comparison_json(summary, trials).dump(1) + "\n"
               : comparison_text(summary, study.splits.size(), train));
  if (trials.size() < total) {
    flush_output();
    warn(fmt::format("interrupted after {} of {} trials{}",
                     trials.size(),
                     total,
                     o.resume.empty() ? "" : "; the same command goes on from there"));
    throw Ending{kInterrupted};
  }
  if (summary.ranked.empty()) throw NumericalError("compare: " + summary.recommendation);
}

void add_candidates(Command& command, CandidateOptions& c) {
  command
      .names("--likelihoods",
             c.likelihoods,
             "Candidates; also log-, logit-, tanh:3-gaussian (by the kind of output)")
      .reads_formulas();
  command.names("--links", c.links, "Links of each likelihood (the paper's)");
  command.names("--inferences",
                c.inferences,
                fmt::format("Each with each of these ({})", fmt::join(c.inferences, ",")));
  command
      .read(
          "--kernels",
          [&c](const std::string& text) { c.kernels = parse_parts("--kernels", text); },
          fmt::format("Kernels, separated by commas ({})", fmt::join(c.kernels, ", ")))
      .type("EXPR,EXPR");
  const std::vector<std::string> points = {"mean", "median", "mode"};
  command
      .read(
          "--point",
          [&c, points](const std::string& text) {
            parse_choice_option("--point", text, points);
            const auto place = std::find(points.begin(), points.end(), text) - points.begin();
            c.point = static_cast<PointEstimate>(place);
          },
          "What MAE and MSE judge (mean)")
      .type(fmt::format("{}", fmt::join(points, "|")));
}

void add_splits(Command& command, SplitOptions& s) {
  const auto whole = [&](const char* name, int& value, const char* help, int lowest, int highest) {
    command
        .read(
            name,
            [&value, name, lowest, highest](const std::string& text) {
              value = static_cast<int>(parse_whole_option(name, text, lowest, highest));
            },
            help)
        .type("N");
  };
  whole("--splits", s.splits, "Random splits (10), or repeats of --folds", 1, 10000);
  whole("--folds", s.folds, "Cross-validation with this many parts", 2, 1000000);
  command
      .read(
          "--train",
          [&s](const std::string& text) { s.train = parse_number_option("--train", text); },
          "Share or number of rows to train with (0.7)")
      .type("P|N");
}

}  // namespace

void add_compare(CLI::App& app) {
  Command command(app, "compare", "Which likelihood suits the data?");
  auto o = std::make_shared<CompareOptions>();
  TableOptions& table = o->request.table;
  command.text("DATA", o->data, "CSV or TSV with a header; - is standard input").required().reads();
  command.text("--target", table.roles.target, "Column to predict").required().type("COL");
  command.names(
      "--levels", table.roles.levels, "Classes of the target in their order, lowest first");
  command.names("--inputs", table.inputs, "Input columns (all others)");
  command.text("--trials", table.roles.trials, "Column with the number of trials").type("COL");
  command.text("--exposure", table.roles.exposure, "Column that multiplies the mean of a count")
      .type("COL");
  command.text("--offset", table.roles.offset, "Column added to the latent").type("COL");
  command.text("--weights", table.roles.weight, "A row of weight 3 counts as three rows")
      .type("COL");
  command.text("--censored", table.roles.censored, "0 observed, 1 at least the target, -1 at most")
      .type("COL");
  command
      .text("--upper", table.roles.upper, "Upper end of an interval from the target on, or empty")
      .type("COL");
  add_candidates(command, o->candidates);
  command.option("mean", o->request);
  add_splits(command, o->splits);
  command.text("--group", o->group, "Rows of one value of this column stay together (5 folds)")
      .type("COL");
  command.text("--time", o->time, "Predict later rows from earlier ones, by this column (5 folds)")
      .type("COL");
  command.names(
      "--blocks", o->blocks, "Blocks of neighbors stay together, by these coordinates (5 folds)");
  for (const OptionInfo& option : fit_options())
    if (option.group != "Model" && option.name != "resume")  // it has one of its own
      command.option(option.name, o->request);
  command.text("--resume", o->resume, "Keep finished fits in this file and go on from it")
      .type("FILE")
      .writes();
  command
      .read(
          "--part",
          [&options = *o](const std::string& text) {
            const std::size_t slash = text.find('/');
            if (slash == std::string::npos)
              throw UsageError("--part: " + in_quotes(text) + " is not K/N, e.g. 2/8");
            options.parts =
                static_cast<int>(parse_whole_option("--part", text.substr(slash + 1), 1, 1000000));
            options.part = static_cast<int>(
                parse_whole_option("--part", text.substr(0, slash), 1, options.parts));
          },
          "Run trials K, K + N, ... only, and keep them in --resume: for a Slurm array")
      .type("K/N");
  command.names("--merge", o->merge, "Compare the trials in these files of --part")
      .type("FILE,FILE")
      .reads();
  command.text("--csv", o->csv, "Write every trial to this file").type("FILE").writes();
  command.spreadsheet(o->text);
  command.text("--report", o->report, "Write a page with pictures to this file")
      .type("FILE")
      .writes();
  command.flag("--json", o->json, "Print one JSON object");
  command.flag("--quiet", o->quiet, "No line for each trial");
  command.run([o] { compare_command(*o); });
  command.examples(
      "  ggpm compare examples/counts.csv --target n --splits 2 --restarts 2 --report scores.html\n"
      "  ggpm compare examples/counts.csv --target n --likelihoods poisson,linear-com-poisson "
      "--kernels linear,rbf --folds 3 --restarts 2\n"
      "  ggpm compare examples/counts.csv --target n --splits 2 --restarts 2 --part 1/2 --resume 1.trials\n"
      "  ggpm compare examples/counts.csv --target n --splits 2 --restarts 2 --part 2/2 --resume 2.trials\n"
      "  ggpm compare examples/counts.csv --target n --splits 2 --restarts 2 --merge 1.trials,2.trials\n");
}

}  // namespace ggpm::cli
