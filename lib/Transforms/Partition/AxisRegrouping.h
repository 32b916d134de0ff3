//===- AxisRegrouping.h - Operators over other loops ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Regroups the loops of operators that pass values to each other. Loops that
// are joined by the values between operators are one axis. An axis is divided
// into *atoms*, which then form new loops. If some operand is indexed only by
// the quotient of the axis by c, the axis has two atoms, of which the second
// has c iterations. An example is `h floordiv 4`, with four query heads to a
// key head.
//
// Atoms that are adjacent wherever any of them occurs, in loops and in tensors,
// can be one loop: no tensor distinguishes them. Tensors are dense, so the
// change from one form to the other is a reshape.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_PARTITION_AXISREGROUPING_H
#define FUSION_LIB_TRANSFORMS_PARTITION_AXISREGROUPING_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace fusion {

class AxisRegrouping {
public:
  using Operators = llvm::SmallVector<mlir::linalg::LinalgOp>;

  /// Divides the loops of `operators` into atoms. The operators are in program
  /// order, and `canRegroup` holds for each. Fails if the loops do not fit
  /// together.
  static mlir::FailureOr<AxisRegrouping> compute(Operators operators);

  /// Returns whether an operator can be regrouped. This requires static sizes
  /// and one result, indexed by a permutation of the parallel loops. Inputs are
  /// indexed by loops or their quotients by constants, or are a contraction's
  /// and read through a window.
  static bool canRegroup(mlir::linalg::LinalgOp op);

  /// Returns whether each result of the map is a loop, or its quotient by a
  /// constant.
  static bool indexesByQuotients(mlir::AffineMap map);
  /// Returns whether `indexesByQuotients` holds and some result is a quotient.
  static bool hasQuotient(mlir::AffineMap map);

  /// Returns whether an operand keeps its form and is indexed by digits of the
  /// new loops, which contractions allow. Its padding, an operator of its own,
  /// stays in front of it.
  static bool isWindow(mlir::linalg::LinalgOp op, mlir::OpOperand &operand);

  /// Returns whether some axis has more than one atom.
  bool takesApart() const;
  /// Joins atoms that no tensor distinguishes. `withIndices`: also atoms whose
  /// indices some operator computes with, which then needs divisions. Returns
  /// whether any atoms become one loop.
  bool join(bool withIndices);
  /// Returns the extents of the atoms of each joined loop: `8 x 4, 2 x 2`.
  std::string describeJoined() const;

  /// The operators over the new loops, each preceded by reshapes of values from
  /// outside. The old operators stay.
  struct Rewritten {
    Operators operators;
    llvm::SmallVector<mlir::Operation *> reshapes;
    /// By old operator: its result in its old shape; null where no operator
    /// outside of the group reads it.
    llvm::SmallVector<mlir::Value> results;
  };
  Rewritten rewrite(mlir::RewriterBase &rewriter) const;
  /// `adopt` replaces the old operators by the new ones; fills and empty
  /// tensors of the old ones are left. `discard` removes the new ones.
  void adopt(mlir::RewriterBase &rewriter, const Rewritten &rewritten) const;
  static void discard(mlir::RewriterBase &rewriter, const Rewritten &rewritten);

private:
  class Rewriting;
  using Group = llvm::SmallVector<unsigned>; ///< atoms of one loop, in order

  static llvm::SmallVector<unsigned> flatten(llvm::ArrayRef<Group> groups);
  mlir::LogicalResult unify();
  llvm::SmallVector<Group> groupsOfOperand(unsigned op,
                                           mlir::OpOperand &operand) const;
  /// Returns the place of an atom in its loop: the loop's first atom, and the
  /// iterations of all atoms inside of this one.
  std::pair<unsigned, int64_t> placeOf(unsigned atom) const;

  Operators operators;
  llvm::SmallVector<llvm::SmallVector<unsigned>> loops; ///< by operator: axes
  llvm::SmallVector<Group> atomsOf;                     ///< by axis
  llvm::SmallVector<int64_t> extents;                   ///< by atom
  /// By atom: the atom that it follows in one loop, or none.
  llvm::SmallVector<std::optional<unsigned>> follows;
};

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_PARTITION_AXISREGROUPING_H
