#include "experiments/starts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "numeric/random.hpp"

namespace ggpm::paper {
using namespace internal;
namespace {

using enum InferenceMethod;

// Log-uniform over the figure: 1 to 400 days, scales from 0.05 to 20.
std::vector<Reading> random_starts(std::uint64_t seed) {
  std::mt19937_64 random = numeric::random_stream(seed, 0);
  std::vector<Reading> out(kRandomStarts);
  for (Reading& start : out) {
    start.width = std::exp(6 * numeric::uniform(random));
    start.scale = std::exp(-3 + 6 * numeric::uniform(random));
  }
  return out;
}

report::Layer points(const char* name, report::Ink ink, const std::vector<Reading>& at) {
  report::Layer out{.mark = report::Mark::points, .name = name, .ink = ink, .x = {}, .y = {}};
  for (const Reading& r : at) {
    out.x.push_back(r.width);
    out.y.push_back(r.scale);
    out.label.push_back(fmt::format("log marginal {:.3f}", r.log_marginal));
  }
  return out;
}

report::Layer lines(const Climbs& climbs, report::Ink ink) {
  report::Layer out{.mark = report::Mark::segments, .ink = ink, .opacity = 0.35, .x = {}, .y = {}};
  for (std::size_t i = 0; i < climbs.ends.size(); ++i) {
    out.x.push_back(climbs.starts[i].width);
    out.y.push_back(climbs.starts[i].scale);
    out.x2.push_back(climbs.ends[i].width);
    out.y2.push_back(climbs.ends[i].scale);
  }
  return out;
}

report::Chart chart(const char* part, InferenceMethod method, const std::string& caption) {
  return {.id = fmt::format("starts-{}", to_string(method)),
          .title = fmt::format("Figure 8{}: climbs by {}", part, to_string(method)),
          .caption = caption,
          .x = {.title = "width, days", .range = report::Range{0.5, 3000}, .log = true},
          .y = {.title = "scale (variance)", .range = report::Range{0.004, 40}, .log = true}};
}

}  // namespace

Climbs climb_from(const Dataset& data,
                  InferenceMethod method,
                  const std::vector<Reading>& starts,
                  const ReproduceOptions& options) {
  Climbs out{.starts = starts};
  for (const Reading& start : starts) {
    const std::string key = fmt::format("climb by {} from width {:.12g}, scale {:.12g}",
                                        to_string(method),
                                        start.width,
                                        start.scale);
    const auto end = kept_or(options, key, [&]() -> std::vector<double> {
      const std::clock_t began = std::clock();
      const Specification s{
          .likelihood = "binomial",
          .kernel = fmt::format("rbf({:.12g}, {:.12g})", start.scale, start.width),
          .inference = method};
      FitOptions fit{.restarts = 0, .threads = 1};
      fit.standard_errors = false;
      const GeneralizedGP model = GeneralizedGP::fit(data, s, fit);
      const Vector at = model.hyperparameters().kernel;
      return {at[1],
              at[0],
              model.log_marginal(),
              static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC};
    });
    if (!end) break;
    out.ends.push_back({(*end)[0], (*end)[1], (*end)[2]});
    out.processor_seconds += (*end)[3];
  }
  return out;
}

Climbs climb_at_random(const Dataset& data,
                       InferenceMethod method,
                       const ReproduceOptions& options) {
  return climb_from(data, method, random_starts(options.seed), options);
}

std::vector<Reading> distinct(std::vector<Reading> ends) {
  std::sort(ends.begin(), ends.end(), [](const Reading& a, const Reading& b) {
    return a.log_marginal > b.log_marginal;
  });
  std::vector<Reading> out;
  for (const Reading& end : ends) {
    const bool known = std::any_of(out.begin(), out.end(), [&](const Reading& other) {
      const bool near = std::abs(std::log(end.width / other.width)) < 0.2 &&
                        std::abs(std::log(end.scale / other.scale)) < 0.2;
      return near || std::abs(end.log_marginal - other.log_marginal) < 1e-3;
    });
    if (!known) out.push_back(end);
  }
  return out;
}

void add_start_figures(const Dataset& data, const ReproduceOptions& options, Reproduction& out) {
  const Climbs taylor_climbs = climb_at_random(data, taylor, options);
  if (!taylor_climbs.whole()) return;
  std::vector<Reading> best = distinct(taylor_climbs.ends);
  if (best.size() > 3) best.resize(3);
  report::Chart first = chart(
      "a",
      taylor,
      fmt::format("{} random starts and where they end; the best three distinct ends start the "
                  "other methods.",
                  kRandomStarts));
  first.layers = {lines(taylor_climbs, report::Ink::muted),
                  points("random starts", report::Ink::muted, taylor_climbs.starts),
                  points("ends", report::Ink::accent, taylor_climbs.ends),
                  points("best three", report::Ink::data, best)};
  out.charts.push_back(std::move(first));
  for (const auto& [method, part, paper] :
       {std::tuple{laplace, "b", 3.0}, std::tuple{ep, "c", 13.0}}) {
    const Climbs random = climb_at_random(data, method, options),
                 started = climb_from(data, method, best, options);
    if (!random.whole() || !started.whole()) return;
    const double factor =
        random.processor_seconds / (taylor_climbs.processor_seconds + started.processor_seconds);
    report::Chart next =
        chart(part,
              method,
              fmt::format("Ends from {} random starts, and from Taylor's three: {:.1f} "
                          "times faster together with Taylor's own climbs.",
                          kRandomStarts,
                          factor));
    next.layers = {lines(started, report::Ink::data),
                   points("from random starts", report::Ink::accent, random.ends),
                   points("from Taylor's three", report::Ink::data, started.ends)};
    out.charts.push_back(std::move(next));
    const double by_random = distinct(random.ends)[0].log_marginal,
                 by_taylor = distinct(started.ends)[0].log_marginal;
    out.claims.push_back(
        {fmt::format("{} started by Taylor finds the best optimum of {} random starts, faster",
                     to_string(method),
                     kRandomStarts),
         by_taylor > by_random - 0.01 && factor > 1,
         fmt::format("log marginal {:.3f} against {:.3f}; {:.1f} times faster (paper: {:.0f})",
                     by_taylor,
                     by_random,
                     factor,
                     paper)});
  }
}

}  // namespace ggpm::paper
