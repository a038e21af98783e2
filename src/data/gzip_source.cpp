// What gzip has packed, unpacked while it is read.
#include <zlib.h>

#include <array>
#include <cstring>
#include <vector>

#include "data/byte_source.hpp"
#include "ggpm/types.hpp"

namespace ggpm::internal::data {
namespace {

constexpr std::array<char, 2> kMagic = {'\x1F', '\x8B'};
constexpr std::size_t kChunk = std::size_t{1} << 16;

// Two bytes of the source are known already, and come first.
class Begun final : public ByteSource {
 public:
  Begun(std::unique_ptr<ByteSource> rest, std::string start)
      : ByteSource(rest->name()), rest_(std::move(rest)), start_(std::move(start)) {}

  std::size_t read(std::span<char> buffer) override {
    if (start_.empty()) return rest_->read(buffer);
    const std::size_t count = std::min(buffer.size(), start_.size());
    std::memcpy(buffer.data(), start_.data(), count);
    start_.erase(0, count);
    // The first bytes tell the format of a table: not two of them alone.
    return count + rest_->read(buffer.subspan(count));
  }

 private:
  std::unique_ptr<ByteSource> rest_;
  std::string start_;
};

class GzipSource final : public ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<ByteSource> packed)
      : ByteSource(packed->name()), packed_(std::move(packed)), chunk_(kChunk) {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&stream_, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~GzipSource() override { inflateEnd(&stream_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  std::size_t read(std::span<char> buffer) override {
    stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream_.avail_out = static_cast<uInt>(std::min(buffer.size(), kChunk));
    const uInt room = stream_.avail_out;
    while (stream_.avail_out == room && room > 0) {
      if (stream_.avail_in == 0 && !refill()) {
        if (inside_) fail("ends early");
        return 0;
      }
      // One member may follow another, as cat makes them.
      if (!inside_ && inflateReset(&stream_) != Z_OK) throw std::bad_alloc();
      inside_ = true;
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_STREAM_END)
        inside_ = false;
      else if (status == Z_MEM_ERROR)
        throw std::bad_alloc();
      else if (status != Z_OK && status != Z_BUF_ERROR)
        fail("is damaged");
    }
    return room - stream_.avail_out;
  }

 private:
  bool refill() {
    const std::size_t count = packed_->read(chunk_);
    stream_.next_in = reinterpret_cast<Bytef*>(chunk_.data());
    stream_.avail_in = static_cast<uInt>(count);
    return count > 0;
  }
  [[noreturn]] void fail(const char* how) const {
    throw DataError(name() + ": what gzip has packed " + how + "; copy or pack the file again");
  }

  std::unique_ptr<ByteSource> packed_;
  std::vector<char> chunk_;
  z_stream stream_{};
  bool inside_ = true;
};

}  // namespace

std::unique_ptr<ByteSource> unpacked(std::unique_ptr<ByteSource> source) {
  std::string start(kMagic.size(), '\0');
  std::size_t have = 0;
  while (have < start.size()) {
    const std::size_t count = source->read({start.data() + have, start.size() - have});
    if (count == 0) break;
    have += count;
  }
  start.resize(have);
  const bool packed = start == std::string_view(kMagic.data(), kMagic.size());
  source = std::make_unique<Begun>(std::move(source), std::move(start));
  if (!packed) return source;
  return std::make_unique<GzipSource>(std::move(source));
}

}  // namespace ggpm::internal::data
