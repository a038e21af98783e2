// Processes, maybe on several machines, that run the same program on the same data in step.
//
// Every rank takes every decision by itself, from numbers that have the same bits everywhere; what
// is large and what is slow is shared out. There is one rank unless ranks have been joined
// (ggpm/ranks.hpp), and inside of work that threads share: those do not keep step.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ggpm/types.hpp"

namespace ggpm::internal {

class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  // Bytes stay where they are until finish_sends. What was sent first to a rank arrives first.
  virtual void send(std::span<const double> numbers, int to) = 0;
  virtual void receive(std::span<double> numbers, int from) = 0;
  virtual void finish_sends() = 0;
  // Part r of `all` is [borders[r], borders[r + 1]), which rank r has written.
  virtual void gather_all(std::span<double> all, const std::vector<Index>& borders) = 0;
  virtual void broadcast(std::span<char> bytes, int from) = 0;
};

// The ranks that the calling thread keeps step with; null: it is alone.
Ranks* ranks_in_step();
// Another rank writes files and shows what is to be shown.
inline bool writes_nothing() { return ranks_in_step() != nullptr && ranks_in_step()->rank() != 0; }
inline int rank_count() { return ranks_in_step() == nullptr ? 1 : ranks_in_step()->size(); }

// Sets them for the calling thread while it lives.
class InStep {
 public:
  explicit InStep(Ranks* ranks);
  ~InStep();
  InStep(const InStep&) = delete;
  InStep& operator=(const InStep&) = delete;

 private:
  Ranks* before_;
};

// (ranks + 1) Borders of equal parts.
std::vector<Index> equal_parts(Index count, int parts);

// The part of `count` rows that is this rank's: all of them if it is alone, or they are so few that
// sharing them costs more.
struct RowShare {
  explicit RowShare(Index count);
  Index begin() const;
  Index end() const;
  bool shared() const { return ranks != nullptr; }
  // Does the work of this rank's rows. An error of one rank is an error of all.
  void together(const std::function<void()>& work) const;
  void gather(Eigen::Ref<Matrix> values) const;  // a row each
  Ranks* ranks;
  std::vector<Index> borders;
};

// work() by every rank; an Error of any of them is thrown by all.
void fail_together(const std::function<void()>& work);
// What the first rank reads, for all; its Error is thrown by all.
std::string from_first_rank(const std::function<std::string()>& read);

// A text of each rank, by rank, for all.
std::vector<std::string> texts_of_all_ranks(const std::string& own);
// What a person should know of the ranks, which goes on nevertheless. For the first rank to show.
void tell_of_ranks(const std::string& line);
std::string this_rank();  // "rank 2 on node17"

// The smallest of all ranks.
double least_of_ranks(double value);
// Of the first rank, for all.
void broadcast_text(std::string& text);

}  // namespace ggpm::internal
