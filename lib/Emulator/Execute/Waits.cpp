//===- Waits.cpp - Which event a group of lanes waits for -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/Waits.h"

#include "Emulator/Execute/HandlersCluster.h"
#include "Emulator/Execute/HandlersRegisters.h"
#include "Emulator/Execute/HandlersWgmma.h"
#include "Emulator/Execute/Mbarrier.h"
#include "Emulator/Machine/Addresses.h"
#include "Emulator/Machine/Warp.h"

using namespace fusion::emulator;

uint32_t fusion::emulator::mbarrierOf(const Warp &warp, const Inst &inst,
                                      const Group &group) {
  unsigned lane = unsigned(__builtin_ctz(group.mask));
  const Frame &frame = warp.frames[group.frame];
  Ref ref = inst.op[2];
  uint64_t address = 0;
  if ((ref & 3) == BaseFrame)
    std::memcpy(&address, frame.registers.data() + (ref & ~3u) + 8 * lane, 8);
  else
    address = warp.reg<uint64_t>(ref)[lane];
  return uint32_t((address - kSharedWindow) &
                  ((uint64_t(1) << kRankShift) - 1));
}

/// Returns "the mbarrier at shared offset o (n of m arrivals and k bytes are
/// missing)".
static std::string describeMbarrier(const Warp &warp, const Inst &inst,
                                    const Group &group) {
  uint64_t offset = mbarrierOf(warp, inst, group);
  std::string text = "the mbarrier at shared offset " + std::to_string(offset);
  if (offset + 8 > warp.cta->sharedBytes)
    return text;
  Mbarrier m = loadMbarrier(*warp.cta, uint32_t(offset));
  int64_t queued = 0;
  auto it = warp.cta->async.queues.find(uint32_t(offset));
  if (it != warp.cta->async.queues.end())
    for (const BulkCopy &copy : it->second)
      queued += copy.bytes;
  int64_t bytes = int64_t(m.transactions) - queued;
  text += " (" + std::to_string(m.pending) + " of " +
          std::to_string(m.expected) + " arrivals ";
  if (bytes < 0)
    return text + "are missing, and " + std::to_string(-bytes) +
           " bytes more than were expected have come)";
  return text + "and " + std::to_string(bytes) + " bytes are missing)";
}

bool fusion::emulator::mayTimeOut(const Inst &inst) {
  return inst.run != clusterWaitHandler() &&
         inst.run != setRegistersHandler() && inst.run != wgmmaWaitHandler();
}

std::string fusion::emulator::describeWait(const Warp &warp, const Inst &inst,
                                           const Group &group) {
  std::string line = ", line " + std::to_string(inst.line);
  const Cluster &cluster = *warp.cta->cluster;
  if (inst.run == setRegistersHandler())
    return describeRegisters(warp, inst);
  if (inst.run == wgmmaWaitHandler())
    return describeProducts(warp, inst);
  if (!mayTimeOut(inst))
    return " wait at barrier.cluster" + line + " (" +
           std::to_string(cluster.arrived) + " of " +
           std::to_string(liveThreads(cluster)) + " threads arrived)";
  return " wait at " + describeMbarrier(warp, inst, group) + line;
}
