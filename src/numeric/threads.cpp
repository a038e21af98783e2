#include "numeric/threads.hpp"

#include <cblas.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <system_error>

namespace ggpm {

int default_threads() { return std::max(1, openblas_get_num_threads()); }

std::vector<std::thread> start_threads(int count, const std::function<void()>& work) {
  std::vector<std::thread> threads;
  try {
    for (int i = 0; i < count; ++i) threads.emplace_back(work);
  } catch (const std::system_error&) {
    if (threads.empty()) work();
  }
  return threads;
}

void for_blocks(Index count,
                Index block,
                int threads,
                const std::function<void(Index, Index)>& body) {
  const Index blocks = (count + block - 1) / block;
  const Index wanted = threads > 0 ? threads : default_threads();
  if (blocks <= 1 || wanted <= 1) {
    if (count > 0) body(0, count);
    return;
  }
  std::atomic<Index> next{0};
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&] {
    for (Index i = next++; i < blocks; i = next++) {
      try {
        body(i * block, std::min(count, (i + 1) * block));
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        return;
      }
    }
  };
  std::vector<std::thread> pool =
      start_threads(static_cast<int>(std::min(wanted, blocks)) - 1, work);
  work();
  for (std::thread& thread : pool) thread.join();
  if (failure) std::rethrow_exception(failure);
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

}  // namespace ggpm
