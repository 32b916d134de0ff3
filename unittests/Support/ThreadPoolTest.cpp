//===- ThreadPoolTest.cpp - Ranges on all cores ---------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Support/ThreadPool.h"
#include "gtest/gtest.h"
#include <condition_variable>
#include <mutex>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace fusion;

namespace {

/// Every index of a range is visited exactly once, whatever the number of
/// threads and the size, over many ranges in a row.
TEST(ThreadPool, VisitsEveryIndexOnce) {
  for (unsigned threads : {0u, 1u, 2u, 7u}) {
    ThreadPool pool(threads);
    for (int64_t size : {0, 1, 2, 3, 16, 17, 1000}) {
      for (int repetition = 0; repetition < 20; ++repetition) {
        std::vector<std::atomic<int>> visits(size);
        pool.parallelFor(5, 5 + size, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i)
            ++visits[i - 5];
        });
        for (std::atomic<int> &count : visits)
          ASSERT_EQ(count, 1);
      }
    }
  }
}

TEST(ThreadPool, UsesItsThreads) {
  ThreadPool pool(3);
  std::mutex mutex;
  std::condition_variable all;
  std::vector<std::thread::id> ids;
  // Three parts that each wait for the others need three threads.
  pool.parallelFor(0, 3, [&](int64_t, int64_t) {
    std::unique_lock<std::mutex> lock(mutex);
    ids.push_back(std::this_thread::get_id());
    all.notify_all();
    all.wait(lock, [&] { return ids.size() == 3; });
  });
  EXPECT_NE(ids[0], ids[1]);
  EXPECT_NE(ids[1], ids[2]);
  EXPECT_NE(ids[0], ids[2]);
}

/// Returns the sum over a range, in parallel.
int64_t sum(ThreadPool &pool, int64_t end) {
  std::atomic<int64_t> result{0};
  pool.parallelFor(0, end, [&](int64_t begin, int64_t end) {
    int64_t part = 0;
    for (int64_t i = begin; i < end; ++i)
      part += i;
    result += part;
  });
  return result;
}

TEST(ThreadPool, PartsHaveAtMostTheGrain) {
  ThreadPool pool(2);
  std::atomic<int64_t> largest{0}, parts{0};
  pool.parallelFor(
      0, 100,
      [&](int64_t begin, int64_t end) {
        ++parts;
        for (int64_t seen = largest; seen < end - begin;)
          largest.compare_exchange_weak(seen, end - begin);
      },
      /*grain=*/7);
  EXPECT_EQ(largest, 7);
  EXPECT_EQ(parts, 15);
}

TEST(ThreadPool, RangesWithinRanges) {
  ThreadPool pool(3), other(2);
  std::atomic<int64_t> total{0};
  pool.parallelFor(0, 10, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      total += sum(pool, 101) + sum(other, 101);
  });
  EXPECT_EQ(total, 10 * 2 * 5050);
}

TEST(ThreadPool, CallersOnSeveralThreads) {
  ThreadPool pool(3);
  std::atomic<int64_t> wrong{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      for (int64_t i = 0; i < 500; ++i)
        wrong += sum(pool, i) != i * (i - 1) / 2;
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(wrong, 0);
}

// The threads sleep between ranges.
TEST(ThreadPool, WakesUp) {
  ThreadPool pool(3);
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_EQ(sum(pool, 1000), 499500);
  }
}

TEST(ThreadPool, ChildrenHaveTheirOwnThreads) {
  ThreadPool pool(3);
  EXPECT_EQ(sum(pool, 1000), 499500);
  pid_t child = fork();
  ASSERT_NE(child, -1);
  if (child == 0)
    _exit(sum(pool, 1000) == 499500 && sum(pool, 10) == 45 ? 0 : 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(sum(pool, 1000), 499500);
}

} // namespace
