#include "report/several_classes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "model/class_loo.hpp"
#include "report/calibration.hpp"
#include "report/html.hpp"
#include "report/verdict.hpp"

namespace ggpm::internal::report {
namespace {

constexpr std::size_t kMostInputs = 8;
constexpr Index kGridPlaces = 81;
constexpr std::array kInksOfClasses = {Ink::model, Ink::data, Ink::good, Ink::accent, Ink::muted};

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

std::vector<Index> most_probable(const Matrix& probabilities) {
  std::vector<Index> out;
  for (Index i = 0; i < probabilities.rows(); ++i)
    probabilities.row(i).maxCoeff(&out.emplace_back());
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
  const std::vector<std::string> names = level_names(subject.saved());
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
  page.table(taken_for_table("Rows of each class, by the most probable one",
                             names,
                             scored.y.array() - 1,
                             most_probable(scored.probabilities)));
  page.heading("What the model predicts");
  std::vector<Chart> charts;
  for (const Input& input : subject.inputs())
    if (charts.size() < kMostInputs) charts.push_back(along(subject, input, names));
  page.charts(charts);
}

}  // namespace ggpm::internal::report
