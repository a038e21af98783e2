// The ranks of an MPI job, through the component of mpi/ggpm_mpi.h.
#include <cblas.h>
#include <dlfcn.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string_view>
#include <thread>

#include "../mpi/ggpm_mpi.h"
#include "ggpm/ranks.hpp"
#include "ggpm/version.hpp"
#include "parallel/available_memory.hpp"
#include "parallel/blas_core.hpp"
#include "parallel/launcher.hpp"
#include "parallel/ranks.hpp"

namespace ggpm::internal {
namespace {

constexpr double kSecondsToFail = 2;  // within which ranks that fail alike do so

class MpiRanks final : public Ranks {
 public:
  explicit MpiRanks(const ggpm_mpi* mpi) : mpi_(mpi) {}
  int rank() const override { return mpi_->rank; }
  int size() const override { return mpi_->size; }
  void send(std::span<const double> numbers, int to) override {
    mpi_->send(numbers.data(), numbers.size_bytes(), to);
  }
  void receive(std::span<double> numbers, int from) override {
    if (mpi_->receive(numbers.data(), numbers.size_bytes(), from) != 0)
      throw NumericalError("the ranks are out of step: rank " + std::to_string(from) +
                           " sent something else than was expected");
  }
  void finish_sends() override { mpi_->finish_sends(); }
  void gather_all(std::span<double> all, const std::vector<Index>& borders) override {
    std::vector<int> counts, offsets;
    for (std::size_t r = 0; r + 1 < borders.size(); ++r) {
      offsets.push_back(static_cast<int>(borders[r]));
      counts.push_back(static_cast<int>(borders[r + 1] - borders[r]));
    }
    mpi_->gather_all(all.data(), counts.data(), offsets.data());
  }
  void broadcast(std::span<char> bytes, int from) override {
    mpi_->broadcast(bytes.data(), bytes.size(), from);
  }
  const ggpm_mpi& mpi() const { return *mpi_; }

 private:
  const ggpm_mpi* mpi_;
};

// Of this process: for good, since MPI may be joined and left only once.
struct Joined {
  std::unique_ptr<MpiRanks> ranks;
  std::unique_ptr<InStep> in_step;
  RankInfo info;
  std::function<void(const std::string&)> tell;
};
Joined& joined() {
  static Joined it;
  return it;
}

const char* variable(const char* name) { return std::getenv(name); }

// What launchers tell their processes; 0: nothing, or nothing of how many there are.
int launched_ranks() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char* text = variable(name)) return std::atoi(text);
  if (variable("PMIX_RANK") != nullptr)
    for (const char* name : {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"})
      if (const char* text = variable(name)) return std::atoi(text);
  return 0;
}
bool is_launched() {
  constexpr std::array kNames{"OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMIX_RANK"};
  return std::any_of(
      kNames.begin(), kNames.end(), [](const char* name) { return variable(name) != nullptr; });
}

// Until what was written to a pipe has been read. MPICH's launcher hears of an end before it looks at
// what ranks have said last, and forgets it.
void wait_until_read(int pipe, std::chrono::milliseconds at_most) {
  struct stat status {};
  if (fstat(pipe, &status) != 0 || !S_ISFIFO(status.st_mode)) return;
  const auto until = std::chrono::steady_clock::now() + at_most;
  for (int unread = 0; ioctl(pipe, FIONREAD, &unread) == 0 && unread > 0 &&
                       std::chrono::steady_clock::now() < until;)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

const ggpm_mpi* load(const std::string& path) {
  // Global: Open MPI loads parts of its own that look for its symbols.
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr)
    throw UsageError("the component for MPI cannot be loaded: " + std::string(dlerror()));
  using Join = const ggpm_mpi* (*)();
  const auto join = reinterpret_cast<Join>(dlsym(library, "ggpm_mpi_join"));
  if (join == nullptr) throw UsageError(path + ": is not the component for MPI of ggpm");
  const ggpm_mpi* mpi = join();
  if (mpi == nullptr) throw UsageError(path + ": MPI does not start");
  if (mpi->interface_number != GGPM_MPI_INTERFACE)
    throw UsageError(path + ": belongs to another version of ggpm; build it again");
  return mpi;
}

// Whether this rank has what rank 0 has of something that decides on the bits of numbers.
bool is_alike(const std::string& own, std::string& first) {
  first = own;
  broadcast_text(first);
  return own == first;
}

void require_alike() {
  std::string first;
  const std::string own(version()), processor(blas_core());
  if (!is_alike(own, first))
    throw UsageError("this rank has ggpm " + own + ", rank 0 has ggpm " + first +
                     "; use the same version everywhere");
  if (!is_alike(processor, first))
    throw UsageError("this rank has BLAS for " + processor + ", rank 0 has it for " + first +
                     "; set OPENBLAS_CORETYPE=Haswell for all ranks");
}

// Under the launcher of another MPI every process is alone, and would do and write everything.
void require_own_launcher(const RankInfo& info) {
  if (const int launched = launched_ranks(); info.size == 1 && launched > 1)
    throw UsageError("the component for MPI is for " + info.library +
                     ", and the launcher, which started " + std::to_string(launched) +
                     " processes, is of another MPI; use that of " + info.library +
                     ", or build the component again");
}

double hash_of(std::string_view text) { return double(std::hash<std::string_view>{}(text) >> 12U); }

// The same for all ranks, so that all of them come to the same decisions: threads for the cores that
// a rank has to itself, and the memory.
void agree(RankInfo& info, int local_ranks) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  const bool known = sched_getaffinity(0, sizeof cores, &cores) == 0;
  const double mask = hash_of({reinterpret_cast<const char*>(&cores), sizeof cores});
  const double host = hash_of(info.host);
  Matrix all = Matrix::Zero(info.size, 2);
  all.row(info.rank) << host, mask;
  const std::vector<Index> one_each = equal_parts(info.size, info.size);
  for (Index j = 0; j < 2; ++j)
    joined().ranks->gather_all({all.col(j).data(), static_cast<std::size_t>(info.size)}, one_each);
  std::set<double> hosts(all.col(0).data(), all.col(0).data() + info.size);
  info.machines = static_cast<int>(hosts.size());
  int sharing = 0;
  for (Index r = 0; r < info.size; ++r)
    if (all(r, 0) == host && all(r, 1) == mask) ++sharing;
  const bool given =
      variable("OPENBLAS_NUM_THREADS") != nullptr || variable("OMP_NUM_THREADS") != nullptr;
  const int threads = given || !known ? openblas_get_num_threads() : CPU_COUNT(&cores) / sharing;
  info.threads = static_cast<int>(least_of_ranks(std::max(1, threads)));
  openblas_set_num_threads(info.threads);
  set_available_memory(static_cast<std::uint64_t>(
      least_of_ranks(double(available_memory()) / std::max(1, local_ranks))));
}

std::filesystem::path own_folder() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
}

}  // namespace

