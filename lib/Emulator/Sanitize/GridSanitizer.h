//===- GridSanitizer.h - What sanitizers of a launch share ------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contexts, and the sanitizer's state of global memory. Every CTA has a
// sanitizer of its own as well (Sanitizer.h).
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SANITIZE_GRIDSANITIZER_H
#define FUSION_LIB_EMULATOR_SANITIZE_GRIDSANITIZER_H

#include "Emulator/Machine/LaneCount.h"
#include "Emulator/Machine/Warp.h"
#include "Emulator/Sanitize/HappensBefore.h"
#include "Emulator/Sanitize/Phase.h"
#include "Emulator/Sanitize/ReaderSets.h"
#include "Emulator/Sanitize/Releases.h"
#include "Emulator/Sanitize/Shadow.h"

#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

namespace fusion::emulator {

enum class SanitizeKind : uint8_t { Load, Store, Atomic };

/// Whether the access is a strong one.
inline bool isStrong(const Inst &inst, SanitizeKind kind) {
  return kind == SanitizeKind::Atomic ||
         (inst.order & ~(OrderGuess | OrderCopy));
}

/// The reads of a warp's cp.async between two places where groups end, and the
/// context from which they count as done.
struct CopyReads {
  uint32_t issued = 0, done = 0;                  ///< lanes
  uint32_t context = 0;                           ///< of lanes in `done`
  std::unique_ptr<std::array<uint32_t, kLanes>> each; ///< if lanes differ
};

/// An acquiring fence.proxy.tensormap: what its lanes knew at it.
struct MapAcquire {
  ToldRef told;
  uint32_t warp, lanes, clock; ///< of the block in `told`
};

/// State that the CTAs of a launch share.
struct GridSanitizer {
  explicit GridSanitizer(uint64_t seed) : keepsFirstReader(seed % 2 == 0) {}

  std::vector<Context> contexts{{UINT64_MAX, 0, 0}}; ///< [0] is unused
  std::vector<uint32_t> issuers; ///< warps, of agents' contexts
  std::vector<CopyReads> copies; ///< by the clocks of kCopies contexts
  Released released;             ///< at addresses of global memory
  LooselyReleased looselyReleased;
  std::unordered_map<uint64_t, std::vector<MapAcquire>>
      mapAcquires; ///< of maps
  std::unordered_map<const Cluster *, Phase> clusterPhases;
  std::unordered_map<const Allocation *, std::unique_ptr<Shadow>> shadows;
  /// Shadows of shared memory of CTAs that have ended, to be reused.
  std::vector<std::pair<Shadow, ReaderSets>> spares;
  /// Sets of readers of a block's shared memory that contain a context already.
  struct Joined {
    uint32_t context = 0;
    Record set = 0;
    const Shadow *memory = nullptr;
    bool is(uint32_t who, Record which, const Shadow &where) const {
      return context == who && set == which && memory == &where;
    }
  };
  std::vector<Joined> joined; ///< a hash table, by context and set
  Joined &joinedAt(uint32_t context, Record set) {
    if (joined.empty())
      joined.resize(kJoined);
    return joined[(context * 0x9e3779b1u ^ uint32_t(set >> 12)) % kJoined];
  }
  static constexpr size_t kJoined = 4096;
  /// Recent unions of sets. An epoch is of one block, between two barriers.
  struct Union {
    Record reads = 0, mine = 0, result = 0;
    uint64_t epoch = 0;
    bool is(Record what, Record who, uint64_t when) const {
      return reads == what && mine == who && epoch == when;
    }
  };
  std::vector<Union> unions; ///< a hash table
  uint64_t epochs = 0;
  Union &unionOf(Record reads, Record mine) {
    if (unions.empty())
      unions.resize(size_t(1) << kUnionBits);
    return unions[(reads * 0x9e3779b97f4a7c15u ^ mine * 0xd6e8feb86659fd93u) >>
                  (64 - kUnionBits)];
  }
  static constexpr unsigned kUnionBits = 10;
  /// Whether the first of two unordered readers of a word of global memory is
  /// kept.
  bool keepsFirstReader;
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SANITIZE_GRIDSANITIZER_H
