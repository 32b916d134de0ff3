//===- HandlersMisc.h - Instructions of no other file -----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_EXECUTE_HANDLERSMISC_H
#define FUSION_LIB_EMULATOR_EXECUTE_HANDLERSMISC_H

#include "Emulator/Execute/Operations.h"

namespace fusion::emulator {

/// [values…, base]: from the kernel's parameters; fields as of load.
Handler parameterLoadHandler();
Handler addressHandler(); ///< [d, a]: d = a + imm, 64 bits
/// [d]: imm + the frame's local memory, in a register of 4 or 8 bytes
Handler localAddressHandler(unsigned bytes);
/// [d]: imm in the CTA's shared memory, in a register of 4 or 8 bytes
Handler sharedAddressHandler(unsigned bytes);
Handler isSpaceHandler(); ///< [p, a]; a: Space
Handler packHandler();    ///< [d, e0, …]; a: elements, b: bytes of one
Handler unpackHandler();  ///< [e0, …, s]; a: elements, b: bytes of one
Handler clockHandler();   ///< [d]; a: bytes
Handler trapHandler();
Handler heapHandler();
Handler barrierResultHandler();     ///< [d]; a: 0 popc, 1 and, 2 or
Handler predicateHandler(IntOp op); ///< And, Or, Xor, Not, Mov of predicates
Handler testpHandler();             ///< [p, a]; a: test, b: bytes
/// Raises a fault: mma.sp must name two of four elements of a row.
void faultMetadata(Warp &warp, const Inst &inst, unsigned row, uint32_t bits);
Handler nothingHandler();
Handler gridWaitHandler();
Handler discardHandler();
Handler fenceHandler(); ///< between threads: does nothing but tell sanitizers
Handler mapAcquireHandler(); ///< [map]: fence.proxy.tensormap, .acquire
Handler proxyFenceHandler(); ///< between proxies; a: ProxyFence

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_EXECUTE_HANDLERSMISC_H
