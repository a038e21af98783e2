// Bytes of a file, of standard input, or of a string.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "ggpm/types.hpp"

namespace ggpm::internal::data {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual std::size_t read(std::span<char> buffer) = 0;  // 0 at the end
  const std::string& name() const { return name_; }      // for messages

 protected:
  explicit ByteSource(std::string name) : name_(std::move(name)) {}

 private:
  std::string name_;
};

// "-" is standard input. DataError if the file cannot be opened, and later if it cannot be read. A
// file may be read from a later byte on.
std::unique_ptr<ByteSource> open_source(const std::string& path, Index from = 0);
// The bytes of the source, unpacked if gzip has packed them. DataError where the packed ones are
// damaged or end early.
std::unique_ptr<ByteSource> unpacked(std::unique_ptr<ByteSource> source);
// The text must outlive the source.
std::unique_ptr<ByteSource> text_source(std::string_view text, std::string name);

// Whether opening the path a second time gives the same bytes: a file, not a pipe.
bool can_be_read_again(const std::string& path);
std::string read_all(ByteSource& source);

}  // namespace ggpm::internal::data
