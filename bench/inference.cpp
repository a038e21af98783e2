// How close is one value + gradient to what the flops allow? Prints tables in Markdown, which
// `make bench-peers` puts into docs/performance.md.
//
//   bench_inference                       everything, a few minutes
//   bench_inference --quick               n = 500, one thread
//   bench_inference ep --size 2000        one method at one size, for a profiler
//   bench_inference fit                   what a fit without learning costs beyond an evaluation
//
// Data: 8 inputs uniform in [-2, 2], an ARD kernel, outputs drawn from the likelihood at a smooth
// function. Warm: from the posterior of hyperparameters that differ by 2 %.
#include "ggpm/inference.hpp"

#include <cblas.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <functional>
#include <random>

#include "ggpm/model.hpp"
#include "gram/lapack.hpp"
#include "learn/learn.hpp"

namespace {

using namespace ggpm;
using namespace ggpm::internal;

constexpr Index kInputs = 8;

// Processor seconds with one thread, so that a busy machine changes little; those of the clock with
// more.
double now() {
  if (openblas_get_num_threads() == 1) return double(std::clock()) / CLOCKS_PER_SEC;
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double seconds_of(const std::function<void()>& work, int repetitions) {
  double best = 1e300;
  for (int r = 0; r < repetitions; ++r) {
    const double start = now();
    work();
    best = std::min(best, now() - start);
  }
  return best;
}

// Seconds of what a value + gradient is made of, the least of all calls.
class Lapack {
 public:
  explicit Lapack(Index n)
      : A_(Matrix::Constant(n, n, 0.5) + double(n) * Matrix::Identity(n, n)), L_(n, n) {}

  void measure_potrf() {
    L_ = A_;
    potrf = std::min(potrf, seconds_of([&] { lapack::cholesky(L_); }, 1));
  }
  void measure(int repetitions) {
    for (int r = 0; r < repetitions; ++r) {
      measure_potrf();
      trtri = std::min(trtri, seconds_of([&] { lapack::invert_triangle(L_); }, 1));
      lauum = std::min(lauum, seconds_of([&] { lapack::multiply_transpose(L_); }, 1));
    }
  }

  double potrf = 1e300, trtri = 1e300, lauum = 1e300;

 private:
  Matrix A_, L_;
};

Kernel kernel_of(double factor) {
  std::string text = fmt::format("rbf(variance={}, lengthscale=[", factor);
  for (Index k = 0; k < kInputs; ++k)
    text += fmt::format("{}{}", k > 0 ? ", " : "", factor * (1.2 + 0.3 * double(k)));
  return Kernel::parse(text + "])").bind(kInputs);
}

struct Setting {
  const char* likelihood;
  InferenceMethod method;
  bool warm;
  std::string label() const {
    const bool cold_or_warm = method == InferenceMethod::laplace || method == InferenceMethod::ep ||
                              method == InferenceMethod::kld;
    return fmt::format(
        "{} {}{}", to_string(method), likelihood, cold_or_warm ? (warm ? ", warm" : ", cold") : "");
  }
};

std::vector<Setting> settings() {
  std::vector<Setting> out = {{"gaussian", InferenceMethod::exact, false}};
  for (const char* likelihood : {"poisson", "bernoulli", "gamma-shape"}) {
    out.push_back({likelihood, InferenceMethod::taylor, false});
    for (const auto method : {InferenceMethod::laplace, InferenceMethod::ep, InferenceMethod::kld})
      for (const bool warm : {false, true}) out.push_back({likelihood, method, warm});
  }
  return out;
}

// A problem that can be evaluated again and again.
class Evaluated {
 public:
  Evaluated(const Setting& setting, Index n)
      : setting_(setting), likelihood_(make_likelihood(setting.likelihood)), X_(n, kInputs) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> uniform(-2, 2);
    for (Index i = 0; i < n; ++i) {
      for (Index k = 0; k < kInputs; ++k) X_(i, k) = uniform(random);
      Row row;
      const double eta = std::sin(X_(i, 0)) + 0.5 * X_(i, 1) - 0.3 * X_(i, 2);
      row.y = likelihood_->sample(row, eta, random);
      rows_.push_back(row);
    }
    options_.method = setting.method;
    options_.tolerance = kLearningTolerance;
    inference_ = std::make_unique<Inference>(X_, Observations::of(rows_));
    if (setting.warm) near_ = evaluate(1.02).posterior;
  }

  // A fit of these rows at these values, with whatever a fit does besides.
  GeneralizedGP fit() const {
    FitOptions options;
    options.optimize = false;
    Specification specification{.likelihood = setting_.likelihood,
                                .kernel = kernel_of(1).text(),
                                .inference = setting_.method};
    return GeneralizedGP::fit(
        {.X = X_, .observed = Observations::of(rows_)}, specification, options);
  }
  void set_tolerance(double tolerance) { options_.tolerance = tolerance; }

  Inferred evaluate(double factor = 1) {
    const Posterior* warm = near_.alpha.size() > 0 ? &near_ : nullptr;
    return inference_->evaluate(kernel_of(factor), Mean(), *likelihood_, options_, warm);
  }

  // All expectations of one sweep; those of the gradient have derivatives by the dispersion.
  double quadrature_seconds(Dphi wanted) {
    const Posterior p = evaluate().posterior;
    const std::size_t n = rows_.size();
    const auto ask = [&](auto& out, auto method, const Vector& mean, const Vector& variance) {
      out.resize(n);
      return seconds_of(
          [&] {
            (likelihood_.get()->*method)(
                rows_, {mean.data(), n}, {variance.data(), n}, out, wanted);
          },
          20);
    };
    std::vector<Tilted> tilted;
    std::vector<Expected> expected;
    if (setting_.method == InferenceMethod::ep)
      return ask(tilted, &Likelihood::tilted, p.cavity_mean, p.cavity_variance);
    if (setting_.method == InferenceMethod::kld)
      return ask(expected, &Likelihood::expected, p.mean, p.variance);
    return 0;
  }

  bool has_dispersion() const { return !likelihood_->parameters().empty(); }

  double kernel_seconds() {
    const Kernel kernel = kernel_of(1);
    Matrix K;
    kernel.gram(X_, K);
    const Matrix adjoint = K;
    return seconds_of([&] { kernel.gram(X_, K); }, 5) +
           seconds_of([&] { kernel.pull_back(X_, adjoint); }, 5);
  }

 private:
  Setting setting_;
  std::unique_ptr<Likelihood> likelihood_;
  Matrix X_;
  std::vector<Row> rows_;
  InferenceOptions options_;
  std::unique_ptr<Inference> inference_;
  Posterior near_;
};

bool sweeps(const Setting& setting) {
  return setting.method == InferenceMethod::ep || setting.method == InferenceMethod::kld;
}

// The least number of flops, in Cholesky factorizations: exact and Taylor a factor and the inverse,
// Laplace a factor more for each further Newton step, EP and KLD a factor and its inverse triangle
// for each time that marginals are asked for, which is once more than sites move; Newton steps to
// their start are not in it.
double flop_bound(const Setting& setting, const Report& report) {
  if (sweeps(setting)) return 1 + 2 * (report.iterations + 1);
  return 3 + std::max(0, report.factorizations - 1);
}

void print_costs(const std::vector<Index>& sizes, const std::string& only) {
  const int threads = openblas_get_num_threads();
  fmt::print(
      "### Value + gradient in Cholesky factorizations, {} thread{}\n\n"
      "Time divided by that of `dpotrf` of the same n, (times the flop bound), factorizations. The "
      "bound has a factor for each of Laplace's, a factor and its inverse triangle for each time "
      "that EP and KLD ask for marginals.\n\n"
      "| |",
      threads,
      threads > 1 ? "s" : "");
  for (const Index n : sizes) fmt::print(" n = {} |", n);
  fmt::print("\n|---|");
  for (std::size_t i = 0; i < sizes.size(); ++i) fmt::print("---|");
  fmt::print("\n");
  std::vector<double> potrf(sizes.size(), 1e300);
  for (const Setting& setting : settings()) {
    if (!only.empty() && setting.label().find(only) == std::string::npos) continue;
    fmt::print("| {} |", setting.label());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      // In turn: the machine is not equally fast at all times.
      Evaluated problem(setting, sizes[i]);
      Lapack lapack(sizes[i]);
      Report report;
      double seconds = 1e300;
      for (int r = 0; r < 5; ++r) {
        lapack.measure_potrf();
        seconds = std::min(seconds, seconds_of([&] { report = problem.evaluate().report; }, 1));
      }
      potrf[i] = std::min(potrf[i], lapack.potrf);
      const double cost = seconds / lapack.potrf;
      fmt::print(" {:.1f} ({:.2f}×), {} |",
                 cost,
                 cost / flop_bound(setting, report),
                 report.factorizations);
      std::fflush(stdout);
    }
    fmt::print("\n");
  }
  fmt::print("\nOne `dpotrf`:");
  for (std::size_t i = 0; i < sizes.size(); ++i)
    fmt::print("{} {:.1f} ms at n = {}", i > 0 ? "," : "", 1e3 * potrf[i], sizes[i]);
  fmt::print(".\n\n");
}

