#include "learn/keeping.hpp"

#include <utility>

namespace ggpm::internal {

Climb at_point(Vector point) {
  Climb out;
  out.at = std::move(point);
  return out;
}

void Keeping::begin(const std::vector<Climb>& starts) {
  if (!keeper_.save) return;
  state_.candidates.clear();
  for (const Climb& c : starts) {
    state_.candidates.push_back({c.at, c.curvature, {}});
    keep_sites(c.best.inferred.posterior, state_.candidates.back());
  }
  save();
}

void Keeping::better(std::size_t candidate, const Climb& climb) {
  if (!keeper_.save) return;
  const std::lock_guard lock(mutex_);
  LearningState::Candidate& c = state_.candidates[candidate];
  c.at = climb.at;
  c.curvature = climb.curvature;
  keep_sites(climb.best.inferred.posterior, c);
  save();
}

std::vector<Climb> Keeping::candidates() const {
  std::vector<Climb> out;
  for (const LearningState::Candidate& c : keeper_.from->candidates) {
    out.push_back(at_point(c.at));
    out.back().curvature = c.curvature;
    out.back().best.inferred.posterior = c.warm;
  }
  return out;
}

// Of all rows: those of a part are of no use for the next.
void Keeping::keep_sites(const Posterior& posterior, LearningState::Candidate& candidate) const {
  if (posterior.sites.size() != task_.data->size()) return;
  candidate.warm.sites = posterior.sites;
  candidate.warm.alpha = posterior.alpha;
}

void Keeping::save() {
  state_.evaluations = monitor_.evaluations();
  keeper_.save(state_);
}

}  // namespace ggpm::internal
