//===- EvictFirstAccess.h - Evict-first accesses ----------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vectors of elements that are touched once (PTX ISA, "Cache Operators" and
// "ld"): `.L1::no_allocate` loads without a place in the L1, `.cs` stores what
// is likely to be touched once. LLVM has neither for accesses of its own, so
// that they are pieces of PTX.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOGPU_EVICTFIRSTACCESS_H
#define FUSION_LIB_CONVERSION_TILETOGPU_EVICTFIRSTACCESS_H

#include "fusion/Conversion/TileToThreads/ThreadBuilder.h"

namespace fusion {

/// Whether there are evict-first accesses of such vectors: of 16 to 128 bits, a
/// power of two.
bool canEvictFirst(mlir::VectorType type);
/// Loads a vector at `position`, elements, of `memory`, a memref, without a
/// place in the L1.
mlir::Value loadEvictFirst(ThreadBuilder &b, mlir::Value memory,
                           mlir::VectorType type, mlir::Value position);
/// Stores a vector at `position`, elements, of `memory`, a memref, to be
/// evicted first.
void storeEvictFirst(ThreadBuilder &b, mlir::Value memory, mlir::Value vector,
                     mlir::Value position);

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOGPU_EVICTFIRSTACCESS_H
