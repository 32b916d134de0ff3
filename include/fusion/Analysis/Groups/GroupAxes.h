//===- GroupAxes.h - The axes of a group, from its operators --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_GROUPS_GROUPAXES_H
#define FUSION_ANALYSIS_GROUPS_GROUPAXES_H

#include "fusion/Analysis/Groups/GroupModel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <memory>

namespace fusion {

struct OnlineForm;

/// The plain model of a chain and the IR that it describes.
struct GroupAxes {
  GroupModel model;

  /// The operators in program order, without fills.
  llvm::SmallVector<mlir::linalg::LinalgOp> operators;
  /// By operator: the axis of each of its loops.
  llvm::SmallVector<llvm::SmallVector<unsigned>> loops;
  /// By operator: the contraction that it is, or nullopt.
  llvm::SmallVector<std::optional<unsigned>> contractionOf;
  /// By operator: the reduction that it is, or nullopt.
  llvm::SmallVector<std::optional<unsigned>> reductionOf;
  /// Returns the operator that is this reduction.
  unsigned operatorOf(unsigned reduction) const {
    return llvm::find(reductionOf, std::optional(reduction)) -
           reductionOf.begin();
  }
  /// By operator: the contraction that an element-wise operator or a reduction
  /// follows, directly or through others. Operators before the first
  /// contraction have none.
  llvm::SmallVector<std::optional<unsigned>> followsContraction;
  /// By operator: the row statistics that a reduction before a contraction
  /// belongs to. For an element-wise operator on rows, the row statistics after
  /// which it is evaluated.
  llvm::SmallVector<std::optional<unsigned>> statisticsOf;
  /// By tensor of the model: the value that it stands for. For an input it is
  /// the value from outside of the operators (of a padded input, the value
  /// before padding). For a contraction's result it is the result of the
  /// operation.
  llvm::SmallVector<mlir::Value> values;
  /// By tensor of the model: the value that the next contraction reads or the
  /// group stores, after the element-wise operators that follow the
  /// contraction. The value in `values` for inputs.
  llvm::SmallVector<mlir::Value> finalValues;
  /// By result of the group: its tensor.
  llvm::SmallVector<unsigned> resultTensors;
  /// The online forms of `model.online`, with null for an axis that has none.
  llvm::SmallVector<std::shared_ptr<const OnlineForm>, 1> onlineForms;

  /// The tensor of the model for an input value or a contraction's result.
  llvm::DenseMap<mlir::Value, unsigned> tensorOf;
};

} // namespace fusion

#endif // FUSION_ANALYSIS_GROUPS_GROUPAXES_H
