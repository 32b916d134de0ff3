//===- HandlersAtomic.h - Atomics and reductions ----------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_EXECUTE_HANDLERSATOMIC_H
#define FUSION_LIB_EMULATOR_EXECUTE_HANDLERSATOMIC_H

#include "Emulator/Execute/Operations.h"

namespace fusion::emulator {

/// [d, b, c, address]; a: AtomicOp, b: type, c: address width, d: space, e: bit
/// 0 discards the result.
Handler atomicHandler();

uint64_t applyAtomic(AtomicOp op, Type type, bool flush, uint64_t old,
                     uint64_t b, uint64_t c);

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_EXECUTE_HANDLERSATOMIC_H