// MPICH's passes on 64 kB, then fails if they are not read at once, and leaves the ranks with what
// came until then.
bool launcher_may_lose_standard_input() { return variable("HYDI_CONTROL_FD") != nullptr; }

void tell_of_ranks(const std::string& line) {
  if (joined().tell) joined().tell(line);
}
std::string this_rank() {
  const Ranks* ranks = ranks_in_step();
  return "rank " + std::to_string(ranks == nullptr ? 0 : ranks->rank()) + " on " +
         joined().info.host;
}

}  // namespace ggpm::internal

namespace ggpm {

using namespace internal;

const RankInfo& rank_info() { return joined().info; }

std::string mpi_component() {
  if (const char* given = variable("GGPM_MPI_LIBRARY")) return given;
  const char* name = "libggpm_mpi.so";
  for (const auto& path :
       {own_folder() / name, own_folder() / ".." / GGPM_LIBDIR / "ggpm" / name}) {
    std::error_code error;
    if (std::filesystem::exists(path, error)) return path.string();
  }
  return {};
}

void join_ranks(std::function<void(const std::string&)> tell) {
  if (!is_launched() || joined().ranks) return;
  joined().tell = std::move(tell);
  const std::string path = mpi_component();
  if (path.empty()) {
    if (variable("GGPM_MPI_LIBRARY") != nullptr || launched_ranks() == 1) return;
    throw UsageError(
        "started by an MPI launcher, but this ggpm has no component for MPI, and every rank would "
        "do all of the work; build with -DGGPM_MPI=ON (docs/cluster.md), or start it once");
  }
  Joined& here = joined();
  here.ranks = std::make_unique<MpiRanks>(load(path));
  const ggpm_mpi& mpi = here.ranks->mpi();
  here.info = {.rank = mpi.rank, .size = mpi.size, .host = mpi.host, .library = mpi.library};
  here.in_step = std::make_unique<InStep>(here.ranks.get());
  require_own_launcher(here.info);
  if (here.info.size == 1) return;
  require_alike();
  agree(here.info, mpi.local_size);
}

void leave_ranks() {
  Joined& here = joined();
  here.in_step.reset();
  if (const auto ranks = std::move(here.ranks)) ranks->mpi().finalize();
}

bool all_ranks_failed() {
  return !joined().ranks || joined().ranks->mpi().all_arrive(kSecondsToFail) != 0;
}

void abort_ranks(int code) {
  if (!joined().ranks) return;
  wait_until_read(STDERR_FILENO, std::chrono::seconds(1));
  joined().ranks->mpi().abort(code);
}

}  // namespace ggpm
