// One fit by several processes, maybe on several machines, that an MPI launcher started.
#pragma once

#include <functional>
#include <string>

namespace ggpm {

struct RankInfo {
  int rank = 0, size = 1;
  int machines = 1;
  int threads = 0;      // of each rank; 0: as usual
  std::string host;     // of this rank
  std::string library;  // "Open MPI v4.1.4"; empty: not joined
};

// Under an MPI launcher (mpirun, srun) loads the component for MPI and joins the other ranks: from
// then on the calling thread keeps step with them, and large fits are shared out (docs/cluster.md).
// Otherwise nothing happens. The command does this; a program that is itself parallel should not.
// UsageError where there is no component, or the ranks are not alike. What a person should know of
// the ranks later on is told line by line.
void join_ranks(std::function<void(const std::string&)> tell = {});
const RankInfo& rank_info();
inline bool is_first_rank() { return rank_info().rank == 0; }

// At the end, when all is well. Waits for the others.
void leave_ranks();
// At the end, when it is not: true if all ranks came here within seconds, so that it is no fault of
// one of them.
bool all_ranks_failed();
// Ends all ranks.
void abort_ranks(int code);

// Where the component for MPI is; empty: there is none.
std::string mpi_component();

}  // namespace ggpm
