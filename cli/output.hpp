// The command alone writes: results to standard output or a file, the rest to standard error.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace ggpm {
class AtomicFile;
}

namespace ggpm::cli {

// Descriptors 0-2 that the caller closed are taken, so that no file of ours becomes "standard
// output"; writing to them still fails.
void occupy_standard_descriptors();

// Results, and nothing else, go to standard output. DataError if it cannot be written. Names come
// from tables and model files of strangers: a control character is shown as \u001b, in JSON the same
// text, and never reaches the terminal.
void print(std::string_view text);
void flush_output();

// Notes and warnings go to standard error, one line each. A bar that is being shown makes room.
void note(std::string_view line);  // "note: ..."
void warn(std::string_view line);  // "warning: ..."
void say(std::string_view line);   // as it is
void set_quiet(bool quiet);        // notes are left out, warnings stay

// On one line, at most so many bytes, without what a terminal would obey; the middle goes first.
std::string one_line(std::string_view message, std::size_t longest);

// Where a table goes: standard output, or a file that appears whole at commit() or not at all.
class Sink {
 public:
  explicit Sink(const std::string& path);  // "" and "-" are standard output
  ~Sink();
  void write(std::string_view text);  // as it is: data, not words
  void commit();

 private:
  std::unique_ptr<AtomicFile> file_;
};

}  // namespace ggpm::cli
