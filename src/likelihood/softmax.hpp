// Several classes with a latent function each:  p(y = k | eta) = e^eta_k / sum_j e^eta_j
//
// The one likelihood whose rows have more than one latent. The questions of Likelihood that take a
// single eta have no answer here; inference/classes.hpp asks what is below instead.
#pragma once

#include "ggpm/classes.hpp"
#include "likelihood/base.hpp"

namespace ggpm::internal {

class Softmax final : public LikelihoodBase {
 public:
  static constexpr std::string_view kName = "softmax";
  static constexpr int kMostLevels = 100;

  explicit Softmax(const LikelihoodOptions& options = {});

  std::unique_ptr<Likelihood> clone() const override { return std::make_unique<Softmax>(*this); }
  std::string name() const override { return std::string(kName); }
  std::string link() const override { return "softmax"; }
  Domain domain() const override { return Domain::ordinal; }
  bool log_concave() const override { return true; }
  bool differentiable() const override { return true; }
  bool exposure_shifts_eta() const override { return false; }
  int levels() const override { return levels_; }
  std::vector<std::pair<std::string, std::string>> labels() const override;

  // As many levels as were given, otherwise the highest of the data.
  void adapt_to(std::span<const Row> rows) override;
  std::vector<double> constants() const override { return {static_cast<double>(levels_), 1}; }
  void set_constants(std::span<const double> values) override;
  std::vector<Parameter> parameters() const override { return {}; }
  void set_parameters(std::span<const double>) override {}
  void check(std::span<const Row> rows) const override;

  // A level has no mean, and one eta is not what the others ask for.
  void plain_values(const Row&, std::span<const double>, double*, PhiArray*) const override;
  void plain_at(const Row&,
                std::span<const double>,
                Derivatives,
                std::span<LogDensity>) const override;
  double fisher_information(const Row& row, double eta) const override;
  double mean(const Row& row, double eta) const override;
  double variance(const Row& row, double eta) const override;
  double mode(const Row& row, double eta) const override;
  double cdf(const Row& row, double eta, double y) const override;
  double quantile(const Row& row, double eta, double p) const override;

 private:
  int levels_ = 3;
  bool given_ = false;
};

// UsageError that names what cannot be asked of a model with several latents.
void require_one_latent(const Likelihood& likelihood, std::string_view what);

// Probabilities at eta (C), and log sum_j e^eta_j.
struct SoftmaxAt {
  Vector p;
  double log_sum = 0;
};
SoftmaxAt softmax_at(const Vector& eta);

// Expectations under eta ~ N(mean, covariance).
struct SoftmaxExpected {
  Vector p;            // (C) E p
  Matrix pp;           // (C, C) E p p^T
  double log_sum = 0;  // E log sum_j e^eta_j
};
SoftmaxExpected softmax_expected(const Vector& mean, const Matrix& covariance);

// (C) E p alone, to more digits.
Vector softmax_probabilities(const Vector& mean, const Matrix& covariance);

// The distribution of a level with these probabilities.
std::unique_ptr<Predictive> level_predictive(Vector probabilities);

}  // namespace ggpm::internal
