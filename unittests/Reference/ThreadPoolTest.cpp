//===- ThreadPoolTest.cpp - Ranges on all cores ---------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadPool.h"
#include "gtest/gtest.h"

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

} // namespace
