#include "report/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "report/html.hpp"
#include "report/ink.hpp"
#include "text/text.hpp"

namespace ggpm::internal::report {
namespace {

constexpr double kLetter = 6.6;  // mean width in pixels

struct Theme {
  bool page = true;
  std::string ink(Ink ink) const { return page ? color_variable(ink) : find_ink(ink).light; }
  std::string text() const { return page ? "var(--ink)" : "#1c2430"; }
  std::string soft() const { return page ? "var(--soft)" : "#5a6472"; }
  std::string line() const { return page ? "var(--line)" : "#dde2e8"; }
};

class Drawing {
 public:
  Drawing(const Chart& chart, Theme theme) : chart_(chart), theme_(theme), frame_(frame(chart)) {
    height_ = chart.aspect > 0 ? std::clamp(480 * chart.aspect, 200.0, 640.0) : chart.height;
    top_ = theme.page ? 8 : kSvgTitle;
    if (!theme.page) height_ += top_;
    left_ = 34 + kLetter * static_cast<double>(longest_y_label());
    bottom_ = height_ - 44;
  }

  std::string draw() {
    out_ = fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" )"
        R"(role="img" aria-label="{2}" font-family="{3}" font-size="12">)",
        kWidth,
        height_,
        escape(chart_.title),
        theme_.page ? "inherit" : "system-ui, sans-serif");
    if (!theme_.page) out_ += R"(<rect width="100%" height="100%" fill="#ffffff"/>)";
    axes();
    const std::string clip = (theme_.page ? "clip-" : "plot-") + chart_.id;
    out_ += fmt::format(
        R"(<clipPath id="{}"><rect x="{:.5g}" y="{:.5g}" width="{:.5g}" height="{:.5g}"/></clipPath>)"
        R"~(<g clip-path="url(#{})">)~",
        clip,
        left_,
        top_,
        right_ - left_,
        bottom_ - top_,
        clip);
    for (const Layer& layer : chart_.layers) draw(layer);
    out_ += "</g>";
    if (!theme_.page) title_and_legend();
    return out_ + "</svg>";
  }

 private:
  static double share(double v, const Range& r, bool log) {
    return log ? std::log(v / r.low) / std::log(r.high / r.low) : (v - r.low) / (r.high - r.low);
  }
  double x(double v) const { return left_ + share(v, frame_.x, chart_.x.log) * (right_ - left_); }
  double y(double v) const { return bottom_ - share(v, frame_.y, chart_.y.log) * (bottom_ - top_); }

  template <class... T>
  void add(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<T>(values)...);
  }

  static std::vector<double> places(const Axis& axis, const Range& range, int most) {
    if (axis.categories.empty()) return ticks(range, axis.log, most);
    std::vector<double> out(axis.categories.size());
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = static_cast<double>(k);
    return out;
  }
  static std::string tick_text(const Axis& axis, double place) {
    return axis.categories.empty() ? number(place, 6)
                                   : shorten(axis.categories[static_cast<std::size_t>(place)], 20);
  }
  std::size_t longest_y_label() const {
    std::size_t out = 1;
    for (const double v : places(chart_.y, frame_.y, 6))
      out = std::max(out, text::count_characters(tick_text(chart_.y, v)));
    return out;
  }

