#include <atomic>
#include <chrono>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>

#include "ggpm/study.hpp"
#include "parallel/pool.hpp"
#include "parallel/threads.hpp"

namespace ggpm {

using namespace internal;

namespace {

// The training and test rows of one split with one candidate.
Trial run_trial(const Dataset& data,
                const Candidate& candidate,
                const Split& split,
                const FitOptions& options) {
  Trial trial{.candidate = candidate.name()};
  const auto began = std::chrono::steady_clock::now();
  try {
    const GeneralizedGP model =
        GeneralizedGP::fit(data.subset(split.train), candidate.specification, options);
    if (model.report().interrupted) throw Interrupted("interrupted");
    const Dataset test = data.subset(split.test);
    trial.scores = score(model.predictive(test, 1), test.observed.y, candidate.point);
    trial.log_marginal = model.log_marginal();
    trial.loo = model.loo().total / static_cast<double>(model.rows());
    trial.converged = model.report().converged;
    if (!std::isfinite(trial.scores.nlp) || !std::isfinite(trial.scores.mae))
      trial.failure = "the predictions of the test rows are not finite";
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& error) {
    trial.failure = error.what();
  }
  trial.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return trial;
}

// Trials side by side, each on one thread.
class Runner {
 public:
  Runner(const Dataset& data, const Comparison& study)
      : data_(data), study_(study), columns_(study.candidates.size()) {
    results_.resize(study.splits.size() * columns_);
    std::map<std::string, std::size_t> place;
    for (std::size_t c = 0; c < columns_; ++c) place[study.candidates[c].name()] = c;
    for (const Trial& trial : study.done) {
      const auto found = place.find(trial.candidate);
      const auto split = static_cast<std::size_t>(trial.split);
      if (found != place.end() && split < study.splits.size())
        results_[split * columns_ + found->second] = trial;
    }
  }

  std::vector<Trial> run() {
    const BlasThreads blas(1);
    run_watched(
        static_cast<Index>(results_.size()),
        study_.threads > 0 ? study_.threads : default_threads(),
        stop_,
        [&](Index i) { run_one(static_cast<std::size_t>(i)); },
        [&](bool) { watch(); });
    std::vector<Trial> out;
    for (std::optional<Trial>& trial : results_)
      if (trial) out.push_back(std::move(*trial));
    return out;
  }

 private:
  void run_one(std::size_t i) {
    const auto parts = static_cast<std::size_t>(study_.parts);
    if (results_[i] || i % parts != static_cast<std::size_t>(study_.part - 1)) return;
    FitOptions options = study_.fit;
    options.threads = 1;
    options.standard_errors = false;
    options.refit_folds = 0;
    options.resume.clear();
    options.on_progress = {};
    options.interrupted = [this] { return stop_.load(); };
    const std::size_t split = i / columns_;
    try {
      Trial trial =
          run_trial(data_, study_.candidates[i % columns_], study_.splits[split], options);
      trial.split = static_cast<Index>(split);
      const std::lock_guard lock(mutex_);
      results_[i] = trial;
      fresh_.push_back(std::move(trial));
    } catch (const Interrupted&) {
    }
  }

  // By the thread that asked: what has been finished since the last look.
  void watch() {
    std::vector<Trial> fresh;
    {
      const std::lock_guard lock(mutex_);
      fresh.swap(fresh_);
    }
    if (study_.on_trial)
      for (const Trial& trial : fresh) study_.on_trial(trial);
    if (study_.interrupted && study_.interrupted()) stop_ = true;
  }

  const Dataset& data_;
  const Comparison& study_;
  std::size_t columns_;
  std::vector<std::optional<Trial>> results_;  // splits x candidates
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::vector<Trial> fresh_;
};

}  // namespace

std::vector<Trial> compare(const Dataset& data, const Comparison& study) {
  if (study.candidates.empty() || study.splits.empty())
    throw UsageError("compare: needs at least one candidate and one split");
  if (study.part < 1 || study.part > study.parts)
    throw UsageError("compare: a part is counted from 1 to the number of parts");
  return Runner(data, study).run();
}

}  // namespace ggpm
