//===- Microarchitecture.h - How an SM executes instructions ----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers for a timing model that replays machine code (fusion/Timing). Cost
// models of schedules have their own in ChipTable.h. Sources of each number are
// in the table, Microarchitecture.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_CHIPS_MICROARCHITECTURE_H
#define FUSION_TARGET_CHIPS_MICROARCHITECTURE_H

namespace fusion {

struct ChipInfo;

/// Lanes of an SM that start an instruction of a kind in a cycle: results per
/// clock cycle and SM (CUDA C++ Programming Guide, "Arithmetic Instructions").
struct PipeLanes {
  unsigned f32 = 0;     ///< add, multiply, multiply-add
  unsigned f16x2 = 0;   ///< instructions on pairs of f16 or bf16
  unsigned integer = 0; ///< add, compare, logic, shift; also integer multiply
  unsigned conversion = 0; ///< between 32-bit and narrower types
  unsigned special = 0;    ///< ex2, rcp, ...; other conversions, popc, redux
  unsigned f64 = 0;
  unsigned memory = 0; ///< loads, stores, shuffles
};

/// All chips of one compute capability. Times are in cycles of the SM's clock,
/// rates in bytes per cycle.
struct Microarchitecture {
  unsigned computeCapability = 0; ///< 10 × major + minor
  PipeLanes lanes;

  /// Instructions that each sub-partition may have on their way to the memory
  /// pipe.
  unsigned memoryQueue = 0;

  // From the issue to a dependent instruction's, without waiting in queues.
  unsigned fixedLatency = 0;  ///< arithmetic, to the same pipe
  unsigned crossLatency = 0;  ///< what another pipe takes longer
  unsigned branchLatency = 0; ///< of a predicate, to a branch or barrier
  unsigned mmaLatency = 0;    ///< mma.sync with a K of no bytes
  double mmaByteLatency = 0;  ///< of each byte of K
  unsigned specialLatency = 0;
  unsigned shuffleLatency = 0;
  unsigned constantLatency = 0; ///< constant memory, special registers
  unsigned sharedLatency = 0;
  unsigned matrixLatency = 0; ///< ldmatrix
  unsigned l1Latency = 0;
  unsigned l2Latency = 0;
  unsigned dramLatency = 0;
  /// Each wavefront of an access to shared memory after the first adds this.
  unsigned wavefrontLatency = 0;
  /// From a load's request to the cycle in which its registers may be written.
  unsigned operandLatency = 0;

  // Copies.
  unsigned copyLatency = 0; ///< cp.async, beyond that of a load
  unsigned tmaLatency = 0;  ///< TMA, beyond that of a load; with its mbarrier
  unsigned tmaInterval = 0; ///< between instructions of one SM's TMA unit
  double tmaBytesPerCycle = 0;

  // Synchronization.
  unsigned barrierLatency = 0;  ///< from the last arrival
  unsigned barrierInterval = 0; ///< between arrivals of warps
  unsigned mbarrierLatency = 0; ///< from an arrival's issue to its effect
  unsigned waitLatency = 0;     ///< of a wait for an mbarrier that is complete
  /// What a wait takes longer that had to wait.
  unsigned wakeLatency = 0;
  /// What an arrival takes longer at another block's mbarrier.
  unsigned remoteArrivalLatency = 0;
  unsigned clusterBarrierLatency = 0;
  unsigned clusterLatency = 0; ///< to the shared memory of another block
  double clusterBytesPerCycle = 0;
  unsigned fenceLatency = 0;     ///< of the block or of proxies
  unsigned wideFenceLatency = 0; ///< of the chip, without stores in flight

  // wgmma.
  unsigned wgmmaLatency = 0;       ///< beyond the time in the tensor core
  unsigned wgmmaSharedLatency = 0; ///< the same, if A is in shared memory
  unsigned wgmmaMinInterval = 0;   ///< of two instructions

  /// Bytes of L1 and shared memory together in an SM.
  unsigned l1Bytes = 0;
  double sharedBytesPerCycle = 0;
  /// What one SM can load from L2, and what all SMs can load in a second.
  double l2BytesPerCycle = 0;
  double l2BytesPerSecond = 0; ///< 0: that of the chip table
  /// The achieved share of the rate that the memory's clock gives.
  double dramEfficiency = 0;

  /// From a block's place to its first instruction, and from its end until the
  /// place is free.
  unsigned blockLatency = 0;
  /// Between blocks that start on one SM.
  unsigned blockInterval = 0;
  /// The SMs' clock in Hz while tensor cores are always busy; 0: the chip's.
  double tensorClockHz = 0;
  /// Seconds of a launch without work, behind another one.
  double launchSeconds = 0;
};

/// Returns the numbers of a chip; those of the nearest older compute capability
/// if its own has none.
const Microarchitecture &microarchitectureOf(const ChipInfo &chip);

} // namespace fusion

#endif // FUSION_TARGET_CHIPS_MICROARCHITECTURE_H
