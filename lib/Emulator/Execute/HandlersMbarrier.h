//===- HandlersMbarrier.h - Instructions of mbarriers -----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses are generic, 64 bits.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_EXECUTE_HANDLERSMBARRIER_H
#define FUSION_LIB_EMULATOR_EXECUTE_HANDLERSMBARRIER_H

#include "Emulator/Machine/Code.h"

namespace fusion::emulator {

enum class MbarrierOp : uint8_t {
  Init,       ///< [count, address]
  Invalidate, ///< [-, address]
  ExpectTx,   ///< [count, address]
  CompleteTx,
  Arrive,      ///< [state, count, tx, address]; a: MbarrierFlags
  Wait,        ///< [p, state or parity, address]; a: MbarrierFlags
  AsyncArrive, ///< cp.async.mbarrier.arrive: [-, address]; a: 1 .noinc
};
enum MbarrierFlags : uint8_t {
  MbarrierDrop = 1,
  MbarrierNoComplete = 2,
  MbarrierHasTx = 4,
  MbarrierParity = 1,
};
Handler mbarrierHandler(MbarrierOp op);
Handler pendingCountHandler(); ///< [d, state]

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_EXECUTE_HANDLERSMBARRIER_H
