//===- PingPong.h - Ping-pong scheduling of warpgroups ----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOGPU_PINGPONG_H
#define FUSION_LIB_CONVERSION_TILETOGPU_PINGPONG_H

#include "fusion/Conversion/TileToThreads/KernelEmitter.h"

namespace fusion {

/// Emits a tile.take_turn: the thread's warpgroup waits for its turn at the
/// tensor cores.
mlir::LogicalResult emitTakeTurn(tile::TakeTurnOp op, KernelEmitter &e);
/// Emits a tile.pass_turn: the next warpgroup may take its turn.
mlir::LogicalResult emitPassTurn(tile::PassTurnOp op, KernelEmitter &e);

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOGPU_PINGPONG_H
