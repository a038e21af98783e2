#include "learn/runs.hpp"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace ggpm::internal {
namespace {

class ObjectivePool {
 public:
  ObjectivePool(const LearningTask& task, int workers) : task_(task) {
    idle_.reserve(static_cast<std::size_t>(workers));
  }

  std::unique_ptr<Objective> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<Objective> out = std::move(idle_.back());
        idle_.pop_back();
        return out;
      }
    }
    return std::make_unique<Objective>(task_);
  }
  void give_back(std::unique_ptr<Objective> used) {
    used->options() = task_.inference;
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(used));
  }

 private:
  const LearningTask& task_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Objective>> idle_;
};

}  // namespace

void run_objectives(Monitor& monitor,
                    const LearningTask& task,
                    int count,
                    int threads,
                    const std::function<void(Objective&, int)>& body) {
  if (threads <= 0) threads = default_threads();
  const int workers = task.engine->cost().side_by_side(count, threads);
  ObjectivePool pool(task, workers);
  monitor.run(count, workers, threads, [&](int i) {
    // One that ends with an exception is not used again.
    std::unique_ptr<Objective> objective = pool.take();
    body(*objective, i);
    pool.give_back(std::move(objective));
  });
}

}  // namespace ggpm::internal
