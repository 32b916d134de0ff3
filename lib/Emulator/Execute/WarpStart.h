//===- WarpStart.h - Begins warps and enters frames -------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_EXECUTE_WARPSTART_H
#define FUSION_LIB_EMULATOR_EXECUTE_WARPSTART_H

#include "Emulator/Machine/Warp.h"

namespace fusion::emulator {

/// Makes a frame that of the running group.
void enterFrame(Warp &warp, uint32_t index);
/// Begins a warp of a block that starts.
void startWarp(Cta &cta, uint32_t index);

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_EXECUTE_WARPSTART_H
