#include "model/choose_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "numeric/random.hpp"

namespace ggpm::internal {
namespace {

constexpr Index kRowsToChoose = 300;
constexpr int kRestartsToChoose = 10;      // 5 miss the optimum of some
constexpr double kClearGain = 2;           // nats: e^2 to 1
constexpr Index kRowsPerLengthscale = 10;  // fewer, and ARD fits their noise

struct Tried {
  std::string kernel;
  double score;  // log marginal less ½ log n a hyperparameter
};

std::vector<std::string> candidates(const Dataset& data) {
  std::vector<std::string> out;
  const Index d = data.X.cols();
  const bool enough = d > 1 && data.size() >= kRowsPerLengthscale * (d + 3);
  for (const char* form : {"", "(ard=true)"}) {
    if (*form != '\0' && !enough) continue;
    for (const char* name : {"rbf", "matern52", "matern32"})
      out.push_back(fmt::format("{}{} + constant", name, form));
  }
  return out;
}

std::string reason_for(const Tried& taken, const std::vector<Tried>& tried, Index rows) {
  std::string out =
      fmt::format("kernel {}, by the log marginal on {} rows less 0.5 log {} a hyperparameter",
                  taken.kernel,
                  rows,
                  rows);
  for (const Tried& other : tried)
    if (other.kernel != taken.kernel)
      out += fmt::format(", {} {:+.1f}", other.kernel, other.score - taken.score);
  return out;
}

}  // namespace

Dataset some_rows(const Dataset& data, std::uint64_t seed) {
  const Index n = data.X.rows();
  if (n <= kRowsToChoose) return data;
  return data.subset(numeric::some_of(n, kRowsToChoose, seed));
}

Specification to_try(Specification specification, const Dataset& data) {
  const auto likelihood = make_likelihood(specification);
  specification.inference = is_exact_regression(*likelihood, data.observed) ? InferenceMethod::exact
                            : likelihood->differentiable() ? InferenceMethod::laplace
                                                           : InferenceMethod::ep;
  return specification;
}

FitOptions quick(FitOptions options) {
  options.restarts = std::min(options.restarts, kRestartsToChoose);
  options.keep = 1;
  options.inference_tolerance = 1e-6;
  options.standard_errors = false;
  options.refit_folds = 0;
  options.hyperparameters = HyperparameterUse::optimum;
  options.resume.clear();
  return options;
}

std::string choose_kernel(Specification& specification,
                          const Dataset& data,
                          const FitOptions& options) {
  const Dataset part = some_rows(data, options.seed);
  const double price = 0.5 * std::log(static_cast<double>(part.size()));
  Specification one = to_try(specification, data);
  std::vector<Tried> tried;
  for (const std::string& kernel : candidates(data)) {
    one.kernel = kernel;
    try {
      const GeneralizedGP model = GeneralizedGP::fit(part, one, quick(options));
      const auto learned = static_cast<double>(model.hyperparameters().size());
      tried.push_back({kernel, model.log_marginal() - price * learned});
    } catch (const NumericalError&) {
      // it is no candidate for these rows
    }
    if (options.interrupted && options.interrupted())
      throw Interrupted("fit: interrupted while the kernel was being chosen");
  }
  if (tried.empty()) throw NumericalError("kernel auto: none could be fitted; name one");
  const auto best = std::max_element(
      tried.begin(), tried.end(), [](const Tried& a, const Tried& b) { return a.score < b.score; });
  const bool clear = best->score > tried.front().score + kClearGain;
  const Tried& taken = clear ? *best : tried.front();
  specification.kernel = taken.kernel;
  return reason_for(taken, tried, part.size());
}

}  // namespace ggpm::internal
