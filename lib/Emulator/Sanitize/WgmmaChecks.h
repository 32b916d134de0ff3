//===- WgmmaChecks.h - Registers of wgmma, and setmaxnreg -------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_SANITIZE_WGMMACHECKS_H
#define FUSION_LIB_EMULATOR_SANITIZE_WGMMACHECKS_H

#include "Emulator/Sanitize/Reports.h"
#include "Emulator/Sanitize/ThreadOrder.h"

#include <deque>
#include <vector>

namespace fusion::emulator {

/// Registers of a warp that wgmma uses (PTX ISA, "wgmma.fence").
struct WgmmaRegisters {
  struct Register {
    uint32_t accessEpoch = 0, accessLine = 0; ///< by other instructions
    uint32_t writeEpoch = 0, writeLine = 0;
    uint32_t shapeEpoch = 0, shape = 0; ///< of a wgmma that accumulated there
    /// One more than the last group of a wgmma that uses the register as
    /// accumulator, and as fragment of A.
    uint32_t accumulates = 0, accumulateLine = 0;
    uint32_t feeds = 0, feedLine = 0;
  };
  std::vector<Register> registers;
  uint32_t epoch = 0; ///< wgmma.fence executed
  int64_t waited = 0; ///< groups that were waited for
};

/// The setmaxnreg that a warp has executed.
struct RegisterChanges {
  uint32_t count = 0;
  Record last = 0; ///< its place, and when
};

/// The wgmma instructions of a warpgroup that some of its warps have not
/// executed yet. All warps must execute the same ones, with the same operands
/// in shared memory (PTX ISA, ".aligned").
struct WarpgroupInstructions {
  struct Instruction {
    unsigned line;
    uint64_t a, b; ///< descriptors; 0 for A in registers
    bool scaleD;
    bool operator!=(const Instruction &other) const {
      return line != other.line || a != other.a || b != other.b ||
             scaleD != other.scaleD;
    }
  };
  std::deque<Instruction> instructions;
  uint64_t first = 0; ///< number of the first in `instructions`
  uint64_t count[kWarpgroupWarps] = {}; ///< executed by each warp
  bool isOver = false;                  ///< too many: no longer checked
};

/// Order between wgmma and other uses of their registers, and what all warps of
/// a warpgroup must execute alike.
class WgmmaChecks {
public:
  WgmmaChecks(Cta &cta, Reports &reports, ThreadOrder &order)
      : cta(cta), reports(reports), order(order),
        warps(uint32_t(cta.warps.size())) {}

  /// A warp executes a wgmma.mma_async, with the operands that must be equal in
  /// its warpgroup. `isAlike`: they are equal in all lanes.
  void start(const Warp &warp, const Inst &inst, uint64_t a, uint64_t b,
             bool scaleD, bool isAlike);
  /// A warp executes a fence, commit or wait of wgmma, as all of its warpgroup
  /// must.
  void step(const Warp &warp, const Inst &inst) {
    start(warp, inst, 0, 0, false, true);
  }
  void fence(Warp &warp);
  void wait(Warp &warp, int64_t pending);
  /// An instruction uses registers of wgmma.
  void access(Warp &warp, unsigned lane, const RegisterWatch &watch);
  /// setmaxnreg
  void setRegisters(Warp &warp, const Inst &inst, uint32_t mask);
  /// The CTA has ended.
  void checkRegisters();
  void checkWarpgroups();

private:
  Cta &cta;
  Reports &reports;
  ThreadOrder &order;
  uint32_t warps;
  std::vector<WgmmaRegisters> wgmmaRegisters;               ///< by warp
  std::vector<WarpgroupInstructions> warpgroupInstructions; ///< by warpgroup
  std::vector<RegisterChanges> registerChanges;   ///< by warp
  /// The setmaxnreg of each warpgroup, in order: line and number of registers.
  std::vector<std::vector<std::pair<unsigned, int64_t>>> groupChanges;
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_SANITIZE_WGMMACHECKS_H
