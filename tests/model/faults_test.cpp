// Memory that runs out while a model is read, used and written; a kill while it is saved.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <random>
#include <string>

#include "ggpm/atomic_file.hpp"
#include "ggpm/model.hpp"
#include "model/simulate.hpp"
#include "support/files.hpp"

// Matrices are allocated by malloc: those calls count that come from this program, into which the library
// is linked, not those of other libraries. A sanitizer has its own malloc.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GGPM_OWN_MALLOC 0
#else
#define GGPM_OWN_MALLOC 1
#endif

namespace {

// Which allocations fail, whatever the thread.
struct Failing {
  std::atomic<long> left = -1;            // so many succeed; negative: all
  std::atomic<bool> for_good = false;     // not only the next one
  std::atomic<std::size_t> smallest = 0;  // that counts
  std::atomic<long> seen = 0;

  void set(long succeed, bool and_all_others = false) {
    smallest = 0;
    seen = 0;
    for_good = and_all_others;
    left = succeed;
  }
};
constinit Failing failing;

bool fails(std::size_t size) {
  if (size < failing.smallest) return false;
  ++failing.seen;
  long left = failing.left;
  while (left >= 0) {
    const bool now = left == 0;
    if (failing.left.compare_exchange_weak(left, now && failing.for_good ? 0 : left - 1))
      return now;
  }
  return false;
}

}  // namespace

#if GGPM_OWN_MALLOC
extern "C" {
void* __libc_malloc(std::size_t size);  // NOLINT: glibc's name
extern char __executable_start, etext;  // NOLINT: the linker's names

void* malloc(std::size_t size) {
  const char* caller = static_cast<const char*>(__builtin_return_address(0));
  const bool ours = caller >= &__executable_start && caller < &etext;
  if (ours && fails(size)) return nullptr;
  return __libc_malloc(size);
}
}
#else
#define __libc_malloc std::malloc
#endif

namespace {

void* attempt(std::size_t size) noexcept {
  return fails(size) ? nullptr : __libc_malloc(size > 0 ? size : 1);
}

void* allocate(std::size_t size) {
  if (void* memory = attempt(size)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
// std::stable_sort asks this one; that of a sanitizer does not come from the first.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return attempt(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace ggpm::internal {
namespace {

SavedModel small_model(Index n) {
  FitOptions options;
  options.optimize = false;
  return {GeneralizedGP::fit(
      testing_support::simulate("poisson", n, 1, 1), {.likelihood = "poisson"}, options)};
}

// A fit of ten rows, saved, loaded, predicted with.
std::string whole_life(InferenceMethod method) {
  const Dataset data = testing_support::simulate("poisson", 10, 1, 1);
  const GeneralizedGP fitted = GeneralizedGP::fit(
      data,
      {.likelihood = "poisson", .inference = method},
      {.restarts = 0, .threads = 1, .max_evaluations = 3, .standard_errors = false});
  // The JSON library needs a few bytes to take a tree apart, in a destructor: without them the
  // process ends. Only large allocations fail here.
  failing.smallest = 1024;
  const SavedModel loaded = from_bytes(to_bytes({fitted}));
  failing.smallest = 0;
  std::string out;
  for (const double value : loaded.model.predictive({.X = data.X}, 1).mean())
    out += std::to_string(value) + " ";
  return out;
}

// With each of its allocations failing, alone or with all that follow it, it ends in an exception, or
// with the same answer; and the next one, with memory, in the same answer.
void fail_each_allocation(InferenceMethod method, bool for_good) {
  const std::string expected = whole_life(method);
  failing.set(-1);
  whole_life(method);
  const long all = failing.seen;
  ASSERT_GT(all, 500);
  for (long n = 0; n < all; ++n) {
    std::string answer = expected;
    bool refused = false;
    try {
      failing.set(n, for_good);
      answer = whole_life(method);
    } catch (const std::bad_alloc&) {
      refused = true;
    } catch (const Error&) {
      refused = true;
    }
    failing.set(-1);
    EXPECT_EQ(answer, expected) << "allocation " << n << " of " << all;
    EXPECT_TRUE(refused || !for_good) << "allocation " << n << " of " << all;
  }
  EXPECT_EQ(whole_life(method), expected);
  ::testing::Test::RecordProperty("allocations", static_cast<int>(all));
}

TEST(Faults, EachFailedAllocationOfAFitIsAnException) {
  fail_each_allocation(InferenceMethod::laplace, false);
}
TEST(Faults, EachAllocationThatFailsForGoodIsAnException) {
  fail_each_allocation(InferenceMethod::laplace, true);
}
TEST(SlowFaults, EachFailedAllocationOfEpAndKldIsAnException) {
  for (const InferenceMethod method : {InferenceMethod::ep, InferenceMethod::kld})
    for (const bool for_good : {false, true}) fail_each_allocation(method, for_good);
}

// What is on the disk after a kill is one of the two models, whole.
void kill_while_saving(int kills) {
  const testing_support::TemporaryFolder folder;
  const std::string path = folder.file("model.ggpm");
  const std::string a = to_bytes(small_model(30)), b = to_bytes(small_model(31));
  write_file_atomically(path, a);
  std::mt19937_64 random(1);
  for (int i = 0; i < kills; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      for (bool first = true;; first = !first) write_file_atomically(path, first ? a : b);
    }
    ASSERT_GT(child, 0);
    usleep(static_cast<useconds_t>(500 + random() % 8000));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const Index rows = load_model(path).model.rows();
    EXPECT_TRUE(rows == 30 || rows == 31);
    int left = -1;  // the model itself
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path()))
      ++left;
    EXPECT_LE(left, 1);
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
      if (entry.path() != path) std::filesystem::remove(entry.path());
  }
}

TEST(Faults, AKillWhileSavingLeavesTheOldOrTheNewFile) { kill_while_saving(10); }
TEST(SlowFaults, TwoHundredKillsWhileSaving) { kill_while_saving(200); }

}  // namespace
}  // namespace ggpm::internal
