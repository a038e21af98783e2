// Reports through the command: every kind of output, warnings in words, figures, sizes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "cli/process.hpp"

namespace ggpm::internal {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using testing_support::file_contents;
using testing_support::Shell;
using testing_support::write_file;

// The specifications of all charts of a page.
std::vector<nlohmann::json> charts_of(const std::string& page) {
  const std::string begin = "<script type=\"application/json\">";
  std::vector<nlohmann::json> out;
  for (std::size_t at = page.find(begin); at != std::string::npos; at = page.find(begin, at + 1)) {
    const std::size_t from = at + begin.size();
    out.push_back(nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from)));
  }
  return out;
}

std::string page_of(const Shell& shell, const std::string& line) {
  const auto result = shell.run("set -e; " + line);
  EXPECT_EQ(result.exit_code, 0) << line << "\n" << result.error;
  return file_contents(shell.file("page.html"));
}

std::set<std::string> figures_of(const std::string& page) {
  std::set<std::string> out;
  const std::regex figure("<figure id=\"([a-z0-9-]+)\"");
  for (std::sregex_iterator k(page.begin(), page.end(), figure), end; k != end; ++k)
    out.insert((*k)[1]);
  return out;
}

struct Kind {
  std::string name, simulate, fit;
};

class ReportOf : public testing::TestWithParam<Kind> {};

TEST_P(ReportOf, HasEveryViewWithNumbersInIt) {
  const Shell shell;
  const std::string page =
      page_of(shell,
              "ggpm simulate " + GetParam().simulate +
                  " --rows 40 --seed 3 -o t.csv; ggpm fit t.csv --target y " + GetParam().fit +
                  " --inference laplace --restarts 2 --quiet -o m.ggpm >/dev/null; ggpm report "
                  "m.ggpm --grid 5 -o page.html");
  std::set<std::string> wanted = {
      "fit", "latent", "observed", "pit", "coverage", "density", "climb"};
  if (GetParam().name == "count") wanted.insert("map");
  for (const std::string& name : wanted) EXPECT_EQ(figures_of(page).count(name), 1U) << name;
  for (const nlohmann::json& chart : charts_of(page)) {
    std::size_t numbers = 0;
    for (const auto& data : chart["data"])
      for (const auto& row : data["values"]) numbers += row["y"].is_number() ? 1 : 0;
    EXPECT_GT(numbers, 0U) << chart["description"];
    for (const auto& signal : {chart["signals"][0], chart["signals"][1]})
      EXPECT_LT(signal["value"][0], signal["value"][1]) << chart["description"];
  }
  EXPECT_THAT(page, HasSubstr("40 rows of y"));
  EXPECT_THAT(page, HasSubstr("each predicted from the others"));
  for (const char* word : {">nan<", ">inf<", "NaN"})
    EXPECT_EQ(page.substr(0, page.find("<script>")).find(word), std::string::npos) << word;
}

INSTANTIATE_TEST_SUITE_P(
    Outputs,
    ReportOf,
    testing::ValuesIn(std::vector<Kind>{
        {"count", "--likelihood poisson", "--likelihood poisson"},
        {"positive", "--likelihood gamma-shape --dispersion 0.2", "--likelihood gamma-shape"},
        {"proportion", "--likelihood beta --dispersion 0.1", "--likelihood beta"},
        {"binary", "--likelihood bernoulli", "--likelihood bernoulli"},
        {"binomial", "--likelihood binomial --trials 12", "--likelihood binomial --trials trials"},
        {"robust", "--likelihood student-t", "--likelihood student-t"},
        {"warped",
         "--likelihood gamma-shape --dispersion 0.2",
         "--likelihood gaussian --warp log"}}),
    [](const auto& test) { return test.param.name; });

TEST(Report, RecommendsALikelihoodForCountsThatScatterLess) {
  const Shell shell;
  const std::string page =
      page_of(shell,
              "ggpm fit examples/counts.csv --target n --likelihood poisson --restarts 3 -o m.ggpm "
              "--quiet >/dev/null; ggpm report m.ggpm --grid 0 -o page.html");
  EXPECT_THAT(page, HasSubstr("Poor calibration: intervals are too wide"));
  EXPECT_THAT(page, HasSubstr("--likelihoods poisson,com-poisson"));
}

