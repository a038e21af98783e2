#include "trust/verdict.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "inference/method.hpp"

namespace ggpm::internal {
namespace {

constexpr double kSeen =
    4;  // Monte Carlo standard errors, since the largest of all rows is looked at
constexpr double kGoodMean = 0.1, kPoorMean = 0.3;            // predictive standard deviations
constexpr double kGoodInterval = 0.01, kPoorInterval = 0.05;  // probability

std::string_view title(InferenceMethod method) { return find_method(method).label; }

struct Worst {
  Index row = 0;
  double error = 0;  // signed
  double noise = 0;  // of sampling
};

Worst worst_mean(const MethodError& method, const PosteriorSample& truth) {
  Worst out;
  method.mean_error.cwiseAbs().maxCoeff(&out.row);
  out.error = method.mean_error[out.row];
  out.noise = truth.mean_error[out.row] / truth.sd[out.row];
  return out;
}

// Where errors of at least half of the largest are: rows of one output, one row, or several.
std::string place(const Worst& worst, const Vector& errors, const Vector& y) {
  Index count = 0;
  bool same = true;
  for (Index i = 0; i < errors.size(); ++i)
    if (errors[i] / worst.error >= 0.5) {
      ++count;
      same = same && y[i] == y[worst.row];
    }
  if (count == 1) return fmt::format(" at row {}", worst.row + 1);
  if (same) return fmt::format(" in the {} rows with output {:.6g}", count, y[worst.row]);
  return fmt::format(" ({} rows are off by half of that or more)", count);
}

// Another method that is at least twice as near.
std::string remedy(const Diagnosis& diagnosis, double error) {
  const MethodError* best = nullptr;
  double smallest = error / 2;
  for (const MethodError& method : diagnosis.methods) {
    const double largest = method.mean_error.cwiseAbs().maxCoeff();
    if (&method == &diagnosis.methods.front() || !(largest < smallest)) continue;
    smallest = largest;
    best = &method;
  }
  if (best == nullptr) return {};
  return fmt::format("; {} removes this ({:.2f} sd)", title(best->method), smallest);
}

std::string means(const Diagnosis& diagnosis, const Vector& y) {
  const MethodError& own = diagnosis.methods.front();
  const Worst worst = worst_mean(own, diagnosis.truth);
  const double size = std::abs(worst.error);
  if (size < kSeen * worst.noise)
    return fmt::format("{} puts no latent mean off by more than sampling can see ({:.2f} sd)",
                       title(own.method),
                       kSeen * worst.noise);
  return fmt::format("{} puts the latent mean up to {:.2f} ± {:.2f} sd too {}{}{}",
                     title(own.method),
                     size,
                     worst.noise,
                     worst.error < 0 ? "low" : "high",
                     place(worst, own.mean_error, y),
                     remedy(diagnosis, size));
}

std::string log_marginals(const Diagnosis& diagnosis) {
  const double error = diagnosis.methods.front().log_marginal_error,
               noise = diagnosis.marginal.standard_error;
  if (std::abs(error) < kSeen / 2 * noise || std::abs(error) < 1e-6)
    return fmt::format("the log marginal is right within {:.2g}", std::max(2 * noise, 1e-6));
  return fmt::format("the log marginal is {:.2f} ± {:.2f} too {}",
                     std::abs(error),
                     noise,
                     error < 0 ? "low" : "high");
}

// What is certain of an effect.
double certain(const Effect& effect) { return std::max(effect.largest - 2 * effect.error, 0.0); }

}  // namespace

Trust trust_of(const Diagnosis& diagnosis) {
  if (!diagnosis.truth.converged()) return Trust::unknown;
  const MethodError& own = diagnosis.methods.front();
  const double mean = certain(own.mean), interval = certain(own.interval);
  if (mean > kPoorMean || interval > kPoorInterval) return Trust::poor;
  return mean < kGoodMean && interval < kGoodInterval ? Trust::good : Trust::fair;
}

std::string verdict_of(const Diagnosis& diagnosis, const Vector& y) {
  if (!diagnosis.truth.converged())
    return fmt::format("Nothing can be said of {}: {}",
                       title(diagnosis.methods.front().method),
                       diagnosis.truth.detail);
  const MethodError& own = diagnosis.methods.front();
  return fmt::format(
      "{}; the probability of a predictive 95 % interval is off by at most {:.1f} %; {}.",
      means(diagnosis, y),
      100 * own.interval.largest,
      log_marginals(diagnosis));
}

}  // namespace ggpm::internal

namespace ggpm {

std::string_view to_string(Trust trust) {
  switch (trust) {
    case Trust::unknown:
      return "unknown";
    case Trust::poor:
      return "poor";
    case Trust::fair:
      return "fair";
    case Trust::good:
      return "good";
  }
  return "unknown";
}

}  // namespace ggpm
