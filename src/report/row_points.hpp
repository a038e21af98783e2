// Rows as points on an axis of outputs: filled where y was observed, open where only a bound of it
// is known, and a line where it is known to lie between two.
#pragma once

#include <string>
#include <vector>

#include "report/chart.hpp"
#include "report/subject.hpp"

namespace ggpm::internal::report {

class RowPoints {
 public:
  RowPoints(const Subject& subject, const std::string& name);
  void add(double x, const Row& row, std::string label);
  void add_to(Chart& chart) const;  // the layers that have points
  std::vector<double> outputs() const;

 private:
  const Subject& subject_;
  Layer seen_, larger_, smaller_, between_, middle_;
};

// Rows as points on another axis: of those that are censored a ring.
class MarkedPoints {
 public:
  MarkedPoints(const std::string& name, Ink ink, double opacity, bool in_legend = true);
  void add(double x, double y, const Row& row, std::string label);
  void add_to(Chart& chart) const;

 private:
  Layer seen_, censored_;
};

}  // namespace ggpm::internal::report
