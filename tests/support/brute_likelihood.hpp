// Likelihoods written out by hand with one slow, obvious quadrature: twins for tests of inference
// that must not depend on src/likelihood.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <vector>

#include "ggpm/likelihood.hpp"

namespace ggpm::testing_support {

class BruteLikelihood : public Likelihood {
 public:
  std::string link() const override { return "identity"; }
  Domain domain() const override { return Domain::real; }
  bool log_concave() const override { return true; }
  bool differentiable() const override { return true; }
  bool exposure_shifts_eta() const override { return false; }
  std::vector<Parameter> parameters() const override {
    if (!dispersed()) return {};
    return {Parameter{.name = "dispersion", .value = phi_}};
  }
  void set_parameters(std::span<const double> values) override {
    if (dispersed()) phi_ = values[0];
  }
  void check(std::span<const Row>) const override {}

  virtual bool dispersed() const { return true; }
  virtual LogDensity at(double y, double eta) const = 0;
  virtual double point(double y) const = 0;  // expansion point that does not depend on phi

  void log_density(std::span<const Row> rows,
                   std::span<const double> eta,
                   Derivatives,
                   std::span<LogDensity> out) const override {
    for (std::size_t i = 0; i < rows.size(); ++i) out[i] = at(rows[i].y, eta[i]);
  }

  // The trapezoidal rule on 20,001 points that cover where the integrand is above exp(-800) of its
  // top.
  void tilted(std::span<const Row> rows,
              std::span<const double> mean,
              std::span<const double> variance,
              std::span<Tilted> out,
              Dphi) const override {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double sd = std::sqrt(variance[i]);
      const double h = 24 * sd / 20000;
      double top = -1e300;
      std::vector<double> g(20001);
      for (int k = 0; k <= 20000; ++k) {
        const double z = -12 + 24.0 * k / 20000;
        g[std::size_t(k)] = at(rows[i].y, mean[i] + sd * z).value - 0.5 * z * z;
        if (!(g[std::size_t(k)] > -1e300)) g[std::size_t(k)] = -1e300;
        top = std::max(top, g[std::size_t(k)]);
      }
      double s0 = 0, s1 = 0, s2 = 0, sphi = 0;
      for (int k = 0; k <= 20000; ++k) {
        const double z = -12 + 24.0 * k / 20000, p = std::exp(g[std::size_t(k)] - top);
        if (p == 0) continue;
        s0 += p, s1 += p * z, s2 += p * z * z;
        sphi += p * at(rows[i].y, mean[i] + sd * z).dphi[0];
      }
      const double m = s1 / s0, v = s2 / s0 - m * m;
      out[i].log_z = top + std::log(s0 * h / (sd * std::sqrt(2 * M_PI)));
      out[i].mean = mean[i] + sd * m;
      out[i].variance = sd * sd * v;
      out[i].d1 = m / sd;
      out[i].d2 = (v - 1) / (sd * sd);
      out[i].dphi[0] = sphi / s0;
    }
  }

  void expected(std::span<const Row> rows,
                std::span<const double> mean,
                std::span<const double> variance,
                std::span<Expected> out,
                Dphi) const override {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double sd = std::sqrt(variance[i]), h = 1.0 / 64;
      Expected e;
      for (int k = -1024; k <= 1024; ++k) {
        const double z = k * h, p = std::exp(-0.5 * z * z) * h / std::sqrt(2 * M_PI);
        const LogDensity l = at(rows[i].y, mean[i] + sd * z);
        e.value += p * l.value, e.d1 += p * l.d1, e.d2 += p * l.d2, e.dphi[0] += p * l.dphi[0];
      }
      out[i] = e;
    }
  }

  void expand(std::span<const Row> rows,
              const ExpansionOptions&,
              std::span<Expansion> out) const override {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double eta = point(rows[i].y);
      out[i] = {.eta = eta, .deta_dphi = {}, .at = at(rows[i].y, eta)};
    }
  }

  double mean(const Row&, double) const override { throw unused(); }
  double variance(const Row&, double) const override { throw unused(); }
  double mode(const Row&, double) const override { throw unused(); }
  double cdf(const Row&, double, double) const override { throw unused(); }
  double quantile(const Row&, double, double) const override { throw unused(); }
  double sample(const Row&, double, std::mt19937_64&) const override { throw unused(); }
  std::unique_ptr<Predictive> predictive(const Row&, double, double) const override {
    throw unused();
  }

 protected:
  static std::logic_error unused() { return std::logic_error("not part of the twin"); }
  double phi_ = 1;
};

class BruteGaussian final : public BruteLikelihood {
 public:
  explicit BruteGaussian(double phi) { phi_ = phi; }
  std::unique_ptr<Likelihood> clone() const override {
    return std::make_unique<BruteGaussian>(*this);
  }
  std::string name() const override { return "gaussian"; }
  bool is_exact_regression() const override { return true; }
  double point(double y) const override { return 0.3 * y + 0.1; }
  double fisher_information(const Row&, double) const override { return 1 / phi_; }
  LogDensity at(double y, double eta) const override {
    const double r = y - eta, p = phi_;
    LogDensity l;
    l.value = -0.5 * std::log(2 * M_PI * p) - 0.5 * r * r / p;
    l.d1 = r / p, l.d2 = -1 / p;
    l.dphi[0] = -0.5 / p + 0.5 * r * r / (p * p);
    l.d1_dphi[0] = -r / (p * p), l.d2_dphi[0] = 1 / (p * p);
    return l;
  }
};

class BrutePoisson final : public BruteLikelihood {
 public:
  std::unique_ptr<Likelihood> clone() const override {
    return std::make_unique<BrutePoisson>(*this);
  }
  std::string name() const override { return "poisson"; }
  std::string link() const override { return "log"; }
  bool dispersed() const override { return false; }
  double point(double y) const override { return std::log(y + 0.5); }
  double fisher_information(const Row&, double eta) const override { return std::exp(eta); }
  LogDensity at(double y, double eta) const override {
    const double r = std::exp(eta);
    LogDensity l;
    l.value = y * eta - r - std::lgamma(y + 1);
    l.d1 = y - r, l.d2 = -r, l.d3 = -r;
    return l;
  }
};

// Scale phi, four degrees of freedom.
class BruteStudentT final : public BruteLikelihood {
 public:
  explicit BruteStudentT(double phi) { phi_ = phi; }
  std::unique_ptr<Likelihood> clone() const override {
    return std::make_unique<BruteStudentT>(*this);
  }
  std::string name() const override { return "student-t"; }
  bool log_concave() const override { return false; }
  double point(double y) const override { return y; }
  double fisher_information(const Row&, double) const override { return 5.0 / (7.0 * phi_ * phi_); }
  LogDensity at(double y, double eta) const override {
    const double r = y - eta, s = 4 * phi_ * phi_, D = s + r * r;
    LogDensity l;
    l.value =
        std::lgamma(2.5) - std::lgamma(2.0) - 0.5 * std::log(M_PI * s) - 2.5 * std::log(D / s);
    l.d1 = 5 * r / D;
    l.d2 = 5 * (r * r - s) / (D * D);
    l.d3 = 10 * r * (r * r - 3 * s) / (D * D * D);
    const double ds = 8 * phi_;
    l.dphi[0] = ds * (2 / s - 2.5 / D);
    l.d1_dphi[0] = -ds * 5 * r / (D * D);
    l.d2_dphi[0] = ds * (-5 / (D * D) - 10 * (r * r - s) / (D * D * D));
    return l;
  }
};

}  // namespace ggpm::testing_support
