//===- HandlersCluster.cpp - Clusters and distributed shared memory -------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/HandlersCluster.h"

#include "Emulator/Execute/Access.h"
#include "Emulator/Execute/Mbarrier.h"

using namespace fusion::emulator;

uint32_t fusion::emulator::liveThreads(const Cluster &cluster) {
  uint32_t live = 0;
  for (const Cta *cta : cluster.ctas)
    for (const Warp &warp : cta->warps)
      live += uint32_t(__builtin_popcount(warp.live));
  return live;
}

void fusion::emulator::completeIfAll(Cluster &cluster) {
  if (!cluster.arrived || cluster.arrived < liveThreads(cluster))
    return;
  cluster.arrived = 0;
  cluster.parity ^= 1;
  for (Cta *cta : cluster.ctas)
    ++cta->async.events;
  if (cluster.ctas[0]->sanitizer)
    cluster.ctas[0]->sanitizer->phases.complete(Phases::kCluster);
}

namespace {

void widenAddress(Warp &warp, const Inst &inst, uint32_t mask) {
  uint64_t *d = warp.reg<uint64_t>(inst.op[0]);
  LaneAddresses a;
  laneAddresses(warp, inst.op[1], inst.imm, inst.c, a);
  for (unsigned i = 0; i < kLanes; ++i)
    if ((mask >> i) & 1)
      d[i] = a.address[i];
}

uint64_t valueOf(Warp &warp, Ref ref, unsigned width, unsigned lane) {
  return width == 8 ? warp.reg<uint64_t>(ref)[lane]
                    : warp.reg<uint32_t>(ref)[lane];
}

void mapa(Warp &warp, const Inst &inst, uint32_t mask) {
  const uint32_t *rank = warp.reg<uint32_t>(inst.op[2]);
  uint64_t window = inst.a ? kSharedWindow : 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = unsigned(__builtin_ctz(left));
    uint64_t place = valueOf(warp, inst.op[1], inst.c, lane) - window;
    if (place >= kWindowBytes)
      return raiseFault(warp, inst, lane,
                        "mapa of an address that is not in shared memory");
    if (rank[lane] >= warp.cta->cluster->ctas.size())
      return raiseFault(warp, inst, lane,
                        "mapa to block " + std::to_string(rank[lane]) +
                            " of a cluster of " +
                            std::to_string(warp.cta->cluster->ctas.size()));
    place = (place & ((1u << kRankShift) - 1)) | uint64_t(rank[lane] + 1)
                                                     << kRankShift;
    if (inst.c == 8)
      warp.reg<uint64_t>(inst.op[0])[lane] = place + window;
    else
      warp.reg<uint32_t>(inst.op[0])[lane] = uint32_t(place);
  }
}

void ctaRank(Warp &warp, const Inst &inst, uint32_t mask) {
  uint64_t window = inst.a ? kSharedWindow : 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = unsigned(__builtin_ctz(left));
    uint64_t place = valueOf(warp, inst.op[1], inst.c, lane) - window;
    uint64_t rank = place >> kRankShift;
    if (rank > warp.cta->cluster->ctas.size())
      return raiseFault(warp, inst, lane,
                        "getctarank of an address that is not in the cluster");
    warp.reg<uint32_t>(inst.op[0])[lane] =
        uint32_t(rank ? rank - 1 : warp.cta->rank);
  }
}

void clusterArrive(Warp &warp, const Inst &inst, uint32_t mask) {
  Cluster &cluster = *warp.cta->cluster;
  if (uint32_t twice = mask & warp.clusterArrived)
    return raiseFault(warp, inst, unsigned(__builtin_ctz(twice)),
                      "barrier.cluster.arrive again without a wait",
                      "bad-barrier");
  warp.clusterArrived |= mask;
  warp.clusterParity =
      (warp.clusterParity & ~mask) | (cluster.parity ? mask : 0);
  if (!cluster.arrived)
    cluster.line = inst.line;
  cluster.arrived += uint32_t(__builtin_popcount(mask));
  ++warp.counters->barriers;
  if (warp.step)
    warp.step->action = StepAction::Arrive;
  if (warp.sanitizer)
    warp.sanitizer->phases.arrive(warp, inst, mask, Phases::kCluster);
  completeIfAll(cluster);
}

void clusterWait(Warp &warp, const Inst &inst, uint32_t mask) {
  if (uint32_t missing = mask & ~warp.clusterArrived)
    return raiseFault(warp, inst, unsigned(__builtin_ctz(missing)),
                      "barrier.cluster.wait without an arrival", "bad-barrier");
  uint32_t now = warp.cta->cluster->parity ? kFullMask : 0;
  if (~(warp.clusterParity ^ now) & mask) {
    warp.suspended = true;
    warp.clusterWaiting |= inst.order & OrderStrong ? 0 : mask;
    return;
  }
  warp.clusterWaiting &= ~mask;
  warp.clusterArrived &= ~mask;
  if (warp.step)
    warp.step->action = StepAction::Wait;
  if (warp.sanitizer)
    warp.sanitizer->phases.observe(warp, inst, mask, Phases::kCluster);
}

} // namespace

void fusion::emulator::leaveCluster(Warp &warp, uint32_t mask) {
  Cluster &cluster = *warp.cta->cluster;
  uint32_t now = cluster.parity ? kFullMask : 0;
  uint32_t counted = mask & warp.clusterArrived & ~(warp.clusterParity ^ now);
  cluster.arrived -= uint32_t(__builtin_popcount(counted));
  warp.clusterArrived &= ~mask;
}

Handler fusion::emulator::widenAddressHandler() { return widenAddress; }
Handler fusion::emulator::mapaHandler() { return mapa; }
Handler fusion::emulator::ctaRankHandler() { return ctaRank; }
Handler fusion::emulator::clusterArriveHandler() { return clusterArrive; }
Handler fusion::emulator::clusterWaitHandler() { return clusterWait; }
