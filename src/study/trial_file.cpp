#include "ggpm/trial_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <nlohmann/json.hpp>
#include <system_error>

#include "data/hash.hpp"
#include "ggpm/options.hpp"
#include "ggpm/version.hpp"
#include "likelihood/formula/file.hpp"

namespace ggpm {

using namespace internal;

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kBeginning = R"({"ggpm":"trials")";

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

// No number of a trial depends on them.
constexpr std::array<std::string_view, 5> kFreeToDiffer = {
    "threads", "memory_limit", "resume", "standard_errors", "refit_folds"};

void add_options(data::Hash& hash, const FitRequest& request) {
  for (const OptionInfo& option : fit_options())
    if (std::find(kFreeToDiffer.begin(), kFreeToDiffer.end(), option.name) == kFreeToDiffer.end())
      hash.add(get_option(request, option.name));
}

}  // namespace

std::string study_fingerprint(const Dataset& data,
                              std::span<const Split> splits,
                              const FitOptions& fit) {
  data::Hash hash;
  hash.add(std::string(version()));
  hash.add(data.X.rows());
  hash.add(data_hash(data));
  for (const std::string& name : data.columns) hash.add(name);  // a kernel may ask for them
  for (const Split& split : splits)
    for (const std::vector<Index>* rows : {&split.train, &split.test}) {
      hash.add(rows->size());
      for (const Index i : *rows) hash.add(i);
    }
  FitRequest request;
  request.options = fit;
  add_options(hash, request);
  hash.add(fit.taylor_starts);
  hash.add(fit.inference_tolerance);
  return hash.text();
}

std::string candidate_fingerprint(const Candidate& candidate) {
  const Specification& s = candidate.specification;
  const bool in_a_file = s.likelihood.ends_with(".toml") && s.formula.empty();
  data::Hash hash;
  hash.add(in_a_file ? formula::read_formula(s.likelihood) : s.formula);
  FitRequest request;
  request.specification = s;
  add_options(hash, request);
  hash.add(candidate.point);
  return hash.text();
}

namespace {

Json json_of(const Trial& trial) {
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

}  // namespace

std::string to_json(const Trial& trial) { return json_of(trial).dump(); }

void TrialFile::fail(const std::string& why) const { throw DataError(path_ + ": " + why); }

void TrialFile::fail_by_system(const char* what) const {
  fail(std::string(what) + ": " + std::generic_category().message(errno));
}

TrialFile::TrialFile(std::string path,
                     const std::string& fingerprint,
                     std::span<const Candidate> candidates)
    : TrialFile(std::move(path), fingerprint, candidates, Mode::append) {}

std::vector<Trial> TrialFile::trials_of(const std::string& path,
                                        const std::string& fingerprint,
                                        std::span<const Candidate> candidates) {
  return TrialFile(path, fingerprint, candidates, Mode::read).done();
}

TrialFile::TrialFile(std::string path,
                     const std::string& fingerprint,
                     std::span<const Candidate> candidates,
                     Mode mode)
    : path_(std::move(path)) {
  for (const Candidate& candidate : candidates)
    settings_[candidate.name()] = candidate_fingerprint(candidate);
  try {
    open(mode);
    read(read_all(), fingerprint, mode);
  } catch (...) {
    if (descriptor_ >= 0) close(descriptor_);
    throw;
  }
}

TrialFile::~TrialFile() { close(descriptor_); }

void TrialFile::open(Mode mode) {
  const int how = mode == Mode::append ? O_RDWR | O_CREAT | O_APPEND : O_RDONLY | O_NONBLOCK;
  descriptor_ = ::open(path_.c_str(), how | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail_by_system("cannot be opened");
  struct stat status {};
  if (fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) fail("is not a file");
  if (mode == Mode::read) return;
  // Where the file system has no locks there is none.
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    fail("another ggpm compare is writing to it; wait for that one, or give another file");
}

// The first line alone if the file is not one of ours.
std::string TrialFile::read_all() const {
  constexpr std::size_t kStep = std::size_t{1} << 16U;
  std::string text;
  for (;;) {
    const std::size_t have = text.size();
    text.resize(have + kStep);
    const ssize_t count = ::read(descriptor_, text.data() + have, kStep);
    if (count < 0 && errno != EINTR) fail_by_system("cannot be read");
    text.resize(have + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count == 0 || !text.starts_with(std::string_view(kBeginning).substr(0, text.size())))
      return text;
  }
}

// Nothing is changed before everything is known to be ours.
void TrialFile::read(const std::string& text, const std::string& fingerprint, Mode mode) {
  const std::string header = Json{{"ggpm", "trials"}, {"study", fingerprint}}.dump();
  const std::size_t whole = text.rfind('\n') + 1;  // 0: not one line is complete
  if (whole == 0) {
    if (!header.starts_with(text)) fail("is not a file of ggpm compare; give another");
    if (mode == Mode::read) return;
    cut(0);
    return write(header);
  }
  int number = 0;
  for (std::size_t begin = 0; begin < whole;) {
    const std::size_t end = text.find('\n', begin);
    read_line(text.substr(begin, end - begin), ++number, fingerprint);
    begin = end + 1;
  }
  if (whole < text.size() && mode == Mode::append) cut(whole);
}

void TrialFile::read_line(const std::string& line, int number, const std::string& fingerprint) {
  try {
    const Json object = Json::parse(line);
    if (number > 1) {
      Trial trial = read_trial(object);
      const auto known = settings_.find(trial.candidate);
      if (settings_.empty() ||
          (known != settings_.end() && object.value("settings", "") == known->second))
        done_.push_back(std::move(trial));
    } else if (object.at("ggpm") != "trials") {
      throw std::out_of_range("ggpm");
    } else if (object.at("study") != fingerprint) {
      fail(
          "holds trials of other data, splits, options or of another version; give another file, "
          "or the options of that run");
    }
  } catch (const Error&) {
    throw;
  } catch (const std::exception&) {
    fail(fmt::format("line {}: not a trial of ggpm compare; give another file", number));
  }
}

void TrialFile::cut(std::size_t size) const {
  if (ftruncate(descriptor_, static_cast<off_t>(size)) != 0) fail_by_system("cannot be written");
}

void TrialFile::write(const std::string& line) const {
  const std::string whole = line + "\n";
  for (std::string_view rest = whole; !rest.empty();) {
    const ssize_t count = ::write(descriptor_, rest.data(), rest.size());
    if (count < 0 && errno != EINTR) fail_by_system("cannot be written");
    if (count > 0) rest.remove_prefix(static_cast<std::size_t>(count));
  }
  if (fdatasync(descriptor_) != 0) fail_by_system("cannot be saved to the disk");
}

void TrialFile::append(const Trial& trial) {
  Json line = json_of(trial);
  if (const auto known = settings_.find(trial.candidate); known != settings_.end())
    line["settings"] = known->second;
  write(line.dump());
}

}  // namespace ggpm
