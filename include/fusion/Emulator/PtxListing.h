//===- PtxListing.h - The instructions of a kernel --------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a model of time needs to know of PTX instructions: opcodes, registers
// and branch targets. Recordings name instructions by their numbers here
// (ExecutedInsts).
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_EMULATOR_PTXLISTING_H
#define FUSION_EMULATOR_PTXLISTING_H

#include "fusion/Emulator/Emulator.h"

namespace fusion::emulator {

struct PtxInst {
  std::string opcode; ///< with modifiers: `ld.global.v4.b32`
  /// Registers, by number. What a guarded instruction writes is among what it
  /// reads, and so are the guard and the accumulators of a wgmma.
  std::vector<uint32_t> reads, writes;
  StepKind step = StepKind::None; ///< how it is recorded
  uint32_t line = 0;              ///< where it ends, as Step::line
  /// The number of the instruction that a branch names.
  std::optional<uint32_t> target;
  bool hasGuard = false;
  bool readsSpecial = false; ///< reads a special register, such as %tid.x
  bool readsVector = false;  ///< operand 1 is a list of registers, `{a, b}`
};

/// A kernel and the functions that it calls, one after the other.
struct PtxListing {
  std::vector<PtxInst> insts;
  uint32_t registers = 0; ///< virtual ones
  /// The most registers of 32 bits that hold values at a time. A compiler needs
  /// about as many.
  uint32_t liveRegisters = 0;
};

/// Returns the listing of a kernel, or nullopt, with `error` set, if it has
/// instructions that the emulator does not know.
std::optional<PtxListing> listPtx(const Program &program,
                                  const std::string &kernel, Error &error);

} // namespace fusion::emulator

#endif // FUSION_EMULATOR_PTXLISTING_H
