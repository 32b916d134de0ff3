//===- Exchange.h - What threads pass to one another ------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_CONVERSION_TILETOTHREADS_EXCHANGE_H
#define FUSION_CONVERSION_TILETOTHREADS_EXCHANGE_H

#include "fusion/Conversion/TileToThreads/ThreadBuilder.h"
#include "mlir/IR/BuiltinTypes.h"

namespace fusion {

/// The element of a tile in memory at which the element in register `reg` lies
/// while threads exchange the tile, an index. Neighbours of a thread lie apart,
/// so that those of a warp's lanes lie side by side and meet no bank twice.
mlir::Value exchangePosition(ThreadBuilder &b, mlir::RankedTensorType type,
                             const LinearLayout &layout, int64_t reg);

/// Combines `values`, at least one: pairs of neighbours, then pairs of their
/// results. The order does not depend on how many there are to come, and chains
/// of dependent operations stay short.
mlir::Value
combineTree(Values values,
            llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine);

/// Returns a value of other lanes: calls `exchange`, which returns a word of 32
/// bits of another lane, for each of its words. Values may have any number of
/// bits.
mlir::FailureOr<mlir::Value> exchangeWords(
    ThreadBuilder &b, mlir::Value value,
    llvm::function_ref<mlir::FailureOr<mlir::Value>(mlir::Value)> exchange);

} // namespace fusion

#endif // FUSION_CONVERSION_TILETOTHREADS_EXCHANGE_H
