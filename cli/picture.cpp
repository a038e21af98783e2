#include "cli/picture.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <memory>

#include "ggpm/atomic_file.hpp"
#include "ggpm/text.hpp"
#include "ggpm/types.hpp"

namespace ggpm::cli {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File scratch_file() {
  File file(std::tmpfile(), &std::fclose);
  if (!file) throw DataError("a scratch file cannot be made in the folder for temporary files");
  return file;
}

// rsvg-convert as a process of its own, without a shell; exit code, or -1 if there is none.
int run_converter(std::FILE* in, std::FILE* out) {
  std::array<std::string, 5> words = {"rsvg-convert", "--format", "png", "--zoom", "2"};
  std::array<char*, 6> argv{};
  for (std::size_t k = 0; k < words.size(); ++k) argv[k] = words[k].data();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(in), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
  pid_t child = -1;
  const int error = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return -1;
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status) == 127 ? -1 : WEXITSTATUS(status);
}

std::string png_of(const std::string& svg, const std::string& path) {
  const File in = scratch_file(), out = scratch_file();
  std::fwrite(svg.data(), 1, svg.size(), in.get());
  std::rewind(in.get());
  const int code = run_converter(in.get(), out.get());
  if (code != 0)
    throw DataError(fmt::format("{}: PNG is made by rsvg-convert, which {}; write an .svg instead",
                                path,
                                code < 0 ? "is not installed (Debian: librsvg2-bin)" : "failed"));
  std::string png;
  std::array<char, 65536> buffer;
  std::rewind(out.get());
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), out.get()))
    png.append(buffer.data(), count);
  return png;
}

}  // namespace

void check_picture_name(const std::string& path) {
  if (!path.ends_with(".svg") && !path.ends_with(".png"))
    throw UsageError(fmt::format("--figure: {} ends in neither .svg nor .png; for example fit.svg",
                                 in_quotes(path)));
}

void write_picture(const std::string& svg, const std::string& path) {
  write_file_atomically(path, path.ends_with(".png") ? png_of(svg, path) : svg);
}

}  // namespace ggpm::cli
