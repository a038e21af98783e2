#include "likelihood/base.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "likelihood/outcome/outcome.hpp"
#include "likelihood/stationary.hpp"
#include "numeric/constants.hpp"
#include "numeric/random.hpp"

namespace ggpm::internal {
namespace {

constexpr double kLargestCount = 9007199254740992.0;  // 2^53: beyond, a double skips counts

bool whole(double x) { return x == std::floor(x); }

// What is wrong with a row, or an empty text.
std::string complaint(Domain domain, const Row& row) {
  if (!std::isfinite(row.y)) return "a finite number";
  if (row.is_interval() && row.y == 0 && domain == Domain::positive) return {};
  switch (domain) {
    case Domain::real:
      return {};
    case Domain::nonnegative:
      return row.y >= 0 ? "" : "numbers >= 0";
    case Domain::positive:
      return row.y > 0 ? "" : "numbers > 0 (drop zeros, or use a likelihood for counts)";
    case Domain::count:
      if (row.y > kLargestCount) return "counts up to 2^53";
      return row.y >= 0 && whole(row.y) ? "" : "whole numbers >= 0";
    case Domain::fraction_of_trials:
      if (!(row.trials >= 1 && whole(row.trials) && row.trials <= kLargestCount)) {
        return fmt::format("a whole number of trials >= 1, not {}", row.trials);
      }
      if (row.y > row.trials) return fmt::format("at most its {} trials", row.trials);
      return row.y >= 0 && whole(row.y) ? ""
                                        : "whole numbers >= 0 of successes, or fractions k/trials";
    case Domain::ordinal:
      return row.y >= 1 && whole(row.y) ? "" : "levels 1, 2, 3, ...";
    case Domain::binary:
      return row.y == 0 || row.y == 1 ? "" : "0 or 1";
    case Domain::proportion:
      if (row.y == 0 || row.y == 1) {
        return "numbers strictly between 0 and 1; squeezing moves 0 and 1 inside, y -> (y (n-1) + "
               "1/2)/n";
      }
      return row.y > 0 && row.y < 1 ? "" : "numbers strictly between 0 and 1";
  }
  return {};
}

constexpr int kAllBits = 52;

// Where log p of a row is highest in eta.
std::optional<double> highest_point(const LikelihoodBase& likelihood, const Row& row, int bits) {
  const auto slope = [&](double eta) {
    LogDensity l;
    likelihood.at(row, std::span<const double>(&eta, 1), Derivatives::second, std::span(&l, 1));
    return l.d1;
  };
  return stationary_point(slope, bits);
}

}  // namespace

Parameter dispersion_parameter(double phi) {
  return {
      .name = "dispersion", .value = phi, .lower = 1e-8, .upper = 1e8, .role = Role::dispersion};
}

bool LikelihoodBase::discrete() const { return is_discrete(domain()); }

std::pair<double, double> support(const Likelihood& likelihood, const Row& row) {
  switch (likelihood.domain()) {
    case Domain::real:
      return {-kInfinity, kInfinity};
    case Domain::positive:
    case Domain::nonnegative:
    case Domain::count:
      return {0, kInfinity};
    case Domain::fraction_of_trials:
      return {0, row.trials};
    case Domain::ordinal:
      return {1, likelihood.levels()};
    default:
      return {0, 1};
  }
}

void LikelihoodBase::check(std::span<const Row> rows) const {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    check_parts(*this, rows[i], static_cast<Index>(i) + 1);
    const std::string expected = complaint(domain(), rows[i]);
    if (expected.empty()) continue;
    const bool edge = domain() == Domain::proportion && (rows[i].y == 0 || rows[i].y == 1);
    throw DataError({.row = static_cast<Index>(i) + 1, .argument = "y"},
                    fmt::format("{}; {} needs {}", rows[i].y, name(), expected),
                    edge ? Remedy::squeeze : Remedy::none);
  }
}

namespace {

void check_censored(const Likelihood& likelihood, const Row& row, Index number) {
  const auto refuse = [&](const char* argument, double value, const std::string& why) {
    throw DataError({.row = number, .argument = argument}, fmt::format("{}; {}", value, why));
  };
  if (!likelihood.takes_censored())
    refuse(row.censored != 0 ? "censored" : "upper",
           row.censored != 0 ? row.censored : row.upper,
           fmt::format("{} takes outputs that were observed, not censored; use a likelihood for "
                       "survival times, gaussian or student-t, or leave censored rows out",
                       likelihood.name()));
  if (row.censored != 0 && std::abs(row.censored) != 1)
    refuse("censored", row.censored, "it is 0 for observed, 1 for right, -1 for left");
  if (row.is_interval() && !(row.upper > row.y && std::isfinite(row.upper)))
    refuse("upper",
           row.upper,
           fmt::format("the upper end of an interval is a finite number above its y = {}", row.y));
}

}  // namespace

