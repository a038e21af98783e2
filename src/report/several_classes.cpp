#include "report/several_classes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "model/class_loo.hpp"
#include "report/html.hpp"
#include "report/verdict.hpp"

namespace ggpm::internal::report {
namespace {

constexpr std::size_t kMostInputs = 8;
constexpr Index kGridPlaces = 81;
constexpr std::array kInksOfClasses = {Ink::model, Ink::data, Ink::good, Ink::accent, Ink::muted};

std::vector<std::string> names_of(const Subject& subject) {
  const std::vector<std::string>& levels = subject.saved().roles.levels;
  std::vector<std::string> out;
  for (int k = 1; k <= subject.model().likelihood().levels(); ++k)
    out.push_back(static_cast<std::size_t>(k) <= levels.size()
                      ? shorten(levels[static_cast<std::size_t>(k - 1)], 24)
                      : std::to_string(k));
  return out;
}

struct ScoredClasses {
  std::string rows;      // for a person
  Vector y;              // (m) 1, 2, ...
  Matrix probabilities;  // (m, C)
};

ScoredClasses score_classes(const Subject& subject, const std::optional<Dataset>& data) {
  const GeneralizedGP& model = subject.model();
  if (data && data->observed.y.size() > 0) {
    std::vector<Index> known;
    for (Index i = 0; i < data->observed.y.size(); ++i)
      if (std::isfinite(data->observed.y[i])) known.push_back(i);
    const Dataset rows = data->subset(known);
    if (!known.empty() && !(rows.X == model.inputs()))
      return {fmt::format("{} rows that are given", known.size()),
              rows.observed.y,
              model.predictive(rows).level_probabilities()};
  }
  return {
      "the rows of the fit, each left out", model.observations().y, left_out_probabilities(model)};
}

PageTable confusion(const std::vector<std::string>& names, const ScoredClasses& scored) {
  const auto C = static_cast<Index>(names.size());
  Matrix count = Matrix::Zero(C, C);
  for (Index i = 0; i < scored.y.size(); ++i) {
    Index taken = 0;
    scored.probabilities.row(i).maxCoeff(&taken);
    count(static_cast<Index>(scored.y[i]) - 1, taken) += 1;
  }
  PageTable out{.caption = "Rows of each class, by the most probable one",
                .header = {"observed"},
                .rows = {}};
  for (const std::string& name : names) out.header.push_back("taken for " + name);
  out.header.emplace_back("right");
  for (Index a = 0; a < C; ++a) {
    std::vector<std::string> row = {names[static_cast<std::size_t>(a)]};
    for (Index b = 0; b < C; ++b) row.push_back(fmt::format("{:.0f}", count(a, b)));
    const double all = count.row(a).sum();
    row.push_back(all > 0 ? fmt::format("{:.1f} %", 100 * count(a, a) / all) : "-");
    out.rows.push_back(std::move(row));
  }
  return out;
}

Chart along(const Subject& subject, const Input& input, const std::vector<std::string>& names) {
  const Subject::Path path = subject.along(input, kGridPlaces);
  const Matrix p = subject.model().predictive(path.rows).level_probabilities();
  Chart out{.id = fmt::format("classes_{}", input.first),
            .title = fmt::format("Probabilities along {}", input.name),
            .caption = "The other inputs have their median or most frequent level.",
            .x = {.title = input.name, .categories = input.levels},
            .y = {.title = "probability", .range = Range{0, 1}}};
  for (std::size_t k = 0; k < names.size(); ++k)
    out.layers.push_back({.mark = input.is_text() ? Mark::points : Mark::line,
                          .name = names[k],
                          .ink = kInksOfClasses[k % kInksOfClasses.size()],
                          .dashed = k >= kInksOfClasses.size(),
                          .x = path.places,
                          .y = to_vector(p.col(static_cast<Index>(k)))});
  return out;
}

}  // namespace

void add_several_classes(Page& page, const Subject& subject, const std::optional<Dataset>& data) {
  const std::vector<std::string> names = names_of(subject);
  const ScoredClasses scored = score_classes(subject, data);
  double right = 0, log_density = 0;
  const auto rows = static_cast<double>(scored.y.size());
  for (Index i = 0; i < scored.y.size(); ++i) {
    const auto own = static_cast<Index>(scored.y[i]) - 1;
    right += scored.probabilities(i, own) >= scored.probabilities.row(i).maxCoeff() ? 1 : 0;
    log_density += std::log(scored.probabilities(i, own));
  }
  page.lead(fitted_words(subject));
  page.lead(
      fmt::format("It has a latent function for each of {} classes, and takes {:.1f} % of {} for "
                  "what they are.",
                  names.size(),
                  100 * right / rows,
                  scored.rows));
  page.heading("At a glance");
  for (const Warning& warning : subject.model().warnings()) page.box(Tone::note, warning.text);
  page.facts(
      {{"rows", fmt::format("{}", subject.model().rows())},
       {"log marginal", fmt::format("{:.2f}", subject.model().log_marginal())},
       {"mean log density", fmt::format("{:.3f}", log_density / rows)},
       {"without any input", fmt::format("{:.3f}", -std::log(static_cast<double>(names.size())))}});
  page.table(confusion(names, scored));
  page.heading("What the model predicts");
  std::vector<Chart> charts;
  for (const Input& input : subject.inputs())
    if (charts.size() < kMostInputs) charts.push_back(along(subject, input, names));
  page.charts(charts);
}

}  // namespace ggpm::internal::report
