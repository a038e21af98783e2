// Where tests find and put files.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace ggpm::testing_support {

// Numbers to reproduce, kept in the repository.
inline std::filesystem::path golden_file(const std::string& name) {
  return std::filesystem::path(GGPM_GOLDEN_DIR) / name;
}

// Real data, kept outside the repository: the environment variable GGPM_DATA_DIR, or a folder
// beside the clone. Use GGPM_REQUIRE_DATA first, so that a machine without them skips and says so.
inline std::filesystem::path data_file(const std::string& name) {
  const char* given = std::getenv("GGPM_DATA_DIR");
  return std::filesystem::path(given != nullptr ? given : GGPM_DEFAULT_DATA_DIR) / name;
}

// A folder of this test's own, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "ggpm-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace ggpm::testing_support

#define GGPM_REQUIRE_DATA(name)                                           \
  if (!std::filesystem::exists(::ggpm::testing_support::data_file(name))) \
  GTEST_SKIP() << ::ggpm::testing_support::data_file(name) << " is not there; set GGPM_DATA_DIR"