TEST(Report, NamesTheRowThatIsFarOffAndStudentT) {
  const Shell shell;
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal(0, 0.1);
  std::string table = "x,y\n";
  for (int i = 1; i <= 60; ++i)
    table += std::to_string(i) + "," +
             std::to_string(std::sin(i / 8.0) + normal(random) + (i == 17 || i == 40 ? 3 : 0)) +
             "\n";
  write_file(shell.file("t.csv"), table);
  const std::string page = page_of(
      shell,
      "ggpm fit t.csv --target y --likelihood gaussian --kernel 'rbf(1, 8.7)' --dispersion 0.01 "
      "--no-optimize -o m.ggpm --quiet >/dev/null; ggpm report m.ggpm -o page.html");
  EXPECT_THAT(page, HasSubstr("laplace,student-t"));
  const std::string worst = page.substr(page.find("The rows that the model expected least"));
  const std::string first = worst.substr(worst.find("<tbody>"), 60);
  EXPECT_TRUE(first.find("<bdi>17</bdi>") != std::string::npos ||
              first.find("<bdi>40</bdi>") != std::string::npos)
      << first;
  EXPECT_THAT(page, HasSubstr("Hyperparameters were used as they were given"));
}

TEST(Report, SaysWhichRowsOfATableLieOutsideAndJudgesByThem) {
  const Shell shell;
  write_file(shell.file("new.csv"), "x,n\n1,3\n5,8\n25,30\n");
  const std::string page =
      page_of(shell,
              "ggpm fit examples/counts.csv --target n --likelihood poisson --restarts 2 -o m.ggpm "
              "--quiet >/dev/null; ggpm report m.ggpm new.csv --grid 0 -o page.html");
  EXPECT_THAT(page, HasSubstr("Extrapolation: 1 of the 3 rows of new.csv"));
  EXPECT_THAT(page, HasSubstr("the 3 rows of new.csv"));
  EXPECT_THAT(page, HasSubstr("3 rows are too few to judge"));
}

TEST(Report, TakesTheTrainingTableForWhatItIs) {
  const Shell shell;
  const std::string page =
      page_of(shell,
              "ggpm fit examples/counts.csv --target n --likelihood poisson --restarts 2 -o m.ggpm "
              "--quiet >/dev/null; ggpm report m.ggpm examples/counts.csv --grid 0 -o page.html");
  EXPECT_THAT(page, HasSubstr("Judged by the 80 training rows, each predicted from the others"));
  EXPECT_THAT(page, Not(HasSubstr("Extrapolation")));
}

TEST(Report, OfAThousandRowsIsSmallerThanTwoMegabytes) {
  const Shell shell;
  const std::string page = page_of(
      shell,
      "ggpm simulate --rows 1000 --dimensions 3 --likelihood poisson -o t.csv; ggpm fit t.csv "
      "--target y --likelihood poisson --kernel 'rbf(ard=true)' --inference taylor --no-optimize "
      "-o m.ggpm --quiet >/dev/null; ggpm report m.ggpm -o page.html");
  EXPECT_LT(page.size(), 2'000'000U);
  for (const char* name : {"relevance", "effects", "effect-0", "effect-1", "effect-2", "map"})
    EXPECT_EQ(figures_of(page).count(name), 1U) << name;
}

TEST(Report, OfSeveralClassesHasProbabilitiesThatSumToOne) {
  const Shell shell;
  std::string table = "x,kind\n";
  for (int i = 0; i < 30; ++i)
    table += fmt::format("{},{}\n", i, i < 10 ? "fern" : i < 20 ? "moss" : "reed");
  write_file(shell.file("t.csv"), table);
  const std::string page = page_of(
      shell,
      "ggpm fit t.csv --target kind --restarts 2 --quiet -o m.ggpm >/dev/null; ggpm report m.ggpm "
      "-o page.html; ggpm report m.ggpm t.csv -o same.html; cmp page.html same.html");
  for (const char* name : {"fern", "moss", "reed"}) EXPECT_THAT(page, HasSubstr(name));
  EXPECT_THAT(page, HasSubstr("a latent function for each of 3 classes"));
  std::map<double, double> total;  // by place
  for (const nlohmann::json& chart : charts_of(page)) {
    if (!chart["description"].get<std::string>().starts_with("Probabilities along x")) continue;
    for (const auto& data : chart["data"])
      for (const auto& row : data["values"])
        total[row["x"].get<double>()] += row["y"].get<double>();
  }
  EXPECT_GT(total.size(), 50U);
  for (const auto& [x, sum] : total) EXPECT_NEAR(sum, 1, 1e-3) << x;
}

