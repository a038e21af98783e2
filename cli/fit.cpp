#include "cli/fit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/model_json.hpp"
#include "cli/progress.hpp"
#include "ggpm/atomic_file.hpp"
#include "ggpm/choose.hpp"
#include "ggpm/classes.hpp"
#include "ggpm/engine_report.hpp"
#include "ggpm/model_formula.hpp"
#include "ggpm/row_reader.hpp"
#include "ggpm/sphere.hpp"
#include "ggpm/summary.hpp"

namespace ggpm::cli {
namespace {

// A long fit should not end at a folder that is not there.
void check_can_be_written(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
    return;
  const AtomicFile probe(path);
}

class FitProgressView {
 public:
  explicit FitProgressView(bool quiet) : progress_(Progress::suitable_form(quiet)) {}

  void operator()(const FitProgress& fit) {
    progress_.update({.stage = std::string(fit.stage),
                      .done = fit.restart,
                      .total = fit.restarts,
                      .evaluations = fit.evaluation,
                      .log_marginal = fit.log_marginal,
                      .seconds_left = fit.left});
  }

 private:
  Progress progress_;
};

// Classes of text have no order that is known.
void take_classes(FitRequest& request, const TrainingTable& training) {
  Specification& s = request.specification;
  if (s.likelihood == "auto" && training.has_classes(request.table))
    s.likelihood = softmax_info().name;
}

// What was left open is chosen. Says what is taken and why, and returns it as one line.
std::string make_choices(FitRequest& request, const TrainingTable& training) {
  std::vector<std::string> reasons;
  if (!training.reason.empty()) {
    note(training.table.where(training.roles.target) + ": " + training.reason);
    reasons.push_back(training.reason);
  }
  take_classes(request, training);
  Completion done = complete_specification(
      request.specification, training.data, training.domain, request.options);
  for (std::string& reason : done.reasons) {
    note(reason);
    reasons.push_back(std::move(reason));
  }
  request.specification = std::move(done.specification);
  return fmt::format("{}", fmt::join(reasons, "; "));
}

void warn_of(const GeneralizedGP& model, const std::string& output, const std::string& resume) {
  const FitReport& report = model.report();
  bool said = false;
  for (const Warning& warning : model.warnings()) {
    said = said || warning.kind == Warning::Kind::inference ||
           warning.kind == Warning::Kind::not_converged;
    if (warning.kind != Warning::Kind::interrupted) warn(warning.text);
  }
  if (report.interrupted)
    warn((output.empty() ? "interrupted: this is the best model so far; nothing is saved without -o"
                         : "interrupted: the best model so far is in " + output) +
         (resume.empty() ? "" : "; the same command goes on from " + resume));
  else if (!report.converged && !said)
    warn("not converged: " + (report.detail.empty() ? "a limit was reached" : report.detail));
}

Json json_of(const GradientCheck& check) {
  Json parameters = Json::object();
  for (std::size_t k = 0; k < check.names.size(); ++k)
    parameters[check.names[k]] = {{"gradient", check.gradient(static_cast<Index>(k))},
                                  {"differences", check.differences(static_cast<Index>(k))}};
  return {{"largest_difference", check.largest}, {"parameters", std::move(parameters)}};
}

std::string text_of(const GradientCheck& check) {
  std::string out = fmt::format("\n{:<24} {:>14} {:>14}\n", "gradient", "computed", "differences");
  for (std::size_t k = 0; k < check.names.size(); ++k)
    out += fmt::format("{:<24} {:>14.8g} {:>14.8g}\n",
                       check.names[k],
                       check.gradient(static_cast<Index>(k)),
                       check.differences(static_cast<Index>(k)));
  return out;
}

void print_result(const FitArguments& a, const SavedModel& saved) {
  const std::optional<LeaveOneOutScores> loo = loo_of(saved.model);
  std::optional<GradientCheck> check;
  if (a.check_gradient) check = check_gradient(saved.model);
  if (a.json) {
    Json out = model_json(saved, loo, a.latent ? Latents::all : Latents::of_few_rows);
    if (check) out["gradient_check"] = json_of(*check);
    return print(out.dump() + "\n");
  }
  print(summary_text(saved, loo) + (check ? text_of(*check) : ""));
}

// What a formula says is said by nothing else.
void apply_formula(const std::string& text, FitRequest& request) {
  ColumnRoles& roles = request.table.roles;
  if (text.empty()) {
    if (roles.target.empty()) throw UsageError("--target is required, or a --formula");
    return;
  }
  if (!roles.target.empty() || !request.table.inputs.empty())
    throw UsageError("--formula names the target and the inputs; leave --target and --inputs out");
  if (request.specification.kernel != Specification().kernel)
    throw UsageError("--formula names the kernel; leave --kernel out");
  ModelFormula formula = parse_model_formula(text);
  const auto take = [](const char* option, std::string& role, std::string& column) {
    if (column.empty()) return;
    if (!role.empty()) throw UsageError(fmt::format("--formula names it; leave {} out", option));
    role = std::move(column);
  };
  take("--offset", roles.offset, formula.offset);
  take("--exposure", roles.exposure, formula.exposure);
  roles.target = std::move(formula.target);
  request.table.inputs = std::move(formula.inputs);
  request.specification.kernel = std::move(formula.kernel);
}

}  // namespace

void run_fit(FitArguments a) {
  set_quiet(a.quiet);
  FitRequest& request = a.request;
  apply_formula(a.formula, request);
  const Specification& s = request.specification;
  if (s.kernel != "auto") (void)Kernel::parse(s.kernel);  // wrong use is told before data is read
  (void)Mean::parse(s.mean);
  request.table.groups = group_columns(s.kernel);
  request.table.degrees = sphere_columns(s.kernel);
  const std::optional<Domain> domain = given_domain(s);
  request.table.unordered = s.likelihood == softmax_info().name;
  for (const std::string& path : {a.output, request.options.resume})
    if (!path.empty()) check_can_be_written(path);
  TrainingTable training = read_training(a.data, request.table, domain);
  for (const std::string& line : training.notes) note(line);
  if (s.kernel == kDefaultKernel)
    note(fmt::format("kernel {}; --kernel auto also tries Matérn{}",
                     s.kernel,
                     training.design.dimensions() > 1 ? " and a length-scale for each input" : ""));
  request.specification.units = training.design.units();

  const std::string hash = data_hash(training.data);

  const InterruptGuard guard;
  std::optional<GeneralizedGP> model;
  std::string choice;
  {
    FitProgressView view(a.quiet);
    request.options.on_progress = [&view](const FitProgress& progress) { view(progress); };
    request.options.interrupted = interrupted;
    const std::string forecast = engine_forecast(
        s.engine, training.data.X.rows(), training.data.X.cols(), request.options.threads);
    if (!forecast.empty()) note(forecast);
    choice = make_choices(request, training);
    model = fit_table(training, s, request.options);
  }
  const FitReport& report = model->report();
  SavedModel saved{
      .model = *model,
      .design = training.design,
      .roles = training.roles,
      .provenance = {
          {"data", training.table.source()}, {"data hash", hash}, {"command", command_line()}}};
  if (!choice.empty()) saved.provenance["choice"] = choice;
  if (!a.output.empty()) save_model(saved, a.output);
  warn_of(*model, a.output, request.options.resume);
  print_result(a, saved);
  if (report.interrupted) {
    flush_output();
    throw Ending{kInterrupted};
  }
}

}  // namespace ggpm::cli
