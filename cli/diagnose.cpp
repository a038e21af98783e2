// ggpm diagnose MODEL: how far to trust the approximation, against sampling.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/comparison_text.hpp"
#include "cli/interrupt.hpp"
#include "cli/model_json.hpp"
#include "cli/progress.hpp"
#include "ggpm/summary.hpp"
#include "ggpm/text.hpp"
#include "ggpm/trust.hpp"

namespace ggpm::cli {
namespace {

struct DiagnoseArguments {
  std::string model, draws_file;
  FitRequest request;
  std::int64_t draws = 1000, chains = 4;
  double seconds = 0;
  bool all = false, json = false, quiet = false;
};

Json effect_json(const Effect& effect) {
  return {{"largest", effect.largest},
          {"standard_error", effect.error},
          {"row", effect.row + 1},
          {"average", effect.average}};
}

Json method_json(const MethodError& method) {
  return {{"inference", to_string(method.method)},
          {"log_marginal", method.log_marginal},
          {"log_marginal_error", method.log_marginal_error},
          {"pareto_k", method.pareto_k},
          {"latent_mean_error", numbers(method.mean_error)},
          {"latent_sd_ratio", numbers(method.sd_ratio)},
          {"mean", effect_json(method.mean)},
          {"interval", effect_json(method.interval)},
          {"log_density", effect_json(method.log_density)}};
}

Json diagnosis_json(const Diagnosis& d) {
  Json methods = Json::array();
  for (const MethodError& method : d.methods) methods.push_back(method_json(method));
  return {{"verdict", d.verdict},
          {"trust", to_string(d.trust)},
          {"methods", methods},
          {"log_marginal",
           {{"value", d.marginal.log_marginal},
            {"standard_error", d.marginal.standard_error},
            {"runs", d.marginal.runs},
            {"pareto_k", d.marginal.pareto_k}}},
          {"sampling",
           {{"chains", d.truth.chains},
            {"draws", d.truth.draws.cols() / d.truth.chains},
            {"thin", d.truth.thin},
            {"share", d.truth.share},
            {"evaluations", d.truth.evaluations},
            {"converged", d.truth.converged()},
            {"r_hat", d.truth.largest_r_hat()},
            {"bulk_ess", d.truth.bulk_ess.minCoeff()},
            {"tail_ess", d.truth.tail_ess.minCoeff()},
            {"detail", d.truth.detail}}},
          {"latent", {{"mean", numbers(d.truth.mean)}, {"sd", numbers(d.truth.sd)}}},
          {"pit_p_value", d.pit_p_value},
          {"seconds", d.seconds}};
}

std::string effect_text(const Effect& effect, double unit, const char* after) {
  return fmt::format("{:.2g} ± {:.1g}{} ({:.2g}{})",
                     unit * effect.largest,
                     unit * effect.error,
                     after,
                     unit * effect.average,
                     after);
}

std::string methods_table(const Diagnosis& d) {
  std::vector<std::vector<std::string>> rows = {{"inference",
                                                 "log marginal",
                                                 "error",
                                                 "latent mean, in sd",
                                                 "latent sd, ratio",
                                                 "Pareto k",
                                                 "mean, in sd",
                                                 "95 % interval",
                                                 "log density"}};
  for (const MethodError& m : d.methods)
    rows.push_back(
        {std::string(to_string(m.method)),
         fmt::format("{:.3f}", m.log_marginal),
         fmt::format("{:+.3f}", m.log_marginal_error),
         fmt::format("{:+.2f} to {:+.2f}", m.mean_error.minCoeff(), m.mean_error.maxCoeff()),
         fmt::format("{:.2f} to {:.2f}", m.sd_ratio.minCoeff(), m.sd_ratio.maxCoeff()),
         std::isfinite(m.pareto_k) ? fmt::format("{:.2f}", m.pareto_k) : "none",
         effect_text(m.mean, 1, ""),
         effect_text(m.interval, 100, " %"),
         effect_text(m.log_density, 1, "")});
  return aligned_table(rows);
}

std::string diagnosis_text(const Diagnosis& d) {
  std::string out = fmt::format("{}\n\ntrust      {}\n", d.verdict, to_string(d.trust));
  out +=
      fmt::format("truth      log marginal {:.3f} ± {:.3f} ({} annealed runs, Pareto k {:.2f})\n",
                  d.marginal.log_marginal,
                  d.marginal.standard_error,
                  d.marginal.runs,
                  d.marginal.pareto_k);
  out += fmt::format(
      "sampling   {} chains of {} draws: R-hat at most {:.4f}, at least {:.0f} effective draws\n",
      d.truth.chains,
      d.truth.draws.cols() / d.truth.chains,
      d.truth.largest_r_hat(),
      d.truth.smallest_ess());
  if (std::isfinite(d.pit_p_value))
    out += fmt::format("left out   PITs of rows left out beside uniform ones: p = {:.2g}\n",
                       d.pit_p_value);
  return out + "\n" + methods_table(d) +
         "The last three are differences of predictions at training rows: the largest ± the noise of "
         "sampling (the average).\n";
}

// chain, draw, then the latent of each row.
void write_draws(const PosteriorSample& sample, const std::string& path) {
  Sink sink(path);
  std::string line = "chain,draw";
  for (Index i = 0; i < sample.draws.rows(); ++i) line += fmt::format(",latent{}", i + 1);
  sink.write(line + "\n");
  const Index draws = sample.draws.cols() / sample.chains;
  for (Index s = 0; s < sample.draws.cols(); ++s) {
    line = fmt::format("{},{}", s / draws + 1, s % draws + 1);
    for (Index i = 0; i < sample.draws.rows(); ++i) line += fmt::format(",{}", sample.draws(i, s));
    sink.write(line + "\n");
  }
  sink.commit();
}

DiagnosisOptions options_of(const DiagnoseArguments& a, Progress& progress) {
  const auto stage = [&progress](const char* name) {
    return [&progress, name, begin = -1.0](double share) mutable {
      if (begin < 0) begin = progress.seconds();
      const double spent = progress.seconds() - begin;
      progress.update({.stage = name,
                       .done = static_cast<int>(100 * share),
                       .total = 100,
                       .log_marginal = std::nan(""),
                       .seconds_left = share > 0.02 ? spent * (1 / share - 1) : -1});
    };
  };
  DiagnosisOptions out;
  out.all = a.all;
  out.seconds = a.seconds;
  out.sampling.draws = static_cast<int>(a.draws);
  out.sampling.chains = static_cast<int>(a.chains);
  out.sampling.seed = out.annealing.seed = a.request.options.seed;
  out.sampling.threads = out.annealing.threads = a.request.options.threads;
  out.sampling.interrupted = out.annealing.interrupted = interrupted;
  out.sampling.on_progress = stage("sampling, percent");
  out.annealing.on_progress = stage("annealing, percent");
  out.on_forecast = [](double seconds) {
    if (seconds > 1) note(fmt::format("this will take about {} or more", duration_text(seconds)));
  };
  return out;
}

void diagnose_command(const DiagnoseArguments& a) {
  set_quiet(a.quiet);
  const SavedModel saved = load_model(a.model);
  Diagnosis diagnosis;
  {
    const InterruptGuard guard;
    Progress progress(Progress::suitable_form(a.quiet));
    diagnosis = diagnose(saved.model, options_of(a, progress));
  }
  if (!diagnosis.truth.detail.empty()) warn(diagnosis.truth.detail);
  if (!a.draws_file.empty()) write_draws(diagnosis.truth, a.draws_file);
  print(a.json ? diagnosis_json(diagnosis).dump() + "\n" : diagnosis_text(diagnosis));
}

}  // namespace

void add_diagnose(CLI::App& app) {
  Command command(app, "diagnose", "How far to trust the approximation, against sampling");
  auto a = std::make_shared<DiagnoseArguments>();
  command.text("MODEL", a->model, "A file that ggpm fit -o saved").required().reads();
  command.flag("--all", a->all, "The other methods of inference, too");
  command
      .read(
          "--seconds",
          [a](const std::string& text) { a->seconds = parse_positive_option("--seconds", text); },
          "Fewer draws rather than longer than this (no limit)")
      .type("S");
  command.whole("--draws", a->draws, "Draws of each chain (1000)", 8, 1'000'000);
  command.whole("--chains", a->chains, "Markov chains (4)", 2, 1000);
  command.text("--draws-file", a->draws_file, "Write the draws as CSV: chain, draw, latent1, ...")
      .type("FILE")
      .writes();
  command.flag("--json", a->json, "The result as one JSON object");
  command.flag("--quiet", a->quiet, "No progress and no notes");
  for (const char* name : {"seed", "threads"}) command.option(name, a->request);
  command.run([a] { diagnose_command(*a); });
  command.examples(
      "  ggpm fit examples/counts.csv --target n --likelihood poisson --restarts 2 -o counts.ggpm\n"
      "  ggpm diagnose counts.ggpm\n"
      "  ggpm diagnose counts.ggpm --all --seconds 5 --json\n");
}

}  // namespace ggpm::cli
