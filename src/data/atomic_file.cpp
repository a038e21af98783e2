#include "ggpm/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <system_error>

#include "ggpm/types.hpp"
#include "parallel/ranks.hpp"

namespace ggpm {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 16;

// Names of temporary files that are being written. Beyond so many at a time, some would stay.
std::array<std::atomic<const char*>, 16> unfinished{};

void replace_in_unfinished(const char* name, const char* other) noexcept {
  for (auto& place : unfinished) {
    const char* expected = name;
    if (place.compare_exchange_strong(expected, other)) return;
  }
}

// Where the links of the path lead, also if no file is there yet: replacing a link itself would put
// the file in another place than the one that was named.
std::string resolved(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr),
                                                         &std::free);
  if (real) return real.get();
  constexpr int kMostLinks = 40;
  std::filesystem::path target = path;
  std::error_code error;
  for (int i = 0; i < kMostLinks; ++i) {
    const std::filesystem::path next = std::filesystem::read_symlink(target, error);
    if (error) return target.string();
    target = target.parent_path() / next;
  }
  return path;
}

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// A name that nobody can foresee, in the target's folder. What a killed process of the same number
// left behind is never met again, and nobody can lay a file in the way.
std::string temporary_name(const std::string& target) {
  constexpr std::size_t kLongestStem = 200;  // a name has at most 255 bytes
  constexpr char kDigits[] = "0123456789abcdefghijklmnopqrstuv";
  std::random_device random;
  std::string name = target;
  const std::size_t stem = name.rfind('/') + 1;  // 0 if there is no folder
  if (name.size() - stem < 256) name.resize(std::min(name.size(), stem + kLongestStem));
  name += ".tmp-";
  for (int i = 0; i < 16; ++i) name += kDigits[random() % 32U];
  return name;
}

int create_temporary(const std::string& target, std::string& name) {
  constexpr int kAttempts = 100;
  int descriptor = -1;
  for (int i = 0; i < kAttempts && descriptor < 0; ++i) {
    name = temporary_name(target);
    descriptor = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno != EEXIST) break;
  }
  return descriptor;
}

// Renaming over a file needs no right to write it; a file that is protected stays as it is. The
// mode is looked at by itself, since root may write everything.
bool is_protected(const std::string& path, const struct stat& status) {
  errno = EACCES;
  return (status.st_mode & 0222U) == 0 || faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0;
}

}  // namespace

void AtomicFile::fail(const char* what) const {
  throw DataError(path_ + ": " + what + ": " + std::generic_category().message(errno));
}

// The first rank writes for all of them.
AtomicFile::AtomicFile(const std::string& given)
    : path_(internal::writes_nothing() ? "/dev/null" : given), target_(path_) {
  const std::string& path = path_;
  struct stat status {};
  const bool exists = stat(path.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) fail("cannot be written");
  if (exists && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    fail("cannot be written");
  }
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail("cannot be opened for writing");
    return;
  }
  target_ = resolved(path);
  if (exists && is_protected(target_, status)) fail("is read-only and stays as it is");
  std::string name;
  descriptor_ = create_temporary(target_, name);
  if (descriptor_ < 0) fail("cannot be written");
  temporary_ = name;
  replace_in_unfinished(nullptr, temporary_.c_str());
  // A file that is replaced keeps its permissions; where that is not allowed, the usual ones do.
  if (exists && fchmod(descriptor_, status.st_mode & 07777) != 0) errno = 0;
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (temporary_.empty()) return;
  unlink(temporary_.c_str());
  replace_in_unfinished(temporary_.c_str(), nullptr);
}

void AtomicFile::remove_unfinished() noexcept {
  for (auto& place : unfinished)
    if (const char* name = place.exchange(nullptr)) unlink(name);
}

void AtomicFile::write(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() >= kBufferBytes) flush();
}

void AtomicFile::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t count = ::write(descriptor_, rest.data(), rest.size());
    if (count < 0 && errno != EINTR) fail("cannot be written");
    if (count > 0) rest.remove_prefix(static_cast<std::size_t>(count));
  }
  buffer_.clear();
}

void AtomicFile::commit() {
  flush();
  // A pipe or a terminal cannot be synced; a file must be, before its name points to it.
  if (!temporary_.empty() && fsync(descriptor_) != 0) fail("cannot be saved to the disk");
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (close(descriptor) != 0) fail("cannot be saved");
  if (temporary_.empty()) return;
  if (rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot be given its name");
  replace_in_unfinished(temporary_.c_str(), nullptr);
  temporary_.clear();

  const int folder = open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0)
    return;  // a folder that may be written but not read: its entry is not ours to sync
  const int status = fsync(folder);
  const int reason = errno;
  close(folder);
  if (status != 0 && reason != EINVAL && reason != ENOTSUP) {
    errno = reason;
    fail("is written, but its folder cannot be saved to the disk");
  }
}

void write_file_atomically(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace ggpm
