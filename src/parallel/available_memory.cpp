#include "parallel/available_memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <string>

namespace ggpm::internal {
namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

std::uint64_t of_machine() {
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || size <= 0) return kNoLimit;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size);
}

std::uint64_t of_process() {
  std::uint64_t least = kNoLimit;
  for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit limit{};
    if (getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
      least = std::min<std::uint64_t>(least, limit.rlim_cur);
  }
  return least;
}

// "max", or a number of bytes.
std::uint64_t number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t bytes = 0;
  return file >> bytes ? bytes : kNoLimit;
}

// Of the group and of those around it, in version 2 ("0::/a/b") and 1 ("4:memory:/a/b"). Inside of
// a container the group itself is the root.
std::uint64_t of_groups() {
  const std::string root = "/sys/fs/cgroup";
  std::uint64_t least =
      std::min(number_in(root + "/memory.max"), number_in(root + "/memory/memory.limit_in_bytes"));
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const bool second = line.starts_with("0::"), first = line.find(":memory:") != std::string::npos;
    if (!second && !first) continue;
    std::string group = line.substr(line.find('/'));
    for (; group.size() > 1; group.resize(group.rfind('/')))
      least = std::min(least,
                       number_in(fmt::format("{}{}{}{}",
                                             root,
                                             first ? "/memory" : "",
                                             group,
                                             first ? "/memory.limit_in_bytes" : "/memory.max")));
  }
  return least;
}

std::atomic<std::uint64_t> agreed{0};  // 0: not

}  // namespace

std::uint64_t available_memory() {
  const std::uint64_t given = agreed;
  return given != 0 ? given : std::min({of_machine(), of_process(), of_groups()});
}
void set_available_memory(std::uint64_t bytes) { agreed = bytes; }

}  // namespace ggpm::internal
