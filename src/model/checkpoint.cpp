#include "model/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "data/byte_source.hpp"
#include "data/hash.hpp"
#include "ggpm/atomic_file.hpp"
#include "ggpm/options.hpp"
#include "model/file_format.hpp"
#include "model/file_reader.hpp"
#include "parallel/ranks.hpp"

namespace ggpm::internal {
namespace {

constexpr int kMostCandidates = 100'000;

// What may differ between the first part of a fit and the second.
constexpr std::array<std::string_view, 7> kFreeToDiffer = {"threads",
                                                           "memory_limit",
                                                           "resume",
                                                           "max_evaluations",
                                                           "max_iterations",
                                                           "standard_errors",
                                                           "refit_folds"};

std::string numbered(const char* name, std::size_t k) { return fmt::format("{}.{}", name, k); }

std::string bytes_of(const LearningState& state, const std::string& fingerprint) {
  file::Json header;
  header[kInProgress] = fingerprint;
  header["part"] = state.part;
  header["evaluations"] = state.evaluations;
  header["candidates"] = static_cast<int>(state.candidates.size());
  NamedArrays arrays;
  arrays.push_back({"engine_at", state.engine_at});
  for (std::size_t k = 0; k < state.candidates.size(); ++k) {
    const LearningState::Candidate& c = state.candidates[k];
    arrays.push_back({numbered("at", k), c.at});
    arrays.push_back({numbered("curvature", k), c.curvature});
    arrays.push_back({numbered("precision", k), c.warm.sites.precision});
    arrays.push_back({numbered("shift", k), c.warm.sites.shift});
    arrays.push_back({numbered("alpha", k), c.warm.alpha});
  }
  return file::bytes_of(header, arrays);
}

// For the first rank, which reads and writes it: by the time that another one looks, or on another
// machine, that may have changed.
bool exists(const std::string& path) {
  const std::string found =
      from_first_rank([&] { return std::string(std::filesystem::exists(path) ? "there" : ""); });
  return !found.empty();
}

LearningState state_of(const std::string& path,
                       const std::string& fingerprint,
                       const LearningTask& task) {
  NamedArrays given;
  const auto source = data::open_source(path);
  const file::Json header = file::read(data::read_all(*source), path, given);
  if (!header.contains(kInProgress))
    throw DataError(path + ": is a model, not a fit in progress; resume wants a file of its own");
  const file::Fields fields(header, path + ": header");
  if (fields.text(kInProgress) != fingerprint)
    throw DataError(path +
                    ": is of a fit to other rows, with other options or by another version; repeat "
                    "that one to go on with it, or name another file");
  LearningState out;
  out.part = fields.whole("part");
  out.evaluations = fields.whole("evaluations");
  const int candidates = fields.whole("candidates", kMostCandidates);
  fields.done();
  const file::Arrays arrays(std::move(given), path);
  const Index size = task.space.size(), rows = task.data->size();
  out.engine_at = arrays.optional("engine_at", size);
  for (std::size_t k = 0; k < static_cast<std::size_t>(candidates); ++k) {
    LearningState::Candidate c;
    c.at = arrays.vector(numbered("at", k), size);
    const Matrix& curvature = arrays.at(numbered("curvature", k));
    c.curvature = arrays.finite(numbered("curvature", k), curvature.rows(), curvature.rows());
    c.warm.sites.precision = arrays.optional(numbered("precision", k), rows);
    c.warm.sites.shift = arrays.optional(numbered("shift", k), rows);
    c.warm.alpha = arrays.optional(numbered("alpha", k), rows);
    out.candidates.push_back(std::move(c));
  }
  arrays.done();
  if (out.candidates.empty()) throw DataError(path + ": the fit in progress has nothing to go on");
  return out;
}

}  // namespace

std::string fingerprint_of_fit(const Dataset& data,
                               const Specification& specification,
                               const FitOptions& options) {
  data::Hash hash;
  hash.add(std::string(GGPM_VERSION));
  hash.add(data_hash(data));
  FitRequest request;
  request.specification = specification;
  request.options = options;
  for (const OptionInfo& option : fit_options())
    if (std::find(kFreeToDiffer.begin(), kFreeToDiffer.end(), option.name) == kFreeToDiffer.end())
      hash.add(get_option(request, option.name));
  hash.add(specification.formula);
  return hash.text();
}

LearningKeeper keeper_in_file(const std::string& path,
                              const std::string& fingerprint,
                              const LearningTask& task) {
  LearningKeeper out;
  if (path.empty()) return out;
  if (exists(path)) out.from = state_of(path, fingerprint, task);
  // Threads that climb side by side do not keep step, and could not tell who writes.
  if (writes_nothing()) return out;
  out.save = [path, fingerprint](const LearningState& state) {
    write_file_atomically(path, bytes_of(state, fingerprint));
  };
  return out;
}

}  // namespace ggpm::internal
