#include "model/ensemble.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "ggpm/trust.hpp"
#include "learn/integrate.hpp"
#include "model/draw_predictor.hpp"
#include "model/gaussian_root.hpp"
#include "numeric/random.hpp"
#include "trust/annealing.hpp"
#include "trust/pareto.hpp"
#include "trust/sample.hpp"

namespace ggpm::internal {
namespace {

constexpr int kKeptDraws = 1000;  // of all chains together
constexpr double kHeavyTail = 0.7;

PosteriorSample thinned(PosteriorSample sample) {
  const Index each = sample.draws.cols() / sample.chains;
  const Index kept = std::min<Index>(each, kKeptDraws / sample.chains);
  std::vector<Index> columns;
  for (Index c = 0; c < sample.chains; ++c)
    for (Index k = 0; k < kept; ++k) columns.push_back(c * each + k * each / kept);
  sample.draws = Matrix(sample.draws(Eigen::all, columns));
  return sample;
}

// Weights of draws without a row, from log p of that row: 1/p, none above sqrt(S) times the average.
Vector without_row(const Vector& log_p) {
  const auto count = static_cast<double>(log_p.size());
  Vector w = (log_p.minCoeff() - log_p.array()).exp();
  const double most = w.mean() * std::sqrt(count);
  w = w.cwiseMin(most);
  return w / w.sum();
}

LeftOut leave_out_members(const ModelState& state) {
  const std::vector<Row> rows = state.task.data->observed.rows();
  const auto n = static_cast<Index>(rows.size()), count = std::ssize(state.members);
  LeftOut out{.weight = Matrix(count, n), .log_density = Vector(n)};
  Matrix log_p(count, n);
  std::vector<bool> improper(rows.size());
  for (Index k = 0; k < count; ++k) {
    const Member& member = state.members[static_cast<std::size_t>(k)];
    const auto& likelihood = member.state->task.parts.likelihood;
    LeaveOneOut cavities =
        leave_one_out(*likelihood, state.task.data->observed, member.state->posterior);
    for (Index i = 0; i < n; ++i)
      if (!std::isfinite(cavities.log_density[i]))
        cavities.log_density[i] =
            likelihood
                ->predictive(
                    rows[static_cast<std::size_t>(i)], cavities.mean[i], cavities.variance[i])
                ->log_density(rows[static_cast<std::size_t>(i)].y);
    for (const Index i : cavities.improper) improper[static_cast<std::size_t>(i)] = true;
    log_p.row(k) = cavities.log_density.transpose();
    out.weight.row(k).setConstant(member.weight);
    out.blend.parts.push_back({member.weight, likelihood, cavities.mean, cavities.variance});
  }
  for (Index i = 0; i < n; ++i) {
    const double least = log_p.col(i).minCoeff();
    out.weight.col(i).array() *= (least - log_p.col(i).array()).exp();
    const double sum = out.weight.col(i).sum();
    out.weight.col(i) /= sum;
    out.log_density[i] = least - std::log(sum);  // the harmonic mean of the densities
    if (improper[static_cast<std::size_t>(i)]) out.improper.push_back(i);
  }
  return out;
}

LeftOut leave_out_draws(const ModelState& state) {
  std::vector<Row> rows = state.task.data->observed.rows();
  for (Row& row : rows) row.weight = 1;
  const Matrix& draws = state.sampled->draws;
  const Index n = draws.rows(), count = draws.cols();
  const auto& likelihood = state.task.parts.likelihood;
  LeftOut out{.weight = Matrix(count, n), .log_density = Vector(n)};
  std::vector<LogDensity> at(rows.size());
  Matrix log_p(n, count);
  for (Index s = 0; s < count; ++s) {
    const Vector eta = draws.col(s);
    likelihood->log_density(rows, {eta.data(), rows.size()}, Derivatives::value, at);
    for (Index i = 0; i < n; ++i) log_p(i, s) = at[static_cast<std::size_t>(i)].value;
    out.blend.parts.push_back({1 / static_cast<double>(count), likelihood, eta, Vector::Zero(n)});
  }
  for (Index i = 0; i < n; ++i) {
    const Vector of_row = log_p.row(i);
    const Vector w = without_row(of_row);
    const double top = of_row.maxCoeff();
    out.weight.col(i) = w;
    out.log_density[i] = top + std::log(w.dot((of_row.array() - top).exp().matrix()));
    if (pareto_k(-of_row) > kHeavyTail) out.improper.push_back(i);
  }
  return out;
}

void add_members(ModelState& state, const FitOptions& options, Monitor& monitor) {
  const LearningTask& task = state.task;
  if (task.space.free().empty()) return;
  const Vector mode = task.space.learned(state.at);
  const Evaluation at_mode = Objective(task).evaluate(mode, &state.posterior, false);
  monitor.begin_other_stage("integrate");
  Integration found = integrate(task, mode, at_mode, options.threads, monitor);
  monitor.count(found.evaluations + 1);
  if (monitor.stopped()) return;
  for (IntegrationPoint& point : found.points) {
    Posterior& q = point.evaluation.inferred.posterior;
    settle_posterior(q);
    state.members.push_back({point.weight,
                             make_member(state,
                                         task.space.hyperparameters(point.at),
                                         point.evaluation.log_marginal,
                                         std::move(q))});
  }
  state.log_evidence = found.log_evidence;
}

void add_draws(ModelState& state, const FitOptions& options, std::vector<Warning>& notes) {
  const Latents latents(state.task, state.posterior.jitter);
  SamplingOptions sampling;
  AnnealingOptions annealing;
  sampling.seed = annealing.seed = options.seed;
  sampling.threads = annealing.threads = options.threads;
  sampling.interrupted = annealing.interrupted = options.interrupted;
  const PosteriorSample sample = thinned(sample_latents(latents, state.posterior, sampling));
  const Annealed marginal = anneal(latents, state.posterior, annealing);
  state.sampled = {.draws = sample.draws,
                   .chains = sample.chains,
                   .r_hat = sample.largest_r_hat(),
                   .ess = sample.smallest_ess(),
                   .log_marginal_error = marginal.standard_error};
  state.log_marginal = marginal.log_marginal;
  if (sample.converged()) return;
  state.report.converged = false;
  notes.push_back({Warning::Kind::not_converged, "", sample.detail});
}

}  // namespace

std::shared_ptr<const ModelState> make_member(const ModelState& whole,
                                              Hyperparameters at,
                                              double log_marginal,
                                              Posterior posterior) {
  auto out = std::make_shared<ModelState>();
  out->specification = whole.specification;
  out->given = whole.given;
  out->task = whole.task;
  out->task.parts = with_values(whole.task.parts, at);
  out->at = std::move(at);
  out->log_marginal = log_marginal;
  out->posterior = std::move(posterior);
  return out;
}

void check_averages(const Specification& specification, const FitOptions& options) {
  if (options.hyperparameters != HyperparameterUse::integrate) return;
  if (!options.optimize)
    throw UsageError(
        "fit: hyperparameters that are not learned cannot be integrated over; leave one of the two "
        "options out");
  if (specification.inference == InferenceMethod::mcmc)
    throw UsageError(
        "fit: mcmc draws the latents at one set of hyperparameters; integrate them with another "
        "inference, ep say");
}

std::string learning_choice(const LearningTask& task) {
  require_dense(*task.engine);
  return fmt::format("hyperparameters learned with {}, latents sampled",
                     to_string(task.inference.method));
}

void add_averages(ModelState& state,
                  const FitOptions& options,
                  Monitor& monitor,
                  std::vector<Warning>& notes) {
  bool& interrupted = state.report.interrupted;
  if (interrupted) return;
  try {
    if (state.specification.inference == InferenceMethod::mcmc) add_draws(state, options, notes);
    if (options.hyperparameters == HyperparameterUse::integrate)
      add_members(state, options, monitor);
  } catch (const Interrupted&) {
    interrupted = true;
  }
  interrupted = interrupted || monitor.stopped();
}

std::shared_ptr<const Blend> blend_of(const ModelState& state,
                                      const Dataset& rows,
                                      const PreparedRows& prepared) {
  if (!state.is_average()) return nullptr;
  auto out = std::make_shared<Blend>();
  if (state.sampled) {
    const Matrix drawn = state.draw_predictor().draw(rows.X, prepared.prior_mean);
    const double weight = 1 / static_cast<double>(drawn.cols());
    for (Index s = 0; s < drawn.cols(); ++s)
      out->parts.push_back(
          {weight, state.task.parts.likelihood, drawn.col(s), Vector::Zero(rows.size())});
    return out;
  }
  for (const Member& member : state.members) {
    BlendPart& part = out->parts.emplace_back(
        BlendPart{member.weight, member.state->task.parts.likelihood, {}, {}});
    member.state->predictor().predict(
        rows.X, member.state->task.parts.mean.evaluate(rows.X), part.mean, part.variance);
  }
  return out;
}

JointLatent::JointLatent(const ModelState& state, const Dataset& rows, const PreparedRows& prepared)
    : state_(state), rows_(rows) {
  if (state.sampled) {
    means_ = state.draw_predictor().means(rows.X, prepared.prior_mean);
    parts_.push_back({&state, 1, {}});
    return;
  }
  const auto add = [&](const ModelState& of, double weight) {
    Part& part = parts_.emplace_back(Part{&of, weight, {}});
    Vector variance;
    of.predictor().predict(rows.X, of.task.parts.mean.evaluate(rows.X), part.mean, variance);
  };
  if (state.members.empty()) add(state, 1);
  for (const Member& member : state.members) add(*member.state, member.weight);
}

const Matrix& JointLatent::root_of(Part& part) {
  if (part.root.size() == 0) {
    const double size = part.state->task.parts.kernel.diagonal(rows_.X).mean();
    Matrix K = state_.sampled ? state_.draw_predictor().covariance(rows_.X)
                              : part.state->predictor().covariance(rows_.X);
    part.root = gaussian_root(std::move(K), size, "draw");
  }
  return part.root;
}

JointLatent::Function JointLatent::draw(std::mt19937_64& random) {
  std::size_t chosen = 0;
  if (parts_.size() > 1) {
    double left = numeric::uniform(random);
    while (chosen + 1 < parts_.size() && (left -= parts_[chosen].weight) >= 0) ++chosen;
  }
  Part& part = parts_[chosen];
  Function out{part.mean, part.state->task.parts.likelihood.get()};
  if (means_.cols() > 0) {
    const auto column = static_cast<Index>(numeric::uniform(random) * double(means_.cols()));
    out.latent = means_.col(std::min(column, means_.cols() - 1));
  }
  std::normal_distribution<double> normal;
  Vector z(out.latent.size());
  for (double& value : z) value = normal(random);
  out.latent.noalias() += root_of(part).triangularView<Eigen::Lower>() * z;
  return out;
}

Matrix JointLatent::covariance() const {
  if (state_.sampled) {
    const Matrix centered = means_.colwise() - means_.rowwise().mean();
    return state_.draw_predictor().covariance(rows_.X) +
           centered * centered.transpose() / static_cast<double>(means_.cols());
  }
  Vector center = Vector::Zero(rows_.size());
  for (const Part& part : parts_) center += part.weight * part.mean;
  Matrix out = Matrix::Zero(rows_.size(), rows_.size());
  for (const Part& part : parts_) {
    const Vector off = part.mean - center;
    out += part.weight * (part.state->predictor().covariance(rows_.X) + off * off.transpose());
  }
  return out;
}

void predict_term(
    const ModelState& state, std::size_t term, const Matrix& Z, Vector& mean, Vector& variance) {
  if (state.sampled)
    throw UsageError(
        "terms: draws of mcmc are those of the whole latent function; fit with another inference");
  const auto one = [&](const ModelState& of, Vector& m, Vector& v) {
    of.predictor().predict_term(of.task.parts.kernel.terms()[term].kernel, Z, m, v);
  };
  if (state.members.empty()) return one(state, mean, variance);
  Blend blend;
  for (const Member& member : state.members) {
    BlendPart& part = blend.parts.emplace_back(BlendPart{.weight = member.weight});
    one(*member.state, part.mean, part.variance);
  }
  mean = blend.mean();
  variance = blend.variance();
}

LeftOut leave_out(const ModelState& state) {
  return state.sampled ? leave_out_draws(state) : leave_out_members(state);
}

}  // namespace ggpm::internal
