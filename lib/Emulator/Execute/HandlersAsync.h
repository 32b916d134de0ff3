//===- HandlersAsync.h - cp.async, ldmatrix and its like --------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_EXECUTE_HANDLERSASYNC_H
#define FUSION_LIB_EMULATOR_EXECUTE_HANDLERSASYNC_H

#include "Emulator/Machine/Code.h"

namespace fusion::emulator {

/// [destination, source, size or predicate]; imm and imm2 their offsets, a:
/// bytes, b: 1 source size, 2 ignore-source predicate, c and d: widths.
Handler asyncCopyHandler();
Handler asyncCommitHandler();
Handler asyncWaitHandler(); ///< imm: groups that may stay, -1: wait_all
/// [registers…, address]; b: matrices, c: address width, a: 1 if generic.
Handler matrixLoadHandler(bool transposed);
Handler matrixStoreHandler(bool transposed);
Handler matrixMoveHandler(); ///< [d, a]: transposed
/// Completes the copies in flight of lanes that end. A copy that an mbarrier
/// awaits is not among them: it completes with its phase, after the thread.
void finishCopies(Warp &warp, uint32_t mask);

/// Completes copies of these lanes that were issued before number `sequence`.
void finishCopiesBefore(Warp &warp, uint32_t mask, uint32_t sequence);

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_EXECUTE_HANDLERSASYNC_H
