//===- MemoryAccesses.h - Accesses to the memories of a block ---*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SANITIZE_MEMORYACCESSES_H
#define FUSION_LIB_EMULATOR_SANITIZE_MEMORYACCESSES_H

#include "Emulator/Sanitize/Accesses.h"
#include "Emulator/Sanitize/EarlierGrids.h"

#include <string>
#include <vector>

namespace fusion::emulator {

/// What a watched warp does (Spinning.cpp): whether it writes, and the first
/// place that it polls, mostly by strong reads.
struct WatchedAccesses {
  bool stores = false, isStrong = false;
  std::string poll;
  unsigned line = 0, otherLine = 0; ///< of the read, of the last write
};

/// The shadows of shared and global memory, and the accesses that warps make.
/// Accesses by other CTAs of the cluster are in ClusterAccesses.cpp.
class MemoryAccesses {
public:
  MemoryAccesses(Cta &cta, GridSanitizer &grid, Reports &reports,
                 ThreadOrder &order, Readers &readers, Accesses &accesses,
                 EarlierGrids &grids);
  ~MemoryAccesses();
  MemoryAccesses(const MemoryAccesses &) = delete;

  /// Marks bytes of shared memory as written from the start.
  void initialize(uint32_t offset, uint32_t bytes);
  /// `contiguous`: all lanes, one after the other. `all`: the allocation that
  /// contains the whole access, or null.
  void globalAccess(Warp &warp, const Inst &inst, uint32_t mask,
                    const uint64_t *address, unsigned bytes, SanitizeKind kind,
                    bool contiguous = false, Allocation *all = nullptr);
  /// The lane frees memory. Later accesses are races: the free counts as a
  /// write to all bytes that were accessed.
  void release(Warp &warp, const Inst &inst, unsigned lane, uint64_t address,
               uint64_t bytes);
  /// The lanes discard lines, whose bytes count as not written afterwards.
  void discard(Warp &warp, const Inst &inst, uint32_t mask,
               const uint64_t *address);
  void sharedAccess(Warp &warp, const Inst &inst, uint32_t mask,
                    const uint64_t *address, unsigned bytes, SanitizeKind kind,
                    bool contiguous = false);
  /// A cp.async is issued that will write `bytes` per lane at these offsets.
  /// Its reads were passed to globalAccess.
  void asyncIssue(Warp &warp, const Inst &inst, uint32_t mask,
                  const uint64_t *address, unsigned bytes, AsyncCopy &copy);
  /// The data of these lanes has arrived.
  void asyncComplete(Warp &warp, const AsyncCopy &copy, uint32_t mask,
                     bool atMbarrier);
  /// The lanes, of any CTA of the cluster, access this CTA's shared memory at
  /// these offsets.
  void clusterAccess(Warp &warp, const Inst &inst, uint32_t mask,
                     const uint64_t *offset, unsigned bytes, SanitizeKind kind);
  /// Lanes of another CTA of the cluster use this CTA's shared memory.
  void noteRemote(Warp &warp, uint32_t mask, unsigned line, bool accesses);
  void checkLifetime(const Warp &warp);

  /// Returns the line of the last write to a word of the CTA; 0 if unknown.
  unsigned lastWrite(uint32_t offset) const {
    Record write = withoutHiding(shared.writes[offset / 4]);
    return write & kSpecial ? 0 : lineOf(write);
  }
  void checkInitialized(const Reach &reach, Allocation &allocation,
                        uint32_t mask, const uint64_t *offset, unsigned bytes,
                        bool contiguous);
  Shadow &recentShadow(Allocation &allocation);
  /// Returns the record below which all contexts in the shadow of shared memory
  /// are ordered by a barrier of all threads that know `join`.
  Record limitAfter(const Knowledge &join);

  Shadow shared;
  /// Below this record, strong writes have no histories any more.
  Record forgotten = 0;
  /// Contexts in the shadow of shared memory that the CTA's barriers do not
  /// order: agents and other CTAs.
  std::vector<uint32_t> outstanding;
  uint32_t delivery = 0; ///< context of the cp.async that arrive now
  WatchedAccesses *watch = nullptr;

private:
  void noteWatched(const Inst &inst, SanitizeKind kind, uint64_t address,
                   const Allocation *allocation, Shadow &shadow,
                   uint64_t offset);
  bool hasLocks() const { return cta.code->hasAtomics && cta.code->hasUpdates; }
  Shadow &shadowOf(const Allocation &allocation);

  Cta &cta;
  GridSanitizer &grid;
  Reports &reports;
  ThreadOrder &order;
  Readers &readers;
  Accesses &accesses;
  EarlierGrids &grids;
  Released released; ///< at offsets of shared memory
  /// Releases for threads of this CTA only: in its shared and in global memory.
  Released narrowShared, narrowGlobal;
  LooselyReleased looseShared;
  /// Recent allocations of global memory with their shadows, a ring.
  struct Recent {
    Allocation *allocation = nullptr;
    Shadow *shadow = nullptr;
  };
  Recent recent[4];
  unsigned recentNext = 0;
  /// Accesses by other CTAs: context and line, and the lanes.
  std::vector<std::pair<Record, uint32_t>> remoteAccesses;
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SANITIZE_MEMORYACCESSES_H
