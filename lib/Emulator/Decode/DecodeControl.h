//===- DecodeControl.h - Decoding of control and barriers -------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_DECODE_DECODECONTROL_H
#define FUSION_LIB_EMULATOR_DECODE_DECODECONTROL_H

#include "Emulator/Decode/DecodeContext.h"
#include "Emulator/Decode/Modifiers.h"

namespace fusion::emulator {

bool decodeControl(DecodeContext &context, std::string_view root,
                   Modifiers &modifiers);
bool decodeCall(DecodeContext &context, Modifiers &modifiers);
bool decodeBarrier(DecodeContext &context, std::string_view root,
                   Modifiers &modifiers);
bool decodeWarp(DecodeContext &context, std::string_view root,
                Modifiers &modifiers);

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_DECODE_DECODECONTROL_H
