//===- Anchor.h - Instructions that PTX and machine code share --*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas unrolls loops, moves code, and makes one instruction of PTX into many.
// Some instructions it neither makes nor loses: those of the tensor cores,
// copies, barriers, and accesses to memory. Their order in an execution of the
// PTX tells which way a warp took through the machine code.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TIMING_ANCHOR_H
#define FUSION_TIMING_ANCHOR_H

#include "fusion/Emulator/Machine/Recording.h"
#include "fusion/Timing/MachineCode.h"

namespace fusion::timing {

using emulator::Step;
using emulator::StepKind;

/// Returns the kind of steps that an instruction of the machine code executes,
/// or `StepKind::None` if it is no anchor. For both kinds of waits for copies,
/// which have one opcode, it is `AsyncWait`.
StepKind anchorKind(const MachineInst &inst);

/// Returns whether an instruction asks whether an mbarrier's phase is complete.
bool isMbarrierWait(const MachineInst &inst);

} // namespace fusion::timing

#endif // FUSION_TIMING_ANCHOR_H
