#include "parallel/blas_memory.hpp"

#include <cblas.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <vector>

#include "parallel/threads.hpp"

// OpenBLAS's own, which its calls use; not in its headers. Other builds may hide them.
extern "C" {
__attribute__((weak)) void* blas_memory_alloc(int);
__attribute__((weak)) void blas_memory_free(void*);
}

namespace ggpm::internal {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{128} << 20U;  // of OpenBLAS on x86-64 and ARM
constexpr std::size_t kOtherBytes = std::size_t{16} << 20U;    // for a stack and small things
// OpenBLAS keeps count of two buffers for each of the 64 threads that it is usually built for.
constexpr int kFewThreads = 32;

// Buffers stay with OpenBLAS when their call ends, so asking once for as many as are used at a time
// is enough.
class Buffers {
 public:
  static Buffers& get() {
    static Buffers buffers;
    return buffers;
  }

  void begin_call() {
    const std::size_t calls = ++calls_;
    if (calls <= ready_) return;
    try {
      prepare(calls);
    } catch (...) {
      --calls_;
      throw;
    }
  }
  void end_call() { --calls_; }

  int affordable(int wanted) {
    const std::lock_guard lock(mutex_);
    const int there = threads();
    if (wanted <= there) return wanted;
    if (!blas_buffers_fit(missing(1) + static_cast<std::size_t>(wanted - there))) return there;
    threads_ = wanted;
    reserve(std::max<std::size_t>(1, ready_));
    return wanted;
  }

 private:
  // The threads of OpenBLAS, which have begun to ask for a buffer each when the library was loaded.
  int threads() {
    if (threads_ == 0) {
      threads_ = std::max(1, openblas_get_num_threads());
      waiting_ = static_cast<std::size_t>(threads_ - 1);
    }
    return threads_;
  }
  // Of the threads twice: while we reserve one for each, they may be taking theirs.
  std::size_t missing(std::size_t calls) const {
    return calls - std::min(calls, ready_.load()) + 2 * waiting_;
  }

  void prepare(std::size_t calls) {
    const std::lock_guard lock(mutex_);
    threads();
    if (calls <= ready_) return;
    if (!blas_buffers_fit(missing(calls))) throw OutOfMemory();
    reserve(calls);
  }

  // Buffers for so many calls, and at the same time one for each thread: which of the threads have
  // got theirs cannot be asked, and one that has not yet may take, and keep, that of a call.
  void reserve(std::size_t calls) {
    const bool few = threads_ <= kFewThreads;
    take(calls + (few ? static_cast<std::size_t>(threads_ - 1) : 0));
    waiting_ = 0;
    ready_ = calls;
  }

  // Until OpenBLAS has made so many buffers: a call that ends meanwhile gives back one of them.
  void take(std::size_t count) {
    if (blas_memory_alloc == nullptr || blas_memory_free == nullptr) return;
    std::vector<void*> held;
    while (known_.size() < count) {
      held.push_back(blas_memory_alloc(0));
      known_.insert(held.back());
    }
    for (void* buffer : held) blas_memory_free(buffer);
  }

  std::atomic<std::size_t> calls_{0}, ready_{0};
  std::mutex mutex_;
  std::set<void*> known_;
  int threads_ = 0;          // 0: not asked yet
  std::size_t waiting_ = 0;  // of them, those that may still be asking
};

}  // namespace

bool blas_buffers_fit(std::size_t count) {
  const std::size_t bytes = count * kBufferBytes + kOtherBytes;
  void* const place =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) return false;
  munmap(place, bytes);
  return true;
}

BlasCall::BlasCall() { Buffers::get().begin_call(); }
BlasCall::~BlasCall() { Buffers::get().end_call(); }

int affordable_blas_threads(int wanted) { return Buffers::get().affordable(wanted); }

}  // namespace ggpm::internal

namespace ggpm {

using namespace internal;

const char* OutOfMemory::what() const noexcept {
  return "there is not enough memory: BLAS needs 128 MB of address space for itself and for each of "
         "its threads; raise the limit (ulimit -v), or set OPENBLAS_NUM_THREADS=1";
}

bool blas_threads_fit() {
  const int threads = default_threads();
  // Each thread's own, what is reserved for it, and a few for calls: with less, threads that are
  // late to ask would find that calls have left them none.
  return threads == 1 || blas_buffers_fit(2 * static_cast<std::size_t>(threads) + 2);
}

}  // namespace ggpm
