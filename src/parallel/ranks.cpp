#include "parallel/ranks.hpp"

#include <algorithm>

namespace ggpm::internal {
namespace {

constexpr Index kWorthSharing = 1000;  // rows

thread_local Ranks* in_step = nullptr;

// Kinds of errors that travel; others end the rank, and with it the job.
enum class Fault { none, usage, data, numerical };

[[noreturn]] void raise(Fault fault, const std::string& text) {
  if (fault == Fault::usage) throw UsageError(text);
  if (fault == Fault::data) throw DataError(text);
  throw NumericalError(text);
}

Fault attempt(const std::function<void()>& work, std::string& text) {
  try {
    work();
  } catch (const UsageError& error) {
    text = error.what();
    return Fault::usage;
  } catch (const DataError& error) {
    text = error.what();
    return Fault::data;
  } catch (const NumericalError& error) {
    text = error.what();
    return Fault::numerical;
  }
  return Fault::none;
}

void broadcast_text_of(Ranks& ranks, std::string& text, int from) {
  std::size_t size = text.size();
  ranks.broadcast({reinterpret_cast<char*>(&size), sizeof size}, from);
  text.resize(size);
  ranks.broadcast({text.data(), size}, from);
}

}  // namespace

Ranks* ranks_in_step() { return in_step; }

InStep::InStep(Ranks* ranks) : before_(in_step) {
  in_step = ranks != nullptr && ranks->size() > 1 ? ranks : nullptr;
}
InStep::~InStep() { in_step = before_; }

std::vector<Index> equal_parts(Index count, int parts) {
  std::vector<Index> borders;
  for (int r = 0; r <= parts; ++r) borders.push_back(count * r / parts);
  return borders;
}

RowShare::RowShare(Index count)
    : ranks(count >= kWorthSharing ? ranks_in_step() : nullptr),
      borders(equal_parts(count, ranks == nullptr ? 1 : ranks->size())) {}
Index RowShare::begin() const {
  return borders[static_cast<std::size_t>(ranks == nullptr ? 0 : ranks->rank())];
}
Index RowShare::end() const {
  return borders[static_cast<std::size_t>(ranks == nullptr ? 1 : ranks->rank() + 1)];
}
void RowShare::gather(Eigen::Ref<Matrix> values) const {
  if (ranks == nullptr) return;
  for (Index j = 0; j < values.cols(); ++j)
    ranks->gather_all({values.col(j).data(), static_cast<std::size_t>(values.rows())}, borders);
}

void RowShare::together(const std::function<void()>& work) const {
  if (shared())
    fail_together(work);
  else
    work();
}

namespace {

std::vector<double> of_all_ranks(Ranks& ranks, double value) {
  std::vector<double> all(static_cast<std::size_t>(ranks.size()));
  all[static_cast<std::size_t>(ranks.rank())] = value;
  ranks.gather_all(all, equal_parts(ranks.size(), ranks.size()));
  return all;
}

}  // namespace

void fail_together(const std::function<void()>& work) {
  Ranks* ranks = ranks_in_step();
  if (ranks == nullptr) return work();
  std::string text;
  const auto own = static_cast<double>(static_cast<int>(attempt(work, text)));
  const std::vector<double> all = of_all_ranks(*ranks, own);
  const auto failed = std::find_if(all.begin(), all.end(), [](double x) { return x != 0; });
  if (failed == all.end()) return;
  broadcast_text_of(*ranks, text, static_cast<int>(failed - all.begin()));
  raise(static_cast<Fault>(static_cast<int>(*failed)), text);
}

std::string from_first_rank(const std::function<std::string()>& read) {
  Ranks* ranks = ranks_in_step();
  if (ranks == nullptr) return read();
  std::string text, complaint;
  int fault = 0;
  if (ranks->rank() == 0) fault = static_cast<int>(attempt([&] { text = read(); }, complaint));
  ranks->broadcast({reinterpret_cast<char*>(&fault), sizeof fault}, 0);
  if (fault != 0) text = std::move(complaint);
  broadcast_text_of(*ranks, text, 0);
  if (fault != 0) raise(static_cast<Fault>(fault), text);
  return text;
}

std::vector<std::string> texts_of_all_ranks(const std::string& own) {
  Ranks* ranks = ranks_in_step();
  if (ranks == nullptr) return {own};
  const std::vector<double> sizes = of_all_ranks(*ranks, double(own.size()));
  // Ranks gather doubles: a text is as many as hold its bytes.
  std::vector<Index> borders{0};
  for (const double size : sizes)
    borders.push_back(borders.back() + (static_cast<Index>(size) + 7) / 8);
  std::vector<double> all(static_cast<std::size_t>(borders.back()));
  const auto text_of = [&](std::size_t r) {
    return reinterpret_cast<char*>(all.data() + borders[r]);
  };
  std::copy(own.begin(), own.end(), text_of(static_cast<std::size_t>(ranks->rank())));
  ranks->gather_all(all, borders);
  std::vector<std::string> texts;
  for (std::size_t r = 0; r < sizes.size(); ++r)
    texts.emplace_back(text_of(r), static_cast<std::size_t>(sizes[r]));
  return texts;
}

double least_of_ranks(double value) {
  Ranks* ranks = ranks_in_step();
  if (ranks == nullptr) return value;
  const std::vector<double> all = of_all_ranks(*ranks, value);
  return *std::min_element(all.begin(), all.end());
}

void broadcast_text(std::string& text) {
  if (Ranks* ranks = ranks_in_step()) broadcast_text_of(*ranks, text, 0);
}

}  // namespace ggpm::internal
