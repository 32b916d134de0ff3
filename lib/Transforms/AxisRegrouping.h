//===- AxisRegrouping.h - Operators over other loops ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops of operators that hand values to each other are taken apart into
// *atoms* and put together anew. Loops joined by the values between operators
// are one axis. An axis of which some operand is indexed by the quotient by c
// alone
// (`h floordiv 4`: four query heads to a key head) is made of two atoms, of
// which the second has c iterations. Atoms that stand side by side wherever any
// of them stands, in loops and in tensors, can be one loop: no tensor tells
// them apart. Tensors are dense, so going from one form to the other is a
// reshape.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_AXISREGROUPING_H
#define FUSION_LIB_TRANSFORMS_AXISREGROUPING_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace fusion {

class AxisRegrouping {
public:
  using Operators = llvm::SmallVector<mlir::linalg::LinalgOp>;

  /// Takes apart the loops of `operators`, which are in program order and for
  /// which `canRegroup` holds. Fails where they do not fit together.
  static mlir::FailureOr<AxisRegrouping> compute(Operators operators);

  /// Static sizes, one result at a plain permutation of the parallel loops, and
  /// inputs indexed by loops or their quotients by constants, or a product's
  /// through a window.
  static bool canRegroup(mlir::linalg::LinalgOp op);

  /// Whether each result is a loop, or its quotient by a constant.
  static bool indexesByQuotients(mlir::AffineMap map);
  /// The same, and some is a quotient.
  static bool hasQuotient(mlir::AffineMap map);

  /// Whether an operand keeps its form and is read at digits of the new loops,
  /// as products can. Its padding, an operator of its own, stays in front of
  /// it.
  static bool isWindow(mlir::linalg::LinalgOp op, mlir::OpOperand &operand);

  /// Whether some axis has more than one atom.
  bool takesApart() const;
  /// Puts atoms together where no tensor tells them apart. `withIndices`: also
  /// those whose indices some operator computes with, by divisions. Returns
  /// whether anything becomes one loop.
  bool join(bool withIndices);
  /// The extents of what has become one loop: `8 x 4, 2 x 2`.
  std::string describeJoined() const;

  /// The operators over the new loops, before each the reshapes of what comes
  /// from outside; the old ones stay.
  struct Rewritten {
    Operators operators;
    llvm::SmallVector<mlir::Operation *> reshapes;
    /// By old operator: its result in its old shape; null where nobody outside
    /// of the operators reads it.
    llvm::SmallVector<mlir::Value> results;
  };
  Rewritten rewrite(mlir::RewriterBase &rewriter) const;
  /// Puts the new operators in the place of the old ones, of which fills and
  /// empty tensors are left over, or removes them.
  void adopt(mlir::RewriterBase &rewriter, const Rewritten &rewritten) const;
  static void discard(mlir::RewriterBase &rewriter, const Rewritten &rewritten);

private:
  using Group = llvm::SmallVector<unsigned>; ///< atoms of one loop, in order

  static llvm::SmallVector<unsigned> flatten(llvm::ArrayRef<Group> groups);
  mlir::LogicalResult unify();
  llvm::SmallVector<Group> groupsOfOperand(unsigned op,
                                           mlir::OpOperand &operand) const;
  mlir::Value reshape(mlir::RewriterBase &rewriter, mlir::Value value,
                      llvm::ArrayRef<Group> from, llvm::ArrayRef<Group> to,
                      Rewritten &made) const;
  std::pair<unsigned, int64_t> placeOf(unsigned atom) const;
  mlir::AffineMap
  digitMap(mlir::AffineMap map, unsigned op,
           const llvm::SmallDenseMap<unsigned, unsigned> &dimOf) const;
  mlir::Value
  emitIndex(mlir::OpBuilder &b, mlir::Location loc, unsigned axis,
            const llvm::SmallDenseMap<unsigned, unsigned> &dimOf) const;

  Operators operators;
  llvm::SmallVector<llvm::SmallVector<unsigned>> loops; ///< by operator: axes
  llvm::SmallVector<Group> atomsOf;                     ///< by axis
  llvm::SmallVector<int64_t> extents;                   ///< by atom
  /// By atom: that it follows in one loop, or none.
  llvm::SmallVector<std::optional<unsigned>> follows;
};

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_AXISREGROUPING_H
