#include "learn/space.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace ggpm::internal {
namespace {

std::span<const double> view(const Vector& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

void require_size(const char* part, Index have, std::size_t want) {
  if (have != static_cast<Index>(want))
    throw UsageError(
        fmt::format("hyperparameters: the {} has {} parameters, not {}", part, want, have));
}

// A bound that the logarithm can reach.
constexpr double kSmallest = 1e-100, kLargest = 1e100;

}  // namespace

ModelParts with_values(const ModelParts& parts, const Hyperparameters& at) {
  const auto dispersions = parts.likelihood->parameters();
  require_size("kernel", at.kernel.size(), parts.kernel.parameters().size());
  require_size("mean", at.mean.size(), parts.mean.parameters().size());
  require_size("likelihood", at.dispersion.size(), dispersions.size());
  for (std::size_t i = 0; i < dispersions.size(); ++i) {
    const double value = at.dispersion[static_cast<Index>(i)];
    const Parameter& p = dispersions[i];
    if (p.positive && (!(value > 0) || std::isinf(value)))
      throw UsageError(
          fmt::format("hyperparameters: {} = {} is not a finite number > 0", p.name, value));
    if (!p.positive && !(value >= p.lower && value <= p.upper))
      throw UsageError(fmt::format(
          "hyperparameters: {} = {} is not between {} and {}", p.name, value, p.lower, p.upper));
  }
  ModelParts out{
      parts.kernel.with_values(view(at.kernel)), parts.mean.with_values(view(at.mean)), nullptr};
  std::shared_ptr<Likelihood> likelihood = parts.likelihood->clone();
  likelihood->set_parameters(view(at.dispersion));
  out.likelihood = std::move(likelihood);
  return out;
}

ParameterSpace::ParameterSpace(const ModelParts& parts,
                               const std::vector<std::string>& fixed,
                               const std::map<std::string, Prior>& priors,
                               const std::vector<std::string>& columns) {
  const auto append = [&](const std::vector<Parameter>& more, std::vector<Prior> beliefs) {
    for (Parameter p : more) {
      // A value that was given is possible, wherever learning would have looked.
      p.lower = std::min(p.lower, p.value);
      p.upper = std::max(p.upper, p.value);
      places_.push_back(p.name);
      if (!p.list.empty() && p.input() >= 0 && !columns.empty())
        p.name = p.list + "[" + columns[static_cast<std::size_t>(p.input())] + "]";
      parameters_.push_back(std::move(p));
    }
    beliefs.resize(more.size());
    priors_.insert(priors_.end(), beliefs.begin(), beliefs.end());
    return static_cast<Index>(more.size());
  };
  kernel_ = append(parts.kernel.parameters(), parts.kernel.priors());
  mean_ = append(parts.mean.parameters(), parts.mean.priors());
  dispersion_ = append(parts.likelihood->parameters(), {});
  units_ = parts.kernel.units();
  units_.resize(parameters_.size(), 1);
  for (const std::string& name : fixed) hold(find(name));
  for (const auto& [name, prior] : priors) priors_[static_cast<std::size_t>(find(name))] = prior;
}

Index ParameterSpace::find(std::string_view name) const {
  std::vector<std::string_view> known;
  for (Index i = 0; i < size(); ++i) {
    if ((*this)[i].name == name) return i;
    known.push_back((*this)[i].name);
  }
  if (const auto place = std::find(places_.begin(), places_.end(), name); place != places_.end())
    return place - places_.begin();
  throw UsageError(
      fmt::format("there is no parameter '{}'; the model has {}", name, fmt::join(known, ", ")));
}

void ParameterSpace::set_bounds(Index i, double lower, double upper) {
  Parameter& p = parameters_[static_cast<std::size_t>(i)];
  p.lower = std::min(lower, p.value);
  p.upper = std::max(upper, p.value);
}

void ParameterSpace::restore(Index i, double value, double lower, double upper) {
  Parameter& p = parameters_[static_cast<std::size_t>(i)];
  p.value = value;
  p.lower = lower;
  p.upper = upper;
}

double ParameterSpace::to_learned(Index i, double value) const {
  if (!(*this)[i].positive) return value;
  return std::log(std::clamp(value, kSmallest, kLargest));
}

// exp(log(1e100)) is above 1e100, which a kernel refuses.
double ParameterSpace::to_value(Index i, double learned) const {
  if (!(*this)[i].positive) return learned;
  return std::clamp(std::exp(learned), kSmallest, kLargest);
}

Vector ParameterSpace::values() const {
  Vector out(size());
  for (Index i = 0; i < size(); ++i) out[i] = to_learned(i, (*this)[i].value);
  return out;
}

Hyperparameters ParameterSpace::split(const Vector& flat) const {
  if (flat.size() != size())
    throw UsageError(
        fmt::format("hyperparameters: the model has {} parameters, not {}", size(), flat.size()));
  return {flat.head(kernel_), flat.segment(kernel_, mean_), flat.tail(dispersion_)};
}

// A held parameter keeps the bits that were given: exp(log(x)) need not be x.
Hyperparameters ParameterSpace::hyperparameters(const Vector& learned) const {
  if (learned.size() != size()) return split(learned);
  Vector flat(size());
  for (Index i = 0; i < size(); ++i) {
    const Parameter& p = (*this)[i];
    flat[i] = learned[i] == to_learned(i, p.value) ? p.value : to_value(i, learned[i]);
  }
  return split(flat);
}

Vector ParameterSpace::learned(const Hyperparameters& at) const {
  if (at.size() != size()) split(at.flat());
  Vector flat = at.flat();
  for (Index i = 0; i < size(); ++i) flat[i] = to_learned(i, flat[i]);
  return flat;
}

double ParameterSpace::log_prior(const Vector& learned) const {
  double sum = 0;
  for (Index i = 0; i < size(); ++i) {
    if (prior(i).kind == Prior::Kind::none) continue;
    sum += prior(i).log_density(to_value(i, learned[i]));
    if (has_jacobian(i)) sum += learned[i];
  }
  return sum;
}

void ParameterSpace::add_prior_gradient(const Vector& learned, Vector& gradient) const {
  for (Index i = 0; i < size(); ++i) {
    if (prior(i).kind == Prior::Kind::none) continue;
    const double value = to_value(i, learned[i]);
    gradient[i] += prior(i).derivative(value) * ((*this)[i].positive ? value : 1);
    if (has_jacobian(i)) gradient[i] += 1;
  }
}

std::vector<Index> ParameterSpace::free() const {
  std::vector<Index> out;
  for (Index i = 0; i < size(); ++i)
    if (!(*this)[i].fixed) out.push_back(i);
  return out;
}

Vector ParameterSpace::clamped(Vector learned) const {
  for (Index i = 0; i < size(); ++i) {
    const Parameter& p = (*this)[i];
    if (!p.fixed)
      learned[i] = std::clamp(learned[i], to_learned(i, p.lower), to_learned(i, p.upper));
  }
  return learned;
}

}  // namespace ggpm::internal

namespace ggpm {

using namespace internal;

Vector Hyperparameters::flat() const {
  Vector out(size());
  out << kernel, mean, dispersion;
  return out;
}

}  // namespace ggpm
