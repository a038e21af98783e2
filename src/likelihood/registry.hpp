// Where families and links meet. A new family is one header and one entry in `factories`; the
// instantiations live in one translation unit a family, so that a build stays short.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "ggpm/likelihood.hpp"

namespace ggpm {

struct LinkEntry {
  std::string_view link;
  std::unique_ptr<Likelihood> (*make)(const LikelihoodOptions&);
};

struct FamilyEntry {
  std::string_view name;
  std::string_view dispersion;
  std::string_view formula;
  Domain domain;
  Scatter scatter;
  std::span<const LinkEntry> links;  // the first is the default
};

FamilyEntry gaussian_entry();
FamilyEntry gamma_shape_entry();
FamilyEntry gamma_scale_entry();
FamilyEntry inverse_gaussian_entry();
FamilyEntry poisson_entry();
FamilyEntry com_poisson_entry();
FamilyEntry negative_binomial_entry();
FamilyEntry binomial_entry();
FamilyEntry bernoulli_entry();
FamilyEntry beta_entry();
FamilyEntry laplace_entry();
FamilyEntry student_t_entry();

}  // namespace ggpm
