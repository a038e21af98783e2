#include "likelihood/families/ordinal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "likelihood/censored.hpp"
#include "likelihood/read_out.hpp"

namespace ggpm::internal {

using numeric::Jet1;
using numeric::Jet2;
using numeric::Jet3;
using numeric::Jet31;

namespace {

constexpr std::size_t kMostLevels = 100;
constexpr double kFarthest = 1e3;  // of a cut point

Parameter cut_parameter(std::size_t number, double value, bool fixed = false) {
  return {.name = fmt::format("cut[{}]", number),
          .value = value,
          .positive = false,
          .fixed = fixed,
          .lower = -kFarthest,
          .upper = kFarthest};
}

bool in_order(const std::vector<Parameter>& cuts) {
  const auto not_below = [](const Parameter& a, const Parameter& b) {
    return !(a.value < b.value);
  };
  return std::adjacent_find(cuts.begin(), cuts.end(), not_below) == cuts.end();
}

std::size_t level_of(const Row& row) { return static_cast<std::size_t>(row.y); }

}  // namespace

namespace families {

std::vector<Parameter> OrdinalFamily::cuts_of(const LikelihoodOptions& options) {
  std::vector<Parameter> cuts;
  for (const NamedValue& given : options.parameters) {
    const Parameter next = cut_parameter(cuts.size() + 1, given.value, given.fixed);
    if (given.name != next.name)
      throw UsageError(fmt::format(
          "likelihood 'ordinal': '{}' is not '{}'; its parameters are cut[1], cut[2], ... in order",
          given.name,
          next.name));
    if (!(std::abs(given.value) < kFarthest))
      throw UsageError(fmt::format("likelihood 'ordinal': {} = {} is not between {} and {}",
                                   given.name,
                                   given.value,
                                   -kFarthest,
                                   kFarthest));
    cuts.push_back(next);
  }
  if (!in_order(cuts))
    throw UsageError("likelihood 'ordinal': the cut points cut[1], cut[2], ... do not increase");
  if (cuts.size() >= kMostLevels)
    throw UsageError(fmt::format("likelihood 'ordinal' has at most {} levels", kMostLevels));
  return cuts;
}

}  // namespace families

template <class Noise>
Ordinal<Noise>::Ordinal(std::string_view link, std::vector<Parameter> cuts)
    : link_(link), cuts_(std::move(cuts)), given_(!cuts_.empty()) {
  dispersions_ = static_cast<int>(cuts_.size());
  if (!given_) set_levels(3);
}

template <class Noise>
void Ordinal<Noise>::set_levels(std::size_t count) {
  cuts_.clear();
  for (std::size_t k = 1; k < count; ++k)
    cuts_.push_back(cut_parameter(k, 2 * static_cast<double>(k) / static_cast<double>(count) - 1));
  dispersions_ = static_cast<int>(cuts_.size());
}

// Cut points at the shares of the levels, as seen through a latent that scatters like the noise.
template <class Noise>
void Ordinal<Noise>::adapt_to(std::span<const Row> rows) {
  if (given_) return;
  double highest = 2;
  for (const Row& row : rows)
    if (row.y <= static_cast<double>(kMostLevels)) highest = std::max(highest, row.y);
  set_levels(static_cast<std::size_t>(highest));
  const double n = static_cast<double>(rows.size()) + 0.5 * highest;
  double below = 0;
  for (std::size_t k = 1; k <= cuts_.size(); ++k) {
    const auto here = [&](const Row& row) { return row.y == static_cast<double>(k); };
    below += 0.5 + static_cast<double>(std::count_if(rows.begin(), rows.end(), here));
    cuts_[k - 1].value = std::sqrt(2.0) * numeric::ndtri(below / n);
  }
}

template <class Noise>
void Ordinal<Noise>::set_constants(std::span<const double> values) {
  const double count = values[0];
  if (!(count >= 2 && count <= static_cast<double>(kMostLevels) && count == std::floor(count)))
    throw DataError(fmt::format("{} is not a number of levels", count));
  if (count != levels()) set_levels(static_cast<std::size_t>(count));
}

template <class Noise>
void Ordinal<Noise>::set_parameters(std::span<const double> values) {
  std::vector<Parameter> cuts = cuts_;
  for (std::size_t k = 0; k < cuts.size(); ++k) cuts[k].value = values[k];
  if (!in_order(cuts)) throw NumericalError("ordinal: the cut points are not in order");
  cuts_ = std::move(cuts);
}

template <class Noise>
void Ordinal<Noise>::check(std::span<const Row> rows) const {
  LikelihoodBase::check(rows);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].y > levels())
      throw DataError({.row = static_cast<Index>(i) + 1, .argument = "y"},
                      fmt::format("{}; the model has the levels 1 to {}, at most {} are possible",
                                  rows[i].y,
                                  levels(),
                                  kMostLevels));
}

template <class Noise>
template <class Real>
Real Ordinal<Noise>::log_p(const Real& eta,
                           std::size_t level,
                           const Real& lower,
                           const Real& upper) const {
  if (level == 1) return Noise::log_cdf(Real(upper - eta));
  if (level == cuts_.size() + 1) return Noise::log_survival(Real(lower - eta));
  return log_between(Noise(), Real(lower - eta), Real(upper - lower));
}

