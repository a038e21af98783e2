// Where families and links meet. A new family is one header in families/ and one line in
// families.def; the build makes one translation unit a family, so that it stays short.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "ggpm/likelihood.hpp"

namespace ggpm::internal {

// A dispersion parameter of a family.
struct Dispersion {
  std::string_view meaning;  // for a person
  std::string_view name = "dispersion";
  double start = 1;  // where nothing is given
  double lower = 1e-8, upper = 1e8;
  bool interval = false;  // strictly between the bounds; learned as it is, not as a logarithm
};

// A link with which `auto` and `compare` try the family on outputs of its domain.
struct FamilyCandidate {
  std::string_view link;
  int complexity;         // the simplest first
  bool automatic = true;  // false: `compare` only
};

struct LinkEntry {
  std::string_view link;
  std::unique_ptr<Likelihood> (*make)(const LikelihoodOptions&);
};

struct FamilyEntry {
  std::string_view name, formula;
  Domain domain;
  Scatter scatter;
  std::span<const Dispersion> dispersions;
  std::span<const FamilyCandidate> candidates;
  std::span<const LinkEntry> links;  // the first is the default
};

// Defined in entry.hpp, instantiated for every line of families.def.
template <class Family>
FamilyEntry family_entry();

// The parameters as given, or where the family starts. UsageError for a value that cannot be.
std::vector<Parameter> starting_dispersions(std::string_view family,
                                            std::span<const Dispersion> dispersions,
                                            const LikelihoodOptions& options);

}  // namespace ggpm::internal
