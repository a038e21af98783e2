// Comparisons, and how far to trust an approximation.
#include <ggpm/choose.hpp>
#include <ggpm/roles.hpp>
#include <ggpm/splits.hpp>
#include <ggpm/study.hpp>
#include <ggpm/trust.hpp>
#include <utility>

#include "glue.hpp"

using namespace ggpm;
using namespace ggpm::r;
using namespace cpp11::literals;

namespace {

SEXP table_of_trials(const std::vector<Trial>& trials) {
  std::vector<std::string> names, failures;
  Matrix values(static_cast<Index>(trials.size()), 9);
  for (const Trial& t : trials) {
    const auto row = static_cast<Index>(names.size());
    names.push_back(t.candidate);
    failures.push_back(t.failure);
    const Scores& s = t.scores;
    values.row(row) << static_cast<double>(t.split) + 1, s.mae, s.mse, s.nlp, s.coverage, s.width,
        t.log_marginal, t.loo, t.seconds;
  }
  const auto column = [&values](Index j) { return numbers(Vector(values.col(j))); };
  return cpp11::writable::list({"candidate"_nm = words(names),
                                "split"_nm = column(0),
                                "mae"_nm = column(1),
                                "mse"_nm = column(2),
                                "nlp"_nm = column(3),
                                "coverage"_nm = column(4),
                                "width"_nm = column(5),
                                "log_marginal"_nm = column(6),
                                "loo"_nm = column(7),
                                "seconds"_nm = column(8),
                                "failure"_nm = words(failures)});
}

SEXP table_of_summary(const Summary& summary) {
  std::vector<std::string> names;
  Matrix values(static_cast<Index>(summary.candidates.size()), 8);
  for (const CandidateSummary& c : summary.candidates) {
    const auto row = static_cast<Index>(names.size());
    names.push_back(c.name);
    values.row(row) << c.nlp.mean, c.nlp.sd, c.nlp_rank, c.mae.mean, c.coverage.mean, c.width.mean,
        c.seconds.mean, c.failures;
  }
  const auto column = [&values](Index j) { return numbers(Vector(values.col(j))); };
  return cpp11::writable::list({"candidate"_nm = words(names),
                                "nlp"_nm = column(0),
                                "nlp_sd"_nm = column(1),
                                "nlp_rank"_nm = column(2),
                                "mae"_nm = column(3),
                                "coverage"_nm = column(4),
                                "width"_nm = column(5),
                                "seconds"_nm = column(6),
                                "failures"_nm = column(7)});
}

void set_if_given(std::vector<std::string>& out, SEXP given) {
  if (!Rf_isNull(given)) out = texts(given);
}

}  // namespace

extern "C" SEXP ggpm_compare(SEXP given, SEXP progress) {
  return guarded([&]() -> SEXP {
    const Fields fields(given);
    Request request = request_of(fields);
    FitRequest& fit = request.fit;
    CandidateOptions candidates;
    candidates.likelihoods = texts(fields["likelihoods"]);
    set_if_given(candidates.inferences, fields["inferences"]);
    set_if_given(candidates.kernels, fields["kernels"]);
    candidates.mean = fit.specification.mean;
    for (const std::string& kernel : candidates.kernels)
      for (std::string& column : group_columns(kernel))
        fit.table.groups.push_back(std::move(column));
    const TrainingTable training = read_training(std::move(request.table), fit.table, std::nullopt);
    candidates.units = training.design.units();
    const Vector splits = vector_of(fields["splits"]);  // random splits, folds, share to train with
    Comparison study{
        .candidates = make_candidates(candidates, training.domain, training.data.observed),
        .splits = make_splits({.splits = static_cast<int>(splits[0]),
                               .folds = static_cast<int>(splits[1]),
                               .train = splits[2],
                               .seed = fit.options.seed},
                              training.data.size()),
        .fit = fit.options,
        .threads = fit.options.threads};
    const auto total = static_cast<int>(study.candidates.size() * study.splits.size());
    int done = 0;
    Listener listener(progress);
    study.interrupted = [&listener] { return listener.interrupted(); };
    study.on_trial = [&](const Trial& trial) {
      listener.tell(trial.candidate, ++done, total, trial.scores.nlp, trial.seconds);
    };
    const std::vector<Trial> trials = compare(training.data, study);
    listener.rethrow();
    const Summary summary = summarize(study.candidates, trials);
    return cpp11::writable::list({"summary"_nm = table_of_summary(summary),
                                  "trials"_nm = table_of_trials(trials),
                                  "best"_nm = summary.best,
                                  "recommendation"_nm = summary.recommendation,
                                  "p"_nm = summary.by_nlp.p});
  });
}

extern "C" SEXP ggpm_diagnose(SEXP pointer, SEXP seconds, SEXP all) {
  return guarded([&]() -> SEXP {
    Listener listener(R_NilValue);
    DiagnosisOptions options;
    options.seconds = cpp11::as_cpp<double>(seconds);
    options.all = cpp11::as_cpp<bool>(all);
    options.sampling.interrupted =
        options.annealing.interrupted = [&listener] { return listener.interrupted(); };
    const Diagnosis d = diagnose(model_of(pointer).model, options);
    std::vector<std::string> names;
    Matrix values(static_cast<Index>(d.methods.size()), 6);
    for (const MethodError& m : d.methods) {
      const auto row = static_cast<Index>(names.size());
      names.emplace_back(to_string(m.method));
      values.row(row) << m.log_marginal, m.log_marginal_error, m.mean.largest, m.interval.largest,
          m.log_density.largest, m.pareto_k;
    }
    const auto column = [&values](Index j) { return numbers(Vector(values.col(j))); };
    return cpp11::writable::list({"trust"_nm = std::string(to_string(d.trust)),
                                  "verdict"_nm = d.verdict,
                                  "r_hat"_nm = d.truth.largest_r_hat(),
                                  "ess"_nm = d.truth.smallest_ess(),
                                  "log_marginal"_nm = d.marginal.log_marginal,
                                  "standard_error"_nm = d.marginal.standard_error,
                                  "inference"_nm = words(names),
                                  "log_marginal_of"_nm = column(0),
                                  "log_marginal_error"_nm = column(1),
                                  "mean_error"_nm = column(2),
                                  "interval_error"_nm = column(3),
                                  "log_density_error"_nm = column(4),
                                  "pareto_k"_nm = column(5)});
  });
}
