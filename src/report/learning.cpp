#include "report/learning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "inference/method.hpp"
#include "model/state.hpp"
#include "report/html.hpp"

namespace ggpm::internal::report {

int affordable_grid(const GeneralizedGP& model) {
  const Index n = (find_method(model.inference()).integrates ? 3 : 1) * model.engine().dense_rows;
  return n <= 250 ? 21 : n <= 500 ? 15 : n <= 800 ? 11 : n <= 1200 ? 9 : 0;
}

PageTable parameter_table(const GeneralizedGP& model) {
  PageTable out{.caption = "Hyperparameters at the best optimum",
                .header = {"parameter", "value", "95 % interval", "gradient", "remark"}};
  const Vector gradient = model.gradient().flat();
  Index k = 0;
  for (const FittedParameter& fitted : model.parameters()) {
    const Parameter& p = fitted.parameter;
    const std::optional<Interval> interval = fitted.interval();
    std::string remark = fitted.remark();
    if (fitted.at_lower || fitted.at_upper)
      remark += " " + number(fitted.at_lower ? p.lower : p.upper);
    const std::string prior = fitted.prior.text();
    if (!prior.empty()) remark += (remark.empty() ? "prior " : "; prior ") + prior;
    out.rows.push_back(
        {shorten(p.name, 60),
         number(p.value, 6),
         interval ? fmt::format("{} … {}", number(interval->lower), number(interval->upper)) : "–",
         k < gradient.size() ? number(gradient[k], 2) : "–",
         remark});
    ++k;
  }
  return out;
}

PageTable optima_table(const GeneralizedGP& model) {
  PageTable out{.caption = "All optima that were found",
                .header = {"log marginal", "inference", "converged", "evaluations"}};
  const std::vector<FittedParameter> parameters = model.parameters();
  for (const FittedParameter& p : parameters) out.header.push_back(p.parameter.name);
  for (const Optimum& optimum : model.optima()) {
    std::vector<std::string> row = {fmt::format("{:.4f}", optimum.log_marginal),
                                    std::string(to_string(optimum.method)),
                                    optimum.converged ? "yes" : "no",
                                    fmt::format("{}", optimum.evaluations)};
    for (const double value : optimum.at.flat()) row.push_back(number(value));
    out.rows.push_back(std::move(row));
  }
  return out;
}

Chart climb_chart(const ClimbedPath& path) {
  Layer line{.mark = Mark::line, .name = "best so far", .ink = Ink::accent, .y = path.log_marginal};
  Layer points{.mark = Mark::points, .ink = Ink::accent, .y = path.log_marginal};
  for (std::size_t k = 0; k < path.points.size(); ++k) {
    line.x.push_back(static_cast<double>(k));
    points.x.push_back(static_cast<double>(k));
  }
  return {.id = "climb",
          .title = "The climb of the log marginal",
          .caption = "One climb from the given starting values, repeated for this report.",
          .x = {.title = "step"},
          .y = {.title = "log marginal"},
          .layers = {std::move(line), std::move(points)},
          .height = 240};
}

}  // namespace ggpm::internal::report
