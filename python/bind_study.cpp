// Scores, comparisons, simulation, reports.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "ggpm/atomic_file.hpp"
#include "ggpm/options.hpp"
#include "ggpm/report.hpp"
#include "ggpm/roles.hpp"
#include "ggpm/score.hpp"
#include "ggpm/simulate.hpp"
#include "ggpm/sphere.hpp"
#include "ggpm/study.hpp"

namespace ggpm::bind {
namespace {

using Parts = std::vector<std::pair<std::vector<Index>, std::vector<Index>>>;  // train, test

struct Study {
  std::vector<Trial> trials;
  Summary summary;
};

std::vector<Split> splits_of(const Parts& parts, Index rows) {
  std::vector<Split> out;
  for (const auto& [train, test] : parts) {
    for (const std::vector<Index>* part : {&train, &test})
      for (const Index i : *part)
        if (i < 0 || i >= rows)
          throw UsageError("splits: row " + std::to_string(i) + ", counted from 0; there are " +
                           std::to_string(rows) + " rows");
    out.push_back({train, test});
    std::sort(out.back().train.begin(), out.back().train.end());
    std::sort(out.back().test.begin(), out.back().test.end());
  }
  return out;
}

Study compare_table(Table table,
                    const Observations& given,
                    ColumnRoles roles,
                    FitRequest request,
                    CandidateOptions candidates,
                    const std::optional<SplitOptions>& splits,
                    const Parts& parts,
                    const py::object& on_trial) {
  Listener listener;
  Study out;
  {
    const py::gil_scoped_release no_gil;
    Observations observed = with_columns(given, table, roles);
    drop_weightless(table, observed);
    const Domain domain = understand(observed, roles, std::nullopt, request.table.squeeze).domain;
    for (const std::string& kernel : candidates.kernels) {
      for (std::string& column : group_columns(kernel))
        request.table.groups.push_back(std::move(column));
      for (std::string& column : sphere_columns(kernel))
        request.table.degrees.push_back(std::move(column));
    }
    const Design design = learn_design(table, request.table, roles.needed_names());
    candidates.units = design.units();
    const Dataset data = make_dataset(table, design, std::move(observed));
    Comparison study{
        .candidates = make_candidates(candidates, domain, data.observed),
        .splits = splits ? make_splits(*splits, data.size()) : splits_of(parts, data.size()),
        .fit = request.options,
        .threads = request.options.threads};
    study.interrupted = [&listener] { return listener.interrupted(); };
    study.on_trial = [&](const Trial& trial) {
      listener.tell([&] {
        if (!on_trial.is_none()) on_trial(trial);
      });
    };
    out.trials = compare(data, study);
    out.summary = summarize(study.candidates, out.trials);
  }
  listener.rethrow();
  return out;
}

std::pair<Vector, Vector> simulate_table(const Table& table,
                                         const Observations& given,
                                         const ColumnRoles& roles,
                                         const FitRequest& request) {
  const Specification& s = request.specification;
  const std::unique_ptr<Likelihood> likelihood = make_likelihood(s);
  const Design design = learn_design(table, request.table, roles.needed_names());
  Dataset rows = make_dataset(table, design, with_columns(given, table, roles));
  interpret(rows.observed, roles, likelihood->domain());
  std::mt19937_64 random(request.options.seed);
  const Simulated drawn =
      simulate(Kernel::parse(s.kernel).bind(rows.X.cols(), design.names(), design.units()),
               Mean::parse(s.mean).bind(rows.X.cols(), design.names()),
               *likelihood,
               rows,
               random);
  return {drawn.y, drawn.latent};
}

void add_scores(py::module_& module) {
  py::enum_<PointEstimate>(module, "PointEstimate")
      .value("mean", PointEstimate::mean)
      .value("median", PointEstimate::median)
      .value("mode", PointEstimate::mode)
      .value("rounded_mean", PointEstimate::rounded_mean);

  py::class_<PitSummary>(module, "PitSummary")
      .def_readonly("count", &PitSummary::count)
      .def_readonly("mean", &PitSummary::mean)
      .def_readonly("variance", &PitSummary::variance)
      .def_readonly("distance", &PitSummary::distance)
      .def_readonly("p_value", &PitSummary::p_value)
      .def_readonly("histogram", &PitSummary::histogram);

  py::class_<Average>(module, "Average")
      .def_property_readonly("mean", &Average::mean)
      .def_property_readonly("error", &Average::error);

  py::class_<ScoreSum>(module, "ScoreSum")
      .def(py::init([](std::vector<double> levels, std::uint64_t seed) {
             return ScoreSum({.levels = std::move(levels), .seed = seed});
           }),
           py::arg("levels"),
           py::arg("seed"))
      .def(
          "add",
          [](ScoreSum& sum, const Predictions& p, const VectorIn& y) { sum.add(p, Vector(y)); },
          py::arg("predictions"),
          py::arg("y"),
          NoGil())
      .def_property_readonly("count", &ScoreSum::count)
      .def_property_readonly("nlp", &ScoreSum::nlp)
      .def_property_readonly("pit", &ScoreSum::pit)
      .def_property_readonly("c_index", &ScoreSum::c_index)
      .def_property_readonly("censored", &ScoreSum::censored)
      .def(
          "errors",
          [](const ScoreSum& sum, PointEstimate point) {
            return std::pair(sum.errors(point).absolute, sum.errors(point).squared);
          },
          py::arg("point"))
      .def_property_readonly("levels", [](const ScoreSum& sum) {
        std::vector<std::pair<double, Average>> out;
        for (const ScoreSum::Level& of : sum.levels()) out.emplace_back(of.level, of.covered);
        return out;
      });

  py::class_<Scores>(module, "Scores")
      .def(py::init<>())
      .def_readwrite("mae", &Scores::mae)
      .def_readwrite("mse", &Scores::mse)
      .def_readwrite("nlp", &Scores::nlp)
      .def_readwrite("coverage", &Scores::coverage)
      .def_readwrite("width", &Scores::width);
  module.def(
      "score",
      [](const Predictions& predictions, const VectorIn& y) {
        return score(predictions, Vector(y));
      },
      py::arg("predictions"),
      py::arg("y"),
      NoGil());
}

void add_comparisons(py::module_& module) {
  py::class_<CandidateOptions>(module, "CandidateOptions")
      .def(py::init<>())
      .def_readwrite("likelihoods", &CandidateOptions::likelihoods)
      .def_readwrite("links", &CandidateOptions::links)
      .def_readwrite("inferences", &CandidateOptions::inferences)
      .def_readwrite("kernels", &CandidateOptions::kernels)
      .def_readwrite("mean", &CandidateOptions::mean)
      .def_readwrite("point", &CandidateOptions::point);

  py::class_<SplitOptions>(module, "SplitOptions")
      .def(py::init<>())
      .def_readwrite("splits", &SplitOptions::splits)
      .def_readwrite("folds", &SplitOptions::folds)
      .def_readwrite("train", &SplitOptions::train)
      .def_readwrite("seed", &SplitOptions::seed);

  py::class_<Trial>(module, "Trial")
      .def(py::init<>())
      .def_readwrite("candidate", &Trial::candidate)
      .def_readwrite("split", &Trial::split)
      .def_readwrite("scores", &Trial::scores)
      .def_readwrite("log_marginal", &Trial::log_marginal)
      .def_readwrite("loo", &Trial::loo)
      .def_readwrite("seconds", &Trial::seconds)
      .def_readwrite("converged", &Trial::converged)
      .def_readwrite("failure", &Trial::failure);

  py::class_<MeanSd>(module, "MeanSd")
      .def_readonly("mean", &MeanSd::mean)
      .def_readonly("sd", &MeanSd::sd);

  py::class_<CandidateSummary>(module, "CandidateSummary")
      .def_readonly("name", &CandidateSummary::name)
      .def_readonly("trials", &CandidateSummary::trials)
      .def_readonly("failures", &CandidateSummary::failures)
      .def_readonly("failure", &CandidateSummary::failure)
      .def_readonly("mae", &CandidateSummary::mae)
      .def_readonly("mse", &CandidateSummary::mse)
      .def_readonly("nlp", &CandidateSummary::nlp)
      .def_readonly("coverage", &CandidateSummary::coverage)
      .def_readonly("width", &CandidateSummary::width)
      .def_readonly("log_marginal", &CandidateSummary::log_marginal)
      .def_readonly("loo", &CandidateSummary::loo)
      .def_readonly("seconds", &CandidateSummary::seconds)
      .def_readonly("nlp_rank", &CandidateSummary::nlp_rank)
      .def_readonly("mae_rank", &CandidateSummary::mae_rank);

  py::class_<PairTest>(module, "PairTest")
      .def_readonly("first", &PairTest::first)
      .def_readonly("second", &PairTest::second)
      .def_readonly("p", &PairTest::p)
      .def_readonly("adjusted_p", &PairTest::adjusted_p);

  py::class_<Friedman>(module, "Friedman")
      .def_readonly("average_ranks", &Friedman::average_ranks)
      .def_readonly("statistic", &Friedman::statistic)
      .def_readonly("degrees_of_freedom", &Friedman::degrees_of_freedom)
      .def_readonly("p", &Friedman::p);

  py::class_<Summary>(module, "Summary")
      .def_readonly("candidates", &Summary::candidates)
      .def_readonly("ranked", &Summary::ranked)
      .def_readonly("blocks", &Summary::blocks)
      .def_readonly("by_nlp", &Summary::by_nlp)
      .def_readonly("by_mae", &Summary::by_mae)
      .def_readonly("pairs_by_nlp", &Summary::pairs_by_nlp)
      .def_readonly("pairs_by_mae", &Summary::pairs_by_mae)
      .def_readonly("best", &Summary::best)
      .def_readonly("recommendation", &Summary::recommendation);

  py::class_<Study>(module, "Study")
      .def_readonly("trials", &Study::trials)
      .def_readonly("summary", &Study::summary);

  module.def("compare",
             &compare_table,
             py::arg("table"),
             py::arg("observed"),
             py::arg("roles"),
             py::arg("request"),
             py::arg("candidates"),
             py::arg("splits"),
             py::arg("parts"),
             py::arg("on_trial"));
  module.def(
      "make_splits",
      [](const SplitOptions& options, Index rows) {
        Parts out;
        for (Split& split : make_splits(options, rows))
          out.emplace_back(std::move(split.train), std::move(split.test));
        return out;
      },
      py::arg("options"),
      py::arg("rows"));
  module.def(
      "summarize",
      [](const std::vector<std::string>& names, const std::vector<Trial>& trials) {
        return summarize(names, trials);
      },
      py::arg("names"),
      py::arg("trials"));
}

void add_reports(py::module_& module) {
  py::class_<ReportOptions>(module, "ReportOptions")
      .def(py::init<>())
      .def_readwrite("contour", &ReportOptions::contour)
      .def_readwrite("grid", &ReportOptions::grid)
      .def_readwrite("threads", &ReportOptions::threads)
      .def_readwrite("seed", &ReportOptions::seed)
      .def_readwrite("diagnose", &ReportOptions::diagnose);
  py::class_<ReportPage>(module, "ReportPage")
      .def("html", &ReportPage::html)
      .def_property_readonly("figures", &ReportPage::figures)
      .def("svg", &ReportPage::svg, py::arg("name"));
  module.def("write_file", &write_file_atomically, py::arg("path"), py::arg("text"));

  py::class_<GradientCheck>(module, "GradientCheck")
      .def_readonly("names", &GradientCheck::names)
      .def_readonly("gradient", &GradientCheck::gradient)
      .def_readonly("differences", &GradientCheck::differences)
      .def_readonly("largest", &GradientCheck::largest);
}

}  // namespace

void add_study(py::module_& module) {
  add_scores(module);
  add_comparisons(module);
  add_reports(module);
  module.def("simulate",
             &simulate_table,
             py::arg("table"),
             py::arg("observed"),
             py::arg("roles"),
             py::arg("request"),
             NoGil());
}

}  // namespace ggpm::bind
