#include "ggpm/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "ggpm/classes.hpp"
#include "report/calibration.hpp"
#include "report/curves.hpp"
#include "report/html.hpp"
#include "report/learning.hpp"
#include "report/maps.hpp"
#include "report/page.hpp"
#include "report/scored_rows.hpp"
#include "report/several_classes.hpp"
#include "report/svg.hpp"
#include "report/trust.hpp"
#include "report/verdict.hpp"
#include "text/text.hpp"

namespace ggpm {

using namespace internal;
using namespace internal::report;

namespace {

constexpr std::size_t kMostEffects = 12;  // pictures of single inputs
constexpr std::size_t kMostResiduals = 6;

// The table that the model was fitted to, given once more, is judged by leaving out.
bool is_training_data(const GeneralizedGP& model, const Dataset& data) {
  return data.X.rows() == model.rows() && data.observed.y.size() == model.rows() &&
         data.observed.y == model.observations().y && data.X == model.inputs();
}

std::optional<ScoredRows> score_rows(const Subject& subject,
                                     const std::optional<Dataset>& data,
                                     std::uint64_t seed) {
  if (data && !is_training_data(subject.model(), *data))
    if (std::optional<ScoredRows> scored = score_new_rows(subject, *data, seed)) return scored;
  try {
    return score_left_out(subject, seed);
  } catch (const NumericalError&) {
    return std::nullopt;
  }
}

void add_headline(Page& page,
                  const Subject& subject,
                  const std::optional<ScoredRows>& scored,
                  const std::vector<Remark>& found) {
  page.lead(fitted_words(subject));
  if (scored) page.lead(quality_words(subject, *scored));
  page.heading("At a glance");
  const bool fine = std::none_of(
      found.begin(), found.end(), [](const Remark& r) { return r.tone == Tone::warning; });
  if (fine)
    page.box(Tone::good, trust_words(found));
  else
    page.paragraph(trust_words(found));
  for (const Remark& remark : found) page.box(remark.tone, remark.text);
  const GeneralizedGP& model = subject.model();
  std::vector<std::pair<std::string, std::string>> facts = {
      {"rows", rows_words(model.rows(), subject.censored())},
      {"log marginal", fmt::format("{:.2f}", model.log_marginal())}};
  if (scored) {
    if (scored->left_out)
      facts.emplace_back("leave-one-out log density",
                         fmt::format("{:.2f}", scored->log_density.sum()));
    if (const std::optional<RefittedScores>& refitted = model.refitted())
      facts.emplace_back(fmt::format("log density, refitted in {} folds", refitted->folds),
                         fmt::format("{:.2f}", refitted->total));
    facts.emplace_back("mean log density", fmt::format("{:.3f}", scored->log_density.mean()));
    if (model.domain() != Domain::binary) {
      if (scored->censored() > 0)
        facts.emplace_back("C-index", fmt::format("{:.3f}", scored->concordance()));
      if (scored->censored() < scored->size())
        facts.emplace_back(
            scored->censored() > 0 ? "MAE of the median, observed rows" : "MAE of the median",
            number(scored->error()));
      facts.emplace_back("inside 95 % intervals",
                         fmt::format("{:.1f} %", 100 * scored->coverage(0.95)));
    }
    if (model.domain() == Domain::binary) {
      const Separation of = separation(*scored);
      if (of.both) facts.emplace_back("area under ROC", fmt::format("{:.3f}", of.area));
      facts.emplace_back("Brier score", fmt::format("{:.3f}", of.brier));
    }
    facts.emplace_back("PIT p-value", fmt::format("{:.2g}", scored->summary.p_value));
  }
  page.facts(facts);
}

// The inputs with pictures of their own: those with the largest effects.
std::vector<InputEffect> effects_of(const Subject& subject) {
  std::vector<InputEffect> out;
  for (const Input& input : subject.inputs()) {
    if (out.size() >= 4 * kMostEffects) break;
    out.push_back(partial_dependence(subject, input));
  }
  std::stable_sort(out.begin(), out.end(), [](const InputEffect& a, const InputEffect& b) {
    return a.size > b.size;
  });
  return out;
}

PageTable curve_table(const Subject& subject, const Input& input) {
  const Subject::Path path = subject.along(input, 21);
  const Predictions predictions = subject.model().predictive(path.rows);
  const auto place = [&](std::size_t k) {
    return input.is_text() ? input.levels[k] : number(path.places[k]);
  };
  if (!subject.levels().empty()) {
    PageTable out{
        .caption = "The probabilities in numbers", .header = {input.name}, .folded = true};
    out.header.insert(out.header.end(), subject.levels().begin(), subject.levels().end());
    const Matrix p = predictions.level_probabilities();
    for (Index i = 0; i < p.rows(); ++i) {
      out.rows.push_back({place(static_cast<std::size_t>(i))});
      for (const double share : p.row(i)) out.rows.back().push_back(fmt::format("{:.3f}", share));
    }
    return out;
  }
  const double per = subject.per(subject.typical_row());
  const bool probability = shows_probability(subject);
  const std::vector<double> ends = {0.025, 0.975};
  const Matrix interval =
      (probability ? predictions.mean_quantiles(ends) : predictions.quantiles(ends)) / per;
  const Vector mean = predictions.mean() / per, low = interval.col(0), high = interval.col(1);
  PageTable out{.caption = "The curve in numbers",
                .header = {input.name,
                           probability ? "probability" : "mean",
                           probability ? "95 % interval of it" : "95 % interval"},
                .folded = true};
  for (std::size_t k = 0; k < path.places.size(); ++k) {
    const auto i = static_cast<Index>(k);
    out.rows.push_back(
        {place(k), number(mean[i]), fmt::format("{} … {}", number(low[i]), number(high[i]))});
  }
  return out;
}

void add_maps(Page& page, const Subject& subject, const MapInputs& over) {
  if (over.y == nullptr) return;
  page.subheading(fmt::format("Over {} and {}", over.x->name, over.y->name));
  page.charts(map_charts(subject, over));
}

void add_predictions(Page& page, const Subject& subject) {
  page.heading("What the model predicts");
  const bool counts = subject.model().domain() == Domain::count;
  if (subject.inputs().empty()) return page.paragraph("The model has no inputs.");
  if (subject.inputs().size() == 1) {
    const Input& input = subject.inputs().front();
    page.chart(fit_chart(subject, input));
    page.table(curve_table(subject, input));
    if (counts) page.chart(probability_map(subject, input));
    return page.chart(latent_chart(subject, input));
  }
  std::vector<InputEffect> effects = effects_of(subject);
  std::vector<Chart> bars = {effect_chart(subject, effects)};
  if (std::optional<Chart> relevance = relevance_chart(subject))
    bars.push_back(std::move(*relevance));
  page.charts(bars);
  page.subheading("Each input alone");
  page.paragraph(fmt::format(
      "The average prediction over rows of the table when one input is moved and the others stay "
      "as "
      "they are (partial dependence). Bands hold 50, 80 and 95 %: how sure the model is of the "
      "average.{}",
      effects.size() > kMostEffects
          ? fmt::format(" The {} inputs with the largest effects are shown.", kMostEffects)
          : ""));
  std::vector<Chart> charts;
  const std::size_t shown = std::min(kMostEffects, effects.size());
  charts.reserve(shown);
  for (std::size_t k = 0; k < shown; ++k) charts.push_back(effects[k].chart);
  page.charts(charts);
  std::vector<const Input*> by_effect;
  by_effect.reserve(effects.size());
  for (const InputEffect& effect : effects) by_effect.push_back(effect.input);
  add_maps(page, subject, map_inputs(by_effect));
  const Input& strongest = *effects.front().input;
  page.subheading(fmt::format("Along {}, the input with the largest effect", strongest.name));
  page.chart(fit_chart(subject, strongest));
  page.table(curve_table(subject, strongest));
  if (counts) page.chart(probability_map(subject, strongest));
  page.chart(latent_chart(subject, strongest));
}

// The inputs along which something is left, the strongest first.
void add_residuals(Page& page, const Subject& subject, const ScoredRows& scored) {
  std::vector<Residuals> found;
  for (const Input& input : subject.inputs()) {
    if (found.size() >= 4 * kMostEffects) break;
    found.push_back(residuals_along(input, scored));
  }
  std::stable_sort(found.begin(), found.end(), [](const Residuals& a, const Residuals& b) {
    return a.trend > b.trend;
  });
  if (found.size() > kMostResiduals) found.resize(kMostResiduals);
  if (found.empty()) return;
  page.subheading("What is left, along the inputs");
  page.paragraph(
      "Residuals on the scale of standard deviations (normal if the model is right) and their "
      "averages over groups of rows. A trend says that an input has more to tell than the model "
      "uses.");
  std::vector<Chart> charts;
  charts.reserve(found.size());
  for (Residuals& of : found) charts.push_back(std::move(of.chart));
  page.charts(charts);
}

void add_classes(Page& page, const Subject& subject, const ScoredRows& scored) {
  const Separation of = separation(scored);
  if (of.both)
    page.charts({observed_chart(subject, scored), roc_chart(of)});
  else
    page.chart(observed_chart(subject, scored));
  page.table(confusion_table(subject, scored, 0.5));
}

void add_calibration(Page& page, const Subject& subject, const ScoredRows& scored) {
  page.heading("Are the predictions right?");
  page.paragraph(fmt::format("Judged by {}.", scored.rows_words));
  if (subject.domain() == Domain::binary)
    add_classes(page, subject, scored);
  else
    page.chart(observed_chart(subject, scored));
  if (!subject.levels().empty()) page.table(level_table(subject, scored));
  if (subject.domain() == Domain::count) page.chart(rootogram_chart(subject, rootogram(scored)));
  page.charts({pit_chart(subject, scored), coverage_chart(scored)});
  if (subject.model().domain() != Domain::binary) page.table(coverage_table(scored));
  page.chart(density_chart(scored));
  page.table(worst_table(subject, scored));
  add_residuals(page, subject, scored);
}

void add_convergence(Page& page, const GeneralizedGP& model) {
  const FitReport& report = model.report();
  page.subheading("Convergence");
  std::string text = fmt::format(
      "{} inference {} after {} {}; the largest move of a marginal in the last one was {} of its "
      "standard deviation.",
      to_string(model.inference()),
      report.inference.outcome == Outcome::converged ? "converged" : "did not converge",
      report.inference.iterations,
      report.inference.iterations == 1 ? "iteration" : "iterations",
      number(report.inference.residual, 2));
  if (!report.inference.fallbacks.empty())
    text += fmt::format(" It needed help: {}.", fmt::join(report.inference.fallbacks, ", "));
  if (report.inference.jitter > 0)
    text += fmt::format(" {} was added to the diagonal of the kernel matrix.",
                        number(report.inference.jitter, 2));
  text += report.optimized ? fmt::format(" Learning {} in {} evaluations of the log marginal.",
                                         report.converged ? "ended" : "did not converge",
                                         report.evaluations)
                           : " Hyperparameters were used as they were given.";
  if (!report.detail.empty()) text += " " + report.detail;
  page.paragraph(text);
}

void add_learning(Page& page, const Subject& subject, const LearningOptions& options) {
  const GeneralizedGP& model = subject.model();
  page.heading("Hyperparameters");
  const int grid = options.grid < 0 ? affordable_grid(model) : options.grid;
  const bool cheap = grid > 0 && model.report().optimized;
  if (!model.parameters().empty()) page.table(parameter_table(model));
  if (!model.optima().empty()) page.table(optima_table(model));
  if (cheap) {
    const ClimbedPath path = climb_again(model);
    std::vector<Chart> charts;
    if (std::optional<Chart> chart = marginal_chart(model, options, model.standard_errors(), path))
      charts.push_back(std::move(*chart));
    else
      page.paragraph("Fewer than two hyperparameters were learned: there are no contours.");
    if (path.points.size() > 1) charts.push_back(climb_chart(path));
    page.charts(charts);
  } else if (model.report().optimized && options.grid < 0) {
    page.paragraph(
        fmt::format("Contours of the log marginal are left out for {} rows, where they take long; "
                    "a grid of 9 points computes them.",
                    model.rows()));
  }
  add_integration(page, model);
  add_convergence(page, model);
}

void add_provenance(Page& page, const SavedModel& saved) {
  page.heading("Where it came from");
  PageTable table{.caption = "The model", .header = {"what", "value"}};
  const Specification& s = saved.model.specification();
  table.rows = {{"kernel", shorten(s.kernel, 400)}, {"mean", shorten(s.mean, 400)}};
  for (const auto& [what, name] : saved.model.likelihood().labels())
    table.rows.push_back({what, name});
  table.rows.push_back({"inference", std::string(to_string(saved.model.inference()))});
  for (const auto& [name, column] : {std::pair{"trials", saved.roles.trials},
                                     std::pair{"exposure", saved.roles.exposure},
                                     std::pair{"offset", saved.roles.offset},
                                     std::pair{"weights", saved.roles.weight},
                                     std::pair{"censored", saved.roles.censored},
                                     std::pair{"upper ends", saved.roles.upper}})
    if (!column.empty()) table.rows.push_back({name, shorten(column)});
  for (const auto& [key, value] : saved.provenance)
    table.rows.push_back({key, shorten(value, 400)});
  page.table(table);
}

}  // namespace

ReportPage::ReportPage(Page page) : page_(std::make_shared<const Page>(std::move(page))) {}

std::string ReportPage::html() const { return page_->html(); }

std::vector<std::string> ReportPage::figures() const {
  std::vector<std::string> names;
  for (const Chart& chart : page_->all_charts()) names.push_back(chart.id);
  return names;
}

std::string ReportPage::svg(std::string_view name) const {
  for (const Chart& chart : page_->all_charts())
    if (chart.id == name) return svg_file(chart);
  throw UsageError(fmt::format(
      "this report has no figure {}; it has: {}", in_quotes(name), fmt::join(figures(), ", ")));
}

ReportPage fit_report(const SavedModel& saved,
                      const std::optional<Dataset>& data,
                      const ReportOptions& options) {
  const Subject subject(saved);
  Page page(fmt::format("How {} was fitted", subject.target()));
  if (has_several_latents(saved.model.likelihood())) {
    add_several_classes(page, subject, data);
  } else {
    const std::optional<ScoredRows> scored = score_rows(subject, data, options.seed);
    add_headline(page, subject, scored, remarks(subject, scored, data));
    add_predictions(page, subject);
    if (scored) add_calibration(page, subject, *scored);
  }
  add_learning(page,
               subject,
               {.parameters = options.contour, .grid = options.grid, .threads = options.threads});
  if (options.diagnose) add_trust(page, saved.model, options);
  add_provenance(page, saved);
  page.footer("Drag over a picture to zoom, double-click to see everything again.");
  return ReportPage(std::move(page));
}

}  // namespace ggpm
