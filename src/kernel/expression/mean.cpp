// Prior means: zero, constant(value), linear(weights, intercept), and sums of them.
#include "kernel/expression/mean.hpp"

#include <limits>

#include "ggpm/kernel.hpp"
#include "text/text.hpp"

namespace ggpm {

using namespace internal;

namespace {

using kern::MeanSlot;
using kern::Sign;
using kern::Value;
using Term = MeanState::Term;

constexpr kern::Bounds kUnbounded = {-std::numeric_limits<double>::infinity(),
                                     std::numeric_limits<double>::infinity()};

void check_inputs(const MeanState& state, const Matrix& X) {
  for (const Term& term : state.terms) {
    if (!term.is_linear()) continue;
    if (state.dimensions == 0) throw UsageError("mean: bind it to inputs before it is evaluated");
    if (X.cols() != state.dimensions)
      throw UsageError("mean: bound to " + std::to_string(state.dimensions) + " inputs, given " +
                       std::to_string(X.cols()));
  }
}

std::string text_of(const Term& term) {
  std::string out;
  for (const MeanState::Part& part : term.parts)
    out += (out.empty() ? "" : ", ") + part.name + "=" + kern::text(part.values);
  if (!term.columns.empty()) out += ", columns=" + kern::text(term.columns);
  return term.name + "(" + out + ")";
}

void bind_term(Term& term, Index dimensions, std::span<const std::string> names, bool resolved) {
  const auto refuse = [&](const std::string& why) {
    throw UsageError("mean " + in_quotes(text_of(term)) + ": " + why);
  };
  if (!resolved) term.chosen = kern::resolve_quantities(term.columns, dimensions, names, refuse);
  const Index seen = term.columns.empty() ? dimensions : static_cast<Index>(term.chosen.size());
  kern::Values& weights = term.parts[0].values;
  kern::expand(weights, seen);
  if (static_cast<Index>(weights.items.size()) != seen)
    refuse(std::to_string(weights.items.size()) + " weights for " + std::to_string(seen) +
           " inputs");
}

}  // namespace

Mean Mean::parse(std::string_view text) {
  Mean out;
  MeanState state = kern::parse_mean(text);
  if (!state.terms.empty()) out.state_ = std::make_shared<const MeanState>(std::move(state));
  return out;
}

std::string Mean::text() const {
  if (!state_) return "zero";
  std::string out;
  for (const Term& term : state_->terms) out += (out.empty() ? "" : " + ") + text_of(term);
  return out;
}

Mean Mean::bind(Index dimensions, std::span<const std::string> column_names) const {
  if (!state_) return *this;
  MeanState bound = *state_;
  const bool resolved = bound.dimensions == dimensions && column_names.empty();
  for (Term& term : bound.terms)
    if (term.is_linear()) bind_term(term, dimensions, column_names, resolved);
  bound.dimensions = dimensions;
  Mean out;
  out.state_ = std::make_shared<const MeanState>(std::move(bound));
  return out;
}

std::vector<Parameter> Mean::parameters() const {
  std::vector<Parameter> out;
  if (!state_) return out;
  kern::for_each_mean_value(*state_, [&](const MeanSlot& slot, const Value& value) {
    Parameter& p = out.emplace_back(
        kern::to_parameter(value, slot.name(), Sign::any, kUnbounded, slot.part.role));
    if (!slot.part.values.is_list) return;
    p.list = slot.list;
    if (state_->dimensions > 0) p.inputs = {slot.term.input(slot.element)};
  });
  return out;
}

std::vector<Prior> Mean::priors() const {
  std::vector<Prior> out;
  if (!state_) return out;
  kern::for_each_mean_value(
      *state_, [&](const MeanSlot&, const Value& value) { out.push_back(value.prior); });
  return out;
}

Mean Mean::with_values(std::span<const double> values) const {
  MeanState changed = state_ ? *state_ : MeanState{};
  std::size_t next = 0;
  kern::for_each_mean_value(changed, [&](const MeanSlot& slot, Value& value) {
    if (next < values.size()) kern::assign(value, values[next], Sign::any, slot.name());
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
  Vector out = Vector::Zero(X.rows());
  if (!state_) return out;
  check_inputs(*state_, X);
  for (const Term& term : state_->terms) {
    out.array() += term.level().items.front().value;
    if (!term.is_linear()) continue;
    const std::vector<Value>& weights = term.parts[0].values.items;
    for (std::size_t i = 0; i < weights.size(); ++i) out += X.col(term.input(i)) * weights[i].value;
  }
  return out;
}

Vector Mean::pull_back(const Matrix& X, const Vector& mbar) const {
  if (!state_) return Vector();
  check_inputs(*state_, X);
  std::vector<double> out;
  for (const Term& term : state_->terms) {
    if (term.is_linear())
      for (std::size_t i = 0; i < term.parts[0].values.items.size(); ++i)
        out.push_back(X.col(term.input(i)).dot(mbar));
    out.push_back(mbar.sum());
  }
  return Eigen::Map<const Vector>(out.data(), static_cast<Index>(out.size()));
}

}  // namespace ggpm
