// What an experiment has computed, kept in a file: run again, it goes on where it ended.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ggpm/study.hpp"

namespace ggpm::paper {

// A piece of work, by a key that names everything it depends on.
struct KeptPiece {
  std::vector<double> values;
  std::string text;              // of a trial that failed: why
  double processor_seconds = 0;  // that it took
};

// One line a piece, on disk when add() returns; a last line that was cut off in writing is dropped.
class Kept {
 public:
  Kept() = default;                 // in memory alone
  explicit Kept(std::string path);  // DataError where it cannot be read or is something else

  // None: not computed yet. What is found counts as spent.
  std::optional<KeptPiece> find(const std::string& key);
  // The processor time since the last piece was added, or since reset_clock(), is that of this one.
  void add(const std::string& key, KeptPiece piece);
  void reset_clock();
  double spent_before() const {
    return spent_before_;
  }  // by pieces of earlier runs that were found

 private:
  std::string path_;
  std::map<std::string, KeptPiece> pieces_;
  std::map<std::string, bool> counted_;
  double spent_before_ = 0, clock_ = 0;
};

KeptPiece piece_of(const Trial& trial);
Trial trial_of(const KeptPiece& piece, const std::string& candidate, Index split);

}  // namespace ggpm::paper
