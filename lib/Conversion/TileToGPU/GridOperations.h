//===- GridOperations.h - Signals of blocks and launches --------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOGPU_GRIDOPERATIONS_H
#define FUSION_LIB_CONVERSION_TILETOGPU_GRIDOPERATIONS_H

#include "fusion/Conversion/TileToThreads/KernelEmitter.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace fusion {

class ProducerWarps;

/// Emits a tile.last_block: counts in global memory. What every thread of the
/// block stored is ordered before the count by the barrier and the fence of the
/// thread that counts; what the last block reads is ordered behind it in the
/// same way (PTX ISA, "Memory Consistency Model").
mlir::LogicalResult emitLastBlock(tile::LastBlockOp op,
                                  ProducerWarps &producers,
                                  mlir::gpu::GPUFuncOp function,
                                  KernelEmitter &e);

/// Emits a tile.discard: each thread takes every n-th line, for n threads. The
/// barrier orders what others have read before (PTX ISA, "discard": a weak
/// write of values that nobody knows).
mlir::LogicalResult emitDiscard(tile::DiscardOp op, ProducerWarps &producers,
                                KernelEmitter &e);

/// Emits a tile.await_launches.
mlir::LogicalResult emitAwaitLaunches(tile::AwaitLaunchesOp op,
                                      KernelEmitter &e);
/// Emits a tile.launch_dependents.
mlir::LogicalResult emitLaunchDependents(tile::LaunchDependentsOp op,
                                         KernelEmitter &e);

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOGPU_GRIDOPERATIONS_H
