// Ranks that are threads of one process: what ranks share out is tested without MPI.
#pragma once

#include <barrier>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "parallel/ranks.hpp"

namespace ggpm::internal {

class ThreadJob {
 public:
  explicit ThreadJob(int size)
      : size_(size), places_(static_cast<std::size_t>(size)), barrier_(size) {}

  // body(rank) by all of them; the first exception is thrown once all have ended.
  void run(const std::function<void(int)>& body) {
    std::vector<std::thread> threads;
    std::exception_ptr failure;
    std::mutex mutex;
    for (int r = 0; r < size_; ++r)
      threads.emplace_back([&, r] {
        One ranks(*this, r);
        const InStep in_step(&ranks);
        try {
          body(r);
        } catch (...) {
          const std::lock_guard lock(mutex);
          if (!failure) failure = std::current_exception();
        }
      });
    for (std::thread& thread : threads) thread.join();
    if (failure) std::rethrow_exception(failure);
  }

 private:
  class One final : public Ranks {
   public:
    One(ThreadJob& job, int rank) : job_(job), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return job_.size_; }
    void send(std::span<const double> numbers, int to) override {
      const std::lock_guard lock(job_.mutex_);
      job_.mail_[{rank_, to}].emplace_back(numbers.begin(), numbers.end());
      job_.news_.notify_all();
    }
    void receive(std::span<double> numbers, int from) override {
      std::unique_lock lock(job_.mutex_);
      auto& letters = job_.mail_[{from, rank_}];
      job_.news_.wait(lock, [&] { return !letters.empty(); });
      if (letters.front().size() != numbers.size()) throw std::logic_error("out of step");
      std::copy(letters.front().begin(), letters.front().end(), numbers.begin());
      letters.pop_front();
    }
    void finish_sends() override {}
    void gather_all(std::span<double> all, const std::vector<Index>& borders) override {
      everybody(all.data(), [&](int other, const void* place) {
        const auto* theirs = static_cast<const double*>(place);
        const auto r = static_cast<std::size_t>(other);
        if (other != rank_)
          std::copy(theirs + borders[r], theirs + borders[r + 1], all.data() + borders[r]);
      });
    }
    void broadcast(std::span<char> bytes, int from) override {
      everybody(bytes.data(), [&](int other, const void* place) {
        if (other == from && from != rank_)
          std::copy_n(static_cast<const char*>(place), bytes.size(), bytes.data());
      });
    }

   private:
    // Everybody reads what the others show, and nobody goes on before all have.
    void everybody(const void* own, const std::function<void(int, const void*)>& read) {
      job_.places_[static_cast<std::size_t>(rank_)] = own;
      job_.barrier_.arrive_and_wait();
      for (int r = 0; r < job_.size_; ++r) read(r, job_.places_[static_cast<std::size_t>(r)]);
      job_.barrier_.arrive_and_wait();
    }
    ThreadJob& job_;
    int rank_;
  };

  int size_;
  std::vector<const void*> places_;
  std::barrier<> barrier_;
  std::mutex mutex_;
  std::condition_variable news_;
  std::map<std::pair<int, int>, std::deque<std::vector<double>>> mail_;
};

}  // namespace ggpm::internal
