//===- LoopThreads.h - The threads that loops run on ------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parallel loops on the threads that a process has already. If an OpenMP
// runtime is loaded, as that of PyTorch, its threads execute them: OpenMP keeps
// its threads spinning, and other threads would find no core. Otherwise a pool
// of the process's own executes them.
//
// A loop is executed by its caller alone within another parallel region, of
// OpenMP or of a pool. A forked process executes loops on a pool of its own, as
// the threads of OpenMP stay behind and its runtime would wait for them.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SUPPORT_LOOPTHREADS_H
#define FUSION_SUPPORT_LOOPTHREADS_H

#include "fusion/Support/ThreadPool.h"

namespace fusion {

/// A number of threads for loops. Several may be used at the same time, from
/// any threads; all of them share the process's threads.
class LoopThreads {
public:
  /// `threads` counts the caller. 0: as many as the calling thread's next
  /// OpenMP region would have (`omp_get_max_threads`), or without OpenMP one
  /// per core that the process may use.
  explicit LoopThreads(unsigned threads);

  /// Returns how many threads a loop has that this thread begins now.
  unsigned threads() const;

  /// Calls `body(begin, end)` over disjoint parts of [begin, end), from any of
  /// the threads, and returns when all are done. There are about eight parts
  /// for each thread.
  void parallelFor(int64_t begin, int64_t end, ThreadPool::Body body) const;

private:
  const unsigned requested;
};

/// Returns whether an OpenMP runtime is loaded, whose threads loops run on.
bool isOpenMPLoaded();

} // namespace fusion

#endif // FUSION_SUPPORT_LOOPTHREADS_H
