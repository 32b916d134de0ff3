//===- StepKinds.h - How instructions are recorded --------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_DECODE_STEPKINDS_H
#define FUSION_LIB_EMULATOR_DECODE_STEPKINDS_H

#include "Emulator/Parse/Module.h"

#include "fusion/Emulator/Machine/Recording.h"

namespace fusion::emulator {

/// Returns the kind of step that an instruction is in a recording.
StepKind stepKind(const Instruction &inst);

/// Returns whether an instruction's accesses of global memory go to L2 without
/// looking into L1: cache operators .cg and .cv, strong accesses, atomics, and
/// bulk copies (PTX ISA, "Cache Operators", "Data Movement").
bool passesL1(const Instruction &inst);

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_DECODE_STEPKINDS_H
