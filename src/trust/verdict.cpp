#include "trust/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "inference/method.hpp"

namespace ggpm::internal {
namespace {

// Monte Carlo standard errors, since the largest of all rows is looked at.
constexpr double kSeen = 4;
const double kSeenRatio = std::log(1.1);
constexpr double kHeavyTail = 0.7;                            // Pareto k
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

// So many decimals that the noise has one digit.
std::string with_noise(double value, double noise) {
  const int decimals = std::clamp(static_cast<int>(-std::floor(std::log10(noise))), 0, 6);
  return fmt::format("{:.{}f} ± {:.{}f}", value, decimals, noise, decimals);
}

// Where errors of at least half of the largest are: rows of one output, one row, or several.
std::string place(const Worst& worst, const Vector& errors, const Vector& y) {
  Index count = 0, equal = 0;
  bool same = true;
  for (Index i = 0; i < errors.size(); ++i) {
    if (y[i] == y[worst.row]) ++equal;
    if (errors[i] / worst.error < 0.5) continue;
    ++count;
    same = same && y[i] == y[worst.row];
  }
  if (count == 1) return fmt::format(" at row {}", worst.row + 1);
  if (!same)
    return fmt::format(" ({} of {} rows are off by half of that or more)", count, errors.size());
  if (count == equal) return fmt::format(" in the {} rows with output {:.6g}", count, y[worst.row]);
  return fmt::format(" in {} of the {} rows with output {:.6g}", count, equal, y[worst.row]);
}

// Another method that is at least twice as near: it removes what sampling cannot see of it.
std::string remedy(const Diagnosis& diagnosis, const Worst& worst) {
  const MethodError* best = nullptr;
  double smallest = std::abs(worst.error) / 2;
  for (const MethodError& method : diagnosis.methods) {
    const double largest = method.mean_error.cwiseAbs().maxCoeff();
    if (&method == &diagnosis.methods.front() || !(largest < smallest)) continue;
    smallest = largest;
    best = &method;
  }
  if (best == nullptr) return {};
  const char* words = smallest < kSeen * worst.noise ? "removes this" : "is nearer";
  return fmt::format("; {} {} ({:.2f} sd)", title(best->method), words, smallest);
}

std::string means(const Diagnosis& diagnosis, const Vector& y) {
  const MethodError& own = diagnosis.methods.front();
  const Worst worst = worst_mean(own, diagnosis.truth);
  const double size = std::abs(worst.error);
  if (!(size > kSeen * worst.noise))
    return fmt::format("{} puts no latent mean off by more than sampling can see ({:.2f} sd)",
                       title(own.method),
                       kSeen * worst.noise);
  return fmt::format("{} puts the latent mean up to {} sd too {}{}{}",
                     title(own.method),
                     with_noise(size, worst.noise),
                     worst.error < 0 ? "low" : "high",
                     place(worst, own.mean_error, y),
                     remedy(diagnosis, worst));
}

// The latent standard deviation that is farthest off, if by a tenth or more.
std::string deviations(const Diagnosis& diagnosis) {
  const Vector& ratio = diagnosis.methods.front().sd_ratio;
  const PosteriorSample& truth = diagnosis.truth;
  Index row = -1;
  double largest = kSeenRatio;
  for (Index i = 0; i < ratio.size(); ++i) {
    // As if of a Gaussian: that of log(sd) from so many draws.
    const double noise = 1 / std::sqrt(2 * std::min(truth.bulk_ess[i], truth.tail_ess[i]));
    const double off = std::abs(std::log(ratio[i]));
    if (off < largest || off < kSeen * noise) continue;
    largest = off;
    row = i;
  }
  if (row < 0) return {};
  return fmt::format(
      "; the latent sd is {:.2f} times what it should be at row {}", ratio[row], row + 1);
}

// "off by up to 0.7 ± 0.1 %", or "right within 0.3 %"
std::string size_of(const Effect& effect, double unit, const char* after) {
  if (effect.largest > kSeen * effect.error)
    return effect.error > 0 ? fmt::format("off by up to {}{}",
                                          with_noise(unit * effect.largest, unit * effect.error),
                                          after)
                            : fmt::format("off by up to {:.2g}{}", unit * effect.largest, after);
  return fmt::format("right within {:.1g}{}", unit * kSeen * effect.error, after);
}

std::string predictions(const MethodError& own) {
  std::string out = fmt::format("predictive means are {}", size_of(own.mean, 1, " sd"));
  // Of two classes it is both of them, and says nothing.
  if (own.interval.largest > 0 || own.interval.error > 0)
    out +=
        fmt::format(", the probability of 95 % intervals is {}", size_of(own.interval, 100, " %"));
  return out;
}

std::string log_marginals(const Diagnosis& diagnosis) {
  const double error = diagnosis.methods.front().log_marginal_error,
               noise = diagnosis.marginal.standard_error;
  if (std::abs(error) < 1e-6) return "the log marginal is right within 1e-06";
  if (diagnosis.marginal.pareto_k > kHeavyTail)
    return fmt::format(
        "the log marginal cannot be judged: a few runs of annealing decide it (Pareto k {:.1f})",
        diagnosis.marginal.pareto_k);
  if (std::abs(error) < kSeen / 2 * noise)
    return fmt::format("the log marginal is right within {:.1g}", 2 * noise);
  return fmt::format("the log marginal is {} too {}",
                     with_noise(std::abs(error), noise),
                     error < 0 ? "low" : "high");
}

// What is certain of an effect.
double certain(const Effect& effect) { return std::max(effect.largest - 2 * effect.error, 0.0); }

std::string without_prefix(const std::string& sentence) {
  const std::size_t colon = sentence.find(": ");
  return colon == std::string::npos ? sentence : sentence.substr(colon + 2);
}

}  // namespace

Trust trust_of(const Diagnosis& diagnosis) {
  if (!diagnosis.truth.converged()) return Trust::unknown;
  const MethodError& own = diagnosis.methods.front();
  const double mean = certain(own.mean), interval = certain(own.interval);
  if (mean > kPoorMean || interval > kPoorInterval) return Trust::poor;
  return mean < kGoodMean && interval < kGoodInterval ? Trust::good : Trust::fair;
}

std::string verdict_of(const Diagnosis& diagnosis, const Vector& y) {
  const MethodError& own = diagnosis.methods.front();
  if (!diagnosis.truth.converged())
    return fmt::format("Nothing can be said of {}: {}.",
                       title(own.method),
                       without_prefix(diagnosis.truth.detail));
  std::string out = fmt::format("{}{}; {}; {}",
                                means(diagnosis, y),
                                deviations(diagnosis),
                                predictions(own),
                                log_marginals(diagnosis));
  if (diagnosis.cut_short) out += "; there was no time for all other methods";
  return out + ".";
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