  void axes() {
    double free_from = 0;  // labels that would touch the one before are left out
    for (const double v : places(chart_.x, frame_.x, 8)) {
      const std::string text = tick_text(chart_.x, v);
      const double half = kLetter * static_cast<double>(text::count_characters(text)) / 2;
      add(R"(<line x1="{0:.5g}" x2="{0:.5g}" y1="{1:.5g}" y2="{2:.5g}" stroke="{3}"/>)",
          x(v),
          top_,
          bottom_,
          theme_.line());
      if (x(v) - half < free_from || x(v) + half > kWidth) continue;
      free_from = x(v) + half + 4;
      add(R"(<text x="{:.5g}" y="{:.5g}" text-anchor="middle" fill="{}">{}</text>)",
          x(v),
          bottom_ + 16,
          theme_.soft(),
          escape(text));
    }
    for (const double v : places(chart_.y, frame_.y, 6)) {
      add(R"(<line x1="{0:.5g}" x2="{1:.5g}" y1="{2:.5g}" y2="{2:.5g}" stroke="{3}"/>)",
          left_,
          right_,
          y(v),
          theme_.line());
      add(R"(<text x="{:.5g}" y="{:.5g}" text-anchor="end" fill="{}">{}</text>)",
          left_ - 6,
          y(v) + 4,
          theme_.soft(),
          escape(tick_text(chart_.y, v)));
    }
    add(R"(<text x="{:.5g}" y="{:.5g}" text-anchor="middle" fill="{}">{}</text>)",
        (left_ + right_) / 2,
        height_ - 8,
        theme_.text(),
        escape(chart_.x.title));
    add(R"~(<text transform="translate(14 {:.5g}) rotate(-90)" text-anchor="middle" fill="{}">{}</text>)~",
        (top_ + bottom_) / 2,
        theme_.text(),
        escape(chart_.y.title));
  }

  void title_and_legend() {
    add(R"(<text x="12" y="20" font-size="14" font-weight="600" fill="{}">{}</text>)",
        theme_.text(),
        escape(chart_.title));
    double place = 12;
    for (const Layer& layer : chart_.layers) {
      if (layer.name.empty()) continue;
      if (layer.symbol == Symbol::dot)
        add(R"(<rect x="{:.5g}" y="30" width="12" height="12" fill="{}" fill-opacity="{:.3g}"/>)",
            place,
            theme_.ink(layer.ink),
            layer.opacity);
      else
        add(R"~(<path transform="translate({:.5g} 36)" fill="none" stroke="{}" stroke-width="{}" d="{}"/>)~",
            place + 6,
            theme_.ink(layer.ink),
            kOpenWidth,
            outline(layer.symbol));
      add(R"(<text x="{:.5g}" y="40" fill="{}">{}</text>)",
          place + 17,
          theme_.soft(),
          escape(layer.name));
      place += 34 + kLetter * static_cast<double>(text::count_characters(layer.name));
    }
  }

  // Runs of points without a gap.
  template <class Emit>
  static void each_run(const Layer& layer, Emit emit) {
    for (std::size_t begin = 0; begin < layer.x.size();) {
      std::size_t end = begin;
      while (end < layer.x.size() && has_place(layer, end)) ++end;
      if (end > begin) emit(begin, end);
      begin = end + 1;
    }
  }

