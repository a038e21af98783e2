// Prior means: zero, constant(value), linear(weights, intercept).
#include "kernel/expression/mean.hpp"

#include <limits>

#include "ggpm/kernel.hpp"

namespace ggpm {

using namespace internal;

namespace {

using kern::Sign;
using kern::Value;
using Part = MeanState::Part;

constexpr kern::Bounds kUnbounded = {-std::numeric_limits<double>::infinity(),
                                     std::numeric_limits<double>::infinity()};

void check_inputs(const MeanState& state, const Matrix& X) {
  if (!state.is_linear()) return;
  if (state.dimensions == 0) throw UsageError("mean: bind it to inputs before it is evaluated");
  if (X.cols() != state.dimensions)
    throw UsageError("mean: bound to " + std::to_string(state.dimensions) + " inputs, given " +
                     std::to_string(X.cols()));
}

}  // namespace

Mean Mean::parse(std::string_view text) {
  Mean out;
  MeanState state = kern::parse_mean(text);
  if (!state.parts.empty()) out.state_ = std::make_shared<const MeanState>(std::move(state));
  return out;
}

std::string Mean::text() const {
  if (!state_) return "zero";
  std::string out;
  for (const MeanState::Part& part : state_->parts)
    out += (out.empty() ? "" : ", ") + part.name + "=" + kern::text(part.values);
  return state_->name + "(" + out + ")";
}

Mean Mean::bind(Index dimensions) const {
  if (!state_ || !state_->is_linear()) return *this;
  MeanState bound = *state_;
  kern::Values& weights = bound.parts[0].values;
  kern::expand(weights, dimensions);
  if (static_cast<Index>(weights.items.size()) != dimensions)
    throw UsageError("mean: " + std::to_string(weights.items.size()) + " weights for " +
                     std::to_string(dimensions) + " inputs");
  bound.dimensions = dimensions;
  Mean out;
  out.state_ = std::make_shared<const MeanState>(std::move(bound));
  return out;
}

std::vector<Parameter> Mean::parameters() const {
  std::vector<Parameter> out;
  if (!state_) return out;
  kern::for_each_mean_value(*state_, [&](const Part& part, std::size_t i, const Value& value) {
    Parameter& p = out.emplace_back(kern::to_parameter(
        value, kern::mean_value_name(part, i), Sign::any, kUnbounded, part.role));
    if (part.values.is_list) p.list = "mean." + part.name;
    if (part.values.is_list && state_->dimensions > 0) p.inputs = {static_cast<Index>(i)};
  });
  return out;
}

std::vector<Prior> Mean::priors() const {
  std::vector<Prior> out;
  if (!state_) return out;
  kern::for_each_mean_value(
      *state_, [&](const Part&, std::size_t, const Value& value) { out.push_back(value.prior); });
  return out;
}

Mean Mean::with_values(std::span<const double> values) const {
  MeanState changed = state_ ? *state_ : MeanState{};
  std::size_t next = 0;
  kern::for_each_mean_value(changed, [&](const Part& part, std::size_t i, Value& value) {
    if (next < values.size())
      kern::assign(value, values[next], Sign::any, kern::mean_value_name(part, i));
    ++next;
  });
  if (next != values.size())
    throw UsageError("mean '" + text() + "': " + std::to_string(values.size()) + " values for " +
                     std::to_string(next) + " parameters");
  Mean out;
  if (state_) out.state_ = std::make_shared<const MeanState>(std::move(changed));
  return out;
}

Vector Mean::evaluate(const Matrix& X) const {
  if (!state_) return Vector::Zero(X.rows());
  check_inputs(*state_, X);
  const double level = state_->parts.back().values.items.front().value;
  Vector out = Vector::Constant(X.rows(), level);
  if (state_->is_linear())
    for (Index d = 0; d < X.cols(); ++d)
      out += X.col(d) * state_->parts[0].values.items[static_cast<std::size_t>(d)].value;
  return out;
}

Vector Mean::pull_back(const Matrix& X, const Vector& mbar) const {
  if (!state_) return Vector();
  check_inputs(*state_, X);
  Vector out(state_->is_linear() ? X.cols() + 1 : 1);
  if (state_->is_linear()) out.head(X.cols()) = X.transpose() * mbar;
  out(out.size() - 1) = mbar.sum();
  return out;
}

}  // namespace ggpm
