#include <algorithm>
#include <numbers>
#include <numeric>

#include "ggpm/sphere.hpp"
#include "kernel/expression/type.hpp"
#include "text/text.hpp"

namespace ggpm::internal::kern {
namespace {

constexpr double kRadians = std::numbers::pi / 180;  // in a degree

// In units of X, as kernels see them.
Numbers numbers_of(const Leaf& leaf) {
  Numbers numbers{.values = {}, .degree = leaf.degree};
  for (std::size_t p = 0; p < leaf.values.size(); ++p) {
    const std::vector<Value>& items = leaf.values[p].items;
    Vector& out = numbers.values.emplace_back(items.size());
    for (std::size_t i = 0; i < items.size(); ++i)
      out[static_cast<Index>(i)] = items[i].value / leaf.unit_of(p, i);
  }
  return numbers;
}

// The length-scale of a periodic kernel is one of sines, whatever its inputs are measured in.
bool has_unit(const KernelType& type, std::size_t parameter) {
  const Role role = type.parameters[parameter].role;
  const bool periodic =
      std::any_of(type.parameters.begin(), type.parameters.end(), [](const ParameterSpec& spec) {
        return spec.role == Role::period;
      });
  return role == Role::period || (role == Role::lengthscale && !periodic);
}

[[noreturn]] void refuse(const Leaf& leaf, const std::string& why) {
  throw UsageError("kernel " + in_quotes(leaf.text()) + ": " + why);
}

}  // namespace

Leaf::Leaf(const KernelType& kind) : type(&kind), values(kind.parameters.size()) {}

NodePtr Leaf::transform(const std::function<void(Leaf&)>& change) const {
  const auto changed = std::make_shared<Leaf>(*this);
  change(*changed);
  return changed;
}

std::string Leaf::text() const {
  std::string out;
  const auto add = [&](std::string_view name, const std::string& value) {
    out += (out.empty() ? "" : ", ") + std::string(name) + "=" + value;
  };
  for (std::size_t i = 0; i < values.size(); ++i)
    add(type->parameters[i].name, kern::text(values[i]));
  if (type->has_degree) add("degree", std::to_string(degree));
  if (ard) add("ard", "true");
  if (!columns.empty()) add("columns", kern::text(columns));
  if (sphere) add("metric", "sphere");
  return std::string(type->name) + "(" + out + ")";
}

void Leaf::bind(Index count,
                std::span<const std::string> names,
                std::span<const double> of_inputs) {
  if (count < 1) throw UsageError("kernel: there are no inputs to bind to");
  if (!names.empty() && static_cast<Index>(names.size()) != count)
    throw UsageError("kernel: " + std::to_string(names.size()) + " names for " +
                     std::to_string(count) + " inputs");
  const bool resolved = dimensions == count && names.empty();  // bound to them before
  dimensions = count;
  if (!resolved) {
    const auto say = [this](const std::string& why) { refuse(*this, why); };
    const bool quantities = type != &kGroup && type->sees_inputs;
    chosen = quantities ? resolve_quantities(columns, count, names, say)
                        : resolve_columns(columns, count, names, say);
  }
  const Index seen = columns.empty() ? count : static_cast<Index>(chosen.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!type->parameters[i].per_input) continue;
    if (ard) expand(values[i], seen);
    const auto given = static_cast<Index>(values[i].items.size());
    if (values[i].is_list && given != seen)
      refuse(*this,
             std::string(type->parameters[i].name) + " has " + std::to_string(given) +
                 " values for " + std::to_string(seen) + " inputs");
  }
  ard = false;  // the list says it
  if (sphere && seen != 2)
    refuse(*this, "metric=sphere needs two columns, longitude and latitude in degrees");
  if (of_inputs.empty() && !sphere) return;
  if (!of_inputs.empty() && static_cast<Index>(of_inputs.size()) != count)
    throw UsageError("kernel: " + std::to_string(of_inputs.size()) + " units for " +
                     std::to_string(count) + " inputs");
  units.assign(of_inputs.begin(), of_inputs.end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i].given)
      for (std::size_t k = 0; k < values[i].items.size(); ++k)
        values[i].items[k].value *= unit_of(i, k);
    values[i].given = true;
  }
}

