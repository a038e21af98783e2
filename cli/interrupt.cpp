#include "cli/interrupt.hpp"

#include <csignal>

namespace ggpm::cli {
namespace {

volatile std::sig_atomic_t caught = 0;

void handle(int) { caught = 1; }

void install(int signal) {
  struct sigaction action {};
  action.sa_handler = handle;
  // The second signal finds the usual behavior again.
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(signal, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  caught = 0;
  install(SIGINT);
  install(SIGTERM);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool interrupted() { return caught != 0; }

}  // namespace ggpm::cli
