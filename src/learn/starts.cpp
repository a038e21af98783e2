#include "learn/starts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernel/expression/classes.hpp"
#include "learn/dispersion_start.hpp"
#include "numeric/random.hpp"

namespace ggpm::internal {
namespace {

constexpr double kShort = 50, kLong = 5;  // starts of length-scales, in typical distances

// The kernel's own bounds, given by nobody.
constexpr double kDefaultLower = 1e-6, kDefaultUpper = 1e6;

bool is_scale(const Parameter& p) { return p.role == Role::lengthscale || p.role == Role::period; }

double spread(const Matrix& X, Index column) {
  const auto x = X.col(column);
  const double scale = x.cwiseAbs().maxCoeff();
  if (!(x.maxCoeff() > x.minCoeff())) return 0;
  const double mean = (x / scale).mean();
  return scale * std::sqrt(((x / scale).array() - mean).square().mean());
}

// Zeros alone say that the mean is low, and not how low: the log marginal grows with the variance of
// the latent function for ever, until the mean of a new output is beyond doubles.
bool all_zero(const LearningTask& task) {
  const Domain domain = task.parts.likelihood->domain();
  return (domain == Domain::count || domain == Domain::nonnegative) &&
         (task.data->observed.y.array() == 0).all();
}

// The same between any two rows: an intercept of the latent function, integrated out.
bool is_level(const Kernel& kernel, Index inputs) {
  Matrix apart(2, inputs);
  apart.row(0).setZero();
  apart.row(1).setConstant(1e6);
  Matrix between;
  kernel.cross(apart.topRows(1), apart.bottomRows(1), between);
  return between(0, 0) > 0 && between(0, 0) == kernel.diagonal(apart)[0];
}

// By parameter of the kernel: does it belong to a summand that is a level?
std::vector<bool> of_levels(const Kernel& kernel, Index inputs) {
  std::vector<bool> out;
  for (const Kernel& one : kernels_of_classes(kernel))
    for (const KernelTerm& term : one.terms())
      out.insert(out.end(), term.kernel.parameters().size(), is_level(term.kernel, inputs));
  return out;
}

}  // namespace

Starts::Starts(LearningTask& task) {
  center_ = task.space.values();
  ranges_.resize(static_cast<std::size_t>(task.space.size()));
  for (Index i = 0; i < task.space.size(); ++i)
    ranges_[static_cast<std::size_t>(i)] = {center_[i], center_[i]};
  measure_outputs(task);
  place_kernel(task);
  place_mean(task);
  place_dispersion(task);
  for (Index i = 0; i < task.space.size(); ++i) {  // of a warp
    if (task.space[i].role != Role::warp) continue;
    const double width = task.space[i].positive ? std::log(3.0) : 1.0;
    ranges_[static_cast<std::size_t>(i)] = {center_[i] - width, center_[i] + width};
  }
  space_ = task.space;
  for (Index i = 0; i < space_.size(); ++i)
    if (space_[i].fixed) center_[i] = space_.values()[i];
  center_ = space_.clamped(center_);
}

void Starts::set(Index i, double low, double center, double high) {
  center_[i] = center;
  ranges_[static_cast<std::size_t>(i)] = {low, high};
}

// The spread of g(y), as seen from the prior: where the latent function has to go.
void Starts::measure_outputs(const LearningTask& task) {
  const Observations& observed = task.data->observed;
  const std::vector<Row> rows = observed.rows();
  std::vector<Expansion> points(rows.size());
  try {
    task.parts.likelihood->expand(rows, {.point = ExpansionPoint::exact}, points);
  } catch (const Error&) {
    return;  // no expansion points: keep unit spread
  }
  const auto n = static_cast<double>(rows.size());
  double mean = 0, square = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double offset = observed.offset.size() == 0 ? 0 : observed.offset[static_cast<Index>(i)];
    points[i].eta -= offset;
    if (!std::isfinite(points[i].eta)) return;
    mean += points[i].eta / n;
  }
  for (const Expansion& point : points) square += std::pow(point.eta - mean, 2) / n;
  if (!std::isfinite(square)) return;
  eta_mean_ = mean;
  eta_variance_ = square;
  eta_square_ = square + mean * mean;
}

