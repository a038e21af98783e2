// Finished trials on disk, one JSON object a line, so that an interrupted comparison goes on.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "ggpm/study.hpp"

namespace ggpm {

// What the trials of a file have in common and what their numbers depend on: the data, the splits,
// how fits are done, the version.
std::string study_fingerprint(const Dataset& data,
                              std::span<const Split> splits,
                              const FitOptions& fit);
// What a trial depends on besides: everything that is said of the candidate, the text of a formula
// rather than the name of its file.
std::string candidate_fingerprint(const Candidate& candidate);

std::string to_json(const Trial& trial);  // one object; numbers that are not finite are null

class TrialFile {
 public:
  // Opens or creates. DataError if the file is of another study, is not one of ours or is being
  // written by another process; it is then as it was. A last line that was cut off in writing is
  // dropped. Trials of candidates that are now other ones do not count; without candidates all do.
  TrialFile(std::string path,
            const std::string& fingerprint,
            std::span<const Candidate> candidates = {});
  ~TrialFile();
  TrialFile(const TrialFile&) = delete;
  TrialFile& operator=(const TrialFile&) = delete;

  // The trials of a file that stays as it is. DataError as above, and where there is none.
  static std::vector<Trial> trials_of(const std::string& path,
                                      const std::string& fingerprint,
                                      std::span<const Candidate> candidates);

  const std::vector<Trial>& done() const { return done_; }
  void append(const Trial& trial);  // on disk when it returns

 private:
  enum class Mode { append, read };
  TrialFile(std::string path,
            const std::string& fingerprint,
            std::span<const Candidate> candidates,
            Mode mode);
  [[noreturn]] void fail(const std::string& why) const;
  [[noreturn]] void fail_by_system(const char* what) const;
  void open(Mode mode);
  std::string read_all() const;
  void read(const std::string& text, const std::string& fingerprint, Mode mode);
  void read_line(const std::string& line, int number, const std::string& fingerprint);
  void cut(std::size_t size) const;
  void write(const std::string& line) const;

  std::string path_;
  int descriptor_ = -1;
  std::map<std::string, std::string> settings_;  // fingerprint of a candidate by its name
  std::vector<Trial> done_;
};

}  // namespace ggpm
