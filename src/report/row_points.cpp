#include "report/row_points.hpp"

namespace ggpm::internal::report {
namespace {

void add_point(Layer& layer, double x, double y, std::string label) {
  layer.x.push_back(x);
  layer.y.push_back(y);
  layer.label.push_back(std::move(label));
}

Layer points(Symbol symbol, std::string name, Ink ink, double opacity) {
  return {.mark = Mark::points,
          .symbol = symbol,
          .name = std::move(name),
          .ink = ink,
          .opacity = opacity};
}

}  // namespace

RowPoints::RowPoints(const Subject& subject, const std::string& name)
    : subject_(subject),
      seen_(points(Symbol::dot, name, Ink::data, 0.75)),
      larger_(points(Symbol::up, "known to be larger", Ink::data, 1)),
      smaller_(points(Symbol::down, "known to be smaller", Ink::data, 1)),
      between_{.mark = Mark::segments, .ink = Ink::data, .opacity = 0.75},
      middle_(points(Symbol::ring, "known to lie between", Ink::data, 1)) {}

void RowPoints::add(double x, const Row& row, std::string label) {
  const double y = subject_.shown(row.y, row);
  if (!row.is_interval())
    return add_point(row.censored > 0   ? larger_
                     : row.censored < 0 ? smaller_
                                        : seen_,
                     x,
                     y,
                     std::move(label));
  const double upper = subject_.shown(row.upper, row);
  between_.x.push_back(x);
  between_.x2.push_back(x);
  between_.y.push_back(y);
  between_.y2.push_back(upper);
  add_point(middle_, x, (y + upper) / 2, label + ": " + subject_.known_words(row));
}

void RowPoints::add_to(Chart& chart) const {
  for (const Layer* layer : {&between_, &seen_, &larger_, &smaller_, &middle_})
    if (!layer->x.empty()) chart.layers.push_back(*layer);
}

std::vector<double> RowPoints::outputs() const {
  std::vector<double> out;
  for (const Layer* layer : {&seen_, &larger_, &smaller_, &between_})
    for (const auto* values : {&layer->y, &layer->y2})
      out.insert(out.end(), values->begin(), values->end());
  return out;
}

MarkedPoints::MarkedPoints(const std::string& name, Ink ink, double opacity, bool in_legend)
    : seen_(points(Symbol::dot, name, ink, opacity)),
      censored_(points(Symbol::ring, in_legend ? "censored" : "", ink, 1)) {}

void MarkedPoints::add(double x, double y, const Row& row, std::string label) {
  add_point(row.is_censored() ? censored_ : seen_, x, y, std::move(label));
}

void MarkedPoints::add_to(Chart& chart) const {
  chart.layers.push_back(seen_);
  if (!censored_.x.empty()) chart.layers.push_back(censored_);
}

}  // namespace ggpm::internal::report
