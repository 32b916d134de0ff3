//===- HandlersBulk.h - Bulk copies, tensor copies, st.async ----*- C++ -*-===//
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

#ifndef FUSION_LIB_EMULATOR_EXECUTE_HANDLERSBULK_H
#define FUSION_LIB_EMULATOR_EXECUTE_HANDLERSBULK_H

#include "Emulator/Machine/Code.h"

namespace fusion::emulator {

enum BulkFlags : uint8_t {
  BulkToGlobal = 1,
  BulkFromGlobal = 2,
  BulkReduces = 4,
  BulkMulticast = 8,
  BulkIm2col = 16,
  BulkMasked = 32,
  BulkPrefetch = 64,
};
/// [destination, source, size, mbarrier, mask of CTAs or bytes]; a: BulkFlags,
/// b: AtomicOp, c: type of a reduction.
Handler bulkCopyHandler();
/// [shared, tensor map, coordinates 0…4, im2col offsets 0…2, mbarrier, mask];
/// d: dimensions, the others as above.
Handler tensorCopyHandler();
Handler bulkCommitHandler();
Handler bulkWaitHandler(); ///< imm: groups that may stay; a: 1 .read
/// [address, mbarrier, values…]; a: bytes of a value, b: AtomicOp, c: type,
/// d: 1 red.async
Handler asyncStoreHandler();
/// Completes the bulk groups of these lanes.
void finishBulkStores(Warp &warp, uint32_t mask);

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_EXECUTE_HANDLERSBULK_H
