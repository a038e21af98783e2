// A file that several ranks read at once, each a part of it, cut where rows end.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "data/byte_source.hpp"
#include "ggpm/types.hpp"

namespace ggpm::internal::data {

// Why a rank cannot read the file. The first rank may, and tell the others.
class Unreadable final : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class SharedFile {
 public:
  explicit SharedFile(const std::string& path);  // Unreadable also if it is a pipe or a folder
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  const std::string& path() const { return path_; }
  Index size() const { return size_; }
  // As many bytes as the buffer has, or there are before `end`. Unreadable if the file has become
  // shorter.
  std::span<char> read(Index place, Index end, std::span<char> buffer) const;
  char byte(Index place) const;

 private:
  std::string path_;
  int descriptor_;
  Index size_ = 0;
};

// Bytes [begin, end).
std::unique_ptr<ByteSource> part_of(std::shared_ptr<const SharedFile> file, Index begin, Index end);

// The text that each rank made, by rank; nothing if one of them could not, for a DataError or because
// its file is Unreadable, which a person is told of.
std::optional<std::vector<std::string>> told_by_all(const std::function<std::string()>& work);

// The file, if the ranks can share its reading: there are several, all can read it, it is the same
// for all, and can be cut, as standard input, pipes and what gzip has packed cannot.
std::shared_ptr<const SharedFile> open_together(const std::string& path);

// Where the parts of [begin, end) begin, one a rank: (ranks + 1) places at which a row begins, which
// `begin` is, too; where `end` is inside a row, the last one is where that ends. Empty if a rank could not read.
//
// A line end inside quotes does not end a row, and quotes come in pairs. So every rank counts those
// of its part; how many are before it then tells the next one whether it begins inside quotes. That
// is right as far as the text is; where a quote is out of place, the rank that parses it says so.
std::vector<Index> cut_between_rows(const SharedFile& file, Index begin, Index end);

}  // namespace ggpm::internal::data
