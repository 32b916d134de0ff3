//===- HandlersConvert.h - cvt: every conversion ----------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_EXECUTE_HANDLERSCONVERT_H
#define FUSION_LIB_EMULATOR_EXECUTE_HANDLERSCONVERT_H

#include "Emulator/Execute/Operations.h"

namespace fusion::emulator {

/// op: [d, a]; a: FloatFlags, b: Rounding (bit 7: to an integral value), c and
/// d: the types, e: widths of the registers, destination's in the low half.
Handler convertAnyHandler();
/// op: [d, a, b] or [d, a]; types are packed, the source may be F32.
Handler convertPackedHandler();

/// cvt.pack: op: [d, a, b] or [d, a, b, c]; c: the type.
Handler convertPackHandler();

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_EXECUTE_HANDLERSCONVERT_H
