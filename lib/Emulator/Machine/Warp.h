//===- Warp.h - State of a warp and its CTA ---------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp is a set of groups of lanes that share a program counter and a frame.
// Lanes that diverged run group by group, the group that is furthest behind
// first, and join when they meet. (Thread frontiers: Diamos et al., "SIMD
// re-convergence at thread frontiers", MICRO 2011.) Handlers see one warp.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_MACHINE_WARP_H
#define FUSION_LIB_EMULATOR_MACHINE_WARP_H

#include "Emulator/Machine/AlignedBuffer.h"
#include "Emulator/Machine/Async.h"
#include "Emulator/Machine/Code.h"
#include "Emulator/Machine/DeviceMemory.h"
#include "Emulator/Machine/LaneCount.h"

#include "fusion/Emulator/Machine/Launch.h"

#include <cstring>

namespace fusion::emulator {

constexpr uint32_t kFullMask = 0xffffffffu;
constexpr unsigned kBarriers = 16;

struct Cta;
class Sanitizer;

/// Values that are constant or precomputed for all instructions that read them:
/// an array of 128 bytes, 32 lanes, each (PTX ISA, "Special Registers").
enum class Special : uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  LaneId,
  WarpId,
  NwarpId,
  SmId,
  NsmId,
  LanemaskEq,
  LanemaskLe,
  LanemaskLt,
  LanemaskGe,
  LanemaskGt,
  GridId,
  DynamicSmemSize,
  TotalSmemSize,
  AggrSmemSize, ///< with the reserved part
  ClusterIdX,
  ClusterIdY,
  ClusterIdZ,
  NclusterIdX,
  NclusterIdY,
  NclusterIdZ,
  ClusterCtaidX,
  ClusterCtaidY,
  ClusterCtaidZ,
  ClusterNctaidX,
  ClusterNctaidY,
  ClusterNctaidZ,
  ClusterCtarank,
  ClusterNctarank,
  IsExplicitCluster, // a predicate
  GridWorkspaceLow,  // of an address
  GridWorkspaceHigh,
  ReservedSmemBegin,
  ReservedSmemEnd,
  ReservedSmemCap,
  ReservedSmem0,
  ReservedSmem1,
  Zero,
  Count
};

struct Frame {
  uint32_t function = 0;
  uint32_t parent = kNone;
  uint32_t returnPc = 0;
  uint32_t depth = 0;
  uint32_t call = 0; ///< index into Code::calls, of the caller
  uint32_t localOffset = 0;
  uint32_t stackTop[kLanes] = {}; ///< of the caller (Code::hasStack)
  AlignedBuffer registers;
  std::vector<uint8_t> parameters; ///< lane after lane
};

struct Group {
  enum class State : uint8_t { Ready, WaitWarp, WaitBarrier, WaitEvent };
  uint32_t pc = 0;
  uint32_t mask = 0;
  uint32_t frame = 0;
  State state = State::Ready;
  bool deferred = false; ///< spun too long: other groups go first
  bool held = false;     ///< at an aligned barrier: other groups go first
  bool isAlone = false;  ///< was held, and the others never come
  uint32_t awaited = 0;  ///< lanes alive when it arrived
  uint32_t barrier = 0;  ///< at which it waits
  bool timedOut = false; ///< WaitEvent: the wait may give up
  /// Whether the group can only continue when another warp or block acts.
  bool isParked() const {
    return state == State::WaitBarrier || state == State::WaitEvent;
  }
};

/// One cp.async of a warp that has not been waited for.
struct AsyncCopy {
  uint32_t pending; ///< lanes
  uint32_t bytes;   ///< per lane, written to shared memory
  uint32_t line;
  uint32_t sequence;
  uint32_t destination[kLanes];
  uint32_t group[kLanes]; ///< commit group, by lane
  /// The source, and the bytes to read; the rest is zero.
  const uint8_t *source[kLanes];
  uint8_t size[kLanes];
  bool isWhole;                    ///< 16 bytes of all lanes
  std::unique_ptr<uint8_t[]> data; ///< if the source was read at the issue
  // The sanitizer's: context of the reads, record of the writes.
  uint32_t reads = 0;
  uint64_t written = 0;
};

struct Warp {
  // Members that handlers read most.
  const uint8_t *base[3] = {nullptr, nullptr, nullptr};
  Counters *counters = nullptr;
  Cta *cta = nullptr;
  uint8_t *laneParameters = nullptr; ///< of the current frame
  uint32_t parameterBytes = 0;       ///< per lane
  uint32_t localBase = 0;            ///< of the current frame
  uint32_t carry = 0;                ///< CC.CF, by lane
  bool stop = false;                 ///< a fault, or lanes ended
  Sanitizer *sanitizer = nullptr;

  uint32_t index = 0;    ///< in the CTA
  uint32_t exists = 0;   ///< lanes that are threads
  uint32_t live = 0;     ///< lanes that have not exited
  uint32_t exiting = 0;  ///< lanes that the current instruction ends
  uint32_t exitLine = 0; ///< where the last ones ended
  Group current;         ///< the group that runs
  std::vector<Group> others;
  std::vector<Frame> frames;
  uint64_t executed = 0;
  bool blocked = false; ///< nothing can run until a barrier completes

