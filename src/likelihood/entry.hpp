// Makes the registry entry of a family from its links.
#pragma once

#include <array>

#include "likelihood/composite.hpp"
#include "likelihood/registry.hpp"

namespace ggpm {

template <class Family>
constexpr Scatter scatter() {
  if constexpr (requires { Family::scatter; })
    return Family::scatter;
  else
    return Scatter::any;
}

template <class Family, class... Links>
FamilyEntry entry() {
  static constexpr std::array<LinkEntry, sizeof...(Links)> links = {LinkEntry{
      Links::name, [](const LikelihoodOptions& options) -> std::unique_ptr<Likelihood> {
        const double phi = options.dispersion > 0 ? options.dispersion : Family::default_phi;
        return std::make_unique<Composite<Family, Links>>(phi);
      }}...};
  return {
      Family::name, Family::dispersion, Family::formula, Family::domain, scatter<Family>(), links};
}

}  // namespace ggpm
