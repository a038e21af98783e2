// Finished trials on disk, one JSON object a line, so that an interrupted comparison goes on.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "ggpm/study.hpp"

namespace ggpm {

// What the trials of a file have in common: the data, the splits, how fits are done.
std::string study_fingerprint(const TrainingData& data,
                              std::span<const Split> splits,
                              const FitOptions& fit);

nlohmann::ordered_json to_json(const Trial& trial);  // numbers that are not finite are null

class TrialFile {
 public:
  // Opens or creates. DataError if the file is of another study or is not one of ours; a last line
  // that was cut off in writing is dropped.
  TrialFile(std::string path, const std::string& fingerprint);
  const std::vector<Trial>& done() const { return done_; }
  void append(const Trial& trial);  // on disk when it returns

 private:
  void read(const std::string& fingerprint);
  void write(const std::string& line);

  std::string path_;
  std::vector<Trial> done_;
};

}  // namespace ggpm
