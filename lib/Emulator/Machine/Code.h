//===- Code.h - Decoded kernels ---------------------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The code that warps execute. An instruction is a function pointer with
// resolved operand references. All instructions of a kernel and of the
// functions that it calls are in one array. Each function's blocks are in an
// order in which a smaller index means "runs first when lanes diverge".
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_MACHINE_CODE_H
#define FUSION_LIB_EMULATOR_MACHINE_CODE_H

#include "Emulator/Machine/AlignedBuffer.h"
#include "Emulator/Parse/Module.h"

#include "fusion/Emulator/Machine/Recording.h"

#include <deque>
#include <map>

namespace fusion::emulator {

struct Warp;
struct Inst;

/// Executes an instruction for the lanes of `mask` (never 0).
using Handler = void (*)(Warp &warp, const Inst &inst, uint32_t mask);

/// A place that holds one value per lane: a byte offset (multiple of 4) from
/// one of a warp's bases, whose number is in the low two bits. The values of a
/// warp are contiguous in their natural width; a predicate is one mask.
using Ref = uint32_t;
enum Base : uint32_t { BaseFrame = 0, BaseConstant = 1, BaseSpecial = 2 };

enum class Flow : uint8_t {
  Next,    ///< cannot fail
  Checked, ///< may fail or end the lanes
  Hidden,  ///< made by the decoder; not in the program
  Jump,    ///< between blocks; not in the program
  Branch,
  BranchTable, ///< op[0]: index; `targets`
  Call,
  Return,
  Exit,
  WarpSync,    ///< waits for the lanes of op[count - 1] (a membermask)
  WarpAligned, ///< needs every lane of the warp
  Barrier,     ///< suspends lanes; `run` delivers results, may be null
  Wait,        ///< `run` may set Warp::suspended: to be tried again
};

/// What a strong access means to other threads.
enum Order : uint8_t {
  OrderStrong = 1, ///< relaxed, volatile, or an atomic
  OrderAcquire = 2,
  OrderRelease = 4,
  OrderCta = 8,     ///< of scope .cta: for threads of its CTA only
  OrderUpdate = 16, ///< stores a value made of a strong load's
  OrderGuess = 32,  ///< weak, but only a CAS depends on it (DecodeGuesses.cpp)
  OrderCopy = 64,   ///< weak: a cp.async reads until it was waited for
  OrderCluster = 128, ///< of scope .cluster
};

/// Bits of what a fence orders between proxies.
enum ProxyFence : unsigned {
  FenceSharedProxy = 1,
  FenceGlobalProxy = 2,
  FenceInit = 4, ///< fence.mbarrier_init
  FenceTensorMap = 8,
};

/// Inst::imm2 of `st`: the first `b` operands are stored, `a` bytes of each. An
/// operand has `e` bytes per lane.
constexpr int64_t kStoresOperands = -1;

struct Inst {
  Handler run = nullptr;
  const Ref *op = nullptr;
  int64_t imm = 0;     ///< address offset, or the handler's own
  int64_t imm2 = 0;    ///< offset of a second address
  uint32_t target = 0; ///< of a branch or call; a table's first
  uint32_t line = 0;
  uint32_t lastLine = 0; ///< of the PTX instruction
  Ref guard = kNone;
  uint32_t guardFlip = 0; ///< all ones for `@!p`
  Flow flow = Flow::Next;
  uint8_t count = 0;                         ///< operands in `op`
  uint8_t a = 0, b = 0, c = 0, d = 0, e = 0; ///< meaning is the handler's
  uint8_t order = 0;              ///< of strong accesses, bits of Order
  StepKind step = StepKind::None; ///< how it is recorded
  bool passesL1 = false; ///< its accesses of global memory do not look into L1
};

/// An instruction's effect on registers that a wgmma of its function uses as
/// accumulators or fragments of A, for sanitizers. The registers are numbered
/// through all functions.
struct RegisterWatch {
  std::vector<uint32_t> reads, writes;
  bool isProduct = false; ///< reads fragments, reads and writes accumulators
  uint32_t shape = 0;     ///< of a wgmma
  uint32_t line = 0;
};

/// The place of a function's parameter: in the lane's parameter block, or in a
/// register.
struct ParameterPlace {
  bool inRegister = false;
  uint8_t registerBytes = 0;
  Ref reg = 0;
  uint32_t offset = 0;
  uint32_t bytes = 0;
};

/// The copies that a call makes; the callee's places are in its CodeFunction.
struct CallSite {
  uint32_t function; ///< index into Code::functions
  std::vector<ParameterPlace> arguments;
  std::vector<ParameterPlace> results;
};

struct CodeFunction {
  const Function *source = nullptr;
  uint32_t entry = 0;       ///< index of its first instruction
  uint32_t firstNumber = 0; ///< Code::numbers of the body's first one
  uint32_t end = 0;
  uint32_t registerBytes = 0;  ///< of a frame, for all 32 lanes
  uint32_t parameterBytes = 0; ///< of a frame, per lane
  uint32_t localBytes = 0;     ///< of a frame, per lane
  std::vector<ParameterPlace> parameters;
  std::vector<ParameterPlace> results;
};

/// A kernel ready to run.
struct Code {
  const Function *source = nullptr;
  std::vector<Inst> insts;
  /// By instruction: the number of the PTX instruction that begins with it, or
  /// kNone.
  std::vector<uint32_t> numbers;
  std::deque<std::vector<Ref>> operands;
  std::vector<uint32_t> targets; ///< of branch tables
  std::vector<CallSite> calls;
  std::vector<RegisterWatch> watches; ///< only with sanitizers
  uint32_t watchedRegisters = 0;
  std::vector<CodeFunction> functions; ///< [0] is the kernel
  std::vector<uint32_t> functionOf; ///< by index in the module; kNone: unused
  AlignedBuffer constants;          ///< each broadcast to 32 lanes
  uint32_t entryParameterBytes = 0;
  std::vector<uint32_t> entryParameterOffsets;
  uint32_t staticShared = 0;        ///< bytes
  uint32_t reservedShared = 0;      ///< where the system's part begins
  uint32_t reservedSharedBytes = 0; ///< 0: not used
  bool hasGridWorkspace = false;    ///< asks for DeviceMemory::gridWorkspace
  uint32_t dynamicSharedOffset = 0; ///< where `.extern .shared` arrays begin
  bool hasCtaScope = false;         ///< orders with OrderCta
  bool hasNarrowAccess = false;     ///< with OrderCta or OrderCluster
  bool hasNarrowWaits = false;      ///< at mbarriers, with OrderCta
  bool hasInvalidation = false;     ///< mbarrier.inval
  bool hasStack = false;            ///< alloca and its like
  bool hasAtomics = false;
  bool hasUpdates = false;       ///< stores with OrderUpdate
  bool communicates = false;     ///< CTAs may wait for one another
  bool writesAtomically = false; ///< reductions that need host atomics
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_MACHINE_CODE_H
