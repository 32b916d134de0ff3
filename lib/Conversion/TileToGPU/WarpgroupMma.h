//===- WarpgroupMma.h - MMAs on tiles in shared memory ----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All MMAs of a contraction are one piece of PTX, from the fence to the wait:
// nothing, not even a register move of another compiler, may touch the
// accumulators in between, or ptxas runs the instructions one by one.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOGPU_WARPGROUPMMA_H
#define FUSION_LIB_CONVERSION_TILETOGPU_WARPGROUPMMA_H

#include "fusion/Conversion/TileToThreads/KernelEmitter.h"

namespace fusion {

/// Emits a tile.shared_dot by wgmma.
mlir::LogicalResult emitSharedDot(tile::SharedDotOp op, KernelEmitter &e);
/// Emits a tile.await_dot by wgmma.wait_group.
mlir::LogicalResult emitAwaitDot(tile::AwaitDotOp op, KernelEmitter &e);
mlir::LogicalResult emitAwaitDots(tile::AwaitDotsOp op, KernelEmitter &e);

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOGPU_WARPGROUPMMA_H
