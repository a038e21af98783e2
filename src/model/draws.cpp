// Functions drawn from the posterior, jointly over new rows.
#include <fmt/format.h>

#include <cmath>

#include "likelihood/softmax.hpp"
#include "model/ensemble.hpp"
#include "numeric/random.hpp"
#include "parallel/available_memory.hpp"

namespace ggpm {

using namespace internal;

namespace {

// Covariance, its copy, and the root.
void require_memory(Index rows) {
  const auto n = static_cast<std::uint64_t>(rows);
  const std::uint64_t need = 3 * n * n * sizeof(double), limit = available_memory();
  if (need > limit)
    throw DataError(fmt::format(
        "draw: functions at {} rows need about {} MB, the memory here is {} MB; draw at fewer rows",
        rows,
        (need >> 20U) + 1,
        limit >> 20U));
}

double answer(Drawn what, const Likelihood& likelihood, const Row& row, double eta, auto& random) {
  return what == Drawn::mean ? likelihood.mean(row, eta) : likelihood.sample(row, eta, random);
}

}  // namespace

Matrix GeneralizedGP::draw(const Dataset& rows, Index count, std::uint64_t seed, Drawn what) const {
  if (count < 0) throw UsageError("draw: the number of functions is negative");
  require_one_latent(likelihood(), "draw");
  const PreparedRows prepared = prepare_rows(rows, *state_);
  require_memory(rows.size());
  JointLatent latent(*state_, rows, prepared);
  Matrix out(rows.size(), count);
  for (Index k = 0; k < count; ++k) {
    std::mt19937_64 random = numeric::random_stream(seed, static_cast<std::uint64_t>(k));
    const JointLatent::Function function = latent.draw(random);
    out.col(k) = function.latent;
    if (what == Drawn::latent) continue;
    for (Index i = 0; i < rows.size(); ++i) {
      const double eta = out(i, k) + prepared.shift[i];
      out(i, k) = answer(what, *function.likelihood, prepared.observed.at(i), eta, random);
      if (!std::isfinite(out(i, k)))
        throw NumericalError(
            fmt::format("row {}: a latent of {:.4g} gives no finite {}; draw the latent function",
                        i + 1,
                        eta,
                        what == Drawn::mean ? "mean" : "outcome"));
    }
  }
  return out;
}

}  // namespace ggpm
