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
#include <deque>
#include <memory>
#include <mutex>

namespace fusion {

class ThreadPool;

/// What compiled code asks of the host while it runs on this thread: memory,
/// which lives until the call is over, and threads.
class HostServices {
public:
  /// Makes `pool` and fresh memory serve the calling thread, until
  /// destruction.
  explicit HostServices(ThreadPool &pool);
  ~HostServices();

  void *allocate(size_t alignment, size_t bytes);
  ThreadPool &threads() { return pool; }

private:
  ThreadPool &pool;
  HostServices *previous;
  std::mutex mutex;
  std::deque<std::unique_ptr<char[]>> blocks;
};

/// Compiles a module in the LLVM dialect. Calls of functions named
/// `fusion_parallel_body_N` run on the thread pool.
llvm::Expected<std::unique_ptr<mlir::ExecutionEngine>>
compileForHost(mlir::ModuleOp module);

} // namespace fusion

#endif // FUSION_LIB_REFERENCE_JIT_H
