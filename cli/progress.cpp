#include "cli/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "ggpm/ranks.hpp"
#include "ggpm/summary.hpp"

namespace ggpm::cli {
namespace {

constexpr double kBarInterval = 0.1, kLineInterval = 5;  // seconds
constexpr int kBarWidth = 20;

std::atomic<bool> line_is_shown{false};

int terminal_columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// Eighths of a cell, so that the bar moves before a whole cell is full.
std::string bar(double fraction) {
  static constexpr const char* kParts[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = static_cast<int>(std::lround(std::clamp(fraction, 0.0, 1.0) * kBarWidth * 8));
  std::string out = "[";
  for (int cell = 0; cell < kBarWidth; ++cell) {
    const int filled = eighths - 8 * cell;
    out += filled >= 8 ? "█" : kParts[std::max(filled, 0)];
  }
  return out + "] ";
}

}  // namespace

std::string progress_text(const ProgressState& state, double seconds, int columns, bool with_bar) {
  std::string words = state.total > 0
                          ? fmt::format("{} {} of {}", state.stage, state.done, state.total)
                          : state.stage;
  if (state.evaluations > 0) words += fmt::format(", {} evaluations", state.evaluations);
  if (std::isfinite(state.log_marginal))
    words += fmt::format(", log marginal {:.2f}", state.log_marginal);
  words += ", " + duration_text(seconds);
  const double fraction =
      state.total > 0 ? static_cast<double>(state.done) / static_cast<double>(state.total) : 0;
  if (state.seconds_left > 0.5) words += ", about " + duration_text(state.seconds_left) + " left";
  if (static_cast<int>(words.size()) > columns) words.resize(static_cast<std::size_t>(columns));
  const bool room = static_cast<int>(words.size()) + kBarWidth + 3 <= columns;
  return with_bar && room ? bar(fraction) + words : words;
}

Progress::Form Progress::suitable_form(bool quiet) {
  if (quiet || !is_first_rank()) return Form::none;
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::strcmp(terminal, "dumb") == 0;
  return isatty(STDERR_FILENO) == 1 && !dumb ? Form::bar : Form::lines;
}

Progress::Progress(Form form) : form_(form) {}

Progress::~Progress() { clear_progress_line(); }

double Progress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void Progress::update(const ProgressState& state) {
  if (form_ == Form::none) return;
  const std::lock_guard lock(mutex_);
  const double since = std::chrono::duration<double>(Clock::now() - shown_).count();
  if (since < (form_ == Form::bar ? kBarInterval : kLineInterval)) return;
  shown_ = Clock::now();
  if (form_ == Form::lines) {
    std::fprintf(stderr, "%s\n", progress_text(state, seconds(), 200, false).c_str());
    return;
  }
  // One column is left free, since some terminals wrap when the last one is written.
  const std::string text = progress_text(state, seconds(), terminal_columns() - 1, true);
  line_is_shown = true;
  std::fprintf(stderr, "\r\033[K%s", text.c_str());
  std::fflush(stderr);
}

void clear_progress_line() {
  if (!line_is_shown.exchange(false)) return;
  std::fprintf(stderr, "\r\033[K");
  std::fflush(stderr);
}

}  // namespace ggpm::cli
