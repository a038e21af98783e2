#include "data/byte_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "ggpm/types.hpp"
#include "parallel/launcher.hpp"
#include "parallel/ranks.hpp"

namespace ggpm::internal::data {
namespace {

std::string errno_text() { return std::generic_category().message(errno); }

class FileSource final : public ByteSource {
 public:
  FileSource(const std::string& path, Index from)
      : ByteSource(path == "-" ? "standard input" : path), owned_(path != "-") {
    if (!owned_) {
      descriptor_ = STDIN_FILENO;
      return;
    }
    descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) throw DataError(path + ": cannot be opened: " + errno_text());
    if (from > 0 && lseek(descriptor_, from, SEEK_SET) < 0) {
      const std::string why = errno_text();
      close(descriptor_);
      throw DataError(path + ": cannot be read: " + why);
    }
  }
  ~FileSource() override {
    if (owned_) close(descriptor_);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  std::size_t read(std::span<char> buffer) override {
    for (;;) {
      const ssize_t count = ::read(descriptor_, buffer.data(), buffer.size());
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) throw DataError(name() + ": cannot be read: " + errno_text());
    }
  }

 private:
  int descriptor_ = -1;
  bool owned_;
};

// The first rank reads, the others are told: what only it can read, as standard input, or what
// cannot be cut (file_parts.hpp).
class SharedSource final : public ByteSource {
 public:
  SharedSource(const std::string& path, Index from)
      : ByteSource(path == "-" ? "standard input" : path) {
    if (path == "-" && launcher_may_lose_standard_input())
      throw UsageError(
          "standard input: MPICH's launcher loses what comes faster than it is read; name a file");
    from_first_rank([&] {
      file_ = std::make_unique<FileSource>(path, from);
      return std::string();
    });
  }
  std::size_t read(std::span<char> buffer) override {
    const std::string bytes = from_first_rank([&] {
      std::string out(buffer.size(), '\0');
      out.resize(file_->read({out.data(), out.size()}));
      return out;
    });
    std::copy(bytes.begin(), bytes.end(), buffer.begin());
    return bytes.size();
  }

 private:
  std::unique_ptr<FileSource> file_;  // of the first rank
};

class TextSource final : public ByteSource {
 public:
  TextSource(std::string_view text, std::string name) : ByteSource(std::move(name)), rest_(text) {}

  std::size_t read(std::span<char> buffer) override {
    const std::size_t count = std::min(buffer.size(), rest_.size());
    std::copy_n(rest_.data(), count, buffer.data());
    rest_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view rest_;
};

}  // namespace

std::unique_ptr<ByteSource> open_source(const std::string& path, Index from) {
  if (rank_count() > 1) return std::make_unique<SharedSource>(path, from);
  return std::make_unique<FileSource>(path, from);
}

std::unique_ptr<ByteSource> text_source(std::string_view text, std::string name) {
  return std::make_unique<TextSource>(text, std::move(name));
}

bool can_be_read_again(const std::string& path) {
  return !from_first_rank([&] {
            struct stat status {};
            const bool file =
                path != "-" && stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
            return std::string(file ? "again" : "");
          }).empty();
}

std::string read_all(ByteSource& source) {
  constexpr std::size_t kStep = std::size_t{1} << 16;
  std::string bytes;
  for (;;) {
    const std::size_t old = bytes.size();
    bytes.resize(old + kStep);
    const std::size_t count = source.read({bytes.data() + old, kStep});
    bytes.resize(old + count);
    if (count == 0) return bytes;
  }
}

}  // namespace ggpm::internal::data
