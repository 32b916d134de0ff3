//===- VectorExtension.h - Which loops this machine executes ----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_MACHINE_VECTOREXTENSION_H
#define FUSION_LIB_EMULATOR_MACHINE_VECTOREXTENSION_H

#include <cstdint>

namespace fusion::emulator {

/// The vector extensions that loops are compiled for, from narrow to wide.
enum class VectorExtension : uint8_t { Base, V3, V4 };

/// Returns the widest one that this machine executes.
VectorExtension widestExtension();

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_MACHINE_VECTOREXTENSION_H
