//===- HandlersWarp.h - Exchange of values in a warp ------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_EXECUTE_HANDLERSWARP_H
#define FUSION_LIB_EMULATOR_EXECUTE_HANDLERSWARP_H

#include "Emulator/Execute/Operations.h"

namespace fusion::emulator {

Handler shuffleHandler(ShuffleMode mode);       ///< [d, p, a, b, c, membermask]
Handler voteHandler(VoteMode mode);             ///< [d, a, membermask]
Handler matchHandler(bool all, unsigned bytes); ///< [d, p, a, membermask]
Handler reduxHandler(AtomicOp op, Type type);   ///< [d, a, membermask]
/// redux.sync of .f32: [d, a, membermask]
Handler reduxFloatHandler(AtomicOp op, bool isAbsolute, bool propagatesNaN);
Handler activemaskHandler(); ///< [d]
Handler electHandler();      ///< [d, p, membermask]

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_EXECUTE_HANDLERSWARP_H
