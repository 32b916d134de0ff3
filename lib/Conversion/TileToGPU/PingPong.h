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

/// Emits a tile.ping_pong_wait: the thread's warpgroup waits until it may use
/// the tensor cores.
mlir::LogicalResult emitPingPongWait(tile::PingPongWaitOp op, KernelEmitter &e);
/// Emits a tile.ping_pong_arrive: the next warpgroup may use the tensor cores.
mlir::LogicalResult emitPingPongArrive(tile::PingPongArriveOp op,
                                       KernelEmitter &e);

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOGPU_PINGPONG_H
