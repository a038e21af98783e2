// What each summand of the kernel contributes, and the weights of linear ones.
#include <cmath>

#include "model/ensemble.hpp"
#include "numeric/special.hpp"

namespace ggpm {

using namespace internal;

namespace {

struct Unit {
  std::string name;
  double scale = 1;
};

// The columns of X as a person knows them; levels of a text are 0 and 1.
std::vector<Unit> units_of(const SavedModel& saved) {
  std::vector<Unit> out;
  for (Index j = 0; j < saved.model.dimensions(); ++j) {
    Unit& unit = out.emplace_back(Unit{input_name(saved.model.columns(), j)});
    if (!saved.design) continue;
    for (const DesignColumn& column : saved.design->columns())
      if (column.levels.empty() && column.name == unit.name) unit.scale = column.scale;
  }
  return out;
}

Coefficient make_coefficient(
    std::string term, std::string input, double w, double error, double z) {
  return {std::move(term), std::move(input), w, error, w - z * error, w + z * error};
}

// A linear kernel is w.x: its value at the unit vector of an input is the weight of that input.
void add_weights(const KernelTerm& term,
                 std::size_t place,
                 const SavedModel& saved,
                 const std::vector<Unit>& units,
                 double z,
                 std::vector<Coefficient>& out) {
  Matrix Z = Matrix::Zero(static_cast<Index>(term.inputs.size()), saved.model.dimensions());
  for (Index k = 0; k < Z.rows(); ++k) Z(k, term.inputs[static_cast<std::size_t>(k)]) = 1;
  Vector mean, variance;
  predict_term(saved.model.state(), place, Z, mean, variance);
  for (Index k = 0; k < Z.rows(); ++k) {
    const Unit& unit = units[static_cast<std::size_t>(term.inputs[static_cast<std::size_t>(k)])];
    out.push_back(make_coefficient(
        term.name, unit.name, mean[k] / unit.scale, std::sqrt(variance[k]) / unit.scale, z));
  }
}

void add_intercept(const KernelTerm& term,
                   std::size_t place,
                   const SavedModel& saved,
                   double z,
                   std::vector<Coefficient>& out) {
  Vector mean, variance;
  predict_term(
      saved.model.state(), place, Matrix::Zero(1, saved.model.dimensions()), mean, variance);
  out.push_back(make_coefficient(term.name, "intercept", mean[0], std::sqrt(variance[0]), z));
}

// Those of the prior mean are learned: their errors are those of hyperparameters.
void add_of_mean(const SavedModel& saved,
                 const std::vector<Unit>& units,
                 double z,
                 std::vector<Coefficient>& out) {
  const std::vector<Parameter> parameters = saved.model.mean().parameters();
  if (parameters.empty()) return;
  const Vector errors = saved.model.compute_standard_errors().mean;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& p = parameters[i];
    const bool weight = p.role == Role::mean_weight && p.input() >= 0;
    if (!weight && p.fixed && p.value == 0)
      continue;  // a sum has the intercept of its first summand
    const Unit unit = weight ? units[static_cast<std::size_t>(p.input())] : Unit{"intercept"};
    const double error = p.fixed ? 0 : errors[static_cast<Index>(i)] / unit.scale;
    out.push_back(make_coefficient(
        p.name.substr(0, p.name.find('.')), unit.name, p.value / unit.scale, error, z));
  }
}

}  // namespace

std::vector<TermPrediction> GeneralizedGP::terms(const Dataset& rows) const {
  const PreparedRows prepared = prepare_rows(rows, *state_);
  std::vector<TermPrediction> out;
  if (!mean().parameters().empty())
    out.push_back({"prior", prepared.prior_mean, Vector::Zero(rows.size())});
  std::size_t place = 0;
  for (const KernelTerm& term : kernel().terms()) {
    TermPrediction& made = out.emplace_back(TermPrediction{term.name, {}, {}});
    predict_term(*state_, place++, rows.X, made.mean, made.variance);
  }
  return out;
}

std::vector<Coefficient> compute_coefficients(const SavedModel& saved, double level) {
  if (!(level > 0 && level < 1)) throw UsageError("coefficients: the level is between 0 and 1");
  const double z = numeric::ndtri(0.5 + level / 2);
  const std::vector<Unit> units = units_of(saved);
  std::vector<Coefficient> out;
  add_of_mean(saved, units, z, out);
  std::size_t place = 0;
  for (const KernelTerm& term : saved.model.kernel().terms()) {
    if (term.type == "linear") add_weights(term, place, saved, units, z, out);
    if (term.type == "constant") add_intercept(term, place, saved, z, out);
    ++place;
  }
  return out;
}

}  // namespace ggpm
