// How far to trust the approximation, on a page.
#pragma once

#include "ggpm/report.hpp"
#include "report/page.hpp"

namespace ggpm::internal::report {

// A section with the verdict of sampling and the numbers behind it.
void add_trust(Page& page, const GeneralizedGP& model, const ReportOptions& options);

// A paragraph about what answers are averages over, where they are.
void add_integration(Page& page, const GeneralizedGP& model);

}  // namespace ggpm::internal::report
