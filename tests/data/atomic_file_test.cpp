#include "ggpm/atomic_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <thread>

#include "ggpm/types.hpp"
#include "support/files.hpp"

namespace ggpm {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing_support::TemporaryFolder;

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::ptrdiff_t files_in(const TemporaryFolder& folder) {
  return std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator());
}

std::string write_error(const std::string& path, const std::string& bytes = "x") {
  try {
    write_file_atomically(path, bytes);
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

TEST(AtomicFile, WritesAndReplaces) {
  const TemporaryFolder folder;
  const std::string path = folder.file("model");
  write_file_atomically(path, "one");
  EXPECT_EQ(contents(path), "one");
  const std::string large(1'000'000, 'z');
  write_file_atomically(path, large);
  EXPECT_EQ(contents(path), large);
  EXPECT_EQ(files_in(folder), 1);
}

TEST(AtomicFile, LeavesNothingWithoutCommit) {
  const TemporaryFolder folder;
  const std::string path = folder.file("model");
  write_file_atomically(path, "old");
  {
    AtomicFile file(path);
    file.write(std::string(1'000'000, 'n'));
    EXPECT_EQ(contents(path), "old");
    EXPECT_EQ(files_in(folder), 2);
  }
  EXPECT_EQ(contents(path), "old");
  EXPECT_EQ(files_in(folder), 1);
}

// As a handler of signals ends a process, without destructors.
TEST(AtomicFile, UnfinishedOnesCanBeRemovedWithoutTheirDestructors) {
  const TemporaryFolder folder;
  const std::string done = folder.file("done"), half = folder.file("half");
  const pid_t child = fork();
  if (child == 0) {
    AtomicFile first(done), second(half), third(folder.file("a third"));
    first.commit();
    second.write(std::string(200'000, 'x'));
    AtomicFile::remove_unfinished();
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(files_in(folder), 1);
  EXPECT_TRUE(fs::exists(done));
  { AtomicFile again(half); }  // whose place is free again
  AtomicFile::remove_unfinished();
  EXPECT_EQ(files_in(folder), 1);
}

TEST(AtomicFile, FollowsASymbolicLinkAndKeepsPermissions) {
  const TemporaryFolder folder;
  write_file_atomically(folder.file("real"), "old");
  fs::permissions(folder.file("real"), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("real", folder.file("link"));
  write_file_atomically(folder.file("link"), "new");
  EXPECT_TRUE(fs::is_symlink(folder.file("link")));
  EXPECT_EQ(contents(folder.file("real")), "new");
  EXPECT_EQ(fs::status(folder.file("real")).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST(AtomicFile, FollowsALinkToAFileThatIsNotThereYet) {
  const TemporaryFolder folder;
  fs::create_directory(folder.file("elsewhere"));
  fs::create_symlink("elsewhere/second", folder.file("first"));
  fs::create_symlink("new", folder.file("elsewhere/second"));
  write_file_atomically(folder.file("first"), "new");
  EXPECT_TRUE(fs::is_symlink(folder.file("first")));
  EXPECT_TRUE(fs::is_symlink(folder.file("elsewhere/second")));
  EXPECT_EQ(contents(folder.file("elsewhere/new")), "new");

  fs::create_symlink("nowhere/new", folder.file("lost"));
  EXPECT_THAT(write_error(folder.file("lost")), HasSubstr("No such file or directory"));
  EXPECT_TRUE(fs::is_symlink(folder.file("lost")));
  fs::create_symlink("circle", folder.file("circle"));
  EXPECT_THAT(write_error(folder.file("circle")), HasSubstr("cannot be written"));
  EXPECT_TRUE(fs::is_symlink(folder.file("circle")));
}

TEST(AtomicFile, LeavesAReadOnlyFileAsItIs) {
  const TemporaryFolder folder;
  write_file_atomically(folder.file("kept"), "old");
  fs::permissions(folder.file("kept"), fs::perms::owner_read | fs::perms::others_read);
  fs::create_symlink("kept", folder.file("link"));
  for (const char* name : {"kept", "link"}) {
    EXPECT_THAT(write_error(folder.file(name)), HasSubstr("is read-only")) << name;
    EXPECT_EQ(contents(folder.file("kept")), "old");
  }
  EXPECT_EQ(files_in(folder), 2);
}

// In a container every process has number 1: what it left behind when it was killed must not be in
// the way of the next one.
TEST(AtomicFile, IsNotStoppedByWhatAKilledProcessLeft) {
  const TemporaryFolder folder;
  const std::string path = folder.file("model");
  const std::string old = path + ".tmp-" + std::to_string(getpid()) + "-";
  for (int i = 0; i < 2000; ++i) std::ofstream(old + std::to_string(i)) << "stale";
  std::string first;
  for (int i = 0; i < 2; ++i) {
    const AtomicFile file(path);
    std::string name;
    for (const auto& entry : fs::directory_iterator(folder.path()))
      if (!entry.path().string().starts_with(old)) name = entry.path().string();
    EXPECT_FALSE(name.empty());
    EXPECT_NE(name, first);
    first = name;
  }
  write_file_atomically(path, "new");
  EXPECT_EQ(contents(path), "new");
}

TEST(AtomicFile, TakesNamesAsLongAsTheSystemDoes) {
  const TemporaryFolder folder;
  const std::string longest(255, 'n');
  write_file_atomically(folder.file(longest), "long");
  EXPECT_EQ(contents(folder.file(longest)), "long");
}

TEST(AtomicFile, NamesThePathAndTheReason) {
  const TemporaryFolder folder;
  EXPECT_EQ(write_error(folder.path().string()),
            folder.path().string() + ": cannot be written: Is a directory");
  EXPECT_THAT(write_error(folder.file("none/model")), HasSubstr("No such file or directory"));
  EXPECT_THAT(write_error(folder.file(std::string(5'000, 'p'))), HasSubstr("File name too long"));
}

TEST(AtomicFile, WritesToDevicesDirectly) {
  EXPECT_EQ(write_error("/dev/null"), "no error");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(write_error("/dev/full"), "/dev/full: cannot be written: No space left on device");
}

// A limit on the file size stands for a full disk. In a child, since the limit cannot be raised
// again.
TEST(AtomicFile, KeepsTheOldFileWhenTheDiskIsFull) {
  const TemporaryFolder folder;
  const std::string path = folder.file("model");
  write_file_atomically(path, "old");
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1'000, 1'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const std::string error = write_error(path, std::string(100'000, 'n'));
    _exit(error.find("File too large") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(contents(path), "old");
  EXPECT_EQ(files_in(folder), 1);
}

TEST(AtomicFile, IsWholeForEveryReaderWhileTwoWrite) {
  const TemporaryFolder folder;
  const std::string path = folder.file("model");
  const std::string a(50'000, 'a'), b(70'000, 'b');
  write_file_atomically(path, a);
  const auto save = [&](const std::string& bytes) {
    for (int i = 0; i < 50; ++i) write_file_atomically(path, bytes);
  };
  std::thread first(save, std::cref(a)), second(save, std::cref(b));
  for (int i = 0; i < 200; ++i) {
    const std::string seen = contents(path);
    EXPECT_TRUE(seen == a || seen == b) << seen.size();
  }
  first.join();
  second.join();
  EXPECT_EQ(files_in(folder), 1);
}

}  // namespace
}  // namespace ggpm