void check_parts(const Likelihood& likelihood, const Row& row, Index number) {
  if (!(row.exposure > 0) || std::isinf(row.exposure))
    throw DataError({.row = number, .argument = "exposure"},
                    fmt::format("{}; exposures are finite numbers > 0", row.exposure));
  if (!(row.weight > 0) || std::isinf(row.weight))
    throw DataError(
        {.row = number, .argument = "weight"},
        fmt::format("{}; weights are finite numbers > 0, leave rows of weight 0 out", row.weight));
  if (row.is_censored()) check_censored(likelihood, row, number);
}

Row as_observed(const Row& row, Domain domain) {
  Row out = row;
  out.censored = 0;
  out.upper = std::numeric_limits<double>::quiet_NaN();
  if (!row.is_interval()) return out;
  const bool log_scale = domain == Domain::positive;
  out.y = !log_scale   ? row.y + (row.upper - row.y) / 2
          : row.y == 0 ? row.upper
                       : row.y * std::sqrt(row.upper / row.y);
  return out;
}

void LikelihoodBase::log_density(std::span<const Row> rows,
                                 std::span<const double> eta,
                                 Derivatives wanted,
                                 std::span<LogDensity> out) const {
  for (std::size_t i = 0; i < rows.size(); ++i)
    at(rows[i], eta.subspan(i, 1), wanted, out.subspan(i, 1));
}

void LikelihoodBase::at(const Row& row,
                        std::span<const double> eta,
                        Derivatives wanted,
                        std::span<LogDensity> out) const {
  plain_at(row, eta, wanted, out);
  if (row.weight == 1) return;
  for (LogDensity& l : out.first(eta.size())) {
    for (double* part : {&l.value, &l.d1, &l.d2}) *part *= row.weight;
    if (wanted >= Derivatives::third) l.d3 *= row.weight;
    if (wanted < Derivatives::dispersion) continue;
    for (PhiArray* part : {&l.dphi, &l.d1_dphi, &l.d2_dphi}) *part *= row.weight;
  }
}

void LikelihoodBase::values(const Row& row,
                            std::span<const double> eta,
                            double* value,
                            PhiArray* dphi) const {
  plain_values(row, eta, value, dphi);
  if (row.weight == 1) return;
  for (std::size_t i = 0; i < eta.size(); ++i) {
    value[i] *= row.weight;
    if (dphi != nullptr) dphi[i] *= row.weight;
  }
}

// Expansion points.                                            (specialexpansion1, errata 2.1-2.3)
void LikelihoodBase::expand(std::span<const Row> rows,
                            const ExpansionOptions& options,
                            std::span<Expansion> out) const {
  const bool trials = domain() == Domain::fraction_of_trials || domain() == Domain::binary;
  ExpansionPoint point = options.point;
  if (point == ExpansionPoint::automatic) {
    point = trials ? ExpansionPoint::agnostic : ExpansionPoint::exact;
  }
  const double offset = options.offset < 0 ? offset_of_expansion(has_zero(rows)) : options.offset;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Row shifted = as_observed(rows[i], domain());
    if (domain() == Domain::count) shifted.y += offset;
    if (trials && (shifted.y == 0 || shifted.y == shifted.trials)) {
      shifted.y = (shifted.y + 0.5) * shifted.trials / (shifted.trials + 1);
    }
    Expansion& e = out[i];
    e = {};
    e.deta_dphi.resize(static_cast<std::size_t>(dispersions_));
    if (point == ExpansionPoint::exact) {
      e.eta = exact_point(shifted);
    } else if (point == ExpansionPoint::canonical) {
      e.eta = canonical_point(shifted, e.deta_dphi);
    }
    if (!std::isfinite(e.eta)) {
      throw DataError(
          {.row = static_cast<Index>(i) + 1, .argument = "y"},
          fmt::format("{}: {} has no finite expansion point there; use the expansion '{}', or a "
                      "larger expansion offset",
                      rows[i].y,
                      name(),
                      point == ExpansionPoint::canonical ? "exact" : "agnostic"));
    }
    const std::span<const double> eta(&e.eta, 1);
    at(rows[i], eta, Derivatives::dispersion, std::span(&e.at, 1));
    if (point == ExpansionPoint::exact && dispersions_ > 0) {
      // u(eta, phi) = 0 moves by d eta/d phi = -(du/dphi)/(du/deta), at the y that was solved for.
      LogDensity solved = e.at;
      if (shifted.y != rows[i].y || rows[i].is_censored())
        at(shifted, eta, Derivatives::dispersion, std::span(&solved, 1));
      for (int k = 0; k < dispersions_; ++k) {
        const auto j = static_cast<std::size_t>(k);
        e.deta_dphi[j] = -solved.d1_dphi[j] / solved.d2;
      }
    }
  }
}

