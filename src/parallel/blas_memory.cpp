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

namespace ggpm {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{128} << 20U;  // of OpenBLAS on x86-64 and ARM
constexpr std::size_t kOtherBytes = std::size_t{16} << 20U;    // for a stack and small things

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
    waiting_ += static_cast<std::size_t>(wanted - there);
    return threads_ = wanted;
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
  std::size_t missing(std::size_t calls) const {
    return calls - std::min(calls, ready_.load()) + waiting_;
  }

  void prepare(std::size_t calls) {
    const std::lock_guard lock(mutex_);
    threads();
    if (calls <= ready_) return;
    // Those of the threads are counted until there was room for all: which of them have got theirs
    // cannot be asked.
    if (!blas_buffers_fit(missing(calls))) throw OutOfMemory();
    waiting_ = 0;
    take(calls);
    ready_ = calls;
  }

  // Until OpenBLAS has made so many buffers: a call that ends meanwhile gives back one of them.
  void take(std::size_t calls) {
    if (blas_memory_alloc == nullptr || blas_memory_free == nullptr) return;
    std::vector<void*> held;
    while (known_.size() < calls) {
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

const char* OutOfMemory::what() const noexcept {
  return "there is not enough memory: BLAS needs 128 MB of address space for itself and for each of "
         "its threads; raise the limit (ulimit -v), or set OPENBLAS_NUM_THREADS=1";
}

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

bool blas_threads_fit() {
  const int threads = default_threads();
  return threads == 1 || blas_buffers_fit(static_cast<std::size_t>(threads));
}

}  // namespace ggpm
