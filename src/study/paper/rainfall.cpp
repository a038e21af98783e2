// Tokyo rainfall: the local optima of the marginal likelihood are readings of the data; the best
// two are a smooth and a rough curve.                       (fig:rainfall_nlZ, fig:rainfall_both)
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "study/paper/reproduction.hpp"

namespace ggpm::paper {
namespace {

using enum InferenceMethod;
constexpr InferenceMethod kMethods[] = {taylor, laplace, ep, kld};
// The optima that the figure calls good lie between these widths, in days; below and above are
// functions that follow single days or are constant.
constexpr double kShortest = 2, kBorder = 22, kLongest = 120;
constexpr int kGridWidths = 25, kGridScales = 13;

TrainingData rain(const Table& table) {
  TrainingData out{.columns = {"day"}};
  out.X = numeric_column(table, "day");
  const Vector trials = numeric_column(table, "trials"), y = numeric_column(table, "rain");
  for (Index i = 0; i < y.size(); ++i) out.rows.push_back({.y = y[i], .trials = trials[i]});
  return out;
}

struct Reading {
  double width = kNone, scale = kNone, log_marginal = kNone;
  bool found() const { return !std::isnan(width); }
};

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

std::vector<GeneralizedGP> climb(const TrainingData& data,
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

void add_grid(const GeneralizedGP& model, InferenceMethod method, Reproduction& out) {
  std::vector<double> widths, scales, values;
  for (int i = 0; i < kGridWidths; ++i)
    for (int j = 0; j < kGridScales; ++j) {
      Hyperparameters at = model.hyperparameters();
      at.kernel[1] = std::exp(6.0 * i / (kGridWidths - 1));       // 1 ... 403 days
      at.kernel[0] = std::exp(-3 + 6.0 * j / (kGridScales - 1));  // 0.05 ... 20
      double value = kNone;
      try {
        value = -model.log_marginal_at(at);
      } catch (const NumericalError&) {
        value = kNone;  // a hole in the picture, not the end of it
      }
      widths.push_back(at.kernel[1]);
      scales.push_back(at.kernel[0]);
      values.push_back(value);
    }
  if (out.series.columns().empty()) {
    out.series.add_numbers("width", widths);
    out.series.add_numbers("scale", scales);
  }
  out.series.add_numbers("negative_log_marginal_" + std::string(to_string(method)), values);
}

}  // namespace

Reproduction rainfall(const ReproduceOptions& options) {
  const TrainingData data = rain(read_data(options, "tokyo_rainfall.csv"));
  Reproduction out;
  Reading smooth[4], rough[4];
  for (std::size_t m = 0; m < 4; ++m) {
    const std::vector<GeneralizedGP> climbs = climb(data, kMethods[m], options);
    smooth[m] = best_between(kBorder, kLongest, climbs);
    rough[m] = best_between(kShortest, kBorder, climbs);
    add_grid(climbs.front(), kMethods[m], out);
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
  out.notes = {"the paper prints the optima as pictures only",
               "29 February has one trial in our data, two in the paper; it was dry"};
  return out;
}

}  // namespace ggpm::paper
