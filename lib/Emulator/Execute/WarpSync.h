//===- WarpSync.h - Lanes that meet by a membermask -------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_EXECUTE_WARPSYNC_H
#define FUSION_LIB_EMULATOR_EXECUTE_WARPSYNC_H

#include "Emulator/Machine/Warp.h"

namespace fusion::emulator {

/// Executes an instruction with a membermask for lanes `mask` of the running
/// group. Returns the lanes that continue, none if all of them wait. Joins
/// lanes that are at another bar.warp.sync.
uint32_t synchronizeLanes(Warp &warp, const Inst &inst, uint32_t mask);

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_EXECUTE_WARPSYNC_H
