//===- Sanitizer.h - Finds races and uses of data that are not there -*- C++
//-*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handlers and the scheduler call it where Options::sanitize is set; without
// it there is no object and all that is left is one test per memory access.
//
// Order between threads is happens-before over barriers, kept with vector
// clocks per warp: a warp's clock advances whenever it arrives at a barrier or
// passes bar.warp.sync; a warp that leaves a barrier knows the clocks of all
// that arrived. An access of another warp is ordered before mine if my warp
// knows a later clock of its warp.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SANITIZER_H
#define FUSION_LIB_EMULATOR_SANITIZER_H

#include "Warp.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace fusion::emulator {

enum class SanitizeKind : uint8_t { Load, Store, Atomic };

/// One per CTA; findings are collected until the CTA ends.
class Sanitizer {
public:
  explicit Sanitizer(Cta &cta);

  void globalAccess(Warp &warp, const Inst &inst, uint32_t mask,
                    const uint64_t *address, unsigned bytes, SanitizeKind kind);
  void sharedAccess(Warp &warp, const Inst &inst, uint32_t mask,
                    const uint64_t *address, unsigned bytes, SanitizeKind kind);
  /// cp.async: `bytes` per lane are going to be written at these offsets.
  void asyncIssue(Warp &warp, const Inst &inst, uint32_t mask,
                  const uint64_t *address, unsigned bytes);
  /// The data of these lanes has arrived.
  void asyncComplete(Warp &warp, const AsyncCopy &copy, uint32_t mask);
  void barrierArrive(Warp &warp, const Inst &inst, uint32_t mask,
                     uint32_t barrier);
  void barrierComplete(uint32_t barrier, const std::vector<uint32_t> &warps);
  void warpBarrier(Warp &warp);

  // SanitizerAsync.cpp. `warp` may be of another CTA of the cluster.
  /// A bulk copy is going to write these bytes.
  void bulkIssue(Warp &warp, const Inst &inst, unsigned lane, uint32_t offset,
                 uint32_t bytes, bool reduces);
  void bulkComplete(uint32_t offset, uint32_t bytes);
  /// A bulk copy or a wgmma reads these bytes.
  void bulkRead(Warp &warp, const Inst &inst, unsigned lane, uint32_t offset,
                uint32_t bytes);
  void clusterAccess(Warp &warp, const Inst &inst, unsigned lane,
                     uint32_t offset, uint32_t bytes, bool isLoad);
  /// Arrival at the mbarrier at `offset`, the end of its phase, and a wait
  /// that saw the end. kClusterPhase is barrier.cluster.
  void phaseArrive(Warp &warp, uint32_t offset);
  void phaseComplete(uint32_t offset);
  void phaseObserve(Warp &warp, uint32_t offset);
  static constexpr uint32_t kClusterPhase = UINT32_MAX;

  std::vector<Finding> findings;

private:
  static constexpr uint32_t kMany = UINT32_MAX;

  /// What is known of a word, or of a byte of a word that was accessed in
  /// parts. Threads are linear indices + 1, 0 = none.
  struct Cell {
    uint32_t writer = 0, writeClock = 0, writeLine = 0;
    uint32_t reader = 0;    ///< kMany: more than one thread
    uint32_t readWarps = 0; ///< all at `readClock`
    uint32_t readClock = 0, readLine = 0;
    uint32_t inFlight = 0, inFlightLine = 0;
    uint32_t split = 0; ///< of a word: index + 1 of its bytes
    bool initialized = false, atomicWrite = false, atomicRead = false;
  };
  /// Earlier reads at other clocks that are not ordered before later ones.
  struct OldRead {
    uint32_t warp, clock, line;
  };

  void report(const char *kind, Warp &warp, unsigned lane, unsigned line,
              unsigned otherLine, const std::string &message);
  bool ordered(uint32_t otherWarp, uint32_t clock, uint32_t warp) const {
    return otherWarp == warp ? clocks[warp * warps + warp] > clock
                             : clocks[warp * warps + otherWarp] >= clock;
  }
  uint32_t clockOf(uint32_t warp) const { return clocks[warp * warps + warp]; }
  void write(Cell &cell, uint64_t offset, Warp &warp, unsigned lane,
             unsigned line, bool atomic);
  void read(Cell &cell, uint64_t offset, Warp &warp, unsigned lane,
            unsigned line, bool atomic);
  template <class Visit>
  void forCells(uint64_t offset, unsigned bytes, Visit visit);
  std::string threadName(uint32_t thread) const;

  Cta &cta;
  uint32_t warps;
  std::vector<uint32_t> clocks; ///< [a * warps + b]: what a knows of b
  std::vector<std::vector<uint32_t>> joins; ///< per barrier, of the arrived
  /// What those that arrived at an mbarrier knew, in its phase and up to the
  /// end of the one before.
  struct Phase {
    std::vector<uint32_t> open, done;
  };
  std::unordered_map<uint32_t, Phase> phases;
  std::vector<Cell> words;
  std::vector<std::array<Cell, 4>> parts;
  std::unordered_map<uint64_t, std::vector<OldRead>> oldReads; ///< by cell
  std::map<std::tuple<std::string, unsigned, unsigned>, bool> known;
};

template <class Visit>
void Sanitizer::forCells(uint64_t offset, unsigned bytes, Visit visit) {
  uint64_t end = offset + bytes;
  while (offset < end) {
    Cell &word = words[offset / 4];
    bool whole = offset % 4 == 0 && end - offset >= 4;
    if (whole && !word.split) {
      visit(word, offset);
      offset += 4;
      continue;
    }
    if (!word.split) {
      parts.push_back({word, word, word, word});
      word.split = uint32_t(parts.size());
      auto old = oldReads.find(offset & ~uint64_t(3));
      if (old != oldReads.end()) {
        auto list = old->second;
        for (unsigned i = 1; i < 4; ++i)
          oldReads[(offset & ~uint64_t(3)) + i] = list;
      }
    }
    unsigned count = unsigned(std::min<uint64_t>(4 - offset % 4, end - offset));
    for (unsigned i = 0; i < count; ++i, ++offset)
      visit(parts[word.split - 1][offset % 4], offset);
  }
}

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SANITIZER_H
