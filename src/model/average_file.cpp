#include "model/average_file.hpp"

#include <array>
#include <cmath>

#include "model/ensemble.hpp"

namespace ggpm::internal {
namespace {

// The vectors of a posterior, one column a member.
struct PosteriorField {
  const char* name;
  Vector& (*of)(Posterior&);
};
constexpr std::array<PosteriorField, 8> kFields = {{
    {"member.precision", [](Posterior& q) -> Vector& { return q.sites.precision; }},
    {"member.shift", [](Posterior& q) -> Vector& { return q.sites.shift; }},
    {"member.prior_mean", [](Posterior& q) -> Vector& { return q.prior_mean; }},
    {"member.alpha", [](Posterior& q) -> Vector& { return q.alpha; }},
    {"member.mean", [](Posterior& q) -> Vector& { return q.mean; }},
    {"member.variance", [](Posterior& q) -> Vector& { return q.variance; }},
    {"member.cavity_mean", [](Posterior& q) -> Vector& { return q.cavity_mean; }},
    {"member.cavity_variance", [](Posterior& q) -> Vector& { return q.cavity_variance; }},
}};

// (3, members): weight, log marginal, jitter.
constexpr const char* kNumbers = "member.numbers";

void read_members(const file::Arrays& arrays, ModelState& state) {
  const Index count = arrays.at(kNumbers).cols(), n = state.task.data->size();
  const Matrix& numbers = arrays.finite(kNumbers, 3, count);
  const Matrix& values = arrays.finite("member.hyperparameter", state.task.space.size(), count);
  if (!(numbers.row(0).array() > 0).all() || std::abs(numbers.row(0).sum() - 1) > 1e-9)
    arrays.fail("the weights of the members are no probabilities");
  for (Index k = 0; k < count; ++k) {
    Posterior q{.jitter = numbers(2, k)};
    for (const PosteriorField& field : kFields)
      field.of(q) = arrays.finite(field.name, n, count).col(k);
    if (!(q.variance.array() >= 0).all() || !(q.jitter >= 0))
      arrays.fail("a member has a negative variance");
    state.members.push_back(
        {numbers(0, k),
         make_member(state, state.task.space.split(values.col(k)), numbers(1, k), std::move(q))});
  }
  state.log_evidence = arrays.vector("member.log_evidence", 1)[0];
}

}  // namespace

NamedArrays average_arrays(const ModelState& state) {
  NamedArrays out;
  if (state.sampled) {
    const SampledLatents& s = *state.sampled;
    out.push_back({"draws", s.draws});
    out.push_back({"sampling", Vector{{s.r_hat, s.ess, s.log_marginal_error}}});
  }
  if (state.members.empty()) return out;
  const auto count = std::ssize(state.members);
  Matrix numbers(3, count), values(state.task.space.size(), count);
  std::vector<Matrix> of_posterior(kFields.size(), Matrix(state.task.data->size(), count));
  for (Index k = 0; k < count; ++k) {
    const Member& member = state.members[static_cast<std::size_t>(k)];
    Posterior q = member.state->posterior;
    numbers.col(k) << member.weight, member.state->log_marginal, q.jitter;
    values.col(k) = member.state->at.flat();
    for (std::size_t f = 0; f < kFields.size(); ++f) of_posterior[f].col(k) = kFields[f].of(q);
  }
  out.push_back({kNumbers, numbers});
  out.push_back({"member.hyperparameter", values});
  out.push_back({"member.log_evidence", Vector::Constant(1, state.log_evidence)});
  for (std::size_t f = 0; f < kFields.size(); ++f)
    out.push_back({kFields[f].name, std::move(of_posterior[f])});
  return out;
}

void read_averages(const file::Arrays& arrays, const file::Fields& header, ModelState& state) {
  if (arrays.has("draws")) {
    const Index n = state.task.data->size();
    const Matrix& draws = arrays.finite("draws", n, arrays.at("draws").cols());
    const Vector sampling = arrays.at("sampling", 3, 1).col(0);  // R-hat may be NaN
    state.sampled = {.draws = draws,
                     .chains = header.whole("chains"),
                     .r_hat = sampling[0],
                     .ess = sampling[1],
                     .log_marginal_error = sampling[2]};
    if (state.specification.inference != InferenceMethod::mcmc || draws.cols() == 0 ||
        state.sampled->chains < 1 || draws.cols() % state.sampled->chains != 0)
      arrays.fail("there are draws that do not belong to its inference");
  }
  if (!arrays.has(kNumbers)) return;
  state.task.space.set_density_of_learned();
  read_members(arrays, state);
}

}  // namespace ggpm::internal
