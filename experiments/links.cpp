// Counts that follow a line and scatter less than a Poisson distribution: four likelihoods with a
// linear kernel, and how an RBF kernel extrapolates.                (fig:Poissons, fig:PoissonRBF)
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "experiments/figures.hpp"

namespace ggpm::paper {
namespace {

constexpr Index kTrain = 60, kTest = 300;
constexpr double kSlope = 2, kStart = 2;  // rate 2 + 2 x, x in 0 ... 10
constexpr double kNu = 5;                 // variance about a fifth of the mean

// Under the linear link the latent is close to the rate, so that a linear kernel fits.
Dataset simulate(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, 10);
  const auto likelihood = make_likelihood("linear-com-poisson", {}, {.dispersion = kNu});
  Dataset out{
      .X = Matrix(kTrain + kTest, 1), .observed = {.y = Vector(kTrain + kTest)}, .columns = {"x"}};
  for (Index i = 0; i < out.X.rows(); ++i) {
    const double x = uniform(random), rate = kStart + kSlope * x;
    out.X(i, 0) = x;
    out.observed.y[i] = likelihood->sample({}, std::log(std::expm1(rate)), random);
  }
  return out;
}

Dataset first_rows(const Dataset& data, Index count) {
  return {.X = data.X.topRows(count),
          .observed = {.y = data.observed.y.head(count)},
          .columns = data.columns};
}

const char* const kNames[] = {"poisson", "linear-poisson", "com-poisson", "linear-com-poisson"};

Specification linear(const char* name) {
  return {.likelihood = name, .kernel = "linear + constant", .inference = InferenceMethod::laplace};
}

report::Layer data_points(const Dataset& train) {
  report::Layer out{.mark = report::Mark::points,
                    .name = "data",
                    .ink = report::Ink::data,
                    .opacity = 0.7,
                    .x = report::to_vector(train.X.col(0)),
                    .y = report::to_vector(train.observed.y)};
  return out;
}

// Figure 1: the latent function above, the probabilities of counts below.
void add_fit_charts(const Dataset& train,
                    const GeneralizedGP& model,
                    const char* name,
                    Reproduction& out) {
  Matrix Z(41, 1);
  for (Index i = 0; i < Z.rows(); ++i) Z(i, 0) = static_cast<double>(i) / 4;
  const Predictions p = model.predictive({.X = Z});
  const std::vector<double> x = report::to_vector(Z.col(0));
  report::Chart latent{.id = std::string("latent-") + name,
                       .title = std::string(name) + ": latent function",
                       .caption = "Figure 1, top.",
                       .x = {.title = "x"},
                       .y = {.title = "eta"},
                       .height = 220};
  latent.layers = latent_layers(p, x);
  out.charts.push_back(std::move(latent));
  report::Chart counts{
      .id = std::string("fit-") + name,
      .title = std::string(name) + ": new counts",
      .caption = "Figure 1, bottom: darker is more probable; the line is the mean.",
      .x = {.title = "x", .range = report::Range{-0.2, 10.2}},
      .y = {.title = "count", .range = report::Range{-0.5, 40}}};
  report::Layer points = data_points(train);
  points.ink = report::Ink::accent;
  counts.layers = {count_shades(p, x, 40),
                   {.mark = report::Mark::line,
                    .name = "mean",
                    .ink = report::Ink::data,
                    .x = x,
                    .y = report::to_vector(p.mean())},
                   std::move(points)};
  out.charts.push_back(std::move(counts));
}

// How far the RBF kernel follows the line outside of the data.
Claim extrapolation(const Dataset& train, const FitOptions& fit, Reproduction& out) {
  const GeneralizedGP rbf = GeneralizedGP::fit(
      train, {.likelihood = "poisson", .inference = InferenceMethod::laplace}, fit);
  const GeneralizedGP line = GeneralizedGP::fit(train, linear("linear-poisson"), fit);
  Matrix Z(61, 1);
  for (Index i = 0; i < Z.rows(); ++i) Z(i, 0) = -5 + static_cast<double>(i) / 2;  // -5 ... 25
  const Vector by_rbf = rbf.predictive({.X = Z}).mean(), by_line = line.predictive({.X = Z}).mean();
  out.series.add_numbers("x", std::vector<double>(Z.data(), Z.data() + Z.size()));
  out.series.add_numbers("rbf_poisson_mean", std::vector<double>(by_rbf.begin(), by_rbf.end()));
  out.series.add_numbers("linear_poisson_mean",
                         std::vector<double>(by_line.begin(), by_line.end()));
  report::Chart chart{.id = "extrapolation",
                      .title = "Outside of the data",
                      .caption =
                          "Figure 2: Poisson with an RBF kernel returns to its prior mean; the "
                          "linearized Poisson with a linear kernel goes on.",
                      .x = {.title = "x"},
                      .y = {.title = "count", .range = report::Range{0, 55}}};
  chart.layers = {{.mark = report::Mark::line,
                   .name = "linearized Poisson, linear kernel",
                   .x = report::to_vector(Z.col(0)),
                   .y = report::to_vector(by_line)},
                  {.mark = report::Mark::line,
                   .name = "Poisson, RBF kernel",
                   .ink = report::Ink::accent,
                   .dashed = true,
                   .x = report::to_vector(Z.col(0)),
                   .y = report::to_vector(by_rbf)},
                  data_points(train)};
  out.charts.push_back(std::move(chart));
  const double truth = kStart + kSlope * 20;  // index 50 is x = 20
  return {"an RBF kernel extrapolates poorly, the linear link with a linear kernel well",
          std::abs(by_rbf[50] - truth) > 3 * std::abs(by_line[50] - truth),
          fmt::format("mean at x = 20: RBF {:.3g}, linear Poisson {:.3g}, truth {:.3g}",
                      by_rbf[50],
                      by_line[50],
                      truth)};
}

}  // namespace

