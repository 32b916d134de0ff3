//===- ProducerWarps.h - Warp specialization --------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The consumer warps, which compute, come first, so that layouts need not know
// of the producer warps, which copy. Consumers have a barrier of their own. So
// have the consumers and the one producer warp that copies: the other warps of
// its warpgroup have ended.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOGPU_PRODUCERWARPS_H
#define FUSION_LIB_CONVERSION_TILETOGPU_PRODUCERWARPS_H

#include "fusion/Conversion/TileToThreads/KernelEmitter.h"

namespace fusion {

class Mbarriers;

/// Numbers of a block's named barriers (PTX ISA, "barrier"); 0 is that of all
/// of its threads. From `PingPong` on each warpgroup has one.
enum class NamedBarrier {
  Consumers = 1,
  ConsumersAndProducer = 2,
  PingPong = 3
};

/// A barrier of the lanes of each warp.
void emitWarpBarrier(ThreadBuilder &b);

/// The producer warps of a kernel, if it has some, and the block's barriers,
/// which depend on them.
class ProducerWarps {
public:
  explicit ProducerWarps(tile::KernelOp kernel) : kernel(kernel) {}

  /// Whether the kernel has producer warps.
  bool exist() { return kernel.getProducers().value_or(0) > 0; }
  /// Whether what is emitted now is done by a producer.
  bool emitProducer() const { return isProducer; }

  /// A barrier of the consumer warps: of all threads, if there are no
  /// producers.
  void blockBarrier(ThreadBuilder &b);
  /// A barrier of the consumer warps and the producer warp that copies. There
  /// must be producers.
  void barrierWithProducer(ThreadBuilder &b);
  /// Number and threads, i32, of the barrier of the consumer warps. There must
  /// be producers.
  std::pair<mlir::Value, mlir::Value> consumerBarrier(ThreadBuilder &b);

  /// Emits the two branches of a kernel, in each of which the phases of
  /// mbarriers begin at zero.
  mlir::LogicalResult emitSpecialize(tile::WarpSpecializeOp op,
                                     KernelEmitter &e, Mbarriers &mbarriers);

private:
  /// Has the lanes of a producer warp meet. One of them waits for releases and
  /// copies; the others may be ahead of it, and a barrier is for all lanes of a
  /// warp together.
  void meetCopyingLane(ThreadBuilder &b);
  void namedBarrier(ThreadBuilder &b,
                    std::pair<mlir::Value, mlir::Value> barrier);
  mlir::LogicalResult emitBranch(mlir::Block *into, mlir::Block &program,
                                 bool ofProducer, mlir::Value ownWarp,
                                 KernelEmitter &e, Mbarriers &mbarriers);

  tile::KernelOp kernel;
  bool isProducer = false;
};

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOGPU_PRODUCERWARPS_H
