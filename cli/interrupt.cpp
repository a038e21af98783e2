#include "cli/interrupt.hpp"

#include <unistd.h>

#include <csignal>
#include <string_view>

#include "cli/command.hpp"
#include "ggpm/atomic_file.hpp"
#include "ggpm/ranks.hpp"

namespace ggpm::cli {
namespace {

volatile std::sig_atomic_t caught = 0;

volatile unsigned grace = 0;

void handle(int) {
  caught = 1;
  alarm(grace);
}

// What does not come to the place where it looks for a signal is ended: one is enough.
void give_up(int) {
  constexpr std::string_view kLine = "ggpm: interrupted: the work did not stop by itself\n";
  (void)!write(STDERR_FILENO, kLine.data(), kLine.size());
  AtomicFile::remove_unfinished();
  _exit(kInterrupted);
}

void install(int signal) {
  struct sigaction action {};
  action.sa_handler = handle;
  // The second signal finds the usual behavior again.
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(signal, &action, nullptr);
}

}  // namespace

// Ranks would not hear of a signal at the same place: it ends them as usual.
InterruptGuard::InterruptGuard(unsigned grace_seconds) {
  if (rank_info().size > 1) return;
  caught = 0;
  grace = grace_seconds;
  std::signal(SIGALRM, give_up);
  install(SIGINT);
  install(SIGTERM);
}

InterruptGuard::~InterruptGuard() {
  if (rank_info().size > 1) return;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  alarm(0);
  std::signal(SIGALRM, SIG_DFL);
}

bool interrupted() { return caught != 0; }

}  // namespace ggpm::cli
