// ggpm compare DATA --target Y: fits candidates to splits of a table, says which suits it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/comparison_page.hpp"
#include "cli/comparison_text.hpp"
#include "cli/interrupt.hpp"
#include "cli/words.hpp"
#include "ggpm/data.hpp"
#include "ggpm/roles.hpp"
#include "ggpm/study.hpp"
#include "likelihood/formula/file.hpp"
#include "study/trial_file.hpp"

namespace ggpm::cli {
namespace {

struct CompareOptions {
  std::string data, target, trials, exposure, offset;
  std::vector<std::string> inputs, likelihoods, links, inferences;
  std::string kernels = "rbf", mean = "zero", train = "0.7", point = "mean";
  MissingPolicy missing = MissingPolicy::error;
  std::string resume, csv, report;
  std::int64_t splits = 0, folds = 0, seed = 1, restarts = 50, threads = 0;
  bool no_standardize = false, json = false, quiet = false;
  CsvText text = CsvText::as_it_is;
};

// "rbf(1, 2), linear + rbf": commas inside of brackets belong to a kernel.
std::vector<std::string> split_kernels(const std::string& text) {
  std::vector<std::string> out(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (c == ',' && depth == 0)
      out.emplace_back();
    else if (c != ' ' || !out.back().empty())
      out.back() += c;
  }
  for (std::string& kernel : out) {
    kernel.erase(kernel.find_last_not_of(' ') + 1);
    if (kernel.empty()) throw UsageError("--kernels: a kernel between commas is empty");
    (void)Kernel::parse(kernel);
  }
  return out;
}

std::vector<Specification> likelihoods(const CompareOptions& o, Domain domain) {
  if (o.likelihoods.empty() && o.links.empty()) return likelihoods_for(domain);
  std::vector<Specification> out;
  std::vector<std::string> names = o.likelihoods;
  if (names.empty())
    for (const LikelihoodInfo& info : likelihood_table())
      if (info.domain == domain) names.push_back(info.name);
  for (const std::string& name : names) {
    const bool warped = name.ends_with("-gaussian") && name != "inverse-gaussian";
    if (!warped) check_likelihood_name(name);
    Specification s{.likelihood = warped ? "gaussian" : name};
    if (name.ends_with(".toml")) {
      (void)make_likelihood(name);                     // with the path in its messages
      s.formula = formula::read_formula(name) + "\n";  // what is compared is one text throughout
    }
    if (warped) s.warp = name.substr(0, name.rfind('-'));
    if (o.links.empty() || warped) out.push_back(s);
    for (const std::string& link : o.links) {
      s.link = link;
      if (!warped) out.push_back(s);
    }
  }
  return out;
}

std::vector<Candidate> candidates(const CompareOptions& o, Domain domain) {
  std::vector<InferenceMethod> methods;
  for (const std::string& name : o.inferences) methods.push_back(parse_inference(name));
  if (methods.empty()) methods.push_back(InferenceMethod::laplace);
  const PointEstimate point = o.point == "mode"     ? PointEstimate::mode
                              : o.point == "median" ? PointEstimate::median
                                                    : PointEstimate::mean;
  (void)Mean::parse(o.mean);
  std::vector<Candidate> out;
  for (const std::string& kernel : split_kernels(o.kernels))
    for (Specification s : likelihoods(o, domain))
      for (const InferenceMethod method : methods) {
        const bool exact = s.likelihood == "gaussian" && (s.link.empty() || s.link == "identity");
        s.inference = exact ? InferenceMethod::exact
                      : s.likelihood == "laplace" && method != InferenceMethod::kld
                          ? InferenceMethod::ep
                          : method;
        s.kernel = kernel;
        s.mean = o.mean;
        Candidate candidate{.specification = s, .point = point};
        if (std::none_of(out.begin(), out.end(), [&](const Candidate& c) {
              return c.name() == candidate.name();
            }))
          out.push_back(std::move(candidate));
      }
  return out;
}

TrainingTable read_problem(const CompareOptions& o) {
  TrainingTable read = read_training(o.data,
                                     {.roles = {.target = o.target,
                                                .trials = o.trials,
                                                .exposure = o.exposure,
                                                .offset = o.offset},
                                      .inputs = o.inputs,
                                      .missing = o.missing,
                                      .standardize = !o.no_standardize});
  for (const std::string& line : read.notes) note(line);
  return read;
}

// A share below 1 or a number of rows.
Index training_rows(const std::string& text, Index rows) {
  const double value = parse_number_option("--train", text);
  if (!(value > 0) || (value >= 1 && value != std::floor(value)))
    throw UsageError(
        fmt::format("--train: {} is neither a share such as 0.7 nor a number of rows", text));
  const double count = value < 1 ? std::round(value * static_cast<double>(rows)) : value;
  if (count < 1 || count >= static_cast<double>(rows))
    throw UsageError(fmt::format("--train: {} of {} rows leaves nothing to {}",
                                 text,
                                 rows,
                                 count < 1 ? "train with" : "test with"));
  return static_cast<Index>(count);
}

std::vector<Split> make_splits(const CompareOptions& o, Index rows) {
  const auto seed = static_cast<std::uint64_t>(o.seed);
  if (o.folds > 0)
    return k_folds(rows,
                   static_cast<int>(o.folds),
                   static_cast<int>(std::max<std::int64_t>(1, o.splits)),
                   seed);
  return random_splits(
      rows, training_rows(o.train, rows), static_cast<int>(o.splits > 0 ? o.splits : 10), seed);
}

void compare_command(const CompareOptions& o) {
  set_quiet(o.quiet);
  const TrainingTable problem = read_problem(o);
  if (o.likelihoods.empty()) note(problem.reason);
  Comparison study{.candidates = candidates(o, problem.domain),
                   .splits = make_splits(o, problem.data.X.rows()),
                   .threads = static_cast<int>(o.threads)};
  study.fit.restarts = static_cast<int>(o.restarts);
  study.fit.seed = static_cast<std::uint64_t>(o.seed);
  std::optional<TrialFile> file;
  if (!o.resume.empty()) {
    file.emplace(
        o.resume, study_fingerprint(problem.data, study.splits, study.fit), study.candidates);
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
  const Summary summary = summarize(study.candidates, trials);
  if (!o.csv.empty()) {
    Sink sink(o.csv);
    sink.write(trials_csv(trials, o.text));
    sink.commit();
  }
  const auto train = static_cast<Index>(study.splits.front().train.size());
  if (!o.report.empty()) {
    Sink sink(o.report);
    sink.write(
        comparison_page(summary, trials, o.target, comparison_heading(study.splits.size(), train))
            .html());
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

}  // namespace

void add_compare(CLI::App& app) {
  Command command(app, "compare", "Which likelihood suits the data?");
  auto o = std::make_shared<CompareOptions>();
  command.text("DATA", o->data, "CSV or TSV with a header; - is standard input").required().reads();
  command.text("--target", o->target, "Column to predict").required().type("COL");
  command.names("--inputs", o->inputs, "Input columns (all others)");
  command.text("--trials", o->trials, "Column with the number of trials").type("COL");
  command.text("--exposure", o->exposure, "Column that multiplies the mean of a count").type("COL");
  command.text("--offset", o->offset, "Column added to the latent").type("COL");
  command
      .names("--likelihoods",
             o->likelihoods,
             "Candidates; also log-, logit-, tanh:3-gaussian (by the kind of output)")
      .reads_formulas();
  command.names("--links", o->links, "Links of each likelihood (the paper's)");
  command.names("--inferences", o->inferences, "taylor, laplace, ep, kld (laplace)");
  command.text("--kernels", o->kernels, "Kernels, separated by commas (rbf)").type("EXPR,EXPR");
  command.text("--mean", o->mean, "Of the latent function (zero)").type("EXPR");
  command.whole("--splits", o->splits, "Random splits (10), or repeats of --folds", 1, 10000);
  command.text("--train", o->train, "Share or number of rows to train with (0.7)").type("P|N");
  command.whole("--folds", o->folds, "Cross-validation with this many parts", 2, 1000000);
  command.choice("--point", o->point, {"mean", "median", "mode"}, "What MAE and MSE judge");
  command.whole("--restarts", o->restarts, "Random starts of a fit (50)", 0, 100000);
  command.whole("--seed", o->seed, "Same seed, same splits (1)", 0, INT64_MAX);
  command.whole("--threads", o->threads, "Fits side by side (all cores)", 0, 1024);
  command.text("--resume", o->resume, "Keep finished fits in this file and go on from it")
      .type("FILE")
      .writes();
  command.text("--csv", o->csv, "Write every trial to this file").type("FILE").writes();
  command.spreadsheet(o->text);
  command.text("--report", o->report, "Write a page with pictures to this file")
      .type("FILE")
      .writes();
  command.missing(o->missing);
  command.flag("--no-standardize", o->no_standardize, "Inputs as they are");
  command.flag("--json", o->json, "Print one JSON object");
  command.flag("--quiet", o->quiet, "No line for each trial");
  command.run([o] { compare_command(*o); });
  command.examples(
      "  ggpm compare examples/counts.csv --target n --splits 2 --restarts 2 --report scores.html\n"
      "  ggpm compare examples/counts.csv --target n --likelihoods poisson,linear-com-poisson "
      "--kernels linear,rbf --folds 3 --restarts 2\n");
}

}  // namespace ggpm::cli
