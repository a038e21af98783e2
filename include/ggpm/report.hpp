// The report of a fit: a page for a person who wants to look instead of read numbers.
//
//   SavedModel saved = load_model("counts.ggpm");
//   ReportPage page = fit_report(saved);
//   write_file_atomically("counts.html", page.html());         // ggpm/atomic_file.hpp
//   write_file_atomically("fit.svg", page.svg("fit"));
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ggpm/model.hpp"

namespace ggpm {

namespace internal::report {
class Page;  // src/report/page.hpp
}

struct ReportOptions {
  std::vector<std::string> contour;  // two hyperparameters; empty: the first two learned
  int grid = -1;  // points to a side of the contours; 0: none; negative: by the rows
  int threads = 0;
  std::uint64_t seed = 1;  // of the PIT of whole numbers
  bool diagnose = false;   // a section about the approximation, against sampling
};

// One HTML file that needs nothing but itself, and its pictures.
class ReportPage {
 public:
  explicit ReportPage(internal::report::Page page);

  std::string html() const;
  std::vector<std::string> figures() const;  // names, in order: "fit", "pit", ...
  std::string svg(
      std::string_view name) const;  // a file of its own; UsageError lists what there is

 private:
  std::shared_ptr<const internal::report::Page> page_;
};

// `data`: rows to judge the model with, instead of its training rows left out in turn.
ReportPage fit_report(const SavedModel& saved,
                      const std::optional<Dataset>& data = {},
                      const ReportOptions& options = {});

}  // namespace ggpm