double Leaf::unit_of(std::size_t parameter, std::size_t element) const {
  if (sphere && has_unit(*type, parameter)) return kEarthRadius * kRadians;
  if (units.empty() || !has_unit(*type, parameter)) return 1;
  const std::vector<Index> inputs = inputs_of(parameter, element);
  if (inputs.empty()) return 1;
  const auto unit = [&](Index input) { return units[static_cast<std::size_t>(input)]; };
  const bool shared = std::all_of(inputs.begin(), inputs.end(), [&](Index input) {
    return unit(input) == unit(inputs.front());
  });
  return shared ? unit(inputs.front()) : 1;
}

std::vector<Index> Leaf::inputs_of(std::size_t parameter, std::size_t element) const {
  const ParameterSpec& spec = type->parameters[parameter];
  if (dimensions == 0 || !(spec.per_input || spec.role == Role::period)) return {};
  if (!values[parameter].is_list) return inputs();
  return {columns.empty() ? static_cast<Index>(element) : chosen[element]};
}

std::vector<Index> Leaf::inputs() const {
  if (!columns.empty() || !type->sees_inputs) return chosen;
  std::vector<Index> all(static_cast<std::size_t>(dimensions));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

// Places on a sphere of 360 degrees around, in the space that it lies in. Their distance there, the
// chord 2 R sin(angle / 2), is the great-circle distance up to (angle / 2)^2 / 6 of it; and every
// kernel of a distance in space is positive definite, which those of great-circle distances are not.
Matrix Leaf::on_sphere(const Matrix& X) const {
  const auto lon = X.col(chosen[0]).array() * kRadians, lat = X.col(chosen[1]).array() * kRadians;
  if (!(lat.abs() <= (90 + 1e-6) * kRadians).all())
    refuse(*this,
           "metric=sphere: a latitude is not between -90 and 90 degrees; the columns are "
           "longitude, then latitude, and not standardized");
  Matrix out(X.rows(), 3);
  out.col(0) = lat.cos() * lon.cos() / kRadians;
  out.col(1) = lat.cos() * lon.sin() / kRadians;
  out.col(2) = lat.sin() / kRadians;
  return out;
}

Matrix Leaf::seen_of(const Matrix& X) const {
  if (sphere) return on_sphere(X);
  Matrix out(X.rows(), static_cast<Index>(chosen.size()));
  for (std::size_t i = 0; i < chosen.size(); ++i) out.col(static_cast<Index>(i)) = X.col(chosen[i]);
  return out;
}

std::unique_ptr<Tiles> Leaf::tiles(const Inputs& inputs) const {
  const Numbers numbers = numbers_of(*this);
  if (chosen.empty()) return type->tiles(numbers, inputs);
  const Matrix X = seen_of(inputs.X);
  if (&inputs.Z == &inputs.X) return type->tiles(numbers, {X, X, inputs.gram});
  return type->tiles(numbers, {X, seen_of(inputs.Z), inputs.gram});
}

Vector Leaf::diagonal(const Matrix& X) const {
  const Numbers numbers = numbers_of(*this);
  if (type->diagonal == nullptr) return Vector::Constant(X.rows(), numbers.scalar(0));
  return type->diagonal(numbers, chosen.empty() ? X : seen_of(X)).col(0);
}

void Leaf::pull_back_diagonal(const Matrix& X,
                              const Vector& kbar,
                              std::vector<double>& gradient) const {
  const Numbers numbers = numbers_of(*this);
  if (type->diagonal == nullptr) {  // only the variance moves it
    std::size_t count = 0;
    for (const Vector& parameter : numbers.values)
      count += static_cast<std::size_t>(parameter.size());
    gradient.push_back(numbers.scalar(0) * kbar.sum());
    gradient.insert(gradient.end(), count - 1, 0.0);
    return;
  }
  const Matrix all = type->diagonal(numbers, chosen.empty() ? X : seen_of(X));
  const Vector pulled = all.rightCols(all.cols() - 1).transpose() * kbar;
  gradient.insert(gradient.end(), pulled.begin(), pulled.end());
}

}  // namespace ggpm::internal::kern
