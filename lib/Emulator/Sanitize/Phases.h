//===- Phases.h - The order that mbarriers make -----------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SANITIZE_PHASES_H
#define FUSION_LIB_EMULATOR_SANITIZE_PHASES_H

#include "Emulator/Machine/LaneCount.h"
#include "Emulator/Sanitize/Agents.h"
#include "Emulator/Sanitize/MemoryAccesses.h"

#include <unordered_map>
#include <vector>

namespace fusion::emulator {

/// Lanes of a warp that met at an instruction with a membermask, and when. A
/// meeting orders no memory. But mbarrier operations of a lane before it come
/// before operations of the others after it (Code::hasInvalidation).
struct Meetings {
  struct Meeting {
    uint32_t lanes, clock;
  };
  /// For each lane since its last use of an mbarrier: `reached` are the lanes
  /// that its meetings have reached, `meetings` the ones that reached further
  /// lanes.
  uint32_t reached[kLanes] = {};
  std::vector<Meeting> meetings[kLanes];
};

/// The mbarriers of a block, and barrier.cluster. `warp` may be of another CTA
/// of the cluster.
class Phases {
public:
  Phases(Cta &cta, GridSanitizer &grid, Reports &reports, ThreadOrder &order,
         MemoryAccesses &memory, Agents &agents)
      : cta(cta), grid(grid), reports(reports), order(order), memory(memory),
        agents(agents) {}

  /// Stands for barrier.cluster in place of an mbarrier's offset.
  static constexpr uint32_t kCluster = UINT32_MAX;

  /// The mbarrier at `offset` is initialised, or invalidated (not `live`).
  void initialize(Warp &warp, const Inst &inst, unsigned lane, uint32_t offset,
                  bool live);
  /// The mbarrier at `offset` is used.
  void touch(Warp &warp, const Inst &inst, uint32_t mask, uint32_t offset,
             bool asyncProxy = false);
  /// Lanes arrive at the mbarrier at `offset`, or at barrier.cluster.
  void arrive(Warp &warp, const Inst &inst, uint32_t mask, uint32_t offset);
  /// A copy arrives at the mbarrier at `offset`.
  void deliver(uint32_t offset, const BulkCopy &copy);
  void hear(uint32_t offset, uint32_t slot, uint32_t clock);
  /// An operation counts for the next phase if the copies of `copyLine` have
  /// completed.
  void reportTooEarly(const Warp &warp, const Inst &inst, unsigned lane,
                      uint32_t offset, unsigned copyLine);
  /// The phase ends.
  void complete(uint32_t offset);
  /// A wait has seen the end of the phase.
  void observe(Warp &warp, const Inst &inst, uint32_t mask, uint32_t offset);
  /// Lanes execute shfl, vote, match and the like with one membermask.
  void meet(const Warp &warp, uint32_t lanes);
  /// Returns the line of the last arrival at the mbarrier; 0 if there is none.
  unsigned lastArrival(uint32_t offset) const {
    auto it = byOffset.find(offset);
    return it == byOffset.end() ? 0 : it->second.arrivalLine;
  }
  Phase &phaseAt(uint32_t offset) {
    if (!lastPhase || lastOffset != offset) {
      lastPhase = &byOffset[offset];
      lastOffset = offset;
    }
    return *lastPhase;
  }

private:
  /// Whether waits differ in scope: not in a cluster of one block.
  bool hasNarrowWaits() const {
    return cta.code->hasNarrowWaits && cta.cluster->ctas.size() > 1;
  }
  void noteUse(const Warp &warp, const Inst &inst, uint32_t mask, Phase &phase);
  bool comesAfterMeeting(const Warp &warp, unsigned lane, uint32_t index,
                         unsigned other) const;
  void checkUses(const Warp &warp, const Inst &inst, unsigned lane,
                 uint32_t offset, const Phase &phase);

  Cta &cta;
  GridSanitizer &grid;
  Reports &reports;
  ThreadOrder &order;
  MemoryAccesses &memory;
  Agents &agents;
  std::unordered_map<uint32_t, Phase> byOffset; ///< of mbarriers
  Phase *lastPhase = nullptr;                   ///< of phaseAt
  uint32_t lastOffset = 0;
  std::vector<Meetings> meetings; ///< by warp
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SANITIZE_PHASES_H
