//===- CodegenLegality.h - Codegen that a chip can run ----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_LEGALITY_CODEGENLEGALITY_H
#define FUSION_ANALYSIS_LEGALITY_CODEGENLEGALITY_H

#include "fusion/Analysis/Schedules/Codegen.h"
#include "fusion/Target/Chips/ChipTable.h"

namespace fusion {

/// Returns why a chip cannot run blocks of `warps` warps, and `producers`
/// beside them, as `codegen` says, or nullopt.
std::optional<std::string> checkCodegen(const Codegen &codegen, int64_t warps,
                                        int64_t producers,
                                        const ChipInfo &chip);

} // namespace fusion

#endif // FUSION_ANALYSIS_LEGALITY_CODEGENLEGALITY_H
