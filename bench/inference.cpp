// How much does one value + gradient cost, in Cholesky factorisations of the same size?
//
//   OPENBLAS_NUM_THREADS=1 bench_inference --benchmark_filter=laplace/1000
//
// The counter "potrf" is the time of an evaluation divided by that of dpotrf of the same n,
// measured in the same run; "sweeps" and "factors" are what the report says. Data: 8 inputs uniform
// in [-2, 2], an ARD kernel, outputs drawn from the model at a smooth function. Warm: from the
// posterior of hyperparameters that differ by 2 %.
#include "ggpm/inference.hpp"

#include <benchmark/benchmark.h>

#include <cmath>
#include <ctime>
#include <random>

#include "gram/lapack.hpp"

namespace {

using namespace ggpm;

// Processor seconds, so that a busy machine changes little; compare with one BLAS thread.
double processor_seconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

double seconds_of(const auto& work, int repetitions) {
  double best = 1e300;
  for (int r = 0; r < repetitions; ++r) {
    const double start = processor_seconds();
    work();
    best = std::min(best, processor_seconds() - start);
  }
  return best;
}

double potrf_seconds(Index n) {
  const Matrix A = Matrix::Constant(n, n, 0.5) + double(n) * Matrix::Identity(n, n);
  Matrix L;
  double best = 1e300;
  for (int r = 0; r < 5; ++r) {
    L = A;
    best = std::min(best, seconds_of([&] { lapack::cholesky(L); }, 1));
  }
  return best;
}

Kernel kernel_of(double factor) {
  std::string text = "rbf(variance=" + std::to_string(factor) + ", lengthscale=[";
  for (int k = 0; k < 8; ++k)
    text += (k > 0 ? ", " : "") + std::to_string(factor * (1.2 + 0.3 * k));
  return Kernel::parse(text + "])").bind(8);
}

void value_and_gradient(benchmark::State& state,
                        const std::string& name,
                        InferenceMethod method,
                        double tolerance,
                        bool warm) {
  const Index n = state.range(0);
  const auto likelihood = make_likelihood(name);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-2, 2);
  Matrix X(n, 8);
  std::vector<Row> rows(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < 8; ++k) X(i, k) = uniform(random);
    Row& row = rows[static_cast<std::size_t>(i)];
    row.y = likelihood->sample(row, std::sin(X(i, 0)) + 0.5 * X(i, 1) - 0.3 * X(i, 2), random);
  }
  Inference inference(X, rows);
  const InferenceOptions options{.method = method, .tolerance = tolerance};
  const Inferred there = inference.evaluate(kernel_of(1.02), Mean(), *likelihood, options);
  const Kernel kernel = kernel_of(1.0);
  Inferred result;
  for (auto _ : state)
    result =
        inference.evaluate(kernel, Mean(), *likelihood, options, warm ? &there.posterior : nullptr);
  const double seconds = seconds_of(
      [&] {
        inference.evaluate(kernel, Mean(), *likelihood, options, warm ? &there.posterior : nullptr);
      },
      2);
  state.counters["potrf"] = seconds / potrf_seconds(n);
  state.counters["sweeps"] = result.report.iterations;
  state.counters["factors"] = result.report.factorizations;
}

void register_all() {
  const auto add = [](const std::string& label,
                      const std::string& likelihood,
                      InferenceMethod method,
                      double tolerance,
                      bool warm) {
    benchmark::RegisterBenchmark(label.c_str(),
                                 [=](benchmark::State& state) {
                                   value_and_gradient(state, likelihood, method, tolerance, warm);
                                 })
        ->Arg(500)
        ->Arg(1000)
        ->Arg(2000)
        ->Arg(4000)
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  };
  add("exact gaussian", "gaussian", InferenceMethod::exact, 1e-9, false);
  for (const std::string likelihood : {"poisson", "bernoulli", "gamma-shape"}) {
    add("taylor " + likelihood, likelihood, InferenceMethod::taylor, 1e-9, false);
    for (const auto method : {InferenceMethod::laplace, InferenceMethod::ep, InferenceMethod::kld})
      for (const bool warm : {false, true})
        add(std::string(to_string(method)) + " " + likelihood + (warm ? " warm" : " cold"),
            likelihood,
            method,
            1e-6,
            warm);
  }
}

const bool registered = (register_all(), true);

}  // namespace
