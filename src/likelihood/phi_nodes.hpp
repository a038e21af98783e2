// Integrals of d/dphi for any number of dispersion parameters: two at a time, so that integrands
// keep a fixed size.
#pragma once

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "ggpm/likelihood.hpp"
#include "numeric/integrate.hpp"

namespace ggpm::internal {

// What LikelihoodBase::values writes for the points of one call: as long as there are parameters.
// Nothing where it is not wanted.
template <bool Wanted>
class PhiNodes {
 public:
  PhiNodes(int dispersions, int first) : first_(static_cast<std::size_t>(first)) {
    const auto size = static_cast<std::size_t>(dispersions);
    if (size > PhiArray::kInside)
      for (PhiArray& node : nodes_) node.resize(size);
  }
  PhiArray* data() { return Wanted ? nodes_.data() : nullptr; }
  // Of point i, number `first` + k.
  double operator()(std::size_t i, std::size_t k) const {
    if constexpr (Wanted)
      return nodes_[i][first_ + k];
    else
      return 0;
  }

 private:
  std::size_t first_;
  std::array<PhiArray, Wanted ? numeric::kNodes : 0> nodes_;
};

// `integrate(integral_constant K, first)` gives moments whose dphi begins with numbers first, ...,
// first + K - 1. Puts those of all `count` parameters into `out`.
template <class Moments, class Integrate>
void with_dispersions(int count, Moments& out, const Integrate& integrate) {
  const auto part = [&](int first) {
    const int left = count - first;
    return left == 0   ? integrate(std::integral_constant<std::size_t, 0>(), first)
           : left == 1 ? integrate(std::integral_constant<std::size_t, 1>(), first)
                       : integrate(std::integral_constant<std::size_t, 2>(), first);
  };
  out = part(0);
  if (count <= static_cast<int>(PhiArray::kInside)) return;
  PhiArray all(static_cast<std::size_t>(count));
  for (std::size_t k = 0; k < PhiArray::kInside; ++k) all[k] = out.dphi[k];
  for (int first = 2; first < count; first += 2) {
    const Moments more = part(first);
    for (int k = first; k < std::min(first + 2, count); ++k)
      all[static_cast<std::size_t>(k)] = more.dphi[static_cast<std::size_t>(k - first)];
  }
  out.dphi = std::move(all);
}

}  // namespace ggpm::internal
