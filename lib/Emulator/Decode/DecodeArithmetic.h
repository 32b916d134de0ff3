//===- DecodeArithmetic.h - Decoding of arithmetic --------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_DECODE_DECODEARITHMETIC_H
#define FUSION_LIB_EMULATOR_DECODE_DECODEARITHMETIC_H

#include "Emulator/Decode/DecodeContext.h"
#include "Emulator/Decode/Modifiers.h"

namespace fusion::emulator {

bool decodeArithmetic(DecodeContext &context, std::string_view root,
                      Modifiers &modifiers);

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_DECODE_DECODEARITHMETIC_H
