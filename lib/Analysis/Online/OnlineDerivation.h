//===- OnlineDerivation.h - How running forms are derived -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_ANALYSIS_ONLINE_ONLINEDERIVATION_H
#define FUSION_LIB_ANALYSIS_ONLINE_ONLINEDERIVATION_H

#include "fusion/Analysis/Online/OnlineReduction.h"
#include "llvm/ADT/Twine.h"

namespace fusion {

/// How a value changes when running reductions change. The change is the same
/// for all elements of a row.
struct ValueChange {
  /// False: the value does not change. Its factor is 1 and its offset 0, for
  /// both of which null stands.
  bool changes = false;
  bool hasFactor = true, hasOffset = true;
  RowExpressionRef factor, offset;

  static ValueChange none() { return {}; }
  static ValueChange unknown() {
    return {true, false, false, nullptr, nullptr};
  }
  static ValueChange byFactor(RowExpressionRef factor) {
    return {true, true, false, std::move(factor), nullptr};
  }
  static ValueChange byOffset(RowExpressionRef offset) {
    return {true, false, true, nullptr, std::move(offset)};
  }
};

/// Returns the operation `kind` on two expressions of rows. A neutral operand
/// (null, one or zero, as the operation has it) leaves the other unchanged.
RowExpressionRef combineRows(RowExpression::Kind kind,
                             const RowExpressionRef &a,
                             const RowExpressionRef &b);

/// Derives the online form of the reductions of a group along one axis.
class OnlineDerivation {
public:
  using Explain = llvm::function_ref<void(const llvm::Twine &)>;

  OnlineDerivation(const GroupAxes &group, unsigned axis, Explain explain,
                   bool ofReductions)
      : group(group), axis(axis), explain(explain), ofReductions(ofReductions) {
    for (auto [index, op] : llvm::enumerate(group.operators))
      definers[op->getResult(0)] = index;
  }

  mlir::FailureOr<OnlineForm> run();

private:
  mlir::LogicalResult decline(unsigned op, const llvm::Twine &reason) {
    mlir::linalg::LinalgOp linalgOp = group.operators[op];
    explain(linalgOp->getName().getStringRef() + " " + reason);
    return mlir::failure();
  }
  bool reducesAxis(unsigned op) const;
  /// Whether factors may be taken out of what an operator sums along the axis.
  bool mayLeave(unsigned op) const;
  bool hasAxis(unsigned op) const {
    return llvm::is_contained(group.loops[op], axis);
  }
  bool dependsOnAxis(mlir::Value scalar, unsigned op);
  bool waitsForLoop(mlir::Value scalar, unsigned op);
  bool waitsForLoop(unsigned op);
  bool keepsRange(mlir::Value scalar, unsigned op) const;
  void defer(unsigned op, mlir::Value scalar,
             std::vector<DeferredFactor> &deferred);
  llvm::StringRef whyNotCorrected() const;
  // How values change (ValueChange.cpp).
  ValueChange changeOf(mlir::Value tensor);
  ValueChange changeOfScalar(mlir::Value scalar, unsigned op);
  ValueChange changeOfOperation(mlir::Operation *inner, unsigned op);

  // Conditional rescaling (RescaleThreshold.cpp).
  void measureRoom();
  std::string whyNotLate() const;
  std::string limitByRounding(mlir::Operation *inner, unsigned op);

  std::optional<unsigned> definer(mlir::Value tensor) const {
    auto it = definers.find(tensor);
    if (it == definers.end())
      return std::nullopt;
    return it->second;
  }
  /// Returns the tensor that an argument of a body stands for.
  mlir::Value tensorOf(mlir::BlockArgument argument, unsigned op) const {
    mlir::linalg::LinalgOp linalgOp = group.operators[op];
    return linalgOp->getOperand(argument.getArgNumber());
  }

  const GroupAxes &group;
  unsigned axis;
  Explain explain;
  bool ofReductions; ///< factors leave sums of reductions, too
  llvm::DenseMap<mlir::Value, unsigned> definers;
  llvm::DenseMap<mlir::Value, ValueChange> changes; ///< by tensor
  OnlineForm form;
  mlir::Operation *whyNotRounded =
      nullptr; ///< the conversion that kept a factor inside
  /// The operation for which it is not proven that a factor is finite, or that
  /// a divisor is not zero.
  mlir::Operation *whyNotTaken = nullptr;
};

} // namespace fusion

#endif // FUSION_LIB_ANALYSIS_ONLINE_ONLINEDERIVATION_H