template <class Noise>
template <class Real>
Real Ordinal<Noise>::log_p_varied(const Real& eta,
                                  std::size_t level,
                                  std::size_t k,
                                  const Real& variable) const {
  const auto at = [&](std::size_t j) { return j == k ? variable : Real(cut(j)); };
  const std::size_t last = cuts_.size();
  return log_p(
      eta, level, level > 1 ? at(level - 2) : Real(0.0), level <= last ? at(level - 1) : Real(0.0));
}

template <class Noise>
void Ordinal<Noise>::plain_at(const Row& row,
                              std::span<const double> eta,
                              Derivatives wanted,
                              std::span<LogDensity> out) const {
  const std::size_t level = level_of(row), none = cuts_.size();
  for (std::size_t i = 0; i < eta.size(); ++i) {
    LogDensity& l = out[i];
    l = {};
    if (wanted == Derivatives::value) {
      l.value = log_p_varied(eta[i], level, none, 0.0);
    } else if (wanted == Derivatives::second) {
      read_out(
          log_p_varied<Jet2>(numeric::ad::make_fvar<double, 2>(eta[i]), level, none, Jet2(0.0)), l);
    } else {
      read_out(
          log_p_varied<Jet3>(numeric::ad::make_fvar<double, 3>(eta[i]), level, none, Jet3(0.0)), l);
    }
    if (wanted != Derivatives::dispersion) continue;
    for (PhiArray* part : {&l.dphi, &l.d1_dphi, &l.d2_dphi}) part->resize(cuts_.size());
    for (std::size_t k = level > 1 ? level - 2 : 0; k < std::min(level, cuts_.size()); ++k) {
      const auto [e, c] = numeric::ad::make_ftuple<double, 3, 1>(eta[i], cut(k));
      read_out(log_p_varied(Jet31(e), level, k, Jet31(c)), k, l);
    }
  }
}

template <class Noise>
void Ordinal<Noise>::plain_values(const Row& row,
                                  std::span<const double> eta,
                                  double* value,
                                  PhiArray* dphi) const {
  const std::size_t level = level_of(row);
  for (std::size_t i = 0; i < eta.size(); ++i) {
    value[i] = log_p_varied(eta[i], level, cuts_.size(), 0.0);
    if (dphi == nullptr) continue;
    for (std::size_t k = 0; k < cuts_.size(); ++k) dphi[i][k] = 0;
    for (std::size_t k = level > 1 ? level - 2 : 0; k < std::min(level, cuts_.size()); ++k)
      dphi[i][k] = numeric::derivative(
          log_p_varied(Jet1(eta[i]), level, k, Jet1(numeric::ad::make_fvar<double, 1>(cut(k)))), 1);
  }
}

template <class Noise>
double Ordinal<Noise>::probability(double eta, std::size_t level) const {
  return std::exp(log_p_varied(eta, level, cuts_.size(), 0.0));
}

template <class Noise>
double Ordinal<Noise>::fisher_information(const Row& row, double eta) const {
  double sum = 0;
  for (std::size_t k = 1; k <= cuts_.size() + 1; ++k) {
    Row other = row;
    other.y = static_cast<double>(k);
    LogDensity l;
    plain_at(other, std::span<const double>(&eta, 1), Derivatives::second, std::span(&l, 1));
    sum -= std::exp(l.value) * l.d2;
  }
  return sum;
}

template <class Noise>
double Ordinal<Noise>::mean(const Row&, double eta) const {
  double sum = 0;
  for (std::size_t k = 1; k <= cuts_.size() + 1; ++k)
    sum += static_cast<double>(k) * probability(eta, k);
  return sum;
}

template <class Noise>
double Ordinal<Noise>::variance(const Row& row, double eta) const {
  const double center = mean(row, eta);
  double sum = 0;
  for (std::size_t k = 1; k <= cuts_.size() + 1; ++k)
    sum += std::pow(static_cast<double>(k) - center, 2) * probability(eta, k);
  return sum;
}

template <class Noise>
double Ordinal<Noise>::mode(const Row&, double eta) const {
  std::size_t best = 1;
  for (std::size_t k = 2; k <= cuts_.size() + 1; ++k)
    if (probability(eta, k) > probability(eta, best)) best = k;
  return static_cast<double>(best);
}

template <class Noise>
double Ordinal<Noise>::cdf(const Row&, double eta, double y) const {
  if (y < 1) return 0;
  if (y >= levels()) return 1;
  return std::exp(Noise::log_cdf(cut(static_cast<std::size_t>(y) - 1) - eta));
}

template <class Noise>
double Ordinal<Noise>::quantile(const Row& row, double eta, double p) const {
  double y = 1;
  while (y < levels() && cdf(row, eta, y) < p) ++y;
  return y;
}

// In the middle of an inner level; at either end log p has no peak, and the point is one unit of
// the noise beyond the cut.
template <class Noise>
double Ordinal<Noise>::exact_point(const Row& row) const {
  const std::size_t level = level_of(row);
  if (level == 1) return cut(0) - 1;
  if (level > cuts_.size()) return cut(cuts_.size() - 1) + 1;
  return cut(level - 2) + (cut(level - 1) - cut(level - 2)) / 2;
}

template <class Noise>
double Ordinal<Noise>::canonical_point(const Row& row, PhiArray& dphi) const {
  const std::size_t level = level_of(row);
  const bool inner = level > 1 && level <= cuts_.size();
  if (level > 1) dphi[level - 2] = inner ? 0.5 : 1;
  if (level <= cuts_.size()) dphi[level - 1] = inner ? 0.5 : 1;
  return exact_point(row);
}

template class Ordinal<families::NormalNoise>;
template class Ordinal<families::LogLogistic>;

}  // namespace ggpm::internal
