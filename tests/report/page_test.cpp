// Pages: what comes from outside stays text, and everything is inside the one file.
#include "report/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "report/assets.hpp"
#include "report/html.hpp"
#include "report/svg.hpp"
#include "report/vega.hpp"

namespace ggpm::internal::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kHostile =
    "</script><script>alert(1)</script>\"'&<img src=x onerror=alert(1)>";

Chart example() {
  return {.id = "fit",
          .title = kHostile,
          .x = {.title = kHostile},
          .y = {.title = "n"},
          .layers = {
              {.mark = Mark::band, .name = "95 %", .x = {0, 1, 2}, .y = {0, 1, 1}, .y2 = {2, 3, 4}},
              {.mark = Mark::line, .name = kHostile, .x = {0, 1, 2}, .y = {1, 2, 3}},
              {.mark = Mark::points,
               .ink = Ink::data,
               .x = {0, 2},
               .y = {1, 3},
               .label = {kHostile, "b"}}}};
}

TEST(Page, ShowsHostileTextAndObeysNoneOfIt) {
  Page page(kHostile);
  page.lead(kHostile);
  page.heading(kHostile);
  page.subheading(kHostile);
  page.paragraph(kHostile);
  page.box(Tone::warning, kHostile);
  page.facts({{kHostile, kHostile}});
  page.table({.caption = kHostile, .header = {kHostile}, .rows = {{kHostile}}});
  page.table({.caption = kHostile, .header = {kHostile}, .rows = {{kHostile}}, .folded = true});
  page.chart(example());
  page.footer(kHostile);
  std::string html = page.html();
  const std::size_t script = html.find(assets::script());
  ASSERT_NE(script, std::string::npos);
  html.erase(script, assets::script().size());
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  const std::regex tag("<script");
  EXPECT_EQ(std::distance(std::sregex_iterator(html.begin(), html.end(), tag), {}), 2)
      << "the page's own and the chart's data";
}

TEST(Page, FetchesNothing) {
  Page page("a");
  page.heading("b");
  Chart chart = example();
  chart.title = chart.x.title = chart.layers[1].name = "x";
  chart.layers[2].label.clear();
  page.chart(chart);
  const std::string html = page.html();
  for (const char* word : {"src=", "href=\"http", "@import", "url(http", "<link"})
    EXPECT_EQ(html.substr(0, html.find(assets::script())).find(word), std::string::npos) << word;
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
}

TEST(Page, HasVegaInside) {
  EXPECT_GT(assets::script().size(), 200'000U) << "libjs-vega was missing when this was built";
  EXPECT_THAT(std::string(assets::script()), Not(HasSubstr("</script")));
}

TEST(ScriptJson, ReadsBackAndCannotEndItsElement) {
  const Json json = {{"name", kHostile}, {"bad", "\xff\xfe"}};
  const std::string text = script_json(json);
  EXPECT_EQ(text.find('<'), std::string::npos);
  EXPECT_EQ(Json::parse(text)["name"], kHostile);
}

TEST(Shorten, CutsTheMiddleOutAndKeepsCharactersWhole) {
  EXPECT_EQ(shorten("age"), "age");
  EXPECT_EQ(shorten(std::string(10000, 'x') + "end", 12), "\u2068xxxxxxxx…end\u2069");
  EXPECT_EQ(shorten("a\nb\tc"), "a b c");
  EXPECT_EQ(shorten("\xff\x1b."), "\\xff\\u001b.");
  EXPECT_EQ(shorten("😀😀😀😀😀😀", 5), "\u2068😀😀😀…😀\u2069");
}

TEST(VegaSpec, HoldsDataOfEveryLayer) {
  const Json spec = vega_spec(example());
  ASSERT_EQ(spec["data"].size(), 3U);
  EXPECT_EQ(spec["data"][0]["values"][2]["y2"], 4);
  EXPECT_EQ(spec["data"][2]["values"][0]["label"], kHostile);
  EXPECT_EQ(spec["axes"][0]["title"], kHostile);
  const double low = spec["signals"][1]["value"][0], high = spec["signals"][1]["value"][1];
  EXPECT_EQ(low, 0);
  EXPECT_GT(high, 4);
}

TEST(Svg, LeavesGapsWhereThereIsNoNumber) {
  Chart chart = example();
  chart.layers = {{.mark = Mark::line, .x = {0, 1, 2, 3, 4}, .y = {1, 2, std::nan(""), 2, 1}}};
  const std::string svg = svg_file(chart);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  const std::regex line("<polyline");
  EXPECT_EQ(std::distance(std::sregex_iterator(svg.begin(), svg.end(), line), {}), 2);
}

TEST(Svg, LeavesOutWhatHasNoPlace) {
  const double infinite = std::numeric_limits<double>::infinity();
  Chart chart = example();
  chart.layers = {
      {.mark = Mark::segments, .x = {0, 1}, .y = {0, 1}, .x2 = {0, 1}, .y2 = {infinite, 2}},
      {.mark = Mark::boxes, .x = {0, 1}, .y = {0, 1}, .x2 = {infinite, 2}, .y2 = {1, 2}},
      {.mark = Mark::points, .x = {std::nan(""), 1}, .y = {0, 1}}};
  for (const std::string& svg : {svg_file(chart), inline_svg(chart)}) {
    EXPECT_THAT(svg, Not(HasSubstr("inf")));
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
  }
  const Json spec = vega_spec(chart);
  for (const Json& data : spec["data"]) EXPECT_EQ(data["values"].size(), 1U);
}

TEST(Ticks, AreRoundNumbers) {
  EXPECT_THAT(ticks({0, 10}, false, 5), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(ticks({-0.3, 0.3}, false, 3), ElementsAre(-0.2, 0, 0.2));
  EXPECT_THAT(ticks({0.5, 2000}, true, 6), ElementsAre(1, 10, 100, 1000));
  EXPECT_TRUE(ticks({1, 1}, false, 5).empty());
}

}  // namespace
}  // namespace ggpm::internal::report
