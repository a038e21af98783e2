#include "likelihood/softmax.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "numeric/constants.hpp"
#include "numeric/random.hpp"
#include "numeric/special.hpp"

namespace ggpm::internal {
namespace {

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

// How well a Gaussian average is taken: by the trapezoidal rule along principal axes, whose error
// falls exponentially, at the nodes within a ball.
struct Rule {
  // Of the step, in units of 1/sd: log sum e^eta along an axis has its nearest singularity 2.2/sd
  // away from the real line, so that 0.5 leaves a relative error of 1e-12.
  double step;
  double reach, beyond;  // radius: reach + 0.22 for each axis + beyond x the largest sd
  double most_nodes;
};
// Small probabilities, whose mass is up to 1.4 sd beyond that of N(0, 1), keep their digits.
constexpr Rule kPrecise{.step = 0.5, .reach = 6.4, .beyond = 1.5, .most_nodes = 1e5};
// A fixed point of averages whose error changes with them would not be one.
constexpr Rule kQuick{.step = 0.5, .reach = 6.4, .beyond = 0, .most_nodes = 3e4};

constexpr double kWidestStep = 0.7;  // for N(0, 1) itself
constexpr double kCoarsest = 2.2;    // of steps: 1e-4 or better
constexpr double kFarthestLatent = 20;
constexpr Index kLatticePoints = 8192;  // beyond: some 1e-4 of a probability

// Of the ball with radius 1 in D dimensions.
double ball_volume(Index D) {
  const double half = static_cast<double>(D) / 2;
  return std::exp(half * std::log(std::numbers::pi) - numeric::lgamma1p(half));
}

// visit(weight, eta) at nodes of a rule for eta = center + A z, z ~ N(0, 1). Weights sum to what they
// sum to.
class BallRule {
 public:
  // Steps of the axes, the widest that this rule wants. False: too many nodes, whatever the step.
  BallRule(const Rule& rule, const Vector& sd) : step_(sd.size()) {
    Index used = 0;
    for (const double one : sd) used += one >= 1e-12 ? 1 : 0;
    const double largest = sd.size() > 0 ? sd.maxCoeff() : 0;
    radius_ = std::min(rule.reach + 0.22 * static_cast<double>(used) + rule.beyond * largest,
                       kFarthestLatent);
    for (double coarser = 1; coarser <= kCoarsest; coarser *= 1.15) {
      double nodes = ball_volume(used);
      for (Index j = 0; j < sd.size(); ++j) {
        step_[j] = coarser * std::min(kWidestStep, rule.step / sd[j]);
        if (sd[j] < 1e-12)
          step_[j] = 2 * kFarthestLatent;  // a single node
        else
          nodes *= radius_ / step_[j];
      }
      fits_ = nodes <= rule.most_nodes;
      if (fits_) return;
    }
  }
  bool fits() const { return fits_; }

  template <class Visit>
  void run(const Vector& center, const Matrix& A, const Visit& visit) const {
    std::vector<Vector> sums(static_cast<std::size_t>(A.cols()) + 1, center);
    along(0, radius_ * radius_, 1, A, sums, visit);
  }

 private:
  // Axis j, with the square of the radius that those before it leave, and their weight.
  template <class Visit>
  void along(Index j,
             double left,
             double weight,
             const Matrix& A,
             std::vector<Vector>& sums,
             const Visit& visit) const {
    if (j == A.cols()) return visit(weight, sums[static_cast<std::size_t>(j)]);
    const auto half = static_cast<int>(std::sqrt(left) / step_[j]);
    const Vector& before = sums[static_cast<std::size_t>(j)];
    for (int k = -half; k <= half; ++k) {
      const double z = step_[j] * k;
      sums[static_cast<std::size_t>(j) + 1] = before + z * A.col(j);
      along(j + 1, left - z * z, weight * std::exp(-z * z / 2), A, sums, visit);
    }
  }

  Vector step_;
  double radius_ = 0;
  bool fits_ = false;
};

// Points of N(0, 1) in D dimensions, each of which stands for its negative as well: spread evenly by
// the fractional parts of multiples of square roots of primes. Rows of a thread share them: to make
// them takes longer than the average.
const Matrix& lattice(Index D) {
  thread_local Matrix points;  // (D, kLatticePoints)
  if (points.rows() == D) return points;
  std::vector<double> slope;
  for (int candidate = 2; static_cast<Index>(slope.size()) < D; ++candidate) {
    bool prime = true;
    for (int k = 2; k * k <= candidate; ++k) prime = prime && candidate % k != 0;
    if (prime) slope.push_back(std::sqrt(static_cast<double>(candidate)));
  }
  points.resize(D, kLatticePoints);
  for (Index k = 0; k < kLatticePoints; ++k)
    for (Index j = 0; j < D; ++j) {
      const double x = (static_cast<double>(k) + 0.5) * slope[static_cast<std::size_t>(j)];
      const double folded = 1 - std::abs(2 * (x - std::floor(x)) - 1);  // periodic, and so even
      points(D - 1 - j, k) =
          numeric::ndtri(std::clamp(folded, 1e-12, 1 - 1e-12));  // widest axes first
    }
  return points;
}

// visit(weight, eta) at nodes of a rule for N(mean, covariance), of which only contrasts count.
template <class Visit>
void integrate(const Vector& mean, const Matrix& covariance, const Rule& rule, Visit&& visit) {
  const Index C = mean.size(), D = C - 1;
  const Matrix H = contrasts(C);
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(H.transpose() * covariance * H);
  const Vector sd = solver.eigenvalues().cwiseMax(0).cwiseSqrt();
  const Vector center = H * (H.transpose() * mean);
  const Matrix A = H * solver.eigenvectors() * sd.asDiagonal();  // (C, D): eta = center + A z
  if (const BallRule ball(rule, sd); ball.fits()) return ball.run(center, A, visit);
  const Matrix& points = lattice(D);
  Vector step(C), eta(C);
  for (Index k = 0; k < points.cols(); ++k) {
    step.noalias() = A * points.col(k);
    eta = center + step;
    visit(1.0, eta);
    eta = center - step;
    visit(1.0, eta);
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
  double total = 0;
  integrate(mean, covariance, kQuick, [&](double weight, const Vector& eta) {
    total += weight;
    out.log_sum += weight * softmax_into(eta, p);
    for (Index b = 0; b < C; ++b) out.pp.col(b) += (weight * p[b]) * p;
  });
  out.pp /= total;
  out.p = out.pp.rowwise().sum();
  out.log_sum = out.log_sum / total + mean.mean();  // the nodes are centered
  return out;
}

Vector softmax_probabilities(const Vector& mean, const Matrix& covariance) {
  Vector out = Vector::Zero(mean.size()), p(mean.size());
  integrate(mean, covariance, kPrecise, [&](double weight, const Vector& eta) {
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

std::vector<LikelihoodInfo> every_likelihood() {
  std::vector<LikelihoodInfo> all = likelihood_table();
  all.push_back(softmax_info());
  return all;
}

}  // namespace ggpm
