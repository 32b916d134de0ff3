//===- Targets.h - Targets and their instructions ---------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_PARSE_TARGETS_H
#define FUSION_LIB_EMULATOR_PARSE_TARGETS_H

#include "Emulator/Parse/Module.h"

namespace fusion::emulator {

/// Whether PTX has the target sm_<number><suffix>.
bool isTarget(unsigned number, std::string_view suffix);

/// Returns the least target that has the instruction, such as "sm_90a", if the
/// module's target lacks it; else an empty string.
std::string missingTarget(const Module &module, const Instruction &instruction);

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_PARSE_TARGETS_H
