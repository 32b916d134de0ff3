//===- ThreadPool.h - Runs ranges on all cores ------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_REFERENCE_THREADPOOL_H
#define FUSION_LIB_REFERENCE_THREADPOOL_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace fusion {

/// A fixed set of threads that share the work of one range at a time.
class ThreadPool {
public:
  /// `threads` counts the caller; 0 is one per core.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();

  /// Calls `body(begin, end)` over disjoint parts of [begin, end), from any
  /// thread, and returns when all are done. Not reentrant.
  void parallelFor(int64_t begin, int64_t end,
                   const std::function<void(int64_t, int64_t)> &body);

private:
  void work();
  void takePartials();

  std::vector<std::thread> workers;
  std::mutex mutex;
  std::condition_variable wake, done;
  uint64_t generation = 0;
  unsigned running = 0;
  bool stop = false;

  const std::function<void(int64_t, int64_t)> *body = nullptr;
  std::atomic<int64_t> next{0};
  int64_t limit = 0;
  int64_t grain = 1;
};

} // namespace fusion

#endif // FUSION_LIB_REFERENCE_THREADPOOL_H
