//===- PtxCode.h - PTX as machine code --------------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where there is no machine code to replay, the PTX that a warp executed is
// replayed: each instruction as those of the table of expansions, in an order
// such as ptxas chooses. They wait for registers in place of scoreboards.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TIMING_PTXCODE_H
#define FUSION_TIMING_PTXCODE_H

#include "fusion/Emulator/PtxListing.h"
#include "fusion/Timing/MachinePath.h"
#include "fusion/Timing/Pipe.h"
#include <deque>
#include <map>

namespace fusion::timing {

class PtxCode {
public:
  /// Makes code for a chip of a kernel's listing.
  PtxCode(const emulator::PtxListing &listing, const std::string &kernel,
          const ChipInfo &chip);
  PtxCode(const PtxCode &) = delete;
  PtxCode &operator=(const PtxCode &) = delete;

  const MachineKernel &kernel() const { return code; }
  /// Opcodes of the PTX that the table lacks.
  const std::vector<std::string> &unknownOpcodes() const { return unknown; }

  /// Returns the path of a warp that executed these instructions and steps. It
  /// lives as long as this.
  const MachinePath *path(const emulator::ExecutedInsts &executed,
                          llvm::ArrayRef<Step> steps);

private:
  class Builder;
  class Tracer;
  /// Instructions that are executed one after the other.
  struct Region {
    unsigned first = 0, end = 0;         ///< PTX instructions
    unsigned firstInst = 0, endInst = 0; ///< of the kernel
  };

  MachineKernel code;
  std::deque<std::string> texts; ///< that opcodes and operands refer to
  std::vector<unsigned> numbers; ///< PTX instruction, by instruction
  /// By instruction: whether it has its PTX instruction's step.
  std::vector<bool> hasStep;
  std::vector<bool> isPhaseWait; ///< by PTX instruction
  std::vector<Region> regions;
  std::vector<unsigned> regionOf; ///< by PTX instruction
  std::vector<std::string> unknown;
  using Key = std::vector<uint32_t>;
  std::map<Key, MachinePath> known;
};

} // namespace fusion::timing

#endif // FUSION_TIMING_PTXCODE_H
