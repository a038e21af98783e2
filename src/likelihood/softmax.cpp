#include "likelihood/softmax.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "numeric/random.hpp"
#include "numeric/special.hpp"

namespace ggpm::internal {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

[[noreturn]] void refuse(std::string_view what) {
  throw UsageError(
      fmt::format("{} is for one latent function, and softmax has one for each class", what));
}

// Orthonormal columns (C, C-1) across which probabilities change: what all eta share does not
// matter.
Matrix contrasts(Index C) {
  Matrix H = Matrix::Zero(C, C - 1);
  for (Index j = 0; j < C - 1; ++j) {
    const double scale = 1 / std::sqrt(static_cast<double>((j + 1) * (j + 2)));
    H.col(j).head(j + 1).setConstant(scale);
    H(j + 1, j) = -scale * static_cast<double>(j + 1);
  }
  return H;
}

// One axis of a product rule: the trapezoidal rule for N(0, 1), whose error falls exponentially.
struct Axis {
  std::vector<double> node, weight;
};

// log sum e^eta along an axis of standard deviation sd has its nearest singularity 2.2/sd away from
// the real line, so that a step of 0.5/sd leaves a relative error of 1e-11. A small probability
// has its mass up to 1.4 sd beyond that of N(0, 1).
Axis axis_of(double sd, double coarser) {
  const double step = coarser * std::min(0.7, 0.5 / sd);
  const double reach = std::min(6.8 + 1.5 * sd, 20.0);
  const auto half = static_cast<int>(std::ceil(reach / step));
  Axis out;
  double sum = 0;
  for (int k = -half; k <= half; ++k) {
    const double z = step * k;
    out.node.push_back(z);
    out.weight.push_back(std::exp(-z * z / 2));
    sum += out.weight.back();
  }
  for (double& weight : out.weight) weight /= sum;
  return out;
}

double nodes_of(const std::vector<Axis>& axes) {
  double count = 1;
  for (const Axis& axis : axes) count *= static_cast<double>(axis.node.size());
  return count;
}

constexpr double kCoarsest = 2.2;       // of steps: 1e-4 or better
constexpr Index kLatticePoints = 8192;  // beyond: some 1e-4 of a probability

// visit(weight, eta) at nodes of a rule for N(mean, covariance), of which only contrasts count.
template <class Visit>
void integrate(const Vector& mean, const Matrix& covariance, double most_nodes, Visit&& visit) {
  const Index C = mean.size(), D = C - 1;
  const Matrix H = contrasts(C);
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(H.transpose() * covariance * H);
  const Vector sd = solver.eigenvalues().cwiseMax(0).cwiseSqrt();
  const Vector center = H * (H.transpose() * mean);
  const Matrix A = H * solver.eigenvectors() * sd.asDiagonal();  // (C, D): eta = center + A z
  std::vector<Axis> axes;
  double coarser = 1;
  for (; coarser <= kCoarsest; coarser *= 1.15) {
    axes.clear();
    double count = 1;
    for (Index j = 0; j < D && count <= most_nodes; ++j) {
      axes.push_back(sd[j] < 1e-12 ? Axis{{0}, {1}} : axis_of(sd[j], coarser));
      count = nodes_of(axes);
    }
    if (count <= most_nodes) break;
  }
  Vector eta(C);
  if (coarser <= kCoarsest) {
    std::vector<std::size_t> at(static_cast<std::size_t>(D), 0);
    std::vector<Vector> partial(static_cast<std::size_t>(D) + 1, center);  // sums over axes before
    std::vector<double> weight(static_cast<std::size_t>(D) + 1, 1);
    std::size_t from = 0;
    while (true) {
      for (std::size_t j = from; j < at.size(); ++j) {
        partial[j + 1] = partial[j] + A.col(static_cast<Index>(j)) * axes[j].node[at[j]];
        weight[j + 1] = weight[j] * axes[j].weight[at[j]];
      }
      visit(weight.back(), partial.back());
      std::size_t j = at.size();
      while (j > 0 && ++at[j - 1] == axes[j - 1].node.size()) at[--j] = 0;
      if (j == 0) return;
      from = j - 1;
    }
  }
  // Points z and -z, spread evenly by the fractional parts of multiples of square roots of primes.
  std::vector<double> slope;
  for (int candidate = 2; static_cast<Index>(slope.size()) < D; ++candidate) {
    bool prime = true;
    for (int k = 2; k * k <= candidate; ++k) prime = prime && candidate % k != 0;
    if (prime) slope.push_back(std::sqrt(static_cast<double>(candidate)));
  }
  const double share = 0.5 / static_cast<double>(kLatticePoints);
  Vector z(D);
  for (Index k = 1; k <= kLatticePoints; ++k) {
    for (Index j = 0; j < D; ++j) {
      const double x = (static_cast<double>(k) - 0.5) * slope[static_cast<std::size_t>(j)];
      const double folded = 1 - std::abs(2 * (x - std::floor(x)) - 1);  // periodic, and so even
      z[j] = numeric::ndtri(std::clamp(folded, 1e-12, 1 - 1e-12));
    }
    eta = A * z;
    visit(share, Vector(center + eta));
    visit(share, Vector(center - eta));
  }
}

// p <- probabilities at eta, of its size; returns log sum e^eta. Rules of many nodes ask for no memory.
double softmax_into(const Vector& eta, Vector& p) {
  const double highest = eta.maxCoeff();
  p = (eta.array() - highest).exp();
  const double sum = p.sum();
  p /= sum;
  return highest + std::log(sum);
}

class LevelPredictive final : public Predictive {
 public:
  explicit LevelPredictive(Vector p) : p_(std::move(p)) {}
  double mean() const override { return kNaN; }
  double variance() const override { return kNaN; }
  double mode() const override {
    Index best = 0;
    p_.maxCoeff(&best);
    return static_cast<double>(best + 1);
  }
  double log_density(double y) const override { return std::log(p_[static_cast<Index>(y) - 1]); }
  double cdf(double y) const override {
    if (y < 1) return 0;
    const auto count = static_cast<Index>(y);
    return count >= p_.size() ? 1 : std::min(1.0, p_.head(count).sum());
  }
  double quantile(double p) const override {
    Index k = 1;
    while (k < p_.size() && cdf(static_cast<double>(k)) < p) ++k;
    return static_cast<double>(k);
  }
  double sample(std::mt19937_64& random) const override {
    return quantile(numeric::uniform(random));
  }

