#include "parallel/blas_memory.hpp"

#include <cblas.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <memory>
#include <vector>

#include "gram/lapack.hpp"
#include "parallel/available_memory.hpp"
#include "parallel/threads.hpp"
#include "support/sanitizer.hpp"

namespace ggpm::internal {
namespace {

std::uint64_t address_space() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
}

void limit_address_space(std::uint64_t bytes) {
  const rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_AS, &limit);
}

// In a child with so much address space more than it has, one BLAS thread and a watchdog: what is
// tested hangs where it fails. One thread before the fork, since a child whose number is set starts as
// many as there were, which would take a buffer when nobody counts on them.
int with_address_space(std::uint64_t more, const std::function<int()>& work) {
  const int threads = openblas_get_num_threads();
  openblas_set_num_threads(1);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    limit_address_space(address_space() + more);
    _exit(work());
  }
  openblas_set_num_threads(threads);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

constexpr std::uint64_t kMegabyte = std::uint64_t{1} << 20U;

int calls_until_refused() {
  std::vector<std::unique_ptr<BlasCall>> calls;
  try {
    for (int i = 0; i < 100; ++i) calls.push_back(std::make_unique<BlasCall>());
  } catch (const std::bad_alloc&) {
    return blas_buffers_fit(1) ? 101 : static_cast<int>(calls.size());
  }
  return 100;
}

TEST(BlasMemory, IsRefusedWhereOpenBlasWouldAskForEver) {
  GGPM_NEEDS_LIMITS_OF_MEMORY;
  // fork ends the threads of OpenBLAS, and the buffers that they had by then are there for calls.
  const int left_behind = openblas_get_num_threads() - 1;
  EXPECT_THAT(with_address_space(500 * kMegabyte, calls_until_refused),
              testing::AllOf(testing::Ge(1), testing::Le(3 + left_behind)));
  EXPECT_EQ(with_address_space(50 * kMegabyte, calls_until_refused), 0);
}

int factor_in_what_is_there() {
  { const BlasCall first; }
  Matrix L = 2 * Matrix::Identity(300, 300);
  limit_address_space(address_space());
  return lapack::cholesky(L) ? 0 : 1;
}

TEST(BlasMemory, IsKeptForLaterCalls) {
  GGPM_NEEDS_LIMITS_OF_MEMORY;
  EXPECT_EQ(with_address_space(500 * kMegabyte, factor_in_what_is_there), 0);
}

TEST(BlasMemory, DecidesHowManyThreadsThereAre) {
  GGPM_NEEDS_LIMITS_OF_MEMORY;
  EXPECT_EQ(with_address_space(450 * kMegabyte,
                               [] {
                                 const BlasThreads many(32);
                                 return openblas_get_num_threads();
                               }),
            1);
}

TEST(AvailableMemory, IsNoMoreThanTheLimitOfTheProcess) {
  GGPM_NEEDS_LIMITS_OF_MEMORY;
  EXPECT_GT(available_memory(), 100 * kMegabyte);
  EXPECT_EQ(with_address_space(50 * kMegabyte,
                               [] {
                                 rlimit limit{};
                                 getrlimit(RLIMIT_AS, &limit);
                                 return available_memory() <= limit.rlim_cur ? 0 : 1;
                               }),
            0);
}

}  // namespace
}  // namespace ggpm::internal