TEST(Report, SaysHowFarToTrustTheApproximation) {
  const Shell shell;
  const std::string page = page_of(
      shell,
      "ggpm simulate --likelihood poisson --rows 20 --seed 3 -o t.csv; ggpm fit t.csv --target y "
      "--likelihood poisson --inference laplace --restarts 1 --quiet -o m.ggpm >/dev/null; "
      "ggpm report m.ggpm --grid 0 --diagnose -o page.html");
  EXPECT_THAT(page, HasSubstr("How far to trust the approximation"));
  EXPECT_THAT(page, HasSubstr("Judged by sampling"));
  for (const char* method : {"taylor", "laplace", "ep", "kld"})
    EXPECT_THAT(page, HasSubstr(fmt::format("<td><bdi>{}</bdi></td>", method)));
  const std::string drawn = page_of(
      shell,
      "ggpm fit t.csv --target y --likelihood poisson --inference mcmc --restarts 1 --quiet -o "
      "m.ggpm >/dev/null; ggpm report m.ggpm --grid 0 --diagnose -o page.html");
  EXPECT_THAT(drawn, HasSubstr("There is no approximation to judge"));
}

TEST(ComparisonPage, HasAPointForEachSplitAndCandidate) {
  const Shell shell;
  const std::string page = page_of(
      shell,
      "ggpm simulate --likelihood poisson --rows 30 --seed 3 -o t.csv; ggpm compare t.csv --target "
      "y --likelihoods poisson,negative-binomial --splits 3 --restarts 1 --quiet --report "
      "page.html >/dev/null");
  EXPECT_THAT(page, HasSubstr("Recommended: "));
  EXPECT_THAT(page, HasSubstr("Are the differences real?"));
  const std::vector<nlohmann::json> charts = charts_of(page);
  ASSERT_EQ(charts.size(), 4U);
  for (const nlohmann::json& chart : charts) {
    std::size_t points = 0;
    for (const auto& data : chart["data"])
      for (const auto& row : data["values"])
        points += row.contains("label") && row["label"].is_string() ? 1 : 0;
    EXPECT_EQ(points, 6U) << chart["description"];
  }
}

TEST(Report, IsTheSameTwice) {
  const Shell shell;
  const auto result = shell.run(
      "set -e; ggpm fit examples/counts.csv --target n --likelihood poisson --restarts 2 "
      "-o m.ggpm --quiet >/dev/null; ggpm report m.ggpm >a; ggpm report m.ggpm -o b; cmp a b");
  EXPECT_EQ(result.exit_code, 0) << result.out << result.error;
}

TEST(Figure, IsWrittenByItsName) {
  const Shell shell;
  const auto result = shell.run(
      "set -e; ggpm fit examples/counts.csv --target n --likelihood poisson --restarts 2 -o m.ggpm "
      "--quiet >/dev/null; mkdir figures; ggpm report m.ggpm --figure "
      "figures/fit.svg,figures/marginal.svg,figures/pit.png");
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(file_contents(shell.file("figures/fit.svg")), StartsWith("<svg xmlns"));
  EXPECT_THAT(file_contents(shell.file("figures/marginal.svg")), HasSubstr("rbf.lengthscale"));
  EXPECT_THAT(file_contents(shell.file("figures/pit.png")), StartsWith("\x89PNG"));
}

TEST(Figure, ThatDoesNotExistIsExplained) {
  const Shell shell;
  ASSERT_EQ(shell
                .run("ggpm fit examples/counts.csv --target n --likelihood poisson --restarts 1 -o "
                     "m.ggpm --quiet >/dev/null")
                .exit_code,
            0);
  const auto unknown = shell.run("ggpm report m.ggpm --grid 0 --figure fitt.svg");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.error, HasSubstr("it has: fit, map, latent"));
  const auto ending = shell.run("ggpm report m.ggpm --figure fit.pdf");
  EXPECT_EQ(ending.exit_code, 2);
  EXPECT_THAT(ending.error, HasSubstr("neither .svg nor .png"));
  const auto program = shell.run("PATH=$PWD/bin ggpm report m.ggpm --grid 0 --figure fit.png");
  EXPECT_EQ(program.exit_code, 3);
  EXPECT_THAT(program.error, HasSubstr("librsvg2-bin"));
  const auto held = shell.run("ggpm report m.ggpm --contour rbf.variance,nothing -o page.html");
  EXPECT_EQ(held.exit_code, 2);
  EXPECT_EQ(file_contents(shell.file("page.html")), "");
}

}  // namespace
}  // namespace ggpm::internal
