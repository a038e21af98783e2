// What the kernel tests share: random inputs, random kernels, and slow twins of the formulas.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "ggpm/kernel.hpp"

namespace ggpm::internal::kernel_tests {

// Random numbers whose seed goes into the failure message: SCOPED_TRACE(random.trace()).
class Random {
 public:
  explicit Random(unsigned seed) : seed_(seed), engine_(seed) {}
  std::string trace() const { return "seed " + std::to_string(seed_); }
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  double log_uniform(double low, double high) {
    return std::exp(uniform(std::log(low), std::log(high)));
  }
  Index below(Index count) { return std::uniform_int_distribution<Index>(0, count - 1)(engine_); }
  Matrix matrix(Index rows, Index cols) {
    std::normal_distribution<double> normal;
    return Matrix::NullaryExpr(rows, cols, [&](Index, Index) { return normal(engine_); });
  }
  Matrix symmetric(Index n) {
    const Matrix A = matrix(n, n);
    return A + A.transpose();
  }

 private:
  unsigned seed_;
  std::mt19937_64 engine_;
};

// Every kernel of the registry, with values that are not the defaults, and once more with one
// length-scale (or variance) an input where it can have that.
inline std::vector<std::string> leaf_texts() {
  std::vector<std::string> out;
  int next = 0;
  for (const KernelInfo& info : kernel_table())
    for (const char* ard : {"", "ard=true"}) {
      std::string arguments;
      for (const std::string& parameter : info.parameters) {
        const double value = 0.6 + 0.1 * (3 * ++next % 8);
        arguments += parameter + "=" + (parameter == "degree" ? "3" : std::to_string(value)) + ", ";
      }
      const std::string text = info.name + "(" + arguments + ard + ")";
      const std::string closed =
          *ard == 0 ? info.name + "(" + arguments.substr(0, arguments.size() - 2) + ")" : text;
      try {
        Kernel::parse(closed);
        out.push_back(closed);
      } catch (const UsageError&) {
        EXPECT_NE(*ard, 0) << closed;  // it has nothing that could be one an input
      }
    }
  return out;
}

// k(x, z) of one bound kernel, straight from its formula and in long double. White is 0; NaN for a
// kernel whose formula is not here.
inline double brute_kernel(const Kernel& leaf, const Vector& x, const Vector& z) {
  const std::vector<Parameter> parameters = leaf.parameters();
  const std::string name = parameters[0].name.substr(0, parameters[0].name.find('.'));
  const long double v = parameters[0].value;
  std::vector<long double> l;
  for (const Parameter& p : parameters)
    if (p.name.find(".lengthscale") != std::string::npos) l.push_back(p.value);
  const auto scale = [&](Index d) { return l[l.size() == 1 ? 0 : static_cast<std::size_t>(d)]; };
  long double r2 = 0, dot = 0, sines = 0;
  for (Index d = 0; d < x.size(); ++d) {
    const long double difference = static_cast<long double>(x(d)) - z(d);
    dot += static_cast<long double>(x(d)) * z(d);
    if (l.empty()) continue;
    r2 += difference * difference / (scale(d) * scale(d));
    if (name != "periodic") continue;
    const long double sine =
        std::sin(std::numbers::pi_v<long double> * difference / parameters.back().value);
    sines += sine * sine / (scale(d) * scale(d));
  }
  if (name == "rbf") return static_cast<double>(v * std::exp(-r2 / 2));
  if (name == "rq") {
    const long double alpha = parameters.back().value;
    return static_cast<double>(v * std::exp(-alpha * std::log1p(r2 / (2 * alpha))));
  }
  if (name == "periodic") return static_cast<double>(v * std::exp(-2 * sines));
  if (name == "poly") return static_cast<double>(v * std::pow(dot + parameters[1].value, 3));
  if (name == "constant") return static_cast<double>(v);
  if (name == "white") return 0;
  if (name == "group") return x == z ? static_cast<double>(v) : 0;
  if (name == "linear") {
    if (parameters.size() == 1) return static_cast<double>(v * dot);
    long double sum = 0;
    for (Index d = 0; d < x.size(); ++d)
      sum += static_cast<long double>(parameters[static_cast<std::size_t>(d)].value) * x(d) * z(d);
    return static_cast<double>(sum);
  }
  if (!name.starts_with("matern")) return std::numeric_limits<double>::quiet_NaN();
  const long double nu2 = name == "matern12" ? 1 : name == "matern32" ? 3 : 5;
  const long double t = std::sqrt(nu2 * r2);
  const long double factor = nu2 == 1 ? 1 : nu2 == 3 ? 1 + t : 1 + t + t * t / 3;
  return static_cast<double>(v * factor * std::exp(-t));
}

inline Matrix brute_cross(const Kernel& leaf, const Matrix& X, const Matrix& Z) {
  return Matrix::NullaryExpr(X.rows(), Z.rows(), [&](Index i, Index j) {
    return brute_kernel(leaf, X.row(i).transpose(), Z.row(j).transpose());
  });
}

inline Matrix gram(const Kernel& kernel, const Matrix& X) {
  Matrix K;
  kernel.gram(X, K);
  return K;
}

inline Matrix cross(const Kernel& kernel, const Matrix& X, const Matrix& Z) {
  Matrix K;
  kernel.cross(X, Z, K);
  return K;
}

inline std::vector<double> values(const Kernel& kernel) {
  std::vector<double> out;
  for (const Parameter& parameter : kernel.parameters()) out.push_back(parameter.value);
  return out;
}

// Where a mixed relative and absolute comparison is wanted: the largest |a - b| / max |b|.
inline double relative_difference(const Matrix& a, const Matrix& b) {
  return (a - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff();
}

}  // namespace ggpm::internal::kernel_tests
