//===- DecodeUpdates.h - Stores of what a load gave -------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_DECODE_DECODEUPDATES_H
#define FUSION_LIB_EMULATOR_DECODE_DECODEUPDATES_H

#include "Emulator/Parse/Module.h"

namespace fusion::emulator {

/// Returns, by instruction, the strong stores of values that are made of what
/// a strong load gave (OrderUpdate); nothing if there are none.
std::vector<bool> findUpdates(const Function &function);

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_DECODE_DECODEUPDATES_H
