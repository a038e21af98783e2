// Figure 8: where climbs of the rainfall's log marginal end that begin at random, and at the optima
// that Taylor found.
#pragma once

#include "experiments/reproduction.hpp"

namespace ggpm::paper {

// A kernel of the rainfall.
struct Reading {
  double width = kNone, scale = kNone, log_marginal = kNone;
  bool found() const { return !std::isnan(width); }
};

// Climbs of one method from the same random starts.
struct Climbs {
  std::vector<Reading> starts, ends;
  double processor_seconds = 0;
  bool whole() const { return !ends.empty() && ends.size() == starts.size(); }
};

constexpr int kRandomStarts = 50;
Climbs climb_at_random(const Dataset& data,
                       InferenceMethod method,
                       const ReproduceOptions& options);
// From given points, e.g. Taylor's best three.
Climbs climb_from(const Dataset& data,
                  InferenceMethod method,
                  const std::vector<Reading>& starts,
                  const ReproduceOptions& options);

// The distinct ends, best first: those that differ by more than a fifth in width or scale, or are
// both nearly constant functions.
std::vector<Reading> distinct(std::vector<Reading> ends);

// Charts (a), (b), (c) and the speed-ups as notes and claims.
void add_start_figures(const Dataset& data, const ReproduceOptions& options, Reproduction& out);

}  // namespace ggpm::paper
