// ggpm reproduce NAME: an experiment of the paper, our figures beside the printed ones.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/comparison_text.hpp"
#include "cli/interrupt.hpp"
#include "experiments/overview.hpp"
#include "experiments/reproduction_text.hpp"
#include "ggpm/data.hpp"

namespace ggpm::cli {
namespace {

struct ReproduceArguments {
  std::string name, data, output = ".", pages;
  std::vector<std::string> only;
  std::int64_t splits = 0, restarts = -1, seed = 1, threads = 0, seconds = 0;
  bool fresh = false, quiet = false;
};

// --data, else GGPM_DATA_DIR, else the folder beside the sources if it is there.
std::string data_directory(const std::string& given) {
  if (!given.empty()) return given;
  const char* variable = std::getenv("GGPM_DATA_DIR");
  if (variable != nullptr && *variable != '\0') return variable;
  const std::string beside = "../shared/data";
  return std::filesystem::is_directory(beside) ? beside : "";
}

std::string as_text(const paper::Reproduction& result) {
  std::string out = result.title + "\n\n";
  if (!result.cells.empty()) out += aligned_table(paper::cell_table(result.cells)) + "\n";
  if (const auto shares = paper::share_table(result.cells); shares.size() > 1)
    out += aligned_table(shares) + "\n";
  if (!result.tests.empty()) out += aligned_table(paper::test_table(result.tests)) + "\n";
  for (const paper::Claim& claim : result.claims)
    out +=
        fmt::format("{}: {}\n     {}\n", claim.holds ? "yes" : "NO ", claim.text, claim.evidence);
  if (!result.claims.empty()) out += "\n";
  for (const std::string& line : result.notes) out += "note: " + line + "\n";
  return out + fmt::format("{}; {}; {:.1f} minutes of processor time\n",
                           paper::agreement_line(result),
                           result.setting,
                           result.processor_seconds / 60);
}

void write_file(const std::string& folder, const std::string& name, const std::string& text) {
  Sink sink((std::filesystem::path(folder) / name).string());
  sink.write(text);
  sink.commit();
}

void write_files(const std::string& folder, const paper::Reproduction& result) {
  if (!result.cells.empty()) write_file(folder, result.name + ".csv", paper::cells_csv(result));
  if (!result.tests.empty())
    write_file(folder, result.name + "-ranks.csv", paper::tests_csv(result));
  if (!result.trials.empty())
    write_file(folder, result.name + "-trials.csv", trials_csv(result.trials));
  if (!result.series.columns().empty())
    write_file(folder, result.name + "-series.csv", to_csv(result.series));
  write_file(folder, result.name + ".html", paper::as_page(result));
}

// The page of an experiment with its pictures; then the overview, of all that have one.
void renew_pages(const std::string& folder, const paper::Reproduction& result) {
  const std::filesystem::path own = std::filesystem::path(folder) / "reproduction";
  std::filesystem::create_directories(own);
  for (const auto& chart : result.charts)
    write_file(own.string(), paper::picture_name(result, chart), paper::as_svg(chart));
  write_file(own.string(), result.name + ".md", paper::as_markdown(result));
  write_file(own.string(), result.name + ".json", to_json(paper::outcome_of(result)));
  std::vector<paper::Outcome> outcomes;
  for (const paper::ExperimentInfo& info : paper::experiments()) {
    std::ifstream in(own / (info.name + ".json"));
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    if (!text.empty()) outcomes.push_back(paper::read_outcome(text));
  }
  write_file(folder, "reproduction.md", paper::overview_page(outcomes));
}

std::string experiment_list() {
  std::vector<std::vector<std::string>> rows;
  for (const paper::ExperimentInfo& info : paper::experiments()) {
    std::string files;
    for (const std::string& file : info.files) files += (files.empty() ? "" : ", ") + file;
    rows.push_back({info.name, info.title + (files.empty() ? "" : " (" + files + ")")});
  }
  std::string out;
  for (const auto& row : rows) out += fmt::format("{:<16}{}\n", row[0], row[1]);
  return out;
}

void reproduce_command(const ReproduceArguments& a) {
  if (a.name.empty()) return print(experiment_list());
  paper::ReproduceOptions options{.data_directory = data_directory(a.data),
                                  .splits = static_cast<int>(a.splits),
                                  .restarts = static_cast<int>(a.restarts),
                                  .threads = static_cast<int>(a.threads),
                                  .seed = static_cast<std::uint64_t>(a.seed),
                                  .only = a.only,
                                  .kept_in = a.output};
  if (!a.quiet) options.on_progress = [](const std::string& line) { say(line); };
  options.interrupted = interrupted;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(a.seconds);
  if (a.seconds > 0) options.time_is_up = [end] { return std::chrono::steady_clock::now() > end; };
  const InterruptGuard guard;
  std::vector<paper::Outcome> outcomes;
  const auto run = [&](const std::string& name) {
    if (a.fresh) std::filesystem::remove(std::filesystem::path(a.output) / (name + ".kept"));
    const paper::Reproduction result = paper::reproduce(name, options);
    outcomes.push_back(outcome_of(result));
    write_files(a.output, result);
    const bool nothing = result.cells.empty() && result.claims.empty();  // there was no time
    if (!a.pages.empty() && !nothing) renew_pages(a.pages, result);
    print(as_text(result));
    flush_output();
    if (result.cut_short)
      note(fmt::format("{}: the time was up; the same command goes on from there", name));
  };
  try {
    if (a.name != "all") return run(a.name);
    for (const paper::ExperimentInfo& info : paper::experiments()) run(info.name);
    print(aligned_table(paper::overview_table(outcomes)));
  } catch (const Interrupted&) {
    warn("interrupted; the same command goes on from what was kept");
    throw Ending{kInterrupted};
  }
}

}  // namespace

void add_reproduce(CLI::App& app) {
  Command command(app, "reproduce", "The paper's tables and figures, beside the printed ones");
  auto a = std::make_shared<ReproduceArguments>();
  command.text("NAME", a->name, "Experiment, or all; without it they are listed");
  command.text("--data", a->data, "Folder of the data sets (GGPM_DATA_DIR)").type("DIR");
  command.text("-o", a->output, "Folder for CSV files and a page (.)").type("DIR");
  command.names("--only", a->only, "Only these data sets, or likelihoods of crowd and age");
  command.whole("--splits", a->splits, "Trials or repeats (the paper's)", 1, 10000);
  command.whole("--restarts", a->restarts, "Random starts of a fit (the experiment's)", 0, 100000);
  command.whole("--seed", a->seed, "Of splits and simulated data (1)", 0, INT64_MAX / 2000);
  command.whole("--threads", a->threads, "Fits side by side (all cores)", 0, 1024);
  command.whole("--seconds",
                a->seconds,
                "Begin nothing new after this time; what there is is shown, and gone on with",
                0,
                INT32_MAX);
  command.flag("--fresh", a->fresh, "Forget what earlier runs have kept in the folder");
  command.text("--pages", a->pages, "Renew reproduction.md and its pages in this folder")
      .type("DIR");
  command.flag("--quiet", a->quiet, "No progress");
  command.run([a] { reproduce_command(*a); });
  command.examples("  ggpm reproduce\n  ggpm reproduce links --splits 1 --restarts 1 -o .\n");
}

}  // namespace ggpm::cli
