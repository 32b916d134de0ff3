//===- Executor.h - Runs the warps of a CTA ---------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_EXECUTE_EXECUTOR_H
#define FUSION_LIB_EMULATOR_EXECUTE_EXECUTOR_H

#include "Emulator/Machine/Warp.h"

namespace fusion::emulator {

struct GridSanitizer;

/// Waiting: no warp can continue before another CTA of the cluster acts.
enum class CtaStatus : uint8_t { Done, Running, Waiting, Failed };

/// Runs one CTA at a time, a quantum at a time. The next CTA that is started in
/// the same object reuses its allocations.
class Executor {
public:
  Executor(const Code &code, const Launch &launch, const Options &options,
           DeviceMemory &memory, const uint8_t *parameters,
           GridSanitizer *gridSanitizer);
  ~Executor();

  /// Begins the CTA with this index in the grid, as the given rank of
  /// `cluster`.
  void start(uint64_t linear, bool tracing, bool sharedHostMemory,
             Cluster &cluster, uint32_t rank);
  /// Runs until the CTA ends, fails, or `quantum` warp instructions are done.
  CtaStatus run(uint64_t quantum);
  /// Returns the number of instructions that the last call of `run` executed.
  uint64_t lastUsed() const { return used; }
  /// Lets waits give up that may do so. Returns false if there are none.
  bool timeOut();
  /// Releases lanes that wait at barriers for other lanes of their warps.
  bool letHeldGo();
  /// After many instructions: returns whether no warp can continue before
  /// another CTA writes. Adds a finding for each warp that spins or waits.
  bool isStuck(std::vector<Finding> &parties);
  /// Ends the CTA with a deadlock of `parties` if one of its warps spins.
  bool failStuck(std::vector<Finding> &parties);
  /// Whether asynchronous copies are in flight to an mbarrier.
  bool awaitsCopies() const;
  /// Ends the CTA with an error that says which lanes wait where.
  void deadlock(const std::vector<const Executor *> &others);

  Cta cta;
  std::unique_ptr<Sanitizer> sanitizer;

private:
  // Executor.cpp
  template <bool Annotate> void runWarp(Warp &warp, uint64_t quantum);
  uint32_t synchronizeAligned(Warp &warp, const Inst &inst, uint32_t mask);
  uint64_t random();

  // Groups.cpp
  bool select(Warp &warp);
  bool mergeAndPick(Warp &warp);
  uint32_t limitOf(const Warp &warp) const;
  void suspend(Warp &warp, Group::State state);
  bool holds(Warp &warp);
  void leaveWaiting(Warp &warp, uint32_t mask);
  void jumpedBack(Warp &warp, uint32_t from);
  bool polls(uint32_t first, uint32_t last) const;
  bool isSpinning(Warp &warp, uint32_t first, uint32_t last);
  void branch(Warp &warp, const Inst &inst, uint32_t taken);
  bool branchTable(Warp &warp, const Inst &inst, uint32_t mask);

  // Calls.cpp
  bool call(Warp &warp, const Inst &inst, uint32_t mask);
  void leave(Warp &warp, uint32_t mask, bool exits);
  void exitLanes(Warp &warp, uint32_t mask);

  // Barriers.cpp
  void arrive(Warp &warp, const Inst &inst, uint32_t mask);
  void checkBarriers();
  void release(uint32_t barrier);
  void wakeWaiting();
  std::string describeWaits(unsigned &line) const;
  std::string describeGroup(const Warp &warp, const Group &group) const;
  unsigned lineOfOthers(const Warp &warp, uint32_t mask) const;
  unsigned lineOfOther(const Warp &warp, const Group &group) const;
  void listParties(std::vector<Finding> &parties) const;
  uint32_t liveThreads() const;

  // Spinning.cpp
  /// An endless loop of a warp.
  struct Spin {
    bool loops = false, isStuck = false;
    unsigned first = 0, last = 0; ///< lines of the loop
    unsigned pollLine = 0, otherLine = 0;
    unsigned lane = 0;
    std::string poll; ///< what it polls; empty: nothing or unknown
  };
  Spin watch(Warp &warp);
  bool enterGroup(Warp &warp, uint32_t mask);
  void exceedLimit(Warp &warp);

  const Code &code;
  const Launch &launch;
  const Options &options;
  bool watching = false;
  std::vector<uint32_t> pollLines; ///< of the warps that were watched
  GridSanitizer *gridSanitizer;    ///< null without Options::sanitize
  /// For a warp with diverged lanes: the number of backward jumps since lanes
  /// were last held back for it, and its state at one of these jumps.
  struct Spun {
    uint32_t jumps = 0;
    uint32_t pc = 0, mask = 0, frame = kNone;
    std::vector<uint8_t> registers;
  };
  std::vector<Spun> spun; ///< by warp
  uint32_t nextWarp = 0;
  uint64_t used = 0;
  uint64_t seenEvents = 0;
  bool isDetailed = false; ///< counts by instruction
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_EXECUTE_EXECUTOR_H
