#include "report/functions.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ggpm/classes.hpp"
#include "ggpm/likelihood.hpp"
#include "ggpm/likelihood_picture.hpp"
#include "likelihood/families/beta.hpp"
#include "likelihood/families/binomial.hpp"
#include "likelihood/families/com_poisson.hpp"
#include "likelihood/families/gamma_scale.hpp"
#include "likelihood/families/gamma_shape.hpp"
#include "likelihood/families/gaussian.hpp"
#include "likelihood/families/inverse_gaussian.hpp"
#include "likelihood/families/negative_binomial.hpp"
#include "likelihood/families/poisson.hpp"
#include "report/svg.hpp"

namespace ggpm::internal::report {
namespace {

using namespace families;

constexpr double kEnd = 4;  // eta from -kEnd to kEnd
constexpr int kPoints = 161;
constexpr double kShown[] = {0, 1, 2};  // eta whose densities are drawn
constexpr Ink kDensityInks[] = {Ink::model, Ink::data, Ink::good};

template <class Family, class Link>
bool functions_with(std::string_view link, double phi, double eta, PaperFunctions& out) {
  if (link != Link::name) return false;
  if constexpr (requires { Link::at(eta); })
    out.theta = Family::theta(Link::at(eta), phi);
  else
    out.theta = Family::theta(Link::at(eta, phi), phi);
  out.log_partition = Family::b(out.theta, phi);
  return true;
}

template <class Family, class... Links>
bool functions_among(
    LinkList<Links...>, std::string_view link, double phi, double eta, PaperFunctions& out) {
  return (functions_with<Family, Links>(link, phi, eta, out) || ...);
}

template <class... Families>
bool functions_of(
    std::string_view family, std::string_view link, double phi, double eta, PaperFunctions& out) {
  return ((family == Families::name &&
           functions_among<Families>(typename Families::Links(), link, phi, eta, out)) ||
          ...);
}

Chart empty_chart(
    const char* id, const std::string& name, const char* what, const char* x, const char* y) {
  return {.id = id,
          .title = fmt::format("{}: {}", name, what),
          .caption = "",
          .x = {.title = x},
          .y = {.title = y},
          .height = 240};
}

Row typical_row(Domain domain) {
  Row out;
  if (domain == Domain::fraction_of_trials) out.trials = 10;
  return out;
}

double density(const Likelihood& likelihood, Row row, double eta, double y) {
  row.y = y;
  LogDensity out;
  likelihood.log_density({&row, 1}, {&eta, 1}, Derivatives::value, {&out, 1});
  return std::exp(out.value);
}

// A dot on a stem; `aside` keeps those of several distributions apart.
void add_mass(double y, double aside, double mass, Layer& dots, Layer& stems) {
  dots.x.push_back(y + aside);
  dots.y.push_back(mass);
  stems.x.push_back(y + aside);
  stems.x2.push_back(y + aside);
  stems.y.push_back(0);
  stems.y2.push_back(mass);
}

// The mean and the central 80 % of y.
Chart mean_chart(const Likelihood& likelihood, const std::string& name) {
  Chart out = empty_chart("mean", name, "outputs by eta", "eta", "y");
  out.caption = "The mean, which is the inverse of the link function, and the central 80 % of y.";
  const Row row = typical_row(likelihood.domain());
  Layer band{.mark = Mark::band, .name = "80 % of y", .opacity = 0.25, .x = {}, .y = {}},
      mean{.name = "mean", .x = {}, .y = {}};
  for (int i = 0; i < kPoints; ++i) {
    const double eta = -kEnd + 2 * kEnd * i / (kPoints - 1);
    band.x.push_back(eta);
    band.y.push_back(likelihood.quantile(row, eta, 0.1));
    band.y2.push_back(likelihood.quantile(row, eta, 0.9));
    mean.x.push_back(eta);
    mean.y.push_back(likelihood.typical(row, eta));
  }
  out.layers = {std::move(band), std::move(mean)};
  return out;
}

}  // namespace

bool paper_functions(
    std::string_view family, std::string_view link, double phi, double eta, PaperFunctions& out) {
  return functions_of<Gaussian,
                      GammaShape,
                      GammaScale,
                      InverseGaussian,
                      NegativeBinomial,
                      Poisson,
                      ComPoisson,
                      Binomial,
                      Bernoulli,
                      Beta>(family, link, phi, eta, out);
}

Chart density_chart(std::string_view name, std::string_view link) {
  const auto likelihood = make_likelihood(name, link);
  const Domain domain = likelihood->domain();
  const bool whole = is_discrete(domain), has_zeros = domain == Domain::nonnegative;
  Chart out = empty_chart("density",
                          likelihood_name(likelihood->name(), likelihood->link()),
                          whole ? "probabilities" : "densities",
                          "y",
                          "p(y)");
  out.caption = "What y may be at three values of the latent function.";
  if (has_zeros) out.caption += " Dots are probabilities of an exact zero.";
  const Row row = typical_row(domain);
  for (int k = 0; k < 3; ++k) {
    const double eta = kShown[k];
    const double low = likelihood->quantile(row, eta, 0.005),
                 high = likelihood->quantile(row, eta, 0.995);
    const std::string shown = fmt::format("eta = {}", eta);
    Layer dots{.mark = Mark::points, .ink = kDensityInks[k], .x = {}, .y = {}},
        stems{.mark = Mark::segments, .ink = kDensityInks[k], .x = {}, .y = {}},
        curve{.ink = kDensityInks[k], .x = {}, .y = {}};
    if (whole)
      for (double y = low; y <= high; ++y)
        add_mass(y, 0.15 * (k - 1), density(*likelihood, row, eta, y), dots, stems);
    else
      for (int i = has_zeros ? 1 : 0; i < kPoints; ++i) {
        const double y = low + (high - low) * i / (kPoints - 1);
        curve.x.push_back(y);
        curve.y.push_back(density(*likelihood, row, eta, y));
      }
    if (has_zeros) add_mass(0, 0, density(*likelihood, row, eta, 0), dots, stems);
    (whole ? dots : curve).name = shown;
    for (Layer* layer : {&stems, &dots, &curve})
      if (!layer->x.empty()) out.layers.push_back(std::move(*layer));
  }
  return out;
}

std::vector<Chart> function_charts(std::string_view name, std::string_view link) {
  const auto likelihood = make_likelihood(name, link);
  const std::string shown = likelihood_name(likelihood->name(), likelihood->link());
  const auto parameters = likelihood->parameters();
  const double phi = parameters.empty() ? 1 : parameters[0].value;
  std::vector<Chart> out = {mean_chart(*likelihood, shown)};
  Chart theta = empty_chart("theta", shown, "parameter function", "eta", "theta(eta)"),
        partition =
            empty_chart("log-partition", shown, "log-partition function", "theta", "b(theta)");
  theta.caption = "The natural parameter by the latent function.";
  partition.caption = "Along the parameters that the latent function can reach.";
  Layer curve{.x = {}, .y = {}}, along{.ink = Ink::data, .x = {}, .y = {}};
  for (int i = 0; i < kPoints; ++i) {
    const double eta = -kEnd + 2 * kEnd * i / (kPoints - 1);
    PaperFunctions at;
    if (!paper_functions(likelihood->name(), likelihood->link(), phi, eta, at)) return out;
    curve.x.push_back(eta);
    curve.y.push_back(at.theta);
    along.x.push_back(at.theta);
    along.y.push_back(at.log_partition);
  }
  theta.layers = {std::move(curve)};
  partition.layers = {std::move(along)};
  out.push_back(std::move(theta));
  out.push_back(std::move(partition));
  return out;
}

}  // namespace ggpm::internal::report

namespace ggpm {

// The charts below each other.
std::string likelihood_svg(std::string_view name, std::string_view link) {
  using namespace internal::report;
  if (has_several_latents(*make_likelihood(name, link)))
    throw UsageError(fmt::format(
        "likelihood '{}' has a latent function for each class; a picture is along one", name));
  std::string parts;
  double height = 0;
  std::vector<Chart> charts = function_charts(name, link);
  charts.insert(charts.begin(), density_chart(name, link));
  for (const Chart& chart : charts) {
    const std::string svg = svg_file(chart);
    parts += fmt::format(R"(<svg y="{}" )", height) + svg.substr(svg.find(' ') + 1);
    height += chart.height + kSvgTitle;
  }
  return fmt::format(
             R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}">)",
             kWidth,
             height) +
         parts + "</svg>\n";
}

}  // namespace ggpm
