// The parts of a report that a model of several classes has of its own.
#pragma once

#include "report/page.hpp"
#include "report/subject.hpp"

namespace ggpm::internal::report {

// What was fitted and how good it is; which classes are taken for which; probabilities along inputs.
// Judged by rows whose class is known, or by the training rows, each left out.
void add_several_classes(Page& page, const Subject& subject, const std::optional<Dataset>& data);

}  // namespace ggpm::internal::report
