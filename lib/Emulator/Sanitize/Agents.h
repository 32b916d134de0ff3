//===- Agents.h - Asynchronous operations as agents -------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An asynchronous operation is an agent of its own, with a clock that counts
// copies or groups (HappensBefore.h, slots). Its accesses are recorded under
// its context when it is issued. The thread that waits for it, by an mbarrier
// or a wait_group, learns its clock. So "still in flight" is "not ordered", for
// every thread separately. Barriers pass waiting on as they pass all order (PTX
// ISA, "Memory Consistency Model: Causality order").
//
// Stores of the generic proxy come before accesses of the async proxy only with
// a proxy fence between them on the path of base causality order. Either the
// writer fences before it releases, or the thread that acquired fences before
// it issues. The PTX ISA has that rule for alias proxies ("Causality Order"),
// and says of fence.proxy.async that it composes with other synchronisation.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SANITIZE_AGENTS_H
#define FUSION_LIB_EMULATOR_SANITIZE_AGENTS_H

#include "Emulator/Sanitize/GridSanitizer.h"

#include <unordered_map>

namespace fusion::emulator {

struct AsyncAgent {
  /// Kinds of agents:
  /// * the wgmma of a warp;
  /// * a thread's bulk groups, as readers and as writers;
  /// * bulk copies that complete at an mbarrier;
  /// * cp.async that arrive at an mbarrier;
  /// * the grids launched before this one.
  enum Kind : uint8_t {
    Products,
    GroupReads,
    GroupWrites,
    Mbarrier,
    Deliveries,
    EarlierGrids
  };
  uint32_t slot = 0;
  uint32_t clock = 0;   ///< of the last operation or group
  uint32_t context = 0; ///< at that clock
};

/// The agents of a block.
class Agents {
public:
  Agents(Cta &cta, GridSanitizer &grid) : cta(cta), grid(grid) {}

  uint32_t newContext(const Warp &warp, uint32_t slot, uint32_t clock);
  uint32_t contextOfGroup(const Warp &warp, AsyncAgent &agent, uint32_t group);
  AsyncAgent &agentOf(AsyncAgent::Kind kind, uint32_t id);
  /// Returns the agent, or null if there is none yet.
  AsyncAgent *findAgent(AsyncAgent::Kind kind, uint32_t id);

private:
  Cta &cta;
  GridSanitizer &grid;
  std::unordered_map<uint64_t, AsyncAgent> byOwner; ///< by kind and owner
  uint32_t agentCount = 0, deliveryCount = 0;
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SANITIZE_AGENTS_H
