#include "experiments/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/functions.hpp"

namespace ggpm::paper {
namespace {

constexpr double kPriorVariance = 2, kDispersion = 1;

// One latent with prior N(0, kPriorVariance) and one output.
struct OneLatent {
  std::unique_ptr<Likelihood> likelihood;
  Row row;

  LogDensity at(double eta) const {
    LogDensity out;
    likelihood->log_density({&row, 1}, {&eta, 1}, Derivatives::second, {&out, 1});
    out.value -= eta * eta / (2 * kPriorVariance);
    out.d1 -= eta / kPriorVariance;
    out.d2 -= 1 / kPriorVariance;
    return out;
  }
  double taylor_point() const {
    Expansion out;
    likelihood->expand({&row, 1}, {}, {&out, 1});
    return out.eta;
  }
  double taylor_mean() const {  // one Newton step
    const double point = taylor_point();
    const LogDensity f = at(point);
    return point - f.d1 / f.d2;
  }
  double mode() const {
    double eta = taylor_mean();
    for (int i = 0; i < 100; ++i) eta -= std::clamp(at(eta).d1 / at(eta).d2, -1.0, 1.0);
    return eta;
  }
  Tilted exact() const {  // what EP finds with one latent
    const double mean = 0, variance = kPriorVariance;
    Tilted out;
    likelihood->tilted({&row, 1}, {&mean, 1}, {&variance, 1}, {&out, 1}, Dphi::skip);
    return out;
  }
};

double normal_density(double x, double mean, double variance) {
  return std::exp(-(x - mean) * (x - mean) / (2 * variance)) / std::sqrt(2 * M_PI * variance);
}

report::Layer points(const char* name, report::Ink ink, double x, double y) {
  return {.mark = report::Mark::points, .name = name, .ink = ink, .x = {x}, .y = {y}};
}

void add_charts(const char* name, double y, std::vector<report::Chart>& out) {
  const OneLatent one{make_likelihood(name, {}, {.dispersion = kDispersion}), {.y = y}};
  const Tilted exact = one.exact();
  const double point = one.taylor_point(), taylor = one.taylor_mean(), mode = one.mode(),
               sd = std::sqrt(exact.variance);
  const LogDensity tangent = one.at(point);
  std::vector<double> x, p, q, f, line;
  const double low = std::min({exact.mean - 4 * sd, taylor - sd, point - sd}),
               high = std::max({exact.mean + 4 * sd, taylor + sd, point + sd});
  for (int i = 0; i <= 200; ++i) {
    const double eta = low + (high - low) * i / 200;
    x.push_back(eta);
    const LogDensity at = one.at(eta);
    p.push_back(std::exp(at.value - std::log(std::sqrt(2 * M_PI * kPriorVariance)) - exact.log_z));
    q.push_back(normal_density(eta, exact.mean, exact.variance));
    f.push_back(std::clamp(at.d1, -3.0, 6.0));
    line.push_back(tangent.d1 + tangent.d2 * (eta - point));
  }
  report::Chart posterior{
      .id = fmt::format("posterior-{}", name),
      .title = fmt::format("{}: posterior of one latent", name),
      .caption = fmt::format("Figure 4, top: y = {}, prior N(0, {}), dispersion "
                             "{}; EP has the mean and variance of the truth.",
                             y,
                             kPriorVariance,
                             kDispersion),
      .x = {.title = "eta"},
      .y = {.title = "density"}};
  posterior.layers = {{.name = "p(eta | y)", .ink = report::Ink::data, .x = x, .y = p},
                      {.name = "EP's q(eta)", .dashed = true, .x = x, .y = q}};
  report::Chart slope{
      .id = fmt::format("slope-{}", name),
      .title = fmt::format("{}: derivative of the log posterior", name),
      .caption =
          "Figure 4, bottom: Laplace's mean is the zero of the derivative; Taylor's "
          "is that of its tangent at the expansion point, one step of Newton.",
      .x = {.title = "eta"},
      .y = {.title = "f(eta)", .range = report::Range{-2, 4}}};
  slope.layers = {
      {.mark = report::Mark::line, .ink = report::Ink::muted, .x = {low, high}, .y = {0, 0}},
      {.name = "f(eta)", .ink = report::Ink::data, .x = x, .y = f},
      {.name = "tangent", .ink = report::Ink::muted, .dashed = true, .x = x, .y = line},
      points("expansion point", report::Ink::muted, point, tangent.d1),
      points("Taylor", report::Ink::accent, taylor, 0),
      points("Laplace", report::Ink::good, mode, 0),
      points("EP", report::Ink::model, exact.mean, 0)};
  out.push_back(std::move(posterior));
  out.push_back(std::move(slope));
}

}  // namespace

std::vector<report::Chart> posterior_charts() {
  std::vector<report::Chart> out;
  add_charts("gamma-shape", 8, out);
  add_charts("gamma-scale", 0.2, out);
  return out;
}

report::Layer count_shades(const Predictions& predictions,
                           const std::vector<double>& x,
                           int highest) {
  constexpr double kFaint = 0.03;  // left out
  report::Layer out{.mark = report::Mark::boxes, .opacity = 0.8, .x = {}, .y = {}};
  out.value_name = "probability";
  const double half = (x[1] - x[0]) / 2;
  for (Index i = 0; i < predictions.size(); ++i) {
    const auto of = predictions.row(i);
    std::vector<double> p;
    for (int k = 0; k <= highest; ++k) p.push_back(std::exp(of->log_density(k)));
    const double top = *std::max_element(p.begin(), p.end());
    for (int k = 0; k <= highest; ++k) {
      const double shade = p[static_cast<std::size_t>(k)] / top,
                   at = x[static_cast<std::size_t>(i)];
      if (shade < kFaint) continue;
      out.x.push_back(at - half);
      out.x2.push_back(at + half);
      out.y.push_back(k - 0.5);
      out.y2.push_back(k + 0.5);
      out.shade.push_back(shade);
      out.value.push_back(p[static_cast<std::size_t>(k)]);
    }
  }
  return out;
}

std::vector<report::Layer> latent_layers(const Predictions& predictions,
                                         const std::vector<double>& x) {
  const Vector sd = predictions.latent_variance().cwiseSqrt();
  return {{.mark = report::Mark::band,
           .name = "two sd either way",
           .opacity = 0.25,
           .x = x,
           .y = report::to_vector(predictions.latent_mean() - 2 * sd),
           .y2 = report::to_vector(predictions.latent_mean() + 2 * sd)},
          {.name = "latent mean", .x = x, .y = report::to_vector(predictions.latent_mean())}};
}

// Figure 3: what makes each likelihood of the paper's table, with the dispersion at its default.
Reproduction functions(const ReproduceOptions& /*options*/) {
  Reproduction out;
  out.setting = "dispersions at their defaults";
  const std::pair<const char*, const char*> all[] = {{"gaussian", "theta is any number"},
                                                     {"gamma-shape", "theta is negative"},
                                                     {"gamma-scale", "theta is positive"},
                                                     {"inverse-gaussian", "theta is negative"},
                                                     {"negative-binomial", "theta is negative"},
                                                     {"poisson", "theta is any number"},
                                                     {"linear-poisson", "theta is any number"},
                                                     {"com-poisson", "theta is any number"},
                                                     {"linear-com-poisson", "theta is any number"},
                                                     {"binomial", "theta is any number"},
                                                     {"beta", "theta is between 0 and 1"}};
  for (const auto& [name, bound] : all) {
    double low = INFINITY, high = -INFINITY, slack = INFINITY;
    std::vector<report::Chart> charts = report::function_charts(name);
    for (report::Chart& chart : charts) {
      if (chart.id == "theta")
        for (const double theta : chart.layers[0].y) {
          low = std::min(low, theta);
          high = std::max(high, theta);
        }
      if (chart.id == "log-partition") {  // slopes grow: b is convex
        const auto& [x, b] = std::pair{chart.layers[0].x, chart.layers[0].y};
        for (std::size_t i = 1; i + 1 < x.size(); ++i)
          slack = std::min(
              slack, (b[i + 1] - b[i]) / (x[i + 1] - x[i]) - (b[i] - b[i - 1]) / (x[i] - x[i - 1]));
      }
      chart.id = fmt::format("{}-{}", name, chart.id);
      out.charts.push_back(std::move(chart));
    }
    const std::string text = bound;
    const bool holds = text.ends_with("negative")   ? high < 0
                       : text.ends_with("positive") ? low > 0
                       : text.ends_with("1")        ? low > 0 && high < 1
                                                    : low < 0 && high > 0;
    out.claims.push_back(
        {fmt::format("{}: {} for every latent value, and b is convex there", name, text),
         holds && slack > -1e-9,
         fmt::format("theta from {:.3g} to {:.3g} for eta from -4 to 4", low, high)});
  }
  out.notes = {
      "`ggpm likelihoods NAME --picture FILE` draws the same for every likelihood there is"};
  return out;
}

}  // namespace ggpm::paper
