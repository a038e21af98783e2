#include "numeric/random.hpp"

#include <algorithm>
#include <numeric>

namespace ggpm::internal::numeric {
namespace {

std::vector<Index> counted(Index count) {
  std::vector<Index> out(static_cast<std::size_t>(count));
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

}  // namespace

std::mt19937_64 random_stream(std::uint64_t seed, std::uint64_t stream) {
  std::seed_seq sequence{static_cast<std::uint32_t>(seed),
                         static_cast<std::uint32_t>(seed >> 32U),
                         static_cast<std::uint32_t>(stream)};
  return std::mt19937_64(sequence);
}

std::uint64_t uniform_below(std::uint64_t bound, std::mt19937_64& random) {
  const std::uint64_t largest = ~std::uint64_t{0} - ~std::uint64_t{0} % bound;
  std::uint64_t draw = random();
  while (draw >= largest) draw = random();
  return draw % bound;
}

std::vector<Index> shuffled(Index count, std::mt19937_64& random) {
  std::vector<Index> order = counted(count);
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[uniform_below(i, random)]);
  return order;
}

std::vector<Index> some_of(Index count, Index some, std::uint64_t seed) {
  std::vector<Index> out = counted(count);
  if (count <= some) return out;
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < static_cast<std::size_t>(some); ++i)
    std::swap(out[i], out[i + uniform_below(out.size() - i, random)]);
  out.resize(static_cast<std::size_t>(some));
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace ggpm::internal::numeric
