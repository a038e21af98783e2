// Words of a command line, one a line, in an empty folder: everything until a table is read. A word with
// a slash is left out, so that nothing outside of that folder is touched.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "fuzz.hpp"

int ggpm_main(int argc, char** argv);

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  static std::string folder = "/tmp/ggpm-fuzz-XXXXXX";
  ggpm::fuzz::require(mkdtemp(folder.data()) != nullptr && chdir(folder.c_str()) == 0, "a folder");
  std::atexit([] { (void)rmdir(folder.c_str()); });
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = ggpm::fuzz::text_of(data, size);
  if (text.find('/') != std::string_view::npos) return 0;
  std::vector<std::string> words = {"ggpm"};
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    words.emplace_back(std::string(text.substr(at, end - at)).c_str());  // a word has no zero byte
    at = end + 1;
  }
  // Without "reproduce" and "simulate", which need no table. To refuse another word all of them are set up, which
  // takes ten times as long as the rest: such words are left one time of sixteen.
  static constexpr std::array kSubcommands = {"fit",
                                              "predict",
                                              "score",
                                              "show",
                                              "describe",
                                              "likelihoods",
                                              "kernels",
                                              "inferences",
                                              "options",
                                              "report",
                                              "diagnose",
                                              "compare"};
  if (words.size() > 1 && std::ranges::count(kSubcommands, words[1]) == 0) {
    const bool runs = words[1] == "reproduce" || words[1] == "simulate";
    if (const std::size_t pick = size + data[0]; runs || pick % 16 != 0)
      words[1] = kSubcommands[pick % kSubcommands.size()];
  }
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int code = ggpm_main(static_cast<int>(words.size()), argv.data());
  ggpm::fuzz::require(code == 0 || code == 2 || code == 3, "done, wrong use or bad data");
  return 0;
}
