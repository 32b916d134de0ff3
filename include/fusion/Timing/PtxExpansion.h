//===- PtxExpansion.h - What stands for a PTX instruction -------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of machine instructions that ptxas makes of one PTX instruction.
// The timing replays them where there is no machine code to replay.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TIMING_PTXEXPANSION_H
#define FUSION_TIMING_PTXEXPANSION_H

#include "fusion/Emulator/PtxListing.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace fusion::timing {

/// Machine instructions in the order of their issue. Those of a group depend on
/// all of the group before, and not on each other.
struct PtxExpansion {
  /// Opcodes with modifiers: {{"FSETP", "FMUL"}, {"MUFU.EX2"}}. Empty: the
  /// result is a source, or a constant, that needs no instruction.
  std::vector<std::vector<std::string>> groups;
  /// Whether the opcode is in the table. Others are taken for one instruction
  /// of integer arithmetic.
  bool isKnown = true;
};

/// Returns what stands for an instruction.
PtxExpansion expandPtx(const emulator::PtxInst &inst);

} // namespace fusion::timing

#endif // FUSION_TIMING_PTXEXPANSION_H
