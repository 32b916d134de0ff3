//===- CandidateSequences.h - Contractions that may be fused ----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_CHAINROWS_H
#define FUSION_LIB_TRANSFORMS_CHAINROWS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <vector>

namespace fusion {

/// A row of products, each multiplying a value that the one before it makes,
/// with the element-wise operators and reductions before, between and after.
struct CandidateSequence {
  using Operators = llvm::SmallVector<mlir::linalg::LinalgOp>;

  struct Link {
    /// Element-wise, on operands that come from outside.
    Operators before;
    /// What these and the product read besides that nobody else reads, with
    /// reductions among it: a normalisation.
    Operators head;
    mlir::linalg::LinalgOp contraction;
    /// What is computed from the product's values, and what only that reads.
    Operators after;
    /// Other products, with what only they need, whose values operators of
    /// `after` join with this one's: the gate of a gated linear unit.
    Operators joined;
    /// Of `after` the element-wise operators directly behind the product: what
    /// a kernel of the product alone takes in at least.
    Operators directlyAfter;
  };
  std::vector<Link> links;

  /// Operators of links first … last, in program order; of the last one all
  /// that is after it, or only what is directly after it; with the products
  /// that join and the heads, or without them.
  Operators operators(unsigned first, unsigned last, bool all, bool joined,
                      bool heads) const;
  bool hasJoined(unsigned first, unsigned last) const;
  bool hasHead(unsigned first, unsigned last) const;
};

/// The rows of a function, in program order; no operator is in two, and none is
/// of `except`. Remarks say where a row ends and why, where it `explains`.
std::vector<CandidateSequence> collectCandidateSequences(
    mlir::func::FuncOp function,
    const llvm::SmallPtrSetImpl<mlir::Operation *> &except,
    bool explains = true);
/// All of them, without remarks.
std::vector<CandidateSequence>
collectCandidateSequences(mlir::func::FuncOp function);

/// The values that an operation reads, also inside of its regions.
llvm::SetVector<mlir::Value> valuesReadBy(mlir::Operation &op);

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_CHAINROWS_H