namespace {

// y -> log p(y | eta) of a row.
class RowDensity final : public outcomes::DensityOfY {
 public:
  RowDensity(const LikelihoodBase& likelihood, const Row& row, double eta)
      : likelihood_(likelihood), row_(row), eta_(eta) {}
  double operator()(double y) const override {
    Row row = row_;
    row.y = y;
    double value = 0;
    likelihood_.values(row, std::span<const double>(&eta_, 1), &value, nullptr);
    return value;
  }
  std::unique_ptr<outcomes::Outcome> outcome() const {
    return outcomes::make_outcome(likelihood_.domain(), *this, row_.trials);
  }

 private:
  const LikelihoodBase& likelihood_;
  Row row_;
  double eta_;
};

}  // namespace

double LikelihoodBase::mean(const Row& row, double eta) const {
  return RowDensity(*this, row, eta).outcome()->mean();
}
double LikelihoodBase::variance(const Row& row, double eta) const {
  return RowDensity(*this, row, eta).outcome()->variance();
}
double LikelihoodBase::mode(const Row& row, double eta) const {
  return RowDensity(*this, row, eta).outcome()->mode();
}
double LikelihoodBase::cdf(const Row& row, double eta, double y) const {
  return RowDensity(*this, row, eta).outcome()->cdf(y);
}
double LikelihoodBase::fisher_information(const Row& row, double eta) const {
  return RowDensity(*this, row, eta).outcome()->average([&](double y) {
    Row other = row;
    other.y = y;
    LogDensity l;
    at(other, std::span<const double>(&eta, 1), Derivatives::second, std::span(&l, 1));
    return l.d1 * l.d1;
  });
}

double LikelihoodBase::exact_point(const Row& row) const {
  return highest_point(*this, row, kAllBits).value_or(0);
}

double LikelihoodBase::canonical_point(const Row& row, PhiArray& dphi) const {
  const auto eta = highest_point(*this, row, kAllBits);
  if (!eta) return 0;
  LogDensity l;
  at(row, std::span<const double>(&*eta, 1), Derivatives::dispersion, std::span(&l, 1));
  for (int k = 0; k < dispersions_; ++k) {
    const auto j = static_cast<std::size_t>(k);
    dphi[j] = -l.d1_dphi[j] / l.d2;
  }
  return *eta;
}

double LikelihoodBase::peak(const Row& row) const {
  return highest_point(*this, row, 12).value_or(kInfinity);
}

// Discrete: the smallest y with cdf(y) >= p, from a bracket around the mean.
double LikelihoodBase::quantile(const Row& row, double eta, double p) const {
  if (!discrete()) return RowDensity(*this, row, eta).outcome()->quantile(p);
  const auto [bottom, top] = support(*this, row);
  const double center = mean(row, eta);
  const double sd = std::sqrt(variance(row, eta));
  if (!std::isfinite(center) || !std::isfinite(sd)) return center;
  double low = std::max(bottom, std::floor(center - sd)) - 1;  // cdf(low) < p, or below the support
  double high = std::min(top, std::ceil(center + sd));
  for (double step = sd + 1; low >= bottom && cdf(row, eta, low) >= p; step *= 2)
    low -= std::ceil(step);
  low = std::max(low, bottom - 1);
  for (double step = sd + 1; high < top && cdf(row, eta, high) < p && high < 1e300; step *= 2) {
    high = std::min(top, high + std::ceil(step));
  }
  while (high - low > 1) {
    const double middle = std::floor(low + (high - low) / 2);
    if (middle <= low || middle >= high) break;
    (cdf(row, eta, middle) >= p ? high : low) = middle;
  }
  return high;
}

double LikelihoodBase::sample(const Row& row, double eta, std::mt19937_64& random) const {
  return quantile(row, eta, numeric::uniform(random));
}

}  // namespace ggpm::internal

namespace ggpm {

using namespace internal;

std::vector<std::pair<std::string, std::string>> Likelihood::labels() const {
  return {{"likelihood", name()}, {"link", link()}};
}

double Likelihood::typical(const Row& row, double eta) const {
  const double center = mean(row, eta);
  return std::isnan(center) ? quantile(row, eta, 0.5) : center;
}

bool is_exact_regression(const Likelihood& likelihood, const Observations& observed) {
  return likelihood.is_exact_regression() && !observed.any_censored();
}

}  // namespace ggpm
