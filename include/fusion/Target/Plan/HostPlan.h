//===- HostPlan.h - A function of launches as a plan ------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_PLAN_HOSTPLAN_H
#define FUSION_TARGET_PLAN_HOSTPLAN_H

#include "fusion/Dialect/Tile/IR/TileDialect.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fusion {

/// A buffer of the plan: an argument, a result, a temporary or a constant.
struct PlanBuffer {
  PlanBuffer(std::string name, mlir::Value value, unsigned launch)
      : name(std::move(name)), value(value), firstUse(launch), lastUse(launch) {
  }

  std::string name;
  mlir::Value value; ///< that defines it
  unsigned firstUse; ///< launches that touch it, by number
  unsigned lastUse;
  std::string bytes; ///< expression
  std::optional<int64_t> staticBytes;
  std::optional<int64_t> offset; ///< of a temporary in the workspace
};

/// A condition on sizes.
struct PlanCondition {
  std::string left, right; ///< expressions
  bool isEqual;            ///< left = right, otherwise left ≤ right
  std::string message;
};

/// The text of `a op b`, or of `op(a, b)` for an op of several letters; a
/// number where both are, so that static plans hold numbers. Multiplication by
/// 1 is left out.
std::string combineExpressions(llvm::StringRef op, const std::string &a,
                               const std::string &b);

/// Returns the bytes of all elements in memory order, little endian.
std::string bytesOfElements(mlir::DenseElementsAttr dense);

/// What a function of launches asks of the host.
class HostPlan {
public:
  explicit HostPlan(mlir::func::FuncOp function) : function(function) {}

  /// Names all buffers and places the temporaries. `constants` are those of the
  /// module so far; the function's are added.
  mlir::LogicalResult
  build(llvm::SmallVectorImpl<mlir::DenseElementsAttr> &constants);

  mlir::func::FuncOp function;
  llvm::SmallVector<tile::LaunchOp> launches;
  llvm::SmallVector<PlanBuffer> temporaries;
  llvm::SmallVector<PlanCondition> conditions;
  /// By result: the buffer that it is, where that is not "resultI".
  llvm::SmallVector<std::string> resultAlias;

  /// The buffer behind a tensor; views have that of what they view.
  llvm::StringRef bufferOf(mlir::Value tensor) const;
  /// Sizes and integer scalars as expressions over the sizes of arguments.
  /// Fails with a diagnostic on what no expression can say.
  mlir::FailureOr<std::string> expression(mlir::Value value) const;
  mlir::FailureOr<std::string> size(mlir::Value tensor,
                                    int64_t dimension) const;

private:
  mlir::FailureOr<std::string> bytesOf(mlir::Value tensor) const;
  mlir::LogicalResult
  nameRoots(llvm::SmallVectorImpl<mlir::DenseElementsAttr> &constants);
  void placeTemporaries();
  mlir::LogicalResult addCondition(mlir::cf::AssertOp op);

  llvm::DenseMap<mlir::Value, std::string> names; ///< by root
};

} // namespace fusion

#endif // FUSION_TARGET_PLAN_HOSTPLAN_H
