// Pictures of how good the predictions are.
#pragma once

#include "report/judged.hpp"
#include "report/page.hpp"

namespace ggpm::internal::report {

Chart observed_chart(const Subject& subject, const Judged& judged);  // two classes: reliability
Chart pit_chart(const Subject& subject, const Judged& judged);
Chart coverage_chart(const Judged& judged);
Chart density_chart(const Judged& judged);  // log density of every row
PageTable coverage_table(const Judged& judged);
PageTable worst_table(const Subject& subject, const Judged& judged);

}  // namespace ggpm::internal::report
