// What the likelihood says of all rows of a problem, in threads where there are several.
#pragma once

#include "inference/problem.hpp"
#include "parallel/threads.hpp"

namespace ggpm::internal {

namespace detail {
inline std::span<const double> part(const Vector& x, Index begin, Index end) {
  return {x.data() + begin, static_cast<std::size_t>(end - begin)};
}
template <class T>
auto part(std::span<T> x, Index begin, Index end) {
  return x.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
}
}  // namespace detail

inline void log_density(const Problem& problem,
                        const Vector& eta,
                        Derivatives wanted,
                        std::span<LogDensity> out) {
  using detail::part;
  for_rows(problem.size(), [&](Index i, Index end) {
    problem.likelihood.log_density(
        part(problem.rows, i, end), part(eta, i, end), wanted, part(out, i, end));
  });
}

namespace detail {
template <class Moments, class Method>
void moments(const Problem& problem,
             const Vector& mean,
             const Vector& variance,
             std::span<Moments> out,
             Dphi wanted,
             Method method) {
  for_rows(problem.size(), [&](Index i, Index end) {
    (problem.likelihood.*method)(part(problem.rows, i, end),
                                 part(mean, i, end),
                                 part(variance, i, end),
                                 part(out, i, end),
                                 wanted);
  });
}
}  // namespace detail

inline void tilted(const Problem& problem,
                   const Vector& mean,
                   const Vector& variance,
                   std::span<Tilted> out,
                   Dphi wanted) {
  detail::moments(problem, mean, variance, out, wanted, &Likelihood::tilted);
}

inline void expected(const Problem& problem,
                     const Vector& mean,
                     const Vector& variance,
                     std::span<Expected> out,
                     Dphi wanted) {
  detail::moments(problem, mean, variance, out, wanted, &Likelihood::expected);
}

}  // namespace ggpm::internal
