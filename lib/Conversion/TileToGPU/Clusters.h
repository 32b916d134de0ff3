//===- Clusters.h - Exchanges between blocks of clusters --------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks write to the shared memory of one another (PTX ISA, "mapa" and
// ".shared::cluster"), wait for the cluster, and read their own. A block may be
// reached once it runs, which all blocks say at their start and wait for before
// the first exchange. No block is reached behind its last wait, so that it may
// end there.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOGPU_CLUSTERS_H
#define FUSION_LIB_CONVERSION_TILETOGPU_CLUSTERS_H

#include "fusion/Conversion/TileToThreads/KernelEmitter.h"

namespace fusion {

/// A barrier of all threads of the cluster.
void emitClusterBarrier(ThreadBuilder &b);
/// The block's number in its cluster, an i32.
mlir::Value clusterRank(ThreadBuilder &b);

/// Emits the exchanges of a kernel.
class ClusterExchange {
public:
  mlir::LogicalResult emitReduce(tile::ClusterReduceOp op, KernelEmitter &e);
  mlir::LogicalResult emitScatter(tile::ClusterScatterOp op, KernelEmitter &e);

private:
  /// Emits once that all blocks of the cluster run, before all loops.
  void awaitStart(ThreadBuilder &b);

  bool hasAwaitedStart = false;
};

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOGPU_CLUSTERS_H
