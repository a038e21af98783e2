// What the likelihood says of the rows here of a problem, in threads where there are several. Where all
// ranks have all rows, they share out the work.
#pragma once

#include "inference/bound.hpp"
#include "inference/problem.hpp"
#include "likelihood/base.hpp"
#include "parallel/ranks.hpp"
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

// The numbers of a row, as they travel between ranks: body(double&).
template <class Body>
void for_numbers(PhiArray& phi, Index dispersions, const Body& body) {
  for (Index k = 0; k < dispersions; ++k) body(phi[static_cast<std::size_t>(k)]);
}
template <class Body>
void for_numbers(LogDensity& row, Index dispersions, const Body& body) {
  for (double* number : {&row.value, &row.d1, &row.d2, &row.d3}) body(*number);
  for (PhiArray* phi : {&row.dphi, &row.d1_dphi, &row.d2_dphi})
    for_numbers(*phi, dispersions, body);
}
template <class Body>
void for_numbers(Tilted& row, Index dispersions, const Body& body) {
  for (double* number : {&row.log_z, &row.d1, &row.d2, &row.mean, &row.variance}) body(*number);
  for_numbers(row.dphi, dispersions, body);
}
template <class Body>
void for_numbers(Expected& row, Index dispersions, const Body& body) {
  for (double* number : {&row.value, &row.d1, &row.d2}) body(*number);
  for_numbers(row.dphi, dispersions, body);
}
inline void resize(LogDensity& row, std::size_t size) {
  for (PhiArray* phi : {&row.dphi, &row.d1_dphi, &row.d2_dphi}) phi->resize(size);
}
template <class T>
void resize(T& row, std::size_t size) {
  row.dphi.resize(size);
}

// body(begin, end) writes rows of `out`, with the derivatives of so many dispersions.
template <class T, class Body>
void for_all_rows(const RowsHere& here, std::span<T> out, Index dispersions, const Body& body) {
  const auto n = static_cast<Index>(out.size());
  if (here.divided()) return here.together([&] { for_rows(n, body); });
  const RowShare share(n);
  const Index first = share.begin();
  share.together([&] {
    for_rows(share.end() - first,
             [&](Index begin, Index end) { body(first + begin, first + end); });
  });
  if (!share.shared()) return;
  Index numbers = 0;
  T model{};
  resize(model, static_cast<std::size_t>(dispersions));
  for_numbers(model, dispersions, [&](double&) { ++numbers; });
  Matrix all(n, numbers);
  const auto row = [&](Index i, const auto& each) {
    Index k = 0;
    for_numbers(
        out[static_cast<std::size_t>(i)], dispersions, [&](double& x) { each(x, all(i, k++)); });
  };
  for (Index i = first; i < share.end(); ++i) row(i, [](double x, double& sent) { sent = x; });
  share.gather(all);
  for (Index i = 0; i < n; ++i) {
    if (i >= first && i < share.end()) continue;
    if (dispersions > 0)
      resize(out[static_cast<std::size_t>(i)], static_cast<std::size_t>(dispersions));
    row(i, [](double& x, double came) { x = came; });
  }
}
}  // namespace detail

// The one answer for a row that depends on the others: all counts are moved where any of them is 0.
inline void expand(const Problem& problem, ExpansionOptions options, std::span<Expansion> out) {
  const RowsHere& here = problem.here();
  if (options.offset < 0)
    options.offset = offset_of_expansion(!here.every(!has_zero(problem.rows)));
  here.together([&] {
    try {
      problem.likelihood.expand(problem.rows, options, out);
    } catch (const DataError& error) {
      Place place = error.place();
      if (place.row > 0) place.row = here.row(place.row - 1) + 1;
      throw DataError(place, error.problem(), error.remedy());
    }
  });
}

inline void log_density(const Problem& problem,
                        const Vector& eta,
                        Derivatives wanted,
                        std::span<LogDensity> out) {
  using detail::part;
  const Index dispersions = wanted == Derivatives::dispersion ? problem.dispersions() : 0;
  detail::for_all_rows(problem.here(), out, dispersions, [&](Index i, Index end) {
    problem.likelihood.log_density(
        part(problem.rows, i, end), part(eta, i, end), wanted, part(out, i, end));
  });
}

inline void tilted(const Problem& problem,
                   const Vector& mean,
                   const Vector& variance,
                   std::span<Tilted> out,
                   Dphi wanted) {
  using detail::part;
  const Index dispersions = wanted == Dphi::wanted ? problem.dispersions() : 0;
  detail::for_all_rows(problem.here(), out, dispersions, [&](Index i, Index end) {
    problem.likelihood.tilted(part(problem.rows, i, end),
                              part(mean, i, end),
                              part(variance, i, end),
                              part(out, i, end),
                              wanted);
  });
}

inline void expected(const Problem& problem,
                     const Vector& mean,
                     const Vector& variance,
                     std::span<Expected> out,
                     Dphi wanted,
                     RowBound rows = exact_rows) {
  using detail::part;
  const Index dispersions = wanted == Dphi::wanted ? problem.dispersions() : 0;
  detail::for_all_rows(problem.here(), out, dispersions, [&](Index i, Index end) {
    rows(problem.likelihood,
         part(problem.rows, i, end),
         part(mean, i, end),
         part(variance, i, end),
         part(out, i, end),
         wanted);
  });
}

}  // namespace ggpm::internal