  std::vector<uint8_t> local;     ///< lane after lane
  uint32_t localBytes = 0;        ///< per lane
  std::vector<uint8_t> stack;     ///< of `alloca`, lane after lane
  uint32_t stackBytes = 0;        ///< per lane
  uint32_t stackTop[kLanes] = {}; ///< bytes in use

  std::vector<AsyncCopy> copies; ///< by order of issue
  size_t copiesBegin = 0;
  uint32_t committed[kLanes] = {}; ///< commit groups closed, by lane
  uint32_t copySequence = 0;       ///< of the next copy
  uint32_t awaited[kLanes] = {};   ///< earlier copies arrive at an mbarrier

  bool suspended = false;         ///< the instruction cannot be executed yet
  Step *step = nullptr;           ///< the one that is recorded, or null
  std::vector<Step> furtherSteps; ///< of the instruction that is recorded
  std::vector<WgmmaOp> products;  ///< wgmma in flight, in order of issue
  uint32_t productGroup = 0;      ///< the open wgmma group
  uint32_t productEnd = 0;        ///< one more than the group of the last wgmma
  bool awaitsProducts = false;    ///< waits for others of its warpgroup
  uint32_t bulkCommitted[kLanes] = {}; ///< bulk groups closed, by lane
  uint32_t registers = 0;      ///< of a thread; 0: not known (setmaxnreg)
  uint32_t clusterArrived = 0; ///< lanes between barrier.cluster's halves
  uint32_t clusterParity = 0;  ///< of the phase they arrived in
  uint32_t clusterWaiting = 0; ///< lanes whose next step is to wait for it

  AlignedBuffer specials;

  template <class T> T *reg(Ref ref) const {
    return reinterpret_cast<T *>(
        const_cast<uint8_t *>(base[ref & 3] + (ref & ~3u)));
  }
  uint32_t &predicate(Ref ref) const { return *reg<uint32_t>(ref); }
};

/// A named barrier (PTX ISA, "bar, barrier").
struct Barrier {
  uint32_t expected = 0; ///< threads; 0 before the first arrival
  uint32_t arrived = 0;
  bool counted = false; ///< `expected` was given by the program
  uint32_t votes = 0;   ///< threads whose predicate was true
  uint32_t voters = 0;
  uint32_t line = 0; ///< of the first arrival
  uint32_t lastLine = 0, lastWarp = 0;
  std::vector<bool> warps; ///< arrived in this phase
};

struct Fault {
  bool set = false;
  std::string message;
  unsigned line = 0;
  unsigned otherLine = 0;
  bool isLimit = false; ///< of instructions
  std::string kind;     ///< of the finding that it is; empty: none
  std::array<uint32_t, 3> thread{0, 0, 0};
  /// One finding for each party of a deadlock; empty: only the fields above.
  std::vector<Finding> parties;
};

/// A resident block of threads, resumable between instructions.
struct Cta {
  const Code *code = nullptr;
  const Launch *launch = nullptr;
  DeviceMemory *memory = nullptr;
  const uint8_t *parameters = nullptr; ///< the kernel's parameter block
  std::array<uint32_t, 3> id{0, 0, 0};
  uint64_t linear = 0; ///< index in the grid
  AlignedBuffer shared;
  uint32_t sharedBytes = 0;
  std::vector<Warp> warps;
  std::vector<Barrier> barriers;
  Counters counters;
  std::vector<Counters> instCounters; ///< with Options::annotate
  Recorded recorded = Recorded::Nothing;
  std::vector<std::vector<Step>> steps; ///< by warp, if steps are recorded
  std::vector<ExecutedInsts> executed;  ///< the same
  Fault fault;
  /// Accessed sectors (Recording.h), for the L2 model and recordings.
  std::vector<uint64_t> trace;
  size_t fed = 0; ///< how many the L2 model has seen
  bool tracing = false;
  bool sharedHostMemory = false; ///< other CTAs run at the same time
  Allocation *recent[4] = {nullptr, nullptr, nullptr, nullptr};
  unsigned recentNext = 0;
  uint64_t clock = 0;
  uint64_t random = 0;
  bool varies = false; ///< a seed draws when waits time out and copies land
  Cluster *cluster = nullptr;
  uint32_t rank = 0; ///< in the cluster
  Sanitizer *sanitizer = nullptr;
  bool ended = false; ///< its shared memory is gone
  /// Registers per thread that warps have given back, and the line of the last
  /// setmaxnreg.
  uint32_t freeRegisters = 0, registerLine = 0;
  AsyncState async;
};

/// Records an action of the instruction at the mbarrier of a lane, if the
/// warp's steps are recorded. Lanes at one mbarrier are one step.
void recordAtMbarrier(Warp &warp, StepAction action, const Cta &cta,
                      uint32_t offset, uint32_t value, uint32_t bytes = 0);

/// Records the fault of one lane, which ends the CTA. `kind` is the kind of the
/// sanitizers' finding.
void raiseFault(Warp &warp, const Inst &inst, unsigned lane,
                const std::string &message, const char *kind = "",
                unsigned otherLine = 0);

/// Returns "kernel k, block (x,y,z), thread (x,y,z)".
std::string describeThread(const Warp &warp, unsigned lane);
std::array<uint32_t, 3> threadOfLane(const Warp &warp, unsigned lane);

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_MACHINE_WARP_H
