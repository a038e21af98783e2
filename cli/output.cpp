#include "cli/output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "cli/progress.hpp"
#include "ggpm/atomic_file.hpp"
#include "ggpm/ranks.hpp"
#include "ggpm/text.hpp"
#include "ggpm/types.hpp"

namespace ggpm::cli {
namespace {

bool quiet_notes = false;

void check_output(bool good) {
  if (!good)
    throw DataError("standard output: cannot be written: " +
                    std::generic_category().message(errno));
}

void write_out(std::string_view bytes) {
  if (!is_first_rank()) return;
  check_output(std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size());
}

}  // namespace

void occupy_standard_descriptors() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor)
    if (fcntl(descriptor, F_GETFD) == -1 && errno == EBADF)
      // The lowest free number is this one. Opened the wrong way round: using it is an error.
      (void)open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);
}

void print(std::string_view text) { write_out(harmless(text, "\n")); }

// A long text is written before it is flushed: what failed then is known to the stream alone.
void flush_output() { check_output(std::fflush(stdout) == 0 && std::ferror(stdout) == 0); }

void say(std::string_view line) {
  if (!is_first_rank()) return;
  clear_progress_line();
  std::fprintf(stderr, "%s\n", harmless(line).c_str());
}

void note(std::string_view line) {
  if (!quiet_notes) say("note: " + std::string(line));
}

void warn(std::string_view line) { say("warning: " + std::string(line)); }

std::string one_line(std::string_view message, std::size_t longest) {
  std::string line = harmless(message);
  if (line.size() <= longest) return line;
  const auto inside = [&](std::size_t place) {  // not the first byte of a character
    return (static_cast<unsigned char>(line[place]) & 0xC0) == 0x80;
  };
  const std::size_t tail = longest * 6 / 10;
  std::size_t head = longest - tail - 5, rest = line.size() - tail;
  while (head > 0 && inside(head)) --head;
  while (rest < line.size() && inside(rest)) ++rest;
  return line.substr(0, head) + " ... " + line.substr(rest);
}

void set_quiet(bool quiet) { quiet_notes = quiet; }

Sink::Sink(const std::string& path) {
  if (!path.empty() && path != "-") file_ = std::make_unique<AtomicFile>(path);
}

Sink::~Sink() = default;

void Sink::write(std::string_view text) {
  if (file_)
    file_->write(text);
  else
    write_out(text);
}

void Sink::commit() {
  if (file_)
    file_->commit();
  else
    flush_output();
}

}  // namespace ggpm::cli