// What a fit at given values costs beyond the one evaluation that it needs, and the first
// prediction beyond that.
void print_fit(Index n) {
  fmt::print(
      "### A fit at given values, n = {}, in Cholesky factorizations\n\n"
      "| | value + gradient to {:.0e} | to {:.0e} | fit | fit and predict one row |\n"
      "|---|---|---|---|---|\n",
      n,
      kLearningTolerance,
      InferenceOptions{}.tolerance);
  for (const Setting& setting : settings()) {
    if (setting.warm || std::string_view(setting.likelihood) == "bernoulli") continue;
    Evaluated problem(setting, n);
    Lapack lapack(n);
    const Dataset one{.X = Matrix::Zero(1, kInputs)};
    double rough = 1e300, fine = 1e300, fit = 1e300, predicted = 1e300;
    for (int r = 0; r < 3; ++r) {
      lapack.measure_potrf();
      problem.set_tolerance(kLearningTolerance);
      rough = std::min(rough, seconds_of([&] { problem.evaluate(); }, 1));
      problem.set_tolerance(InferenceOptions{}.tolerance);
      fine = std::min(fine, seconds_of([&] { problem.evaluate(); }, 1));
      fit = std::min(fit, seconds_of([&] { problem.fit(); }, 1));
      predicted = std::min(predicted, seconds_of([&] { problem.fit().predictive(one); }, 1));
    }
    fmt::print("| {} | {:.1f} | {:.1f} | {:.1f} | {:.1f} |\n",
               setting.label(),
               rough / lapack.potrf,
               fine / lapack.potrf,
               fit / lapack.potrf,
               predicted / lapack.potrf);
    std::fflush(stdout);
  }
  fmt::print("\n");
}

