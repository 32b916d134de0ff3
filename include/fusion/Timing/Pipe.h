//===- Pipe.h - Which units execute instructions ----------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TIMING_PIPE_H
#define FUSION_TIMING_PIPE_H

#include "fusion/Target/Chips/ChipTable.h"
#include "fusion/Target/Chips/Microarchitecture.h"
#include "fusion/Timing/Anchor.h"
#include "fusion/Timing/MachineCode.h"

namespace fusion::timing {

/// The units of a sub-partition that instructions are issued to. The memory
/// pipe takes them to units of the SM.
enum class Pipe : uint8_t {
  Control,  ///< branches, barriers, waits, NOP
  F32,      ///< FFMA, FADD, FMUL
  Multiply, ///< IMAD: half of the lanes for F32
  Integer,  ///< IADD3, LOP3, ISETP, FMNMX, ...
  Half,     ///< HFMA2
  Convert,  ///< F2FP
  Special,  ///< MUFU, POPC, F2F, ...
  F64,
  Uniform, ///< the uniform data path
  Tensor,  ///< HMMA, HGMMA, ...
  Memory,  ///< loads, stores, shuffles, copies
};
constexpr unsigned kNumPipes = 11;

/// Returns the name in reports: `f32`, `tensor`.
llvm::StringRef pipeName(Pipe pipe);

/// What the timing needs to know of an instruction.
struct InstTiming {
  Pipe pipe = Pipe::Integer;
  /// Cycles until the pipe takes the next instruction of any warp. Of wgmma the
  /// cycles in the tensor core.
  float interval = 1;
  /// Cycles from the issue until the result is written, if nothing is waited
  /// for; for instructions that set a scoreboard.
  float latency = 0;
  /// Cycles from the issue to that of a dependent instruction of the same
  /// pipe; 0 if the result is waited for with a scoreboard.
  float fixedLatency = 0;
  StepKind kind = StepKind::None;
  bool isShuffle = false;
  bool isLocal = false;      ///< accesses spilled registers
  bool isFence = false;      ///< waits until stores are visible to the block
  bool isWideFence = false;  ///< ... to the chip
  bool commitsGroup = false; ///< the last wgmma of a group, or behind it
  bool readsSharedA = false; ///< wgmma with A in shared memory
  bool commitsBulk = false;  ///< UTMACMDFLUSH
  unsigned sharedBytes = 0;  ///< that a warp's part of wgmma reads
  double flops = 0;          ///< of one warp, multiply-adds count as two
  bool isKnown = true;       ///< whether the opcode is in the table
};

/// Returns the timing of an instruction on a chip.
InstTiming timingOf(const MachineInst &inst, const ChipInfo &chip,
                    const Microarchitecture &micro);

} // namespace fusion::timing

#endif // FUSION_TIMING_PIPE_H
