//===- ThreadPool.h - Runs ranges on several threads ------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads that wait for ranges of work. A range costs a few hundred nanoseconds
// while the threads still look for work, which they do for some microseconds
// after the last one; then they sleep, and waking them costs some more.
//
// A range never waits for a thread that is asleep or busy elsewhere: each
// thread takes the next part when it is free, and so does the caller.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SUPPORT_THREADPOOL_H
#define FUSION_SUPPORT_THREADPOOL_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <atomic>
#include <cstdint>

namespace fusion {

/// A fixed number of threads that share the work of one range at a time.
///
/// Ranges may be started from several threads, and from within a range: where
/// the threads are taken already, a range is done by its caller alone. After
/// fork() the child's pool starts threads of its own with its next range; a
/// process must not fork within a range.
class ThreadPool {
public:
  /// `threads` counts the caller, and 0 is one per core that the process may
  /// use. Threads start with the first range.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;

  /// Returns the number of threads, with the caller.
  unsigned threads() const { return count; }

  using Body = llvm::function_ref<void(int64_t begin, int64_t end)>;

  /// Calls `body(begin, end)` over disjoint parts of [begin, end), from any
  /// thread, and returns when all are done. A part has at most `grain`
  /// elements; 0: as many as make eight parts for each thread.
  void parallelFor(int64_t begin, int64_t end, Body body, int64_t grain = 0);

  /// Returns whether this thread executes a part of a pool's range.
  static bool isInRange();
  /// Returns whether a fork() made this process after the first pool was made:
  /// threads from before it do not exist here.
  static bool isForkedProcess();

private:
  class Team;
  Team *ownTeam();

  const unsigned count;
  std::atomic<Team *> team{nullptr};
};

} // namespace fusion

#endif // FUSION_SUPPORT_THREADPOOL_H
