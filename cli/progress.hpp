// How far a fit is: a live line on a terminal, now and then a plain line elsewhere.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

namespace ggpm::cli {

struct ProgressState {
  std::string stage;        // "restart"
  int done = 0, total = 0;  // of the stage
  long evaluations = 0;
  double log_marginal = 0;   // best so far; NaN: none yet
  double seconds_left = -1;  // a guess; < 0: none
};

class Progress {
 public:
  enum class Form { bar, lines, none };
  static Form suitable_form(bool quiet);  // by what standard error is

  explicit Progress(Form form);
  ~Progress();  // the live line disappears
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // May be called often and from any thread; shows about ten a second, or one in five seconds.
  void update(const ProgressState& state);
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  Form form_;
  Clock::time_point start_ = Clock::now(), shown_ = start_;
  std::mutex mutex_;
};

// The words of the line, at most `columns` wide.
std::string progress_text(const ProgressState& state, double seconds, int columns, bool with_bar);

// Makes room for another line on standard error.
void clear_progress_line();

}  // namespace ggpm::cli
