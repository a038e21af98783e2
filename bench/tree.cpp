// What the tree engine costs and how near it comes to the dense one. Prints one line a run.
//
//   bench_tree steps 100000 normal            seconds of each question, 2 inputs
//   bench_tree run 100000 normal laplace      value + gradient of an inference, and its parts
//   bench_tree dense 8000                     tree against dense: log Z, means, variances
//   bench_tree predict 100000 normal 100000
//   bench_tree families 100000 fast ep        whether inference converges, for every family
//   options: --inputs d, --lengthscale l, --likelihood name, --kernel text, --seed s
//
// Data: a draw of a Matern-3/2 process by random features, uniform inputs.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <map>
#include <random>

#include "ggpm/inference.hpp"
#include "gram/engine.hpp"
#include "gram/tree_engine.hpp"
#include "parallel/threads.hpp"

namespace {

using namespace ggpm;
using namespace ggpm::internal;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double peak_gb() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1e6;
  return 0;
}

template <class Work>
void timed(const char* what, const Work& work) {
  const double start = now(), cpu0 = double(std::clock());
  work();
  fmt::print("{:<14}{:>9.3f} s {:>9.3f} cpu   peak {:.2f} GB\n",
             what,
             now() - start,
             (double(std::clock()) - cpu0) / CLOCKS_PER_SEC,
             peak_gb());
  std::fflush(stdout);
}

struct Arguments {
  std::vector<std::string> words;
  std::map<std::string, std::string> options{{"inputs", "2"},
                                             {"lengthscale", "0.1"},
                                             {"likelihood", "bernoulli"},
                                             {"kernel", ""},
                                             {"inducing", "0"},
                                             {"tolerance", "1e-5"},
                                             {"seed", "1"}};
  double number(const std::string& name) const { return std::stod(options.at(name)); }
};

class Data {
 public:
  Data(Index n, const Arguments& arguments)
      : likelihood(make_likelihood(arguments.options.at("likelihood"))),
        kernel(kernel_of(arguments)) {
    const auto d = static_cast<Index>(arguments.number("inputs"));
    const double scale = arguments.number("lengthscale");
    std::mt19937_64 random(static_cast<unsigned>(arguments.number("seed")));
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    constexpr Index kFeatures = 2000;
    Matrix frequency(d, kFeatures);
    Vector phase(kFeatures);
    std::chi_squared_distribution<double> chi(3);
    for (Index k = 0; k < kFeatures; ++k) {
      const double t = std::sqrt(3 / chi(random)) / scale;
      for (Index j = 0; j < d; ++j) frequency(j, k) = t * normal(random);
      phase[k] = 2 * M_PI * uniform(random);
    }
    X = Matrix::NullaryExpr(n, d, [&](Index, Index) { return uniform(random); });
    eta.resize(n);
    for_blocks(n, 256, 0, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i)
        eta[i] = std::sqrt(2.0 / kFeatures) *
                 ((X.row(i) * frequency).transpose() + phase).array().cos().sum();
    });
    for (Index i = 0; i < n; ++i) {
      Row row;
      row.y = likelihood->sample(row, eta[i], random);
      rows.push_back(row);
    }
  }
  static Kernel kernel_of(const Arguments& arguments) {
    const std::string given = arguments.options.at("kernel");
    return Kernel::parse(given.empty()
                             ? fmt::format("matern32(1, {})", arguments.options.at("lengthscale"))
                             : given)
        .bind(static_cast<Index>(arguments.number("inputs")));
  }

  std::unique_ptr<Likelihood> likelihood;
  Kernel kernel;
  Matrix X;
  Vector eta;
  std::vector<Row> rows;
};

std::shared_ptr<const Engine> engine_of(const Data& data,
                                        const Arguments& arguments,
                                        std::size_t word) {
  const EngineOptions options{.name = "tree",
                              .accuracy = parse_accuracy(arguments.words.at(word)),
                              .inducing = static_cast<Index>(arguments.number("inducing"))};
  return make_engine(options, std::make_shared<const Matrix>(data.X), data.kernel);
}

