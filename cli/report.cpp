// ggpm report MODEL [DATA]: a page with pictures of a fit, and what to think of it.
#include "ggpm/report.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/picture.hpp"
#include "ggpm/row_reader.hpp"

namespace ggpm::cli {
namespace {

constexpr Index kMostRows = 20'000;  // of DATA

struct ReportArguments {
  std::string model, data, output;
  std::vector<std::string> figures, contour;
  std::int64_t grid = -1;
  bool diagnose = false;
  FitRequest request;
};

Dataset read_data(const SavedModel& saved, const std::string& path) {
  RowReader reader(saved, path);
  std::optional<Dataset> out = reader.next();
  while (const std::optional<Dataset> block = reader.next()) {
    if (out->size() + block->size() > kMostRows) {
      warn(fmt::format("{}: a report looks at the first {} rows only", path, out->size()));
      break;
    }
    out->append(*block);
  }
  for (const std::string& line : reader.notes()) note(line);
  return *std::move(out);
}

// The name of a file, without its folder and ending, says which figure is wanted.
void write_figure(const ReportPage& page, const std::string& path) {
  write_picture(page.svg(std::filesystem::path(path).stem().string()), path);
}

void report_command(const ReportArguments& a) {
  for (const std::string& path : a.figures) check_picture_name(path);
  if (!a.contour.empty() && a.contour.size() != 2)
    throw UsageError("--contour: two names of hyperparameters are needed, see ggpm show MODEL");
  const SavedModel saved = load_model(a.model);
  std::optional<Dataset> data;
  if (!a.data.empty()) data = read_data(saved, a.data);
  const ReportPage page = fit_report(saved,
                                     data,
                                     {.contour = a.contour,
                                      .grid = static_cast<int>(a.grid),
                                      .threads = a.request.options.threads,
                                      .seed = a.request.options.seed,
                                      .diagnose = a.diagnose});
  for (const std::string& path : a.figures) write_figure(page, path);
  if (a.output.empty() && !a.figures.empty()) return;
  Sink sink(a.output);
  sink.write(page.html());
  sink.commit();
}

}  // namespace

void add_report(CLI::App& app) {
  Command command(app, "report", "A page with pictures of a fit, and what to think of it");
  auto a = std::make_shared<ReportArguments>();
  command.text("MODEL", a->model, "A file that ggpm fit -o saved").required().reads();
  command
      .text("DATA",
            a->data,
            "Judge with these rows (each training row, left out); - is standard input")
      .reads();
  command.text("-o", a->output, "The page, one HTML file (standard output)").type("FILE").writes();
  command
      .names("--figure",
             a->figures,
             "Write figures by name: fit.svg, marginal.png (then a page only with -o)")
      .writes();
  command.names("--contour", a->contour, "Two hyperparameters of the contours (the first two)");
  command.whole("--grid",
                a->grid,
                "Points to a side of the contours; 0: none (up to 21, by the rows)",
                0,
                200);
  command.flag("--diagnose", a->diagnose, "A section about the approximation, against sampling");
  for (const char* name : {"seed", "threads"}) command.option(name, a->request);
  command.run([a] { report_command(*a); });
  command.examples(
      "  ggpm fit examples/counts.csv --target n --likelihood poisson -o counts.ggpm\n"
      "  ggpm report counts.ggpm -o counts.html\n"
      "  ggpm report counts.ggpm --figure fit.svg,marginal.svg && ls -l fit.svg\n");
}

}  // namespace ggpm::cli
