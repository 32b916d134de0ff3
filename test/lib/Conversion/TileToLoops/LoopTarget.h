//===- LoopTarget.h - Threads as iterations of loops ------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TEST_LIB_CONVERSION_TILETOLOOPS_LOOPTARGET_H
#define FUSION_TEST_LIB_CONVERSION_TILETOLOOPS_LOOPTARGET_H

#include "fusion/Conversion/TileToThreads/ThreadTarget.h"

namespace fusion::test {

/// Threads that run one after the other, as iterations of a loop over the
/// blocks of a grid and a loop over the threads of a block. They can neither
/// wait for one another nor exchange anything.
class LoopTarget : public ThreadTarget {
public:
  /// `block` and `thread` are the loops' induction variables, `blocks` the
  /// number of blocks, all indices.
  LoopTarget(mlir::Value block, mlir::Value thread, mlir::Value blocks)
      : block(block), thread(thread), blocks(blocks) {}

  llvm::StringRef name() const override;
  Value threadIndex(ThreadBuilder &b) override;
  Value blockIndex(ThreadBuilder &b) override;
  Value blockCount(ThreadBuilder &b) override;

private:
  Value block, thread, blocks;
};

} // namespace fusion::test

#endif // FUSION_TEST_LIB_CONVERSION_TILETOLOOPS_LOOPTARGET_H