void steps(const Arguments& arguments) {
  const Index n = std::stol(arguments.words.at(1));
  const Data data(n, arguments);
  std::shared_ptr<const Engine> engine;
  timed("structure", [&] { engine = engine_of(data, arguments, 2); });
  const auto gram = engine->make_gram();
  Sites sites{Vector::Constant(n, 0.2), Vector::Zero(n)};
  for (Index i = 0; i < n; ++i) sites.shift[i] = data.rows[std::size_t(i)].y - 0.5;
  const Vector mean = Vector::Zero(n);
  Conditioned q;
  timed("build", [&] { gram->build(data.kernel); });
  timed("build again", [&] { gram->build(data.kernel); });
  timed("factor", [&] { gram->condition(sites, mean, Compute::factor, q); });
  timed("factor again", [&] { gram->condition(sites, mean, Compute::factor, q); });
  Vector x = Vector::Ones(n), Kx;
  timed("shrink", [&] { gram->shrink(x); });
  timed("multiply", [&] { gram->multiply(x, Kx); });
  timed("mean", [&] { gram->condition(sites, mean, Compute::mean, q); });
  timed("marginals", [&] { gram->add_marginals(sites, q); });
  timed("gradient", [&] { gram->pull_back(data.kernel, q.alpha, x); });
  fmt::print("forecast {:.2f} GB, dense rows {}\n",
             double(engine->cost().bytes(1)) / 1e9,
             engine->cost().dense_rows);
}

InferenceOptions options_of(const Arguments& arguments, const std::string& method) {
  InferenceOptions options;
  options.method = parse_inference(method);
  options.tolerance = arguments.number("tolerance");
  return options;
}

void run(const Arguments& arguments) {
  const Index n = std::stol(arguments.words.at(1));
  const Data data(n, arguments);
  Inference inference(engine_of(data, arguments, 2), Observations::of(data.rows));
  for (std::size_t word = 3; word < arguments.words.size(); ++word) {
    Inferred result;
    const InferenceOptions options = options_of(arguments, arguments.words[word]);
    timed(arguments.words[word].c_str(),
          [&] { result = inference.evaluate(data.kernel, Mean(), *data.likelihood, options); });
    fmt::print(
        "  log Z {:.3f}, {} iterations, {} factorizations, residual {:.1e}, gradient {:.4f}\n",
        result.log_marginal,
        result.report.iterations,
        result.report.factorizations,
        result.report.residual,
        result.gradient.kernel[0]);
    const Posterior warm = result.posterior;
    timed("  warm", [&] {
      result = inference.evaluate(data.kernel, Mean(), *data.likelihood, options, &warm);
    });
  }
}

// Every family at its first link, on outputs that it drew itself.
void families(const Arguments& arguments) {
  const Index n = std::stol(arguments.words.at(1));
  const InferenceOptions options = options_of(arguments, arguments.words.at(3));
  fmt::print(
      "| family | {} | iterations | fallbacks | residual | processor s |\n"
      "|---|---|---|---|---|---|\n",
      arguments.words.at(3));
  for (const LikelihoodInfo& family : likelihood_table()) {
    Arguments of = arguments;
    of.options["likelihood"] = family.name;
    const Data data(n, of);
    const double before = double(std::clock());
    std::string outcome;
    Report report;
    try {
      Inference inference(engine_of(data, of, 2), Observations::of(data.rows));
      report = inference.evaluate(data.kernel, Mean(), *data.likelihood, options).report;
      outcome = report.outcome == Outcome::converged ? "converged"
                : report.detail.empty()              ? "not converged"
                                                     : report.detail;
    } catch (const Error& error) {
      outcome = error.what();
    }
    std::string fallbacks;
    for (const std::string& name : report.fallbacks)
      fallbacks += (fallbacks.empty() ? "" : ", ") + name;
    fmt::print("| {} | {} | {} | {} | {:.0e} | {:.1f} |\n",
               family.name,
               outcome,
               report.iterations,
               fallbacks,
               report.residual,
               (double(std::clock()) - before) / CLOCKS_PER_SEC);
    std::fflush(stdout);
  }
}

