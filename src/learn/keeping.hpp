// What a fit that ends early goes on from.
#pragma once

#include <mutex>
#include <vector>

#include "learn/learn.hpp"

namespace ggpm::internal {

// Starts of a climb: points about which nothing else is known.
Climb at_point(Vector point);

// Tells the keeper, where there is one, of every better point of the climbs of a stage.
class Keeping {
 public:
  Keeping(const LearningKeeper& keeper, const LearningTask& task, const Monitor& monitor)
      : keeper_(keeper), task_(task), monitor_(monitor) {}

  // Of Plan::parts, and where its engine was made.
  void set_part(int part, const Vector& engine_at) {
    state_.part = part;
    state_.engine_at = engine_at;
  }
  void begin(const std::vector<Climb>& starts);
  void better(std::size_t candidate, const Climb& climb);  // by any thread

  // What an earlier fit has kept, as starts.
  std::vector<Climb> candidates() const;

 private:
  void keep_sites(const Posterior& posterior, LearningState::Candidate& candidate) const;
  void save();

  const LearningKeeper& keeper_;
  const LearningTask& task_;
  const Monitor& monitor_;
  LearningState state_;
  std::mutex mutex_;
};

}  // namespace ggpm::internal
