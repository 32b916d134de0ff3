//===- DecodeGuesses.h - Loads on which only a CAS depends ------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_DECODE_DECODEGUESSES_H
#define FUSION_LIB_EMULATOR_DECODE_DECODEGUESSES_H

#include "Emulator/Decode/ControlFlow.h"

namespace fusion::emulator {

/// Returns, by instruction, the weak loads on whose values only a CAS depends
/// (OrderGuess); nothing if there is no CAS.
std::vector<bool> findGuesses(const Function &function,
                              const ControlFlow &flow);

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_DECODE_DECODEGUESSES_H
