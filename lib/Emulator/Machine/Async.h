//===- Async.h - Asynchronous operations and clusters -----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations of the asynchronous proxy are carried out as late as the memory
// model allows. A copy that an mbarrier awaits waits in that mbarrier's queue
// until somebody looks at the phase it belongs to (PTX ISA, "Parallel
// Synchronization and Communication Instructions: mbarrier"); a copy of a bulk
// group waits for its thread's wait_group; a wgmma for its warp's.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_MACHINE_ASYNC_H
#define FUSION_LIB_EMULATOR_MACHINE_ASYNC_H

#include "Emulator/Machine/Code.h"
#include "Emulator/Machine/LaneCount.h"
#include "Emulator/Machine/TensorMap.h"

#include <deque>
#include <map>

namespace fusion::emulator {

struct Cta;

/// CTAs of a cluster, by rank.
struct Cluster {
  std::vector<Cta *> ctas;
  uint32_t arrived = 0; ///< threads at barrier.cluster, in this phase
  uint32_t parity = 0;  ///< of the phase
  uint32_t line = 0;    ///< of the first arrival
};

/// One asynchronous copy, or what else an mbarrier's queue holds.
struct BulkCopy {
  enum class Kind : uint8_t {
    GlobalToShared,
    SharedToShared,
    SharedToGlobal,
    Value,  ///< st.async, red.async: `value`
    Arrive, ///< cp.async.mbarrier.arrive
  };
  Kind kind = Kind::GlobalToShared;
  bool reduces = false;
  bool hasSource = false;   ///< SharedToGlobal: `data` was read
  bool waited = false;      ///< for that, by wait_group.read
  bool landed = false;      ///< carried out before anybody looked
  bool sourceSeen = false;  ///< by the sanitizer: not the first of a multicast
  uint8_t operation = 0;    ///< AtomicOp
  Type type = Type::None;   ///< of a reduction
  Cta *sharedCta = nullptr; ///< the one that holds the destination, or source
  uint32_t shared = 0;      ///< offset there
  Cta *sourceCta = nullptr; ///< SharedToShared
  uint32_t source = 0;
  uint64_t global = 0;
  uint32_t bytes = 0;     ///< that complete_tx counts
  uint32_t mask = 0xffff; ///< of the bytes of every 16 that are written
  std::shared_ptr<const TensorBox> box;
  std::vector<uint8_t> data;
  // Who issued it.
  Cta *issuer = nullptr;
  uint32_t warp = 0, lane = 0, line = 0;
  uint32_t group = 0;    ///< bulk group of the thread
  uint32_t sequence = 0; ///< Arrive: cp.async issued before
  uint32_t context = 0;  ///< the sanitizer's, of the copy itself; 0: none
};

/// The asynchronous state of a CTA.
struct AsyncState {
  std::map<uint32_t, std::deque<BulkCopy>> queues; ///< by mbarrier offset
  std::vector<BulkCopy> stores; ///< bulk groups of all threads, in order
  uint64_t events = 0; ///< grows with whatever a waiting thread may wait for
};

/// A wgmma that has been issued.
struct WgmmaOp {
  const Inst *inst = nullptr;
  const uint8_t *frame = nullptr; ///< of the accumulators
  uint64_t a = 0, b = 0;          ///< matrix descriptors
  uint32_t group = 0;
  bool scaleD = true;
  alignas(64) uint32_t registers[4][kLanes]; ///< A
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_MACHINE_ASYNC_H
