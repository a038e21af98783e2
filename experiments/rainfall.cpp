// Tokyo rainfall: the local optima of the marginal likelihood are readings of the data; the best
// two are a smooth and a rough curve.                       (fig:rainfall_nlZ, fig:rainfall_both)
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/spline.hpp"
#include "experiments/starts.hpp"
#include "learn/parallel.hpp"

namespace ggpm::paper {

using namespace internal;
namespace {

using enum InferenceMethod;
constexpr InferenceMethod kMethods[] = {taylor, laplace, ep, kld};
// The optima that the figure calls good lie between these widths, in days; below and above are
// functions that follow single days or are constant.
constexpr double kShortest = 2, kBorder = 22, kLongest = 120;
constexpr int kGridWidths = 37, kGridScales = 19;
constexpr int kLongestPath = 40;

Dataset rain(const Table& table) {
  return {
      .X = numeric_column(table, "day"),
      .observed = {.y = numeric_column(table, "rain"), .trials = numeric_column(table, "trials")},
      .columns = {"day"}};
}

// The best optimum with a width in a range, reached by climbing from inside of it.
Reading best_between(double lower, double upper, const std::vector<GeneralizedGP>& climbs) {
  Reading out;
  for (const GeneralizedGP& model : climbs) {
    const Vector at = model.hyperparameters().kernel;  // variance, lengthscale
    if (at[1] < lower || at[1] > upper || !model.report().converged) continue;
    if (!out.found() || model.log_marginal() > out.log_marginal)
      out = {at[1], at[0], model.log_marginal()};
  }
  return out;
}

std::vector<GeneralizedGP> climb(const Dataset& data,
                                 InferenceMethod method,
                                 const ReproduceOptions& options) {
  std::vector<GeneralizedGP> out;
  for (const double width : {1.0, 4.0, 8.0, 14.0, 28.0, 45.0, 80.0}) {
    if (options.interrupted && options.interrupted()) throw Interrupted("reproduce: interrupted");
    Specification s{
        .likelihood = "binomial", .kernel = fmt::format("rbf(1, {})", width), .inference = method};
    const FitOptions fit{.restarts = 0, .threads = options.threads};
    out.push_back(GeneralizedGP::fit(data, s, fit));
    const Vector at = out.back().hyperparameters().kernel;
    options.say(fmt::format("{} from width {}: width {:.4g}, scale {:.4g}, log marginal {:.3f}",
                            to_string(method),
                            width,
                            at[1],
                            at[0],
                            out.back().log_marginal()));
  }
  return out;
}

struct Path {
  std::vector<double> width, scale;
};

// From log-hyperparameters (0, 0), as in the figure: the best point after each evaluation.
Path path_of(const Dataset& data, InferenceMethod method, const ReproduceOptions& options) {
  const Specification s{.likelihood = "binomial", .kernel = "rbf(1, 1)", .inference = method};
  Path out{{1}, {1}};
  for (int most = 2; most <= kLongestPath; ++most) {
    if (options.interrupted && options.interrupted()) throw Interrupted("reproduce: interrupted");
    const FitOptions fit{.restarts = 0, .threads = 1, .max_evaluations = most};
    const GeneralizedGP model = GeneralizedGP::fit(data, s, fit);
    const Vector at = model.hyperparameters().kernel;
    if (at[1] != out.width.back() || at[0] != out.scale.back()) {
      out.width.push_back(at[1]);
      out.scale.push_back(at[0]);
    }
    if (model.report().converged) break;
  }
  return out;
}

struct Surface {
  std::vector<double> width, scale, value;  // negative log marginal; NaN: a hole in the picture
};

constexpr double kWidthStep = 6.0 / (kGridWidths - 1), kScaleStep = 6.0 / (kGridScales - 1);

// Widths side by side.
Surface surface_of(const GeneralizedGP& model, const ReproduceOptions& options) {
  constexpr std::size_t kCells = std::size_t{kGridWidths} * kGridScales;
  Surface out{
      std::vector<double>(kCells), std::vector<double>(kCells), std::vector<double>(kCells, kNone)};
  const FitOptions quiet;
  Monitor monitor(quiet);
  const int workers = options.threads > 0 ? options.threads : default_threads();
  monitor.run(kGridWidths, workers, workers, [&](int i) {
    for (int j = 0; j < kGridScales; ++j) {
      const std::size_t cell =
          static_cast<std::size_t>(i) * kGridScales + static_cast<std::size_t>(j);
      Hyperparameters at = model.hyperparameters();
      at.kernel[1] = out.width[cell] = std::exp(kWidthStep * i);       // 1 ... 403 days
      at.kernel[0] = out.scale[cell] = std::exp(-3 + kScaleStep * j);  // 0.05 ... 20
      try {
        out.value[cell] = -model.log_marginal_at(at);
      } catch (const NumericalError&) {
        // a hole in the picture
      }
    }
  });
  return out;
}

// Cells of the surface, darker where the marginal likelihood is larger: differences of a few are
// what matters, so shades end 15 below the best.
report::Chart surface_chart(InferenceMethod method,
                            const Surface& surface,
                            const Path& path,
                            const std::vector<Reading>& optima) {
  report::Chart out{
      .id = fmt::format("surface-{}", to_string(method)),
      .title = fmt::format("Negative log marginal: {}", to_string(method)),
      .caption = "Darker is better. The path of the optimizer begins at (1, 1).",
      .x = {.title = "width, days", .range = report::Range{0.8, 450}, .log = true},
      .y = {.title = "scale (variance)", .range = report::Range{0.04, 25}, .log = true}};
  double best = kNone;
  for (const double v : surface.value) best = std::fmin(best, v);
  report::Layer cells{.mark = report::Mark::boxes, .x = {}, .y = {}};
  cells.value_name = "negative log marginal";
  for (std::size_t i = 0; i < surface.value.size(); ++i) {
    if (std::isnan(surface.value[i])) continue;
    cells.x.push_back(surface.width[i] * std::exp(-kWidthStep / 2));
    cells.x2.push_back(surface.width[i] * std::exp(kWidthStep / 2));
    cells.y.push_back(surface.scale[i] * std::exp(-kScaleStep / 2));
    cells.y2.push_back(surface.scale[i] * std::exp(kScaleStep / 2));
    cells.shade.push_back(std::clamp(1 - (surface.value[i] - best) / 15, 0.0, 1.0));
    cells.value.push_back(surface.value[i]);
  }
  report::Layer ends{
      .mark = report::Mark::points, .name = "optima", .ink = report::Ink::data, .x = {}, .y = {}};
  for (const Reading& optimum : optima) {
    ends.x.push_back(optimum.width);
    ends.y.push_back(optimum.scale);
    ends.label.push_back(fmt::format("log marginal {:.3f}", optimum.log_marginal));
  }
  out.layers = {
      std::move(cells),
      {.mark = report::Mark::line,
       .name = "path",
       .ink = report::Ink::good,
       .x = path.width,
       .y = path.scale},
      {.mark = report::Mark::points, .ink = report::Ink::good, .x = path.width, .y = path.scale},
      std::move(ends)};
  return out;
}

report::Chart empty_curves(const std::string& id, const std::string& title, const Dataset& data) {
  report::Chart out{.id = id,
                    .title = title,
                    .caption = "",
                    .x = {.title = "day of the year", .range = report::Range{0, 366}},
                    .y = {.title = "probability", .range = report::Range{-0.03, 1.03}}};
  out.layers.push_back(
      {.mark = report::Mark::points,
       .name = "observed",
       .ink = report::Ink::muted,
       .opacity = 0.25,
       .x = report::to_vector(data.X.col(0)),
       .y = report::to_vector(data.observed.y.cwiseQuotient(data.observed.trials))});
  return out;
}

report::Layer curve(const Dataset& data,
                    InferenceMethod method,
                    const Reading& reading,
                    const std::string& name,
                    report::Ink ink,
                    bool dashed) {
  const Specification s{.likelihood = "binomial",
                        .kernel = fmt::format("rbf({}, {})", reading.scale, reading.width),
                        .inference = method};
  const GeneralizedGP model =
      GeneralizedGP::fit(data, s, FitOptions{.optimize = false, .threads = 1});
  return {.mark = report::Mark::line,
          .name = name,
          .ink = ink,
          .dashed = dashed,
          .x = report::to_vector(data.X.col(0)),
          .y = report::to_vector(model.predictive({.X = data.X}, 1).mean())};
}

// The smooth or the rough curve by all methods, over the observed fractions.
report::Chart curve_chart(const char* part,
                          const char* name,
                          const Dataset& data,
                          const std::vector<std::pair<InferenceMethod, Reading>>& readings) {
  report::Chart out = empty_curves(
      name, fmt::format("Figure 9{}: probability of rain, the {} curve", part, name), data);
  out.caption = "Laplace, EP and KLD lie on each other.";
  const report::Ink inks[] = {
      report::Ink::accent, report::Ink::good, report::Ink::model, report::Ink::data};
  std::size_t k = 0;
  for (const auto& [method, reading] : readings) {
    out.layers.push_back(
        curve(data, method, reading, std::string(to_string(method)), inks[k], k > 1));
    ++k;
  }
  return out;
}

// A curve of ours beside splines.
struct SplineFigure {
  const char *part, *id, *title;
  InferenceMethod method;
  Reading reading;
  std::vector<std::pair<const char*, const std::vector<double>*>> splines;
};

void add_spline_charts(const Dataset& data,
                       const std::vector<SplineFigure>& figures,
                       Reproduction& out) {
  for (const SplineFigure& figure : figures) {
    if (!figure.reading.found()) continue;
    report::Chart chart =
        empty_curves(figure.id, fmt::format("Figure 9{}: {}", figure.part, figure.title), data);
    chart.caption =
        "Splines by R's mgcv; the paper compares with Fahrmeir and Tutz (1994) and Biller (2000).";
    chart.layers.push_back(curve(data,
                                 figure.method,
                                 figure.reading,
                                 std::string(to_string(figure.method)),
                                 report::Ink::model,
                                 false));
    report::Ink ink = report::Ink::accent;
    for (const auto& [name, values] : figure.splines) {
      chart.layers.push_back({.mark = report::Mark::line,
                              .name = name,
                              .ink = ink,
                              .dashed = true,
                              .x = report::to_vector(data.X.col(0)),
                              .y = *values});
      ink = report::Ink::good;
    }
    out.charts.push_back(std::move(chart));
  }
}

double largest_difference(const report::Layer& curve, const std::vector<double>& other) {
  double out = 0;
  for (std::size_t i = 0; i < other.size(); ++i)
    out = std::max(out, std::abs(curve.y[i] - other[i]));
  return out;
}

// Figure 10: the optima that are neither the smooth nor the rough curve.
void add_bad_optima(const Dataset& data, const ReproduceOptions& options, Reproduction& out) {
  const Climbs climbs = climb_at_random(data, laplace, options);
  if (climbs.ends.empty()) return;
  report::Chart chart = empty_curves("bad-optima", "Figure 10: the other optima, by Laplace", data);
  const report::Ink inks[] = {
      report::Ink::accent, report::Ink::good, report::Ink::data, report::Ink::model};
  std::size_t count = 0, all = 0;
  for (const Reading& end : distinct(climbs.ends)) {
    ++all;
    if ((end.width > kShortest && end.width < kLongest) || count == std::size(inks)) continue;
    chart.layers.push_back(curve(data,
                                 laplace,
                                 end,
                                 fmt::format("{:.3g} days, {:.1f}", end.width, end.log_marginal),
                                 inks[count++],
                                 false));
  }
  chart.caption =
      "Kernel widths that are too small or too large, with their log marginals: single days, or next "
      "to a constant.";
  if (count > 0) out.charts.push_back(std::move(chart));
  out.notes.push_back(
      fmt::format("climbs by Laplace from {} random starts end at {} distinct optima, {} of them "
                  "outside of {:.0f} to {:.0f} days; the paper finds five, three of them bad",
                  climbs.ends.size(),
                  all,
                  count,
                  kShortest,
                  kLongest));
}

// The surfaces as columns of the series.
void add_series(const Surface& surface, InferenceMethod method, Reproduction& out) {
  if (out.series.columns().empty()) {
    out.series.add_numbers("width", surface.width);
    out.series.add_numbers("scale", surface.scale);
  }
  out.series.add_numbers("negative_log_marginal_" + std::string(to_string(method)), surface.value);
}

}  // namespace

Reproduction rainfall(const ReproduceOptions& options) {
  const Dataset data = rain(read_data(options, "tokyo_rainfall.csv"));
  Reproduction out;
  Reading smooth[4], rough[4];
  for (std::size_t m = 0; m < 4; ++m) {
    const std::vector<GeneralizedGP> climbs = climb(data, kMethods[m], options);
    smooth[m] = best_between(kBorder, kLongest, climbs);
    rough[m] = best_between(kShortest, kBorder, climbs);
    const Surface surface = surface_of(climbs.front(), options);
    add_series(surface, kMethods[m], out);
    const Path path = path_of(data, kMethods[m], options);
    std::vector<Reading> optima;
    for (const Reading& reading : {smooth[m], rough[m]})
      if (reading.found()) optima.push_back(reading);
    out.charts.push_back(surface_chart(kMethods[m], surface, path, optima));
    out.notes.push_back(
        fmt::format("{}: from width 1 and scale 1 the optimizer ends at width "
                    "{:.4g} days, scale {:.3g}, after {} better points",
                    to_string(kMethods[m]),
                    path.width.back(),
                    path.scale.back(),
                    path.width.size() - 1));
    for (const auto& [name, reading] : {std::pair{"smooth", smooth[m]}, {"rough", rough[m]}}) {
      const std::string row = fmt::format("{}, {}", to_string(kMethods[m]), name);
      const auto add = [&](const char* quantity, double value) {
        out.cells.push_back(
            {.table = "Figures 7-9", .row = row, .quantity = quantity, .ours = value});
      };
      add("width, days", reading.width);
      add("scale (variance)", reading.scale);
      add("negative log marginal", -reading.log_marginal);
    }
  }
  for (const auto& [name, readings] : {std::pair{"smooth", smooth}, {"rough", rough}}) {
    std::vector<std::pair<InferenceMethod, Reading>> found;
    for (std::size_t m = 0; m < 4; ++m)
      if (readings[m].found()) found.emplace_back(kMethods[m], readings[m]);
    out.charts.push_back(curve_chart(std::string(name) == "smooth" ? "a" : "c", name, data, found));
  }
  if (const auto splines = fit_splines(data, options)) {
    add_spline_charts(data,
                      {{"b",
                        "smooth-splines",
                        "the smooth curve and a smoothing spline",
                        laplace,
                        smooth[1],
                        {{"smoothing spline", &splines->smooth}}},
                       {"d",
                        "rough-adaptive",
                        "the rough curve by Taylor and adaptive splines",
                        taylor,
                        rough[0],
                        {{"adaptive spline", &splines->adaptive}}},
                       {"e",
                        "rough-splines",
                        "the rough curve by Laplace and a smoothing spline",
                        laplace,
                        rough[1],
                        {{"spline, penalty 32/4064 of the smooth one", &splines->rough}}}},
                      out);
    for (const auto& [name, reading, spline] : {std::tuple{"smooth", smooth[1], &splines->smooth},
                                                std::tuple{"rough", rough[1], &splines->rough}})
      if (reading.found()) {
        const double largest = largest_difference(
            curve(data, laplace, reading, name, report::Ink::model, false), *spline);
        out.claims.push_back({fmt::format("the {} curve is close to a smoothing spline", name),
                              largest < 0.15,
                              fmt::format("largest difference of probabilities {:.3f}", largest)});
      }
  } else {
    out.notes.emplace_back("R with mgcv was not at hand: Figures 9b, d and e are left out");
  }
  add_start_figures(data, options, out);
  add_bad_optima(data, options, out);
  for (std::size_t m = 0; m < 4; ++m) {
    const std::string name(to_string(kMethods[m]));
    const bool both = smooth[m].found() && rough[m].found();
    out.claims.push_back(
        {name + " has both a smooth and a rough optimum",
         both,
         fmt::format("widths {:.1f} and {:.1f} days", smooth[m].width, rough[m].width)});
    const bool prefers_smooth = smooth[m].log_marginal > rough[m].log_marginal;
    out.claims.push_back({fmt::format("{} prefers the {} curve by its marginal likelihood",
                                      name,
                                      m == 0 ? "smooth" : "rough"),
                          both && prefers_smooth == (m == 0),
                          fmt::format("log marginal {:.3f} smooth, {:.3f} rough",
                                      smooth[m].log_marginal,
                                      rough[m].log_marginal)});
  }
  out.notes.emplace_back("the paper prints the optima as pictures only");
  out.notes.emplace_back("29 February has one trial in our data, two in the paper; it was dry");
  return out;
}

}  // namespace ggpm::paper
