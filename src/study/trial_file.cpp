#include "study/trial_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

namespace ggpm {
namespace {

using Json = nlohmann::ordered_json;

// FNV-1a.
class Hash {
 public:
  void add(const void* bytes, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i)
      value_ = (value_ ^ static_cast<const unsigned char*>(bytes)[i]) * 1099511628211ULL;
  }
  template <class Number>
  void add(Number number) {
    add(&number, sizeof number);
  }
  std::string text() const { return fmt::format("{:016x}", value_); }

 private:
  std::uint64_t value_ = 14695981039346656037ULL;
};

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

double read_number(const Json& object, const char* name) {
  const Json& value = object.at(name);
  return value.is_null() ? std::nan("") : value.get<double>();
}

Trial read_trial(const Json& object) {
  Trial trial{.candidate = object.at("candidate").get<std::string>(),
              .split = object.at("split").get<Index>() - 1};
  if (trial.split < 0) throw std::out_of_range("split");
  trial.seconds = read_number(object, "seconds");
  if (object.contains("failure")) {
    trial.failure = object.at("failure").get<std::string>();
    return trial;
  }
  trial.scores = {.mae = read_number(object, "mae"),
                  .mse = read_number(object, "mse"),
                  .nlp = read_number(object, "nlp"),
                  .coverage = read_number(object, "coverage"),
                  .width = read_number(object, "width")};
  trial.log_marginal = read_number(object, "log_marginal");
  trial.loo = read_number(object, "loo");
  trial.converged = object.at("converged").get<bool>();
  return trial;
}

}  // namespace

std::string study_fingerprint(const TrainingData& data,
                              std::span<const Split> splits,
                              const FitOptions& fit) {
  Hash hash;
  hash.add(data.X.rows());
  hash.add(data.X.data(), static_cast<std::size_t>(data.X.size()) * sizeof(double));
  hash.add(data.offset.data(), static_cast<std::size_t>(data.offset.size()) * sizeof(double));
  for (const Row& row : data.rows) {
    hash.add(row.y);
    hash.add(row.trials);
    hash.add(row.exposure);
  }
  for (const Split& split : splits)
    for (const Index i : split.test) hash.add(i);
  hash.add(fit.seed);
  hash.add(fit.restarts);
  hash.add(fit.optimize);
  return hash.text();
}

nlohmann::ordered_json to_json(const Trial& trial) {
  Json out = {{"candidate", trial.candidate}, {"split", trial.split + 1}};
  if (trial.failed()) {
    out["failure"] = trial.failure;
  } else {
    out["nlp"] = number(trial.scores.nlp);
    out["mae"] = number(trial.scores.mae);
    out["mse"] = number(trial.scores.mse);
    out["coverage"] = number(trial.scores.coverage);
    out["width"] = number(trial.scores.width);
    out["log_marginal"] = number(trial.log_marginal);
    out["loo"] = number(trial.loo);
    out["converged"] = trial.converged;
  }
  out["seconds"] = number(trial.seconds);
  return out;
}

TrialFile::TrialFile(std::string path, const std::string& fingerprint) : path_(std::move(path)) {
  if (std::filesystem::exists(path_) && std::filesystem::file_size(path_) > 0) {
    read(fingerprint);
  } else {
    write(Json{{"ggpm", "trials"}, {"study", fingerprint}}.dump());
  }
}

void TrialFile::read(const std::string& fingerprint) {
  std::ifstream file(path_, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file.good() && text.empty()) throw DataError(path_ + ": cannot be read");
  if (!text.ends_with('\n')) {  // the last line was cut off
    text.erase(text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1);
    std::filesystem::resize_file(path_, text.size());
  }
  if (text.empty()) return write(Json{{"ggpm", "trials"}, {"study", fingerprint}}.dump());
  int line_number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    ++line_number;
    try {
      const Json object = Json::parse(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                      text.begin() + static_cast<std::ptrdiff_t>(end));
      if (line_number > 1) {
        done_.push_back(read_trial(object));
      } else if (object.at("ggpm") != "trials") {
        throw std::out_of_range("ggpm");
      } else if (object.at("study") != fingerprint) {
        throw DataError(path_ +
                        ": holds trials of other data, splits or options; give another file, or "
                        "the options of that run");
      }
    } catch (const Error&) {
      throw;
    } catch (const std::exception&) {
      throw DataError(
          fmt::format("{}: line {}: not a trial of ggpm compare; give another file for --resume",
                      path_,
                      line_number));
    }
    begin = end + 1;
  }
}

void TrialFile::write(const std::string& line) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path_.c_str(), "ab"),
                                                             std::fclose);
  const std::string whole = line + "\n";
  if (!file || std::fwrite(whole.data(), 1, whole.size(), file.get()) != whole.size() ||
      std::fflush(file.get()) != 0)
    throw DataError(path_ + ": cannot be written: " + std::strerror(errno));
}

void TrialFile::append(const Trial& trial) { write(to_json(trial).dump()); }

}  // namespace ggpm