Reproduction links(const ReproduceOptions& options) {
  Reproduction out;
  const int repeats = options.splits_or(kTrials), restarts = options.restarts_or(10);
  out.setting = fmt::format("{} data sets, {} random starts", repeats, restarts);
  std::vector<std::vector<double>> nlp(4), mae(4), variance(4);
  FitOptions fit{.restarts = restarts, .seed = options.seed, .threads = options.threads};
  fit.interrupted = options.interrupted;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const Dataset data = simulate(options.seed + static_cast<std::uint64_t>(repeat));
    const Vector y = data.observed.y.tail(kTest);
    for (std::size_t k = 0; k < 4; ++k) {
      const GeneralizedGP model =
          GeneralizedGP::fit(first_rows(data, kTrain), linear(kNames[k]), fit);
      if (model.report().interrupted) throw Interrupted("reproduce: interrupted");
      if (repeat == 0) add_fit_charts(first_rows(data, kTrain), model, kNames[k], out);
      const Predictions p = model.predictive({.X = data.X.bottomRows(kTest)});
      const Scores scores = score(p, y, PointEstimate::mode);
      nlp[k].push_back(scores.nlp);
      mae[k].push_back(scores.mae);
      variance[k].push_back(p.variance().mean());
      options.say(fmt::format("data set {}: {}: NLP {:.4f}, MAE {:.4f}",
                              repeat + 1,
                              kNames[k],
                              scores.nlp,
                              scores.mae));
    }
  }
  Matrix blocks(repeats, 4);
  std::string text, spread;
  std::size_t best = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    blocks.col(static_cast<Index>(k)) = Eigen::Map<const Vector>(nlp[k].data(), repeats);
    if (mean_sd(nlp[k]).mean < mean_sd(nlp[best]).mean) best = k;
    for (const auto& [quantity, values] :
         {std::pair<const char*, const std::vector<double>*>{"NLP", &nlp[k]},
          {"MAE", &mae[k]},
          {"predictive variance", &variance[k]}}) {
      const MeanSd m = mean_sd(*values);
      out.cells.push_back({.table = "Figure 1",
                           .row = kNames[k],
                           .quantity = quantity,
                           .ours = m.mean,
                           .ours_sd = m.sd});
    }
    text += fmt::format("{}{} {:.3f}", text.empty() ? "" : ", ", kNames[k], mean_sd(nlp[k]).mean);
    spread += fmt::format(
        "{}{} {:.2f}", spread.empty() ? "" : ", ", kNames[k], mean_sd(variance[k]).mean);
  }
  const Friedman test = friedman_test(blocks);
  out.claims = {
      {"the linearized COM-Poisson has the best NLP",
       best == 3,
       fmt::format("mean NLP: {} (Friedman p = {:.2g})", text, test.p)},
      {"the linearized Poisson follows the line better than the Poisson",
       mean_sd(mae[1]).mean < mean_sd(mae[0]).mean,
       fmt::format("MAE {:.3f} against {:.3f}", mean_sd(mae[1]).mean, mean_sd(mae[0]).mean)},
      {"the predictive variance of COM-Poisson models is much lower",
       2 * mean_sd(variance[3]).mean < mean_sd(variance[1]).mean &&
           mean_sd(variance[2]).mean < mean_sd(variance[0]).mean,
       "mean variance: " + spread},
      extrapolation(first_rows(simulate(options.seed), kTrain), fit, out)};
  out.notes = {
      "the paper's data are not published: ours are drawn from a COM-Poisson with rate 2 + 2 x and "
      "nu = 5, 60 rows to learn from and 300 to test"};
  return out;
}

}  // namespace ggpm::paper