void against_dense(const Arguments& arguments) {
  const Index n = std::stol(arguments.words.at(1));
  const Data data(n, arguments);
  const InferenceOptions options =
      options_of(arguments, arguments.words.size() > 2 ? arguments.words[2] : "laplace");
  Inferred exact;
  timed("dense", [&] {
    exact = Inference(data.X, Observations::of(data.rows))
                .evaluate(data.kernel, Mean(), *data.likelihood, options);
  });
  for (const char* accuracy : {"fast", "normal", "high"}) {
    Arguments of = arguments;
    of.words = {"", "", accuracy};
    Inferred tree;
    Inference inference(engine_of(data, of, 2), Observations::of(data.rows));
    timed(accuracy,
          [&] { tree = inference.evaluate(data.kernel, Mean(), *data.likelihood, options); });
    const Vector sd = exact.posterior.variance.cwiseSqrt();
    Vector error = (tree.posterior.mean - exact.posterior.mean).cwiseQuotient(sd).cwiseAbs();
    const Vector log_variance =
        (tree.posterior.variance.array() / exact.posterior.variance.array()).log();
    const double rms = std::sqrt(error.squaredNorm() / double(n));
    std::sort(error.begin(), error.end());
    fmt::print(
        "  dlogZ/n {:+.2e} (log Z {:.3f}); mean error in sd: rms {:.4f}, 99.9 % {:.3f}, max {:.3f}; "
        "log variance rms {:.4f}; gradient {:.1e} of {:.1e}\n",
        (tree.log_marginal - exact.log_marginal) / double(n),
        exact.log_marginal,
        rms,
        error[Index(0.999 * double(n))],
        error[n - 1],
        std::sqrt(log_variance.squaredNorm() / double(n)),
        (tree.gradient.kernel - exact.gradient.kernel).norm(),
        exact.gradient.kernel.norm());
  }
}

void predict(const Arguments& arguments) {
  const Index n = std::stol(arguments.words.at(1));
  const Data data(n, arguments);
  const auto engine = engine_of(data, arguments, 2);
  const auto gram = engine->make_gram();
  Posterior posterior;
  posterior.sites = {Vector::Constant(n, 0.2), Vector::Ones(n)};
  gram->build(data.kernel);
  Conditioned q;
  gram->condition(posterior.sites, Vector::Zero(n), Compute::mean, q);
  posterior.alpha = q.alpha;
  std::unique_ptr<const Conditional> conditional;
  timed("condition", [&] { conditional = engine->condition(data.kernel, posterior); });
  Arguments other = arguments;
  other.options["seed"] = "2";
  const Data fresh(std::stol(arguments.words.at(3)), other);
  Vector shift, variance;
  timed("predict", [&] { conditional->predict(fresh.X, shift, variance); });
  const Matrix one = fresh.X.topRows(1);
  timed("one row", [&] { conditional->predict(one, shift, variance); });
  const Matrix some = fresh.X.topRows(500);
  timed("covariance 500", [&] { conditional->covariance(some); });
}

}  // namespace

int main(int count, char** values) {
  Arguments arguments;
  for (int i = 1; i < count; ++i) {
    const std::string word = values[i];
    if (word.starts_with("--") && i + 1 < count)
      arguments.options[word.substr(2)] = values[++i];
    else
      arguments.words.push_back(word);
  }
  const std::string what = arguments.words.empty() ? "" : arguments.words[0];
  if (what == "steps") steps(arguments);
  if (what == "run") run(arguments);
  if (what == "families") families(arguments);
  if (what == "dense") against_dense(arguments);
  if (what == "predict") predict(arguments);
}