void Starts::place_kernel(LearningTask& task) {
  const Kernel& kernel = task.parts.kernel;
  const Matrix& X = task.data->X;
  const auto parameters = kernel.parameters();
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const auto i = static_cast<Index>(k);
    const double value = center_[i];
    const Index input = parameters[k].input();
    if (is_scale(parameters[k]))
      place_scale(task, i, parameters[k].inputs);
    else if (input >= 0 && X.rows() > 0 && X.col(input).isZero(0))
      task.space.hold(i);  // linear(ard=true) along an input that no row has: no data tell it
    else if (parameters[k].role != Role::variance)
      set(i, value - std::log(10.0), value, value + std::log(10.0));
  }
  note_constant_inputs(*task.data);
  has_intercept_ = false;
  for (const Parameter& p : task.parts.mean.parameters())
    has_intercept_ = has_intercept_ || p.role == Role::mean_level;
  place_variances(task);
  // The variances' default bounds are for latents of order 1.
  const double size = std::max(eta_square_, 1e-12);
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const Parameter& p = parameters[k];
    if (p.role != Role::variance || p.lower != kDefaultLower || p.upper != kDefaultUpper) continue;
    const double here = std::exp(center_[static_cast<Index>(k)]) / size;  // of one unit of K
    const double upper = kDefaultUpper * std::max(1.0, size) * std::max(1.0, here);
    task.space.set_bounds(static_cast<Index>(k),
                          kDefaultLower * std::min(1.0, size) * std::min(1.0, here),
                          all_zero(task) ? std::exp(ranges_[k].high) : upper);
  }
}

// But for inputs of levels that no row has, which are 0: they are for rows to come.
void Starts::note_constant_inputs(const Dataset& data) {
  if (data.X.rows() < 2) return;
  for (Index column = 0; column < data.X.cols(); ++column) {
    const std::string name = input_name(data.columns, column);
    if (spread(data.X, column) != 0 || name.find('=') != std::string::npos) continue;
    notes_.push_back({Warning::Kind::constant_input,
                      "",
                      fmt::format("input {} is constant and tells nothing", name)});
  }
}

// A length-scale: a fraction or a few times the distance between rows in the inputs it sees.
void Starts::place_scale(LearningTask& task, Index i, const std::vector<Index>& columns) {
  const Matrix& X = task.data->X;
  const Parameter& p = task.space[i];
  const double unit = task.space.unit(i);
  double square = 0, range = 0;
  for (const Index column : columns) {
    square += 2 * std::pow(unit * spread(X, column), 2);
    range = std::max(range, unit * (X.col(column).maxCoeff() - X.col(column).minCoeff()));
  }
  const bool given = p.lower > 0 && std::isfinite(p.upper);
  if (!(square > 0) || !std::isfinite(square)) {
    task.space.hold(i);
    if (!given) task.space.set_bounds(i, p.value * 1e-3, p.value * 1e3);
    return;
  }
  // Below a ten-thousandth of the range every row is alone; beyond a thousand times the function
  // is constant in this input.
  if (!given)
    task.space.set_bounds(i, std::max(p.lower, 1e-4 * range), std::min(p.upper, 1e3 * range));
  // With d length-scales the distance of a typical pair is shared between them.
  const double shared = static_cast<double>(X.cols()) / static_cast<double>(columns.size());
  const double typical = std::log(std::sqrt(square * shared));
  if (p.role == Role::period)
    set(i, std::log(0.05 * range), std::log(0.5 * range), std::log(1.5 * range));
  else
    set(i, typical - std::log(kShort), typical - std::log(2.0), typical + std::log(kLong));
}

// Each variance such that its term of K has the mean square of g(y) on the diagonal: the gradient
// of the diagonal's mean in log(variance) is the term itself. One after the other, so that the
// factors of a product share. Where there is an intercept, it has the mean, and the others have what
// scatters around it: a kernel that began with the mean would grow so wide that it is the intercept,
// and far from the rows there would be none.
void Starts::place_variances(const LearningTask& task) {
  const auto parameters = task.parts.kernel.parameters();
  const Matrix& X = task.data->X;
  Vector values(static_cast<Index>(parameters.size()));
  for (Index i = 0; i < values.size(); ++i)
    values[i] = parameters[static_cast<std::size_t>(i)].fixed
                    ? parameters[static_cast<std::size_t>(i)].value
                    : std::exp(center_[i]);
  const std::vector<bool> level = of_levels(task.parts.kernel, X.cols());
  const bool has_level =
      has_intercept_ || std::find(level.begin(), level.end(), true) != level.end();
  for (Index i = 0; i < values.size(); ++i) {
    const Parameter& p = parameters[static_cast<std::size_t>(i)];
    if (p.fixed || p.role != Role::variance) continue;
    Kernel kernel = task.parts.kernel;
    try {
      kernel = kernel.with_values({values.data(), parameters.size()});
    } catch (const UsageError&) {
      return;  // given bounds are tighter than these values: keep what was given
    }
    const double term = kernel.pull_back_diagonal(
        X, Vector::Constant(X.rows(), 1.0 / static_cast<double>(X.rows())))[i];
    const bool has_mean = level[static_cast<std::size_t>(i)] || !has_level;
    const double wanted = std::clamp(has_mean ? eta_square_ : eta_variance_, 1e-6, 1e30);
    if (term > 0 && std::isfinite(term))
      values[i] = std::clamp(values[i] * wanted / term, 1e-90, 1e90);
    const double center = std::log(values[i]);
    set(i, center - std::log(30.0), center, center + std::log(30.0));
  }
}

