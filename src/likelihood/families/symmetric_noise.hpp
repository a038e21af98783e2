#pragma once

#include "likelihood/base.hpp"

namespace ggpm::internal {

// y is eta plus noise that is symmetric about 0 and highest there: what does not depend on the noise.
class SymmetricNoise : public LikelihoodBase {
 public:
  std::string link() const final { return "identity"; }
  Domain domain() const final { return Domain::real; }
  bool exposure_shifts_eta() const final { return false; }
  double mode(const Row&, double eta) const final { return eta; }
  double exact_point(const Row& row) const final { return row.y; }
  double canonical_point(const Row& row, PhiArray&) const final { return row.y; }
  double peak(const Row& row) const final { return row.y; }
  bool symmetric_about_eta() const final { return true; }
};

}  // namespace ggpm::internal
