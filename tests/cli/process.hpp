// The built command as a process: with signals, an environment, a shell around it.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "support/command.hpp"
#include "support/files.hpp"

namespace ggpm::testing_support {

inline std::string file_contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

inline void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// Runs a line of shell in a folder of its own, with ggpm in the path and examples/ beside it.
class Shell {
 public:
  Shell() {
    std::filesystem::create_directory(folder_.path() / "bin");
    std::filesystem::create_symlink(GGPM_COMMAND, folder_.path() / "bin" / "ggpm");
    std::filesystem::create_directory_symlink(
        std::filesystem::path(GGPM_GOLDEN_DIR).parent_path().parent_path() / "examples",
        folder_.path() / "examples");
  }

  CommandResult run(const std::string& line) const {
    const std::string script = "cd '" + folder_.path().string() + "' && PATH='" + file("bin") +
                               "':$PATH && export PATH && { " + line + "\n} >'" + file("out") +
                               "' 2>'" + file("error") + "'";
    const int status = std::system(("bash -c '" + escaped(script) + "'").c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            file_contents(file("out")),
            file_contents(file("error"))};
  }

  std::string file(const std::string& name) const { return folder_.file(name); }

 private:
  static std::string escaped(const std::string& script) {
    std::string out;
    for (const char c : script) out += c == '\'' ? "'\\''" : std::string(1, c);
    return out;
  }
  TemporaryFolder folder_;
};

// A command that runs while the test goes on. Standard input is empty.
class RunningCommand {
 public:
  RunningCommand(std::vector<std::string> arguments,
                 const std::string& out,
                 const std::string& error) {
    arguments.insert(arguments.begin(), GGPM_COMMAND);
    std::vector<char*> argv;
    for (std::string& word : arguments) argv.push_back(word.data());
    argv.push_back(nullptr);
    child_ = fork();
    if (child_ != 0) return;
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666), STDOUT_FILENO);
    dup2(open(error.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666), STDERR_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
  }
  ~RunningCommand() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  RunningCommand(const RunningCommand&) = delete;
  RunningCommand& operator=(const RunningCommand&) = delete;

  void signal(int number) const { ::kill(child_, number); }

  // The exit code, 128 + signal, or -1 if it still runs after this time.
  int wait(double seconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    int status = 0;
    while (waitpid(child_, &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > end) return -1;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    child_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t child_ = -1;
};

}  // namespace ggpm::testing_support
