// A page that needs nothing but itself: one HTML file with its styles, pictures and Vega inside.
//
//   Page page("Counts of birds");
//   page.lead("412 counts, explained by a Poisson model.");
//   page.heading("The fit");
//   page.paragraph("Bands hold half, 80 % and 95 % of new counts.");
//   page.chart(chart);                                      // report/chart.hpp
//   page.table({.caption = "Worst rows", .header = {"row", "n"}, .rows = {{"17", "3"}}});
//   write_file_atomically("report.html", page.html());
//
// Every text is plain text: what looks like HTML in it is shown, not obeyed.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/chart.hpp"

namespace ggpm::internal::report {

struct PageTable {
  std::string caption;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // as long as the header
  bool folded = false;                         // shown when its caption is clicked, and in print
};

enum class Tone { good, note, warning };

class Page {
 public:
  explicit Page(std::string title);

  void lead(std::string_view text);     // the first sentences, large
  void heading(std::string_view text);  // begins a section, which the contents list
  void subheading(std::string_view text);
  void paragraph(std::string_view text);
  void box(Tone tone, std::string_view text);  // a sentence that stands out
  void facts(const std::vector<std::pair<std::string, std::string>>&);  // name and value
  void table(const PageTable& table);
  void chart(const Chart& chart);
  void charts(const std::vector<Chart>& charts);  // side by side where there is room
  void footer(std::string_view text);

  const std::vector<Chart>& all_charts() const { return charts_; }  // in order, e.g. for svg_file
  std::string html() const;

 private:
  void close_section();
  std::string figure(const Chart& chart);

  std::string title_, lead_, body_, footer_;
  std::vector<std::string> sections_;
  std::vector<Chart> charts_;
};

}  // namespace ggpm::internal::report
