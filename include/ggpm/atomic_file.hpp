// Files that are written whole or not at all.
#pragma once

#include <string>
#include <string_view>

namespace ggpm {

// Writes to a temporary file in the same folder; commit() syncs it and gives it its name. Without
// commit() nothing is left and an older file of that name stays as it was. A symbolic link is
// followed, also to a file that is not there yet; a read-only file is refused. What is not a file (a
// pipe, /dev/stdout) is written to directly. Every error is a DataError with the path and the
// system's reason.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  void commit();

  // For a signal handler that ends the process: no destructor will run. Safe there.
  static void remove_unfinished() noexcept;

 private:
  [[noreturn]] void fail(const char* what) const;
  void flush();

  std::string path_;       // as given, for messages
  std::string target_;     // with links resolved
  std::string temporary_;  // empty: written directly, or committed
  std::string buffer_;
  int descriptor_ = -1;
};

void write_file_atomically(const std::string& path, std::string_view bytes);

}  // namespace ggpm
