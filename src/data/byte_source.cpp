#include "data/byte_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "ggpm/types.hpp"

namespace ggpm::internal::data {
namespace {

std::string errno_text() { return std::generic_category().message(errno); }

class FileSource final : public ByteSource {
 public:
  explicit FileSource(const std::string& path)
      : ByteSource(path == "-" ? "standard input" : path), owned_(path != "-") {
    if (!owned_) {
      descriptor_ = STDIN_FILENO;
      return;
    }
    descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) throw DataError(path + ": cannot be opened: " + errno_text());
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

std::unique_ptr<ByteSource> open_source(const std::string& path) {
  return std::make_unique<FileSource>(path);
}

std::unique_ptr<ByteSource> text_source(std::string_view text, std::string name) {
  return std::make_unique<TextSource>(text, std::move(name));
}

bool can_be_read_again(const std::string& path) {
  struct stat status {};
  return path != "-" && stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
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
