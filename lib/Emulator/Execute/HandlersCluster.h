//===- HandlersCluster.h - Clusters and their barrier -----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_EXECUTE_HANDLERSCLUSTER_H
#define FUSION_LIB_EMULATOR_EXECUTE_HANDLERSCLUSTER_H

#include "Emulator/Machine/Code.h"

namespace fusion::emulator {

struct Cluster;

Handler widenAddressHandler(); ///< [d, a]: d = a + imm, 64 bits; c: width of a
Handler mapaHandler();         ///< [d, a, rank]; c: width, a: 1 if generic
Handler ctaRankHandler();      ///< [d, a]; c: width, a: 1 if generic
Handler clusterArriveHandler();
Handler clusterWaitHandler();
/// Removes lanes that end from barrier.cluster.
void leaveCluster(Warp &warp, uint32_t mask);

/// Returns the threads of the cluster that have not ended.
uint32_t liveThreads(const Cluster &cluster);
/// Completes the phase of barrier.cluster where all threads that are left have
/// arrived.
void completeIfAll(Cluster &cluster);

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_EXECUTE_HANDLERSCLUSTER_H
