//===- GroupBuilder.h - Moves operators into a group ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TRANSFORMS_PARTITION_GROUPBUILDER_H
#define FUSION_TRANSFORMS_PARTITION_GROUPBUILDER_H

#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace fusion {

/// What leaves a group of `operators`: the results that something else reads,
/// and those of the last one, in program order.
llvm::SmallVector<mlir::Value>
groupResults(llvm::ArrayRef<mlir::linalg::LinalgOp> operators);

/// Creates a group with copies of `operators`, which are in program order,
/// before the last of them. The group yields `groupResults`. Fills and empty
/// tensors that the operators start from are copied too; every other value from
/// outside becomes an operand, of a chain one for each operator that reads it
/// and for each way it reads it in. Uses are not replaced: call `adoptGroup`
/// for that, or erase the group to take everything back.
template <typename GroupOp>
GroupOp buildGroup(mlir::RewriterBase &rewriter,
                   llvm::ArrayRef<mlir::linalg::LinalgOp> operators);

/// Replaces `groupResults` by the results of `group` and erases the operators,
/// with fills and empty tensors that have become unused. What stood between the
/// operators is moved where it reads results of the group, unless the caller
/// sorts the block itself.
void adoptGroup(mlir::RewriterBase &rewriter, mlir::Operation *group,
                llvm::ArrayRef<mlir::linalg::LinalgOp> operators,
                bool sorts = true);

} // namespace fusion

#endif // FUSION_TRANSFORMS_PARTITION_GROUPBUILDER_H
