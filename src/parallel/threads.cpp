#include "parallel/threads.hpp"

#include <cblas.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>

#include "parallel/blas_memory.hpp"
#include "parallel/pool.hpp"
#include "parallel/stop.hpp"

namespace ggpm::internal {
namespace {

// OpenBLAS 0.3.21 with two threads needs twice the time of one for a factorization at n = 300, and
// as much at n = 500; where other programs use the cores its threads wait for each other, 0.1 s an evaluation
// of the 500 rows of starts.
constexpr Index kSmall = 600;

class BlasState {
 public:
  static BlasState& get() {
    static BlasState state;
    return state;
  }
  int threads() {
    const std::lock_guard lock(mutex_);
    return std::max(1, idle() ? openblas_get_num_threads() : wanted());
  }
  template <class Change>
  void change(const Change& change_counts) {
    const std::lock_guard lock(mutex_);
    if (idle()) before_ = openblas_get_num_threads();
    change_counts(counts_, small_);
    const int blas = affordable_blas_threads(small_ > 0 ? 1 : wanted());
    if (blas != openblas_get_num_threads()) openblas_set_num_threads(blas);
  }

 private:
  bool idle() const { return counts_.empty() && small_ == 0; }
  int wanted() const { return counts_.empty() ? before_ : *counts_.begin(); }

  std::mutex mutex_;
  std::multiset<int> counts_;  // of the BlasThreads alive
  int small_ = 0;              // of the SmallMatrices
  int before_ = 1;             // them all
};

}  // namespace

int default_threads() { return BlasState::get().threads(); }

BlasThreads::BlasThreads(int count) : count_(count) {
  BlasState::get().change([&](auto& counts, int&) { counts.insert(count_); });
}
BlasThreads::~BlasThreads() {
  BlasState::get().change([&](auto& counts, int&) { counts.extract(count_); });
}

SmallMatrices::SmallMatrices(Index n) : small_(n < kSmall) {
  if (small_) BlasState::get().change([](auto&, int& small) { ++small; });
}
SmallMatrices::~SmallMatrices() {
  if (small_) BlasState::get().change([](auto&, int& small) { --small; });
}

void for_blocks(Index count,
                Index block,
                int threads,
                const std::function<void(Index, Index)>& body) {
  const Index blocks = (count + block - 1) / block;
  const Index wanted = threads > 0 ? threads : default_threads();
  // One thread does it at once, unless somebody may want it to stop on the way.
  if (blocks <= 1 || (wanted <= 1 && StopSignal::current() == nullptr)) {
    if (count > 0) body(0, count);
    return;
  }
  run_tasks(blocks, static_cast<int>(wanted), [&](Index i) {
    body(i * block, std::min(count, (i + 1) * block));
  });
}

void for_rows(Index count, const std::function<void(Index, Index)>& body) {
  using Clock = std::chrono::steady_clock;
  constexpr Index kFirst = 32;
  constexpr auto kWorthAThread = std::chrono::microseconds(150);
  const int threads = default_threads();
  if (threads == 1 || count <= 2 * kFirst) return body(0, count);
  const auto began = Clock::now();
  body(0, kFirst);
  const Index rest = count - kFirst;
  if ((Clock::now() - began) * (rest / kFirst) < kWorthAThread) return body(kFirst, count);
  for_blocks(
      rest, kFirst, threads, [&](Index begin, Index end) { body(kFirst + begin, kFirst + end); });
}

void for_columns(Index n, const std::function<void(Index, Index)>& body) {
  constexpr Index kWorthAThread = 800, kColumns = 64;
  if (n < kWorthAThread) return body(0, n);
  for_blocks(n, kColumns, 0, body);
}

}  // namespace ggpm::internal
