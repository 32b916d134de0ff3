//===- Memory.h - What a Memory holds ---------------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_MEMORY_H
#define FUSION_LIB_EMULATOR_MEMORY_H

#include "Emulator/Machine/DeviceMemory.h"

#include "fusion/Emulator/Emulator.h"

namespace fusion::emulator {

struct Memory::Impl : DeviceMemory {};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_MEMORY_H