 private:
  Vector p_;
};

}  // namespace

void require_one_latent(const Likelihood& likelihood, std::string_view what) {
  if (has_several_latents(likelihood)) refuse(what);
}

std::vector<std::pair<std::string, std::string>> Softmax::labels() const {
  return {{"likelihood", name()}, {"link", link()}};
}

// "levels" is what parts of the rows may not show: it is set, never learned.
Softmax::Softmax(const LikelihoodOptions& options) {
  for (const NamedValue& given : options.parameters) {
    if (given.name != "levels")
      throw UsageError(fmt::format(
          "likelihood 'softmax' has no parameter '{}'; it has levels, their number", given.name));
    if (!(given.value >= 2 && given.value <= kMostLevels && given.value == std::floor(given.value)))
      throw UsageError(
          fmt::format("likelihood 'softmax': levels = {} is not a whole number from 2 to {}",
                      given.value,
                      kMostLevels));
    levels_ = static_cast<int>(given.value);
    given_ = true;
  }
}

void Softmax::adapt_to(std::span<const Row> rows) {
  if (given_) return;
  double highest = 2;
  for (const Row& row : rows)
    if (row.y <= kMostLevels) highest = std::max(highest, row.y);
  levels_ = static_cast<int>(highest);
}

void Softmax::set_constants(std::span<const double> values) {
  const double count = values[0];
  if (!(count >= 2 && count <= kMostLevels && count == std::floor(count)))
    throw DataError(fmt::format("{} is not a number of levels", count));
  levels_ = static_cast<int>(count);
}

void Softmax::check(std::span<const Row> rows) const {
  LikelihoodBase::check(rows);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].y > levels_)
      throw DataError({.row = static_cast<Index>(i) + 1, .argument = "y"},
                      fmt::format("{}; the model has the levels 1 to {}, at most {} are possible",
                                  rows[i].y,
                                  levels_,
                                  kMostLevels));
}

void Softmax::plain_values(const Row&, std::span<const double>, double*, PhiArray*) const {
  refuse("this answer");
}
void Softmax::plain_at(const Row&,
                       std::span<const double>,
                       Derivatives,
                       std::span<LogDensity>) const {
  refuse("this answer");
}
double Softmax::fisher_information(const Row&, double) const { refuse("this answer"); }
double Softmax::mean(const Row&, double) const { return kNaN; }
double Softmax::variance(const Row&, double) const { return kNaN; }
double Softmax::mode(const Row&, double) const { return kNaN; }
double Softmax::cdf(const Row&, double, double) const { return kNaN; }
double Softmax::quantile(const Row&, double, double) const { return kNaN; }

SoftmaxAt softmax_at(const Vector& eta) {
  SoftmaxAt out{Vector(eta.size()), 0};
  out.log_sum = softmax_into(eta, out.p);
  return out;
}

SoftmaxExpected softmax_expected(const Vector& mean, const Matrix& covariance) {
  const Index C = mean.size();
  SoftmaxExpected out{Vector::Zero(C), Matrix::Zero(C, C), 0};
  Vector p(C);
  integrate(mean, covariance, 2e4, [&](double weight, const Vector& eta) {
    out.log_sum += weight * softmax_into(eta, p);
    out.p += weight * p;
    for (Index b = 0; b < C; ++b) out.pp.col(b) += (weight * p[b]) * p;
  });
  out.log_sum += mean.mean();  // the nodes are centered
  return out;
}

Vector softmax_probabilities(const Vector& mean, const Matrix& covariance) {
  Vector out = Vector::Zero(mean.size()), p(mean.size());
  integrate(mean, covariance, 1e5, [&](double weight, const Vector& eta) {
    softmax_into(eta, p);
    out += weight * p;
  });
  return out / out.sum();
}

std::unique_ptr<Predictive> level_predictive(Vector probabilities) {
  return std::make_unique<LevelPredictive>(std::move(probabilities));
}

}  // namespace ggpm::internal

namespace ggpm {

using namespace internal;

bool has_several_latents(const Likelihood& likelihood) {
  return dynamic_cast<const Softmax*>(&likelihood) != nullptr;
}

LikelihoodInfo softmax_info() {
  return {.name = std::string(Softmax::kName),
          .links = {"softmax"},
          .domain = Domain::ordinal,
          .scatter = Scatter::of_mean,
          .dispersion = "",
          .formula = "eta_y - log sum_k exp(eta_k), one latent function a level"};
}

}  // namespace ggpm
