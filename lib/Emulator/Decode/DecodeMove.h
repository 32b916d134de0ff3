//===- DecodeMove.h - Decoding of comparisons and conversions ---*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_DECODE_DECODEMOVE_H
#define FUSION_LIB_EMULATOR_DECODE_DECODEMOVE_H

#include "Emulator/Decode/DecodeContext.h"
#include "Emulator/Decode/Modifiers.h"

namespace fusion::emulator {

bool decodeCompare(DecodeContext &context, std::string_view root,
                   Modifiers &modifiers);
bool decodeSelect(DecodeContext &context, std::string_view root,
                  Modifiers &modifiers);
bool decodeConvert(DecodeContext &context, Modifiers &modifiers);
bool decodeMove(DecodeContext &context, Modifiers &modifiers);

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_DECODE_DECODEMOVE_H
