#include "parallel/ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parallel/pool.hpp"
#include "support/thread_ranks.hpp"

namespace ggpm::internal {
namespace {

using testing::HasSubstr;

TEST(Ranks, OneIsAloneUnlessItIsInStep) {
  EXPECT_EQ(rank_count(), 1);
  EXPECT_FALSE(writes_nothing());
  EXPECT_EQ(least_of_ranks(3), 3);
  EXPECT_EQ(from_first_rank([] { return std::string("text"); }), "text");
  ThreadJob(3).run([](int rank) {
    EXPECT_EQ(rank_count(), 3);
    EXPECT_EQ(writes_nothing(), rank > 0);
    EXPECT_EQ(least_of_ranks(5 - rank), 3);
    EXPECT_EQ(from_first_rank([&] { return "of " + std::to_string(rank); }), "of 0");
  });
}

TEST(Ranks, WorkOfSeveralThreadsKeepsNoStep) {
  ThreadJob(2).run([](int) {
    run_tasks(4, 1, [](Index) { EXPECT_EQ(rank_count(), 2); });
    run_tasks(4, 2, [](Index) { EXPECT_EQ(rank_count(), 1); });
    EXPECT_EQ(rank_count(), 2);
    std::atomic<bool> stop{false};
    run_watched(
        2, 1, stop, [](Index) { EXPECT_EQ(rank_count(), 2); }, [](bool) {});
    run_watched(
        2, 2, stop, [](Index) { EXPECT_EQ(rank_count(), 1); }, [](bool) {});
  });
}

TEST(Ranks, RowsAreSharedAndComeTogether) {
  for (const int size : {1, 2, 3, 8})
    ThreadJob(size).run([&](int) {
      const Index n = 1003;
      Matrix values = Matrix::Constant(n, 2, -1);
      const RowShare share(n);
      EXPECT_EQ(share.shared(), size > 1);
      for (Index i = share.begin(); i < share.end(); ++i) values.row(i) << double(i), -double(i);
      share.gather(values);
      for (Index i = 0; i < n; ++i) {
        EXPECT_EQ(values(i, 0), double(i));
        EXPECT_EQ(values(i, 1), -double(i));
      }
      EXPECT_FALSE(RowShare(10).shared()) << "few rows cost less than messages";
    });
}

TEST(Ranks, ATextOfEachReachesAll) {
  EXPECT_EQ(texts_of_all_ranks("alone"), std::vector<std::string>{"alone"});
  for (const int size : {2, 5}) {
    std::vector<std::string> texts;
    for (int r = 0; r < size; ++r)
      texts.push_back(std::string(static_cast<std::size_t>(7 * r), static_cast<char>('a' + r)));
    texts.back()[3] = '\0';
    ThreadJob(size).run([&](int rank) {
      EXPECT_EQ(texts_of_all_ranks(texts[static_cast<std::size_t>(rank)]), texts);
    });
  }
}

TEST(Ranks, AnErrorOfOneIsAnErrorOfAll) {
  ThreadJob(4).run([](int rank) {
    fail_together([] {});
    try {
      fail_together([&] {
        if (rank == 2) throw DataError("row 17 of rank 2");
      });
      ADD_FAILURE() << "rank " << rank << " did not hear of it";
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(), HasSubstr("row 17"));
    }
    EXPECT_THROW(from_first_rank([&]() -> std::string { throw UsageError("no such file"); }),
                 UsageError);
  });
}

}  // namespace
}  // namespace ggpm::internal
