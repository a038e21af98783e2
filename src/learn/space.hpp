// The parameters of a model as one vector of learned coordinates: logarithms where positive, in the
// order kernel, mean, dispersion.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ggpm/learning.hpp"

namespace ggpm::internal {

// A model without its data: what hyperparameters belong to, with values.
struct ModelParts {
  Kernel kernel = kernels::rbf();  // bound
  Mean mean;
  std::shared_ptr<const Likelihood> likelihood;
};

// Copies with other values; UsageError for impossible ones.
ModelParts with_values(const ModelParts& parts, const Hyperparameters& at);

class ParameterSpace {
 public:
  ParameterSpace() = default;
  // Holds what the parts or `fixed` hold. UsageError for a name that does not exist.
  ParameterSpace(const ModelParts& parts,
                 const std::vector<std::string>& fixed,
                 const std::map<std::string, Prior>& priors);

  Index size() const { return static_cast<Index>(parameters_.size()); }
  const Parameter& operator[](Index i) const { return parameters_[static_cast<std::size_t>(i)]; }
  const std::vector<Parameter>& parameters() const { return parameters_; }
  const Prior& prior(Index i) const { return priors_[static_cast<std::size_t>(i)]; }
  Index find(std::string_view name) const;  // UsageError that lists the names

  // Bounds, widened if the current value is outside.
  void set_bounds(Index i, double lower, double upper);
  // Value and bounds as they were stored.
  void restore(Index i, double value, double lower, double upper);
  void hold(Index i) { parameters_[static_cast<std::size_t>(i)].fixed = true; }

  Vector values() const;  // current, learned coordinates
  double to_learned(Index i, double value) const;
  double to_value(Index i, double learned) const;
  Hyperparameters hyperparameters(const Vector& learned) const;
  Vector learned(const Hyperparameters& at) const;
  Hyperparameters split(const Vector& flat) const;  // a gradient, say: only cut into its parts

  double log_prior(const Vector& learned) const;
  void add_prior_gradient(const Vector& learned, Vector& gradient) const;

  std::vector<Index> free() const;  // that are not held
  Vector clamped(Vector learned) const;

 private:
  std::vector<Parameter> parameters_;
  std::vector<Prior> priors_;
  Index kernel_ = 0, mean_ = 0, dispersion_ = 0;
};

}  // namespace ggpm::internal
