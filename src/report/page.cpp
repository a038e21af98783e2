#include "report/page.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "ggpm/version.hpp"
#include "report/assets.hpp"
#include "report/html.hpp"
#include "report/ink.hpp"
#include "report/svg.hpp"
#include "report/vega.hpp"

namespace ggpm::internal::report {
namespace {

std::string base64_of_hex(std::string_view hex) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bits, out;
  for (const char c : hex) {
    const int digit = c <= '9' ? c - '0' : c - 'a' + 10;
    for (int k = 3; k >= 0; --k) bits += (digit >> k & 1) != 0 ? '1' : '0';
  }
  while (bits.size() % 6 != 0) bits += '0';
  for (std::size_t i = 0; i < bits.size(); i += 6) {
    unsigned value = 0;
    for (std::size_t k = 0; k < 6; ++k) value = value * 2 + (bits[i + k] == '1' ? 1 : 0);
    out += letters[value];
  }
  while (out.size() % 4 != 0) out += '=';
  return out;
}

// The one script of the page runs, by its hash; nothing else does, and nothing is fetched. Were a
// text to slip through escape(), it would still be inert.
std::string security_policy() {
  return fmt::format(
      "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{}'",
      base64_of_hex(assets::script_sha256()));
}

std::string element(std::string_view tag, std::string_view text) {
  return fmt::format("<{0}>{1}</{0}>\n", tag, escape(text));
}

bool is_number(const std::string& cell) {
  return !cell.empty() && (std::isdigit(static_cast<unsigned char>(cell.front())) != 0 ||
                           cell.starts_with("-") || cell.starts_with("+") || cell == "–");
}

std::string cell(const char* tag, const std::string& text) {
  return fmt::format(
      "<{0}{1}><bdi>{2}</bdi></{0}>", tag, is_number(text) ? " class=n" : "", escape(text));
}

bool is_area(const Layer& layer) { return layer.mark == Mark::band || layer.mark == Mark::boxes; }

std::string legend(const Chart& chart) {
  std::string out;
  double clear = 1;  // what bands that lie upon each other let through
  for (std::size_t k = 0; k < chart.layers.size(); ++k) {
    const Layer& layer = chart.layers[k];
    const bool upon = k > 0 && chart.layers[k - 1].mark == layer.mark && is_area(layer) &&
                      chart.layers[k - 1].ink == layer.ink;
    clear = (upon ? clear : 1) * (1 - layer.opacity);
    if (layer.name.empty()) continue;
    const char* shape = is_area(layer) ? "patch" : layer.mark == Mark::points ? "dot" : "stroke";
    if (layer.symbol != Symbol::dot) {
      out += fmt::format(
          R"~(<li><svg viewBox="-5 -5 10 10" aria-hidden="true"><path fill="none" stroke="{}" )~"
          R"~(stroke-width="{}" d="{}"/></svg><bdi>{}</bdi></li>)~",
          color_variable(layer.ink),
          kOpenWidth,
          outline(layer.symbol),
          escape(layer.name));
      continue;
    }
    out += fmt::format(R"(<li><i class="{}{}" style="--c:{};--o:{:.3g}"></i><bdi>{}</bdi></li>)",
                       shape,
                       layer.dashed ? " dashed" : "",
                       color_variable(layer.ink),
                       is_area(layer) ? 1 - clear : layer.opacity,
                       escape(layer.name));
  }
  return out.empty() ? "" : "<ul class=legend>" + out + "</ul>";
}

}  // namespace

Page::Page(std::string title) : title_(std::move(title)) {}

void Page::lead(std::string_view text) {
  lead_ += fmt::format("<p class=lead>{}</p>\n", escape(text));
}

void Page::close_section() {
  if (!sections_.empty()) body_ += "</section>\n";
}

void Page::heading(std::string_view text) {
  close_section();
  sections_.emplace_back(text);
  body_ += fmt::format("<section id=\"s{}\">\n<h2>{}</h2>\n", sections_.size(), escape(text));
}

void Page::subheading(std::string_view text) { body_ += element("h3", text); }
void Page::paragraph(std::string_view text) { body_ += element("p", text); }

void Page::box(Tone tone, std::string_view text) {
  constexpr std::string_view names[] = {"good", "note", "warning"};
  constexpr std::string_view words[] = {"Good: ", "Note: ", "Warning: "};
  const auto k = static_cast<std::size_t>(tone);
  body_ += fmt::format(
      "<p class=\"box {}\"><strong>{}</strong>{}</p>\n", names[k], words[k], escape(text));
}

void Page::facts(const std::vector<std::pair<std::string, std::string>>& facts) {
  body_ += "<dl class=facts>";
  for (const auto& [name, value] : facts)
    body_ +=
        fmt::format("<div><dt>{}</dt><dd><bdi>{}</bdi></dd></div>", escape(name), escape(value));
  body_ += "</dl>\n";
}

void Page::table(const PageTable& table) {
  std::string out = "<div class=scroll><table>";
  if (!table.folded) out += "<caption>" + escape(table.caption) + "</caption>";
  out += "<thead><tr>";
  for (const std::string& name : table.header)
    out += "<th scope=col><bdi>" + escape(name) + "</bdi></th>";
  out += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (const std::string& text : row) out += cell("td", text);
    out += "</tr>\n";
  }
  out += "</tbody></table></div>\n";
  body_ += table.folded
               ? "<details><summary>" + escape(table.caption) + "</summary>" + out + "</details>\n"
               : out;
}

std::string Page::figure(const Chart& chart) {
  charts_.push_back(chart);
  return fmt::format(
      "<figure id=\"{}\"{}>\n<h4>{}</h4>{}<div class=picture>{}</div>"
      "<script type=\"application/json\">{}</script>{}</figure>\n",
      escape(chart.id),
      chart.aspect > 0 ? " class=shaped" : "",
      escape(chart.title),
      legend(chart),
      inline_svg(chart),
      script_json(vega_spec(chart)),
      chart.caption.empty() ? "" : "<figcaption>" + escape(chart.caption) + "</figcaption>");
}

void Page::chart(const Chart& chart) { body_ += figure(chart); }

void Page::charts(const std::vector<Chart>& charts) {
  body_ += "<div class=pair>\n";
  for (const Chart& chart : charts) body_ += figure(chart);
  body_ += "</div>\n";
}

void Page::footer(std::string_view text) { footer_ += element("p", text); }

std::string Page::html() const {
  std::string contents;
  for (std::size_t k = 0; k < sections_.size(); ++k)
    contents += fmt::format("<a href=\"#s{}\">{}</a> ", k + 1, escape(sections_[k]));
  return fmt::format(
      "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=color-scheme content=\"light dark\">\n"
      "<meta name=generator content=\"ggpm {}\">\n"
      "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n"
      "<header><h1>{}</h1>\n{}</header>\n{}{}{}<footer>\n{}</footer>\n</main>\n"
      "<script>{}</script>\n</body>\n</html>\n",
      security_policy(),
      version(),
      escape(title_),
      assets::style(),
      escape(title_),
      lead_,
      sections_.size() < 2 ? "" : "<nav aria-label=Contents>" + contents + "</nav>\n",
      body_,
      sections_.empty() ? "" : "</section>\n",
      footer_,
      assets::script());
}

}  // namespace ggpm::internal::report
