// Memory that runs out while a model is read, used and written; a kill while it is saved.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <new>

#include "ggpm/atomic_file.hpp"
#include "ggpm/model.hpp"
#include "model/simulate.hpp"
#include "support/files.hpp"

namespace {

// Large allocations of this thread until they fail; negative: none does. Small ones always succeed:
// the JSON library needs a few bytes to take a tree apart, in a destructor.
thread_local long allocations_left = -1;
constexpr std::size_t kLarge = 1024;

void* allocate(std::size_t size) {
  if (size >= kLarge && allocations_left == 0) throw std::bad_alloc();
  if (size >= kLarge && allocations_left > 0) --allocations_left;
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
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

TEST(Faults, EveryFailedLargeAllocationIsAnException) {
  const std::string bytes = to_bytes(small_model(100));
  const Dataset rows{.X = Matrix::Zero(2, 1)};
  const auto use = [&] {
    const SavedModel model = from_bytes(bytes);
    const Vector mean = model.model.predictive(rows, 1).mean();
    return to_bytes(model) == bytes && mean.allFinite();
  };
  ASSERT_TRUE(use());
  bool passed = false;
  long failures = 0;
  for (; !passed && failures < 100000; ++failures) {
    allocations_left = failures;
    try {
      passed = use();
    } catch (const std::bad_alloc&) {
    } catch (const Error&) {
    }
    allocations_left = -1;
  }
  EXPECT_TRUE(passed);
  EXPECT_GT(failures, 5);
  EXPECT_TRUE(use());
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
