#include "parallel/stop.hpp"

#include <utility>

namespace ggpm::internal {
namespace {

thread_local const std::atomic<bool>* heeded = nullptr;

}  // namespace

StopSignal::StopSignal(const std::atomic<bool>* stop) : outer_(std::exchange(heeded, stop)) {}
StopSignal::~StopSignal() { heeded = outer_; }

const std::atomic<bool>* StopSignal::current() { return heeded; }

void check_stop() {
  if (heeded != nullptr && heeded->load(std::memory_order_relaxed)) throw StopRun{};
}

}  // namespace ggpm::internal