void Starts::place_mean(LearningTask& task) {
  const double sd = std::sqrt(std::max(eta_variance_, 1e-12));
  for (Index i = 0; i < task.space.size(); ++i) {
    const Index input = task.space[i].input();
    if (task.space[i].role == Role::mean_level)
      set(i, eta_mean_ - sd, eta_mean_, eta_mean_ + sd);
    else if (task.space[i].role == Role::mean_weight && input >= 0 &&
             spread(task.data->X, input) == 0)
      task.space.hold(i);  // no data tell it
    else if (task.space[i].role == Role::mean_weight)
      set(i, -0.5 * sd, 0, 0.5 * sd);
  }
}

// Each less than half way to its neighbors, so that any draw has them in order.
void Starts::place_cuts(const LearningTask& task) {
  const Index last = task.space.size() - 1;
  const Index first = task.space.size() - std::ssize(task.parts.likelihood->parameters());
  for (Index i = first; i <= last; ++i) {
    const double below = i > first ? center_[i] - center_[i - 1] : 1;
    const double above = i < last ? center_[i + 1] - center_[i] : 1;
    set(i, center_[i] - 0.45 * below, center_[i], center_[i] + 0.45 * above);
  }
}

void Starts::place_dispersion(LearningTask& task) {
  if (task.parts.likelihood->levels() > 0) return place_cuts(task);
  const DispersionStart start(*task.parts.likelihood, task.data->observed.rows());
  for (Index i = 0; i < task.space.size(); ++i) {
    const Parameter& p = task.space[i];
    if (p.role == Role::tail) set(i, std::log(2.0), std::log(p.value), std::log(30.0));
    if (p.role != Role::dispersion) continue;
    if (!p.positive) {  // a probability, a power: anywhere in the lower half of its interval
      const double width = p.upper - p.lower;
      set(i, p.lower + 0.02 * width, p.value, p.lower + 0.5 * width);
      continue;
    }
    const auto [low, center, high] = start.range(p.value);
    set(i, std::log(low), std::log(center), std::log(high));
    const double width = task.parts.likelihood->domain() == Domain::count ? 1e3 : 1e6;
    task.space.set_bounds(i,
                          std::max(p.lower, center / width),
                          std::min({p.upper, center * width, start.largest(p.value)}));
  }
}

void Starts::add_priors(ParameterSpace& space) const {
  for (const Index i : space.free()) {
    if (space.prior(i).kind != Prior::Kind::none) continue;
    const auto [low, high] = ranges_[static_cast<std::size_t>(i)];
    const double width = high - low;
    const Role role = space[i].role;
    // A function that is nearly a straight line has a length-scale far beyond the rows; starts need not
    // go there, from where the log marginal leads to it.
    const double middle =
        role == Role::lengthscale && width > 0 ? high - std::log(kLong) : (low + high) / 2;
    if (space[i].positive)
      space.set_prior(i, {Prior::Kind::lognormal, middle, width > 0 ? width / 4 : 1});
    else if (role == Role::mean_level || role == Role::mean_weight || role == Role::warp)
      space.set_prior(i, {Prior::Kind::normal, (low + high) / 2, width > 0 ? width : 1});
  }
}

Vector Starts::random_point(std::uint64_t seed, int k) const {
  std::mt19937_64 random = numeric::random_stream(seed, static_cast<std::uint64_t>(k));
  Vector point = center_;
  for (Index i = 0; i < point.size(); ++i) {
    const double u =
        numeric::uniform(random);  // drawn for held parameters too: holding one moves no other
    const Range& range = ranges_[static_cast<std::size_t>(i)];
    if (!space_[i].fixed) point[i] = range.low + u * (range.high - range.low);
  }
  return space_.clamped(point);
}

}  // namespace ggpm::internal
