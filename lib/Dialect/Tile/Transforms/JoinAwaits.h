//===- JoinAwaits.h - Buffers that are awaited together ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_DIALECT_TILE_TRANSFORMS_JOINAWAITS_H
#define FUSION_LIB_DIALECT_TILE_TRANSFORMS_JOINAWAITS_H

#include "fusion/Dialect/Tile/IR/TMACopies.h"
#include "llvm/ADT/MapVector.h"

namespace fusion::tile {

/// Finds buffers that TMA copies fill side by side and whose copies are awaited
/// one right after the other: one mbarrier serves both. Erases the waits of the
/// second buffer. Returns for every joined buffer the one whose mbarriers it
/// shares.
llvm::MapVector<AllocOp, AllocOp> joinAwaits(KernelOp kernel);

} // namespace fusion::tile

#endif // FUSION_LIB_DIALECT_TILE_TRANSFORMS_JOINAWAITS_H
