//===- Jit.h - Compiles the reference for the host --------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_REFERENCE_JIT_H
#define FUSION_LIB_REFERENCE_JIT_H

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/BuiltinOps.h"
#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace fusion {

class ThreadPool;

/// What compiled code asks of the host while it runs on this thread: memory,
/// which lives until the call is over, and threads. What went wrong is noted.
class HostServices {
public:
  /// Makes `pool` and fresh memory serve the calling thread, until
  /// destruction.
  /// Asks `proceed`, from any thread, whether the work is to go on.
  HostServices(ThreadPool &pool, const std::function<bool()> &proceed);
  ~HostServices();

  void *allocate(size_t alignment, size_t bytes);
  ThreadPool &threads() { return pool; }

  /// Whether the work is to go on. Once it is not, it never is.
  bool goesOn() {
    if (proceed && !stopped && !proceed())
      stopped = true;
    return !stopped;
  }
  bool isStopped() const { return stopped; }

  /// Notes why the results are none; the first reason counts.
  void refuse(std::string reason) {
    if (refusal.empty())
      refusal = std::move(reason);
  }
  /// Empty where the call ran to its end.
  llvm::StringRef getRefusal() const { return refusal; }

  /// Notes, from any thread, that an operation had no defined value.
  void noteUndefined() { undefined.store(true, std::memory_order_relaxed); }
  bool isUndefined() const { return undefined; }

private:
  ThreadPool &pool;
  const std::function<bool()> &proceed;
  std::atomic<bool> stopped = false;
  HostServices *previous;
  std::mutex mutex;
  std::deque<std::unique_ptr<char[]>> blocks;
  std::string refusal;
  std::atomic<bool> undefined = false;
};

/// Compiles a module in the LLVM dialect. Calls of functions named
/// `fusion_parallel_body_N` run on the thread pool.
llvm::Expected<std::unique_ptr<mlir::ExecutionEngine>>
compileForHost(mlir::ModuleOp module);

} // namespace fusion

#endif // FUSION_LIB_REFERENCE_JIT_H