  void draw(const Layer& layer) {
    const std::string color = theme_.ink(layer.ink);
    const std::string dash =
        layer.dashed ? fmt::format(R"( stroke-dasharray="{} {}")", kDash[0], kDash[1]) : "";
    const std::string stroke =
        fmt::format(R"(fill="none" stroke="{}" stroke-opacity="{:.3g}" stroke-width="{}"{})",
                    color,
                    layer.opacity,
                    layer.mark == Mark::line ? kLineWidth : kSegmentWidth,
                    dash);
    switch (layer.mark) {
      case Mark::line:
        each_run(layer, [&](std::size_t begin, std::size_t end) {
          out_ += R"(<polyline points=")";
          for (std::size_t i = begin; i < end; ++i)
            add("{:.5g},{:.5g} ", x(layer.x[i]), y(layer.y[i]));
          add(R"(" {}/>)", stroke);
        });
        break;
      case Mark::band:
        each_run(layer, [&](std::size_t begin, std::size_t end) {
          out_ += R"(<polygon points=")";
          for (std::size_t i = begin; i < end; ++i)
            add("{:.5g},{:.5g} ", x(layer.x[i]), y(layer.y[i]));
          for (std::size_t i = end; i-- > begin;)
            add("{:.5g},{:.5g} ", x(layer.x[i]), y(layer.y2[i]));
          add(R"(" fill="{}" fill-opacity="{:.3g}"/>)", color, layer.opacity);
        });
        break;
      case Mark::points:
        if (layer.symbol != Symbol::dot) {
          open_points(layer);
          break;
        }
        add(R"(<g fill="{}" fill-opacity="{:.3g}">)", color, layer.opacity);
        for (std::size_t i = 0; i < layer.x.size(); ++i)
          if (has_place(layer, i))
            add(R"(<circle cx="{:.5g}" cy="{:.5g}" r="{:.2g}"{}/>)",
                x(layer.x[i]),
                y(layer.y[i]),
                std::sqrt(kPointArea / std::numbers::pi),
                layer.shade.empty() ? ""
                                    : fmt::format(R"( fill-opacity="{:.3g}")", opacity(layer, i)));
        out_ += "</g>";
        break;
      case Mark::boxes:
        add(R"(<g fill="{}">)", color);
        for (std::size_t i = 0; i < layer.x.size(); ++i)
          if (has_place(layer, i)) box(layer, i);
        out_ += "</g>";
        break;
      case Mark::segments:
        add(R"(<path {} d=")", stroke);
        for (std::size_t i = 0; i < layer.x.size(); ++i)
          if (has_place(layer, i))
            add("M{:.5g} {:.5g}L{:.5g} {:.5g}",
                x(layer.x[i]),
                y(layer.y[i]),
                x(layer.x2[i]),
                y(layer.y2[i]));
        out_ += R"("/>)";
        break;
    }
  }

  void open_points(const Layer& layer) {
    add(R"(<g fill="none" stroke="{}" stroke-width="{}">)", theme_.ink(layer.ink), kOpenWidth);
    for (std::size_t i = 0; i < layer.x.size(); ++i)
      if (has_place(layer, i))
        add(R"~(<path transform="translate({:.5g} {:.5g})" stroke-opacity="{:.3g}" d="{}"/>)~",
            x(layer.x[i]),
            y(layer.y[i]),
            opacity(layer, i),
            outline(layer.symbol));
    out_ += "</g>";
  }

  void box(const Layer& layer, std::size_t i) {
    const double cover = opacity(layer, i);
    if (!(cover > 0.004)) return;
    const double x1 = x(layer.x[i]), x2 = x(layer.x2[i]), y1 = y(layer.y[i]), y2 = y(layer.y2[i]);
    add(R"(<rect x="{:.5g}" y="{:.5g}" width="{:.4g}" height="{:.4g}" fill-opacity="{:.3g}"/>)",
        std::min(x1, x2),
        std::min(y1, y2),
        std::abs(x2 - x1),
        std::abs(y2 - y1),
        cover);
  }

  const Chart& chart_;
  Theme theme_;
  Frame frame_;
  double height_ = 0, left_ = 0, right_ = kWidth - 14, top_ = 0, bottom_ = 0;
  std::string out_;
};

}  // namespace

std::vector<double> ticks(const Range& range, bool log, int most) {
  std::vector<double> out;
  const double width = range.high - range.low;
  if (!(width > 0) || !std::isfinite(width)) return out;
  if (log) {
    const double decades = std::log10(range.high / range.low);
    const int step = std::max(1, static_cast<int>(std::ceil(decades / most)));
    for (int k = static_cast<int>(std::ceil(std::log10(range.low) - 1e-9));
         std::pow(10, k) <= range.high * (1 + 1e-9);
         k += step)
      for (const double part : {1.0, 2.0, 5.0})
        if ((part == 1.0 || decades < 2) && part * std::pow(10, k) <= range.high)
          out.push_back(part * std::pow(10, k));
    return out;
  }
  const double rough = width / most, power = std::pow(10, std::floor(std::log10(rough)));
  const double step = power * (rough <= power       ? 1
                               : rough <= 2 * power ? 2
                               : rough <= 5 * power ? 5
                                                    : 10);
  for (double k = std::ceil(range.low / step - 1e-9); k * step <= range.high + 1e-9 * step; ++k)
    out.push_back(k == 0 ? 0 : k * step);
  return out;
}

std::string inline_svg(const Chart& chart) { return Drawing(chart, {.page = true}).draw(); }
std::string svg_file(const Chart& chart) { return Drawing(chart, {.page = false}).draw() + "\n"; }

}  // namespace ggpm::internal::report
