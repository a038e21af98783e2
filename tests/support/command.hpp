// Runs the built command as a user does.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/files.hpp"

namespace ggpm::testing_support {

struct CommandResult {
  int exit_code = -1;  // 128 + signal if it was killed
  std::string out, error;
};

// The arguments are passed as they are, without a shell. Standard output goes to out_path if given.
inline CommandResult run_command(const std::vector<std::string>& arguments,
                                 const std::string& input = "",
                                 const std::string& out_path = "") {
  const TemporaryFolder folder;
  const std::string in = folder.file("in"), error = folder.file("error");
  const std::string out = out_path.empty() ? folder.file("out") : out_path;
  std::ofstream(in, std::ios::binary) << input;
  std::vector<std::string> words = {GGPM_COMMAND};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  const pid_t child = fork();
  if (child == 0) {
    dup2(open(in.c_str(), O_RDONLY), STDIN_FILENO);
    dup2(open(out.c_str(), O_WRONLY | O_CREAT, 0666), STDOUT_FILENO);
    dup2(open(error.c_str(), O_WRONLY | O_CREAT, 0666), STDERR_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  const auto contents = [](const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          out_path.empty() ? contents(out) : std::string(),
          contents(error)};
}

}  // namespace ggpm::testing_support
