//===- HandlersStack.h - alloca, stacksave, stackrestore --------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses are offsets in local memory; a: their bytes.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_EXECUTE_HANDLERSSTACK_H
#define FUSION_LIB_EMULATOR_EXECUTE_HANDLERSSTACK_H

#include "Emulator/Machine/Code.h"

namespace fusion::emulator {

Handler allocaHandler();       ///< [d, size]; imm: alignment
Handler stackSaveHandler();    ///< [d]
Handler stackRestoreHandler(); ///< [a]

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_EXECUTE_HANDLERSSTACK_H
