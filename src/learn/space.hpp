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
  // Holds what the parts or `fixed` hold. UsageError for a name that does not exist. An element of a
  // list with one entry an input has the input's name: "rbf.lengthscale[year]"; without `columns`
  // its place, from 1.
  ParameterSpace(const ModelParts& parts,
                 const std::vector<std::string>& fixed,
                 const std::map<std::string, Prior>& priors,
                 const std::vector<std::string>& columns = {});

  Index size() const { return static_cast<Index>(parameters_.size()); }
  const Parameter& operator[](Index i) const { return parameters_[static_cast<std::size_t>(i)]; }
  const std::vector<Parameter>& parameters() const { return parameters_; }
  // One unit of the inputs in that of the parameter, which it is given, learned and shown in.
  double unit(Index i) const { return units_[static_cast<std::size_t>(i)]; }
  const Prior& prior(Index i) const { return priors_[static_cast<std::size_t>(i)]; }
  void set_prior(Index i, const Prior& prior) { priors_[static_cast<std::size_t>(i)] = prior; }
  // Also by its place, "rbf.lengthscale[2]", in a list that has names. UsageError that lists them.
  Index find(std::string_view name) const;

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

  // log_prior is that of a density of the learned coordinates, not of the parameters: what can be
  // integrated over them. An optimum of it does not depend on the priors' own coordinates.
  void set_density_of_learned() { density_of_learned_ = true; }
  bool density_of_learned() const { return density_of_learned_; }
  double log_prior(const Vector& learned) const;
  void add_prior_gradient(const Vector& learned, Vector& gradient) const;

  std::vector<Index> free() const;  // that are not held
  Vector clamped(Vector learned) const;

 private:
  std::vector<Parameter> parameters_;
  std::vector<std::string> places_;  // their names with places in place of names of inputs
  std::vector<Prior> priors_;
  std::vector<double> units_;
  Index kernel_ = 0, mean_ = 0, dispersion_ = 0;
  bool density_of_learned_ = false;

  // d log(value) / d log(learned) adds to a log density.
  bool has_jacobian(Index i) const { return density_of_learned_ && (*this)[i].positive; }
};

}  // namespace ggpm::internal
