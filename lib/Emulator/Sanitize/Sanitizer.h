//===- Sanitizer.h - Finds races and uses of missing data -------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handlers and the scheduler call the sanitizer if Options::sanitize is set.
// Otherwise there is no object, and each memory access costs one test.
//
// Order between threads is happens-before (HappensBefore.h) over barriers,
// bar.warp.sync, and strong accesses with fences. A fence and then a strong
// write release, a strong read and then a fence acquire (PTX ISA, "Memory
// Consistency Model"). Memories have shadows (Shadow.h).
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SANITIZE_SANITIZER_H
#define FUSION_LIB_EMULATOR_SANITIZE_SANITIZER_H

#include "Emulator/Sanitize/AsyncCopies.h"
#include "Emulator/Sanitize/BlockBarriers.h"
#include "Emulator/Sanitize/TensorMapUses.h"
#include "Emulator/Sanitize/WgmmaChecks.h"

namespace fusion::emulator {

/// The sanitizer of one CTA: its parts, each with the state that it needs. A
/// part knows the ones before it.
class Sanitizer {
public:
  Sanitizer(Cta &cta, GridSanitizer &grid);
  Sanitizer(const Sanitizer &) = delete;

  /// Lanes end. `last`: the CTA ends with them.
  void exit(Warp &warp, uint32_t mask, bool last);

  Cta &cta;
  Reports reports;
  ThreadOrder order;
  Readers readers;
  AccessOrder accessOrder;
  Races races;
  Histories histories;
  WholeAccesses whole;
  Accesses accesses;
  Agents agents;
  EarlierGrids grids;
  MemoryAccesses memory;
  Phases phases;
  AsyncCopies copies;
  WgmmaChecks wgmma;
  TensorMapUses maps;
  BlockBarriers barriers;
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SANITIZE_SANITIZER_H
