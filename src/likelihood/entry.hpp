// Makes the registry entry of a family.
#pragma once

#include <array>

#include "likelihood/composite.hpp"
#include "likelihood/registry.hpp"

namespace ggpm::internal {

// A family may make its likelihood itself; the others are composed with their links.
template <class Family, class Link>
std::unique_ptr<Likelihood> make_from(const LikelihoodOptions& options) {
  if constexpr (requires { Family::template make<Link>(options); }) {
    return Family::template make<Link>(options);
  } else {
    std::vector<Parameter> start =
        starting_dispersions(Family::name, families::dispersions_of<Family>(), options);
    if constexpr (requires { Family::make(std::move(start), options); }) {
      return Family::make(std::move(start), options);
    } else {
      return std::make_unique<Composite<Family, Link>>(std::move(start));
    }
  }
}

template <class Family, class... Links>
std::span<const LinkEntry> links_of(families::LinkList<Links...>) {
  static constexpr std::array<LinkEntry, sizeof...(Links)> links = {
      LinkEntry{Links::name, make_from<Family, Links>}...};
  return links;
}

// A family that names no candidates is tried with its first link, after all the others.
template <class Family>
std::span<const FamilyCandidate> candidates_of(std::string_view first_link) {
  if constexpr (requires { Family::candidates; }) {
    return Family::candidates;
  } else {
    static const std::array<FamilyCandidate, 1> last = {FamilyCandidate{first_link, 1000}};
    return last;
  }
}

template <class Family>
constexpr Scatter scatter_of() {
  if constexpr (requires { Family::scatter; }) {
    return Family::scatter;
  } else {
    return Scatter::any;
  }
}

template <class Family>
FamilyEntry family_entry() {
  const std::span<const LinkEntry> links = links_of<Family>(typename Family::Links());
  return {Family::name,
          Family::formula,
          Family::domain,
          scatter_of<Family>(),
          families::dispersions_of<Family>(),
          candidates_of<Family>(links.front().link),
          links};
}

}  // namespace ggpm::internal