void print_overhead(Index n) {
  fmt::print(
      "### n = {}, microseconds\n\nOverhead: of a factorization, beyond LAPACK and quadrature, "
      "which the gradient asks for once more where there is a dispersion.\n\n"
      "| | value + gradient | factorizations | LAPACK | quadrature | overhead |\n"
      "|---|---|---|---|---|---|\n",
      n);
  Lapack lapack(n);
  lapack.measure(50);
  for (const Setting& setting : settings()) {
    Evaluated problem(setting, n);
    Report report;
    const double seconds = seconds_of([&] { report = problem.evaluate().report; }, 20);
    const int marginals = sweeps(setting) ? report.iterations + 1 : 1;
    const double blas =
        report.factorizations * lapack.potrf + marginals * lapack.trtri + lapack.lauum;
    double quadrature = marginals * problem.quadrature_seconds(Dphi::skip);
    if (problem.has_dispersion()) quadrature += problem.quadrature_seconds(Dphi::wanted);
    fmt::print("| {} | {:.0f} | {} | {:.0f} | {:.0f} | {:.0f} |\n",
               setting.label(),
               1e6 * seconds,
               report.factorizations,
               1e6 * blas,
               1e6 * quadrature,
               1e6 * (seconds - blas - quadrature) / report.factorizations);
    std::fflush(stdout);
  }
  fmt::print("\n");
}

void print_kernel_share(const std::vector<Index>& sizes) {
  fmt::print(
      "### Kernel matrix and its pull-back, {} inputs\n\n"
      "| n | in Cholesky factorizations | of a Taylor value + gradient |\n|---|---|---|\n",
      kInputs);
  for (const Index n : sizes) {
    Evaluated problem({"poisson", InferenceMethod::taylor, false}, n);
    const double kernel = problem.kernel_seconds();
    const double all = seconds_of([&] { problem.evaluate(); }, 5);
    Lapack lapack(n);
    lapack.measure(5);
    fmt::print("| {} | {:.2f} | {:.0f} % |\n", n, kernel / lapack.potrf, 100 * kernel / all);
  }
  fmt::print("\n");
}

double peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:") {
      double kilobytes = 0;
      status >> kilobytes;
      return 1024 * kilobytes;
    }
  return NAN;
}

// Each in a process of its own: a peak never comes down again.
void print_memory(Index n) {
  fmt::print("### Peak memory at n = {}\n\n| | n × n matrices of doubles |\n|---|---|\n", n);
  for (const Setting& setting : settings()) {
    if (setting.warm || std::string_view(setting.likelihood) == "gamma-shape") continue;
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      const double before = peak_bytes();
      Evaluated(setting, n).evaluate();
      fmt::print("| {} | {:.2f} |\n",
                 setting.label(),
                 (peak_bytes() - before) / (8.0 * double(n) * double(n)));
      std::fflush(stdout);
      _exit(0);
    }
    waitpid(child, nullptr, 0);
  }
  fmt::print("\n");
}

}  // namespace

int main(int count, char** words) {
  bool quick = false;
  std::string only;
  std::vector<Index> sizes = {1000, 2000};
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--quick") {
      quick = true;
      sizes = {500};
    } else if (word == "--size" && i + 1 < count) {
      sizes = {std::atol(words[++i])};
    } else {
      only = word;
    }
  }
  openblas_set_num_threads(1);
  if (only == "fit") {
    print_fit(sizes.back());
    return 0;
  }
  if (!only.empty()) {
    print_costs(sizes, only);
    return 0;
  }
  print_memory(quick ? 500 : 2000);  // before other matrices come and go
  print_costs(sizes, only);
  print_fit(sizes.back());
  print_overhead(100);
  print_kernel_share(sizes);
  if (!quick) {
    openblas_set_num_threads(2);
    print_costs(sizes, only);
  }
  return 0;
}
