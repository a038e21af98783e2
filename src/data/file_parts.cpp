#include "data/file_parts.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "parallel/ranks.hpp"

namespace ggpm::internal::data {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 16;
constexpr char kQuote = '"';

class PartSource final : public ByteSource {
 public:
  PartSource(std::shared_ptr<const SharedFile> file, Index begin, Index end)
      : ByteSource(file->path()), file_(std::move(file)), place_(begin), end_(end) {}
  std::size_t read(std::span<char> buffer) override {
    const std::size_t count = file_->read(place_, end_, buffer).size();
    place_ += static_cast<Index>(count);
    return count;
  }

 private:
  std::shared_ptr<const SharedFile> file_;
  Index place_, end_;
};

// body(bytes) for the bytes of [begin, end), piece by piece, until it says that it has seen enough.
template <class Body>
void scan(const SharedFile& file, Index begin, Index end, const Body& body) {
  std::vector<char> buffer(kPieceBytes);
  while (begin < end) {
    const std::span<char> bytes = file.read(begin, end, buffer);
    if (body(bytes)) return;
    begin += std::ssize(bytes);
  }
}

Index count_quotes(const SharedFile& file, Index begin, Index end) {
  Index count = 0;
  scan(file, begin, end, [&](std::span<char> bytes) {
    count += std::count(bytes.begin(), bytes.end(), kQuote);
    return false;
  });
  return count;
}

// Behind the first end of a row in [begin, end); -1: there is none.
Index next_row(const SharedFile& file, Index begin, Index end, bool in_quotes) {
  Index place = begin;
  bool found = false;
  scan(file, begin, end, [&](std::span<char> bytes) {
    for (const char c : bytes) {
      ++place;
      in_quotes = in_quotes != (c == kQuote);
      found = !in_quotes && (c == '\n' || c == '\r');
      if (found) return true;
    }
    return false;
  });
  if (!found) return -1;
  const bool two = file.byte(place - 1) == '\r' && place < file.size() && file.byte(place) == '\n';
  return two ? place + 1 : place;
}

// Of what tells one file from another of its name without reading all of it.
std::string fingerprint(const SharedFile& file) {
  std::vector<char> buffer(kPieceBytes);
  std::string out = std::to_string(file.size());
  for (const Index place : {Index{0}, std::max<Index>(0, file.size() - std::ssize(buffer))}) {
    const std::span<char> bytes = file.read(place, file.size(), buffer);
    out += ' ' + std::to_string(std::hash<std::string_view>()({bytes.data(), bytes.size()}));
  }
  return out;
}

}  // namespace

SharedFile::SharedFile(const std::string& path)
    : path_(path), descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  const auto reason = [] { return std::generic_category().message(errno); };
  if (descriptor_ < 0) throw Unreadable(path + ": cannot be opened: " + reason());
  struct stat status {};
  const bool known = fstat(descriptor_, &status) == 0;
  if (known && S_ISREG(status.st_mode)) {
    size_ = status.st_size;
    return;
  }
  const std::string why = known ? path + ": is no file" : path + ": cannot be read: " + reason();
  close(descriptor_);
  throw Unreadable(why);
}

SharedFile::~SharedFile() { close(descriptor_); }

std::span<char> SharedFile::read(Index place, Index end, std::span<char> buffer) const {
  buffer = buffer.first(std::min(buffer.size(), static_cast<std::size_t>(end - place)));
  std::size_t have = 0;
  while (have < buffer.size()) {
    const ssize_t count = pread(
        descriptor_, buffer.data() + have, buffer.size() - have, place + static_cast<Index>(have));
    if (count == 0) throw Unreadable(path_ + ": has become shorter");
    if (count < 0 && errno != EINTR)
      throw Unreadable(path_ + ": cannot be read: " + std::generic_category().message(errno));
    have += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
  }
  return buffer;
}

char SharedFile::byte(Index place) const {
  char one = 0;
  read(place, place + 1, {&one, 1});
  return one;
}

std::unique_ptr<ByteSource> part_of(std::shared_ptr<const SharedFile> file,
                                    Index begin,
                                    Index end) {
  return std::make_unique<PartSource>(std::move(file), begin, end);
}

std::optional<std::vector<std::string>> told_by_all(const std::function<std::string()>& work) {
  constexpr char kMade = '=', kUnreadable = '!', kRefused = '?';
  std::string own;
  try {
    own = kMade + work();
  } catch (const Unreadable& error) {
    own = fmt::format("{}{}: {}", kUnreadable, this_rank(), error.what());
  } catch (const DataError&) {
    own = kRefused;
  }
  std::vector<std::string> texts = texts_of_all_ranks(own);
  const auto failed = std::find_if(
      texts.begin(), texts.end(), [](const std::string& text) { return text[0] != kMade; });
  if (failed == texts.end()) {
    for (std::string& text : texts) text.erase(0, 1);
    return texts;
  }
  // What the first rank cannot read it will say when it reads alone.
  if ((*failed)[0] == kUnreadable && failed != texts.begin())
    tell_of_ranks(failed->substr(1) + "; rank 0 reads it for all");
  return std::nullopt;
}

std::shared_ptr<const SharedFile> open_together(const std::string& path) {
  if (rank_count() == 1 || path == "-") return nullptr;
  std::shared_ptr<const SharedFile> file;
  std::string own;
  bool packed = false;
  const auto prints = told_by_all([&] {
    file = std::make_shared<SharedFile>(path);
    packed = file->size() >= 2 && file->byte(0) == '\x1F' && file->byte(1) == '\x8B';
    return own = fingerprint(*file);
  });
  const auto same = [&] {
    if (own != prints->front()) throw Unreadable(path + ": is another file than rank 0 has");
    return std::string();
  };
  return prints && told_by_all(same) && !packed ? file : nullptr;
}

std::vector<Index> cut_between_rows(const SharedFile& file, Index begin, Index end) {
  const int size = rank_count();
  const auto own = static_cast<std::size_t>(size == 1 ? 0 : ranks_in_step()->rank());
  std::vector<Index> cuts = equal_parts(end - begin, size);
  for (Index& cut : cuts) cut += begin;
  const auto quotes =
      told_by_all([&] { return std::to_string(count_quotes(file, cuts[own], cuts[own + 1])); });
  if (!quotes) return {};
  const auto found = told_by_all([&] {  // where the part of this rank ends
    Index before = 0;
    for (std::size_t r = 0; r <= own; ++r) before += std::stoll((*quotes)[r]);
    const Index limit = own + 2 < cuts.size() ? cuts[own + 2] : file.size();
    return std::to_string(next_row(file, cuts[own + 1], limit, before % 2 != 0));
  });
  if (!found) return {};
  // A part inside of one row is empty: it begins where the next one does.
  Index next = file.size();
  for (std::size_t r = found->size(); r-- > 0;) {
    if (const Index place = std::stoll((*found)[r]); place >= 0) next = place;
    cuts[r + 1] = next;
  }
  return cuts;
}

}  // namespace ggpm::internal::data
