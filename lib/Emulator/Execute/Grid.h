//===- Grid.h - Runs a whole launch -----------------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_EXECUTE_GRID_H
#define FUSION_LIB_EMULATOR_EXECUTE_GRID_H

#include "Emulator/Machine/Code.h"
#include "Emulator/Machine/DeviceMemory.h"

#include "fusion/Emulator/Machine/Launch.h"

namespace fusion::emulator {

/// Runs a whole launch that was checked.
LaunchResult runGrid(const Code &code, const Launch &launch,
                     const Options &options, DeviceMemory &memory,
                     std::vector<uint8_t> parameters);

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_EXECUTE_GRID_H
