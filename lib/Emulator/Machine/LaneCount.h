//===- LaneCount.h - How many lanes a warp has ------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_MACHINE_LANECOUNT_H
#define FUSION_LIB_EMULATOR_MACHINE_LANECOUNT_H

#include "fusion/Target/Chips/Hardware.h"

namespace fusion::emulator {

/// Lanes of a warp. Masks of lanes have one bit for each.
constexpr unsigned kLanes = fusion::kWarpSize;
static_assert(kLanes == 32, "masks of lanes have 32 bits");

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_MACHINE_LANECOUNT_H
