// ggpm_mpi.h over whichever MPI this is compiled with. Nothing here knows of Gaussian processes.
//
// Every wait looks, yields and then sleeps for some microseconds: ranks may be more than cores, and
// one that has nothing to do should leave them to the others. MPI's own waits keep a core busy.
#include "ggpm_mpi.h"

#include <mpi.h>
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <string>
#include <vector>

namespace {

constexpr std::size_t kLargestMessage = std::size_t{1} << 30U;  // MPI counts in int
constexpr int kTag = 1;

MPI_Comm world = MPI_COMM_NULL;     // apart from what other code in this process may do
MPI_Comm farewell = MPI_COMM_NULL;  // for all_arrive, while something else is going on in `world`
std::vector<MPI_Request> sends;
std::string library_name, host_name;

// Between two looks. Messages come in many pieces, which move only while we look: sleeping begins when
// nothing has come for some time.
class Patience {
 public:
  void wait() {
    if (looks_ < kLooks) {
      ++looks_;
      sched_yield();
      return;
    }
    const timespec pause{0, kNanoseconds};
    nanosleep(&pause, nullptr);
  }

 private:
  static constexpr int kLooks = 2000;  // a millisecond, or two
  static constexpr long kNanoseconds = 20000;
  int looks_ = 0;
};

void wait(MPI_Request& request, MPI_Status* status = MPI_STATUS_IGNORE) {
  int done = 0;
  for (Patience patience;; patience.wait()) {
    MPI_Test(&request, &done, status);
    if (done != 0) return;
  }
}

void finish_sends() {
  for (MPI_Request& request : sends) wait(request);
  sends.clear();
}

// body(pointer, count) for parts that MPI can count.
template <class Byte, class Body>
void in_parts(Byte* bytes, std::size_t count, const Body& body) {
  for (std::size_t begin = 0; begin < count; begin += kLargestMessage)
    body(bytes + begin, static_cast<int>(std::min(kLargestMessage, count - begin)));
}

void send(const void* bytes, std::size_t count, int to) {
  in_parts(static_cast<const char*>(bytes), count, [&](const char* part, int size) {
    sends.emplace_back();
    MPI_Isend(part, size, MPI_BYTE, to, kTag, world, &sends.back());
  });
}

int receive(void* bytes, std::size_t count, int from) {
  int wrong = 0;
  in_parts(static_cast<char*>(bytes), count, [&](char* part, int size) {
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(part, size, MPI_BYTE, from, kTag, world, &request);
    wait(request, &status);
    int came = 0;
    MPI_Get_count(&status, MPI_BYTE, &came);
    if (came != size) wrong = 1;
  });
  return wrong;
}

void gather_all(double* all, const int* counts, const int* offsets) {
  MPI_Request request;
  MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DOUBLE, all, counts, offsets, MPI_DOUBLE, world, &request);
  wait(request);
}

void broadcast(void* bytes, std::size_t count, int from) {
  in_parts(static_cast<char*>(bytes), count, [&](char* part, int size) {
    MPI_Request request;
    MPI_Ibcast(part, size, MPI_BYTE, from, world, &request);
    wait(request);
  });
}

int all_arrive(double seconds) {
  MPI_Request request;
  MPI_Ibarrier(farewell, &request);
  const double until = MPI_Wtime() + seconds;
  for (Patience patience; MPI_Wtime() < until; patience.wait()) {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return 1;
  }
  return 0;
}

void abort_all(int code) { MPI_Abort(MPI_COMM_WORLD, code); }

void finalize() {
  MPI_Request request;
  MPI_Ibarrier(world, &request);
  wait(request);  // where MPI_Finalize would keep a core busy until the last one comes
  MPI_Finalize();
}

ggpm_mpi table{};

}  // namespace

extern "C" __attribute__((visibility("default"))) const ggpm_mpi* ggpm_mpi_join() {
  prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);  // sleeps of microseconds, not of fifty
  int provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS ||
      provided < MPI_THREAD_SERIALIZED)
    return nullptr;
  MPI_Comm_dup(MPI_COMM_WORLD, &world);
  MPI_Comm_dup(MPI_COMM_WORLD, &farewell);
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  library_name.assign(text, static_cast<std::size_t>(length));
  library_name.resize(std::min(library_name.size(), library_name.find_first_of(",\n")));
  std::replace(library_name.begin(), library_name.end(), '\t', ' ');
  char host[MPI_MAX_PROCESSOR_NAME];
  MPI_Get_processor_name(host, &length);
  host_name.assign(host, static_cast<std::size_t>(length));
  MPI_Comm local;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local);
  table = {GGPM_MPI_INTERFACE,
           library_name.c_str(),
           0,
           0,
           1,
           host_name.c_str(),
           send,
           receive,
           finish_sends,
           gather_all,
           broadcast,
           all_arrive,
           abort_all,
           finalize};
  MPI_Comm_rank(world, &table.rank);
  MPI_Comm_size(world, &table.size);
  MPI_Comm_size(local, &table.local_size);
  MPI_Comm_free(&local);
  return &table;
}
