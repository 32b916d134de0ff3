//===- CandidateSequences.h - Contractions that may be fused ----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_PARTITION_CANDIDATESEQUENCES_H
#define FUSION_LIB_TRANSFORMS_PARTITION_CANDIDATESEQUENCES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <vector>

namespace fusion {

/// A candidate sequence: contractions that each multiply a value computed from
/// the previous one's accumulator, with the element-wise operators and
/// reductions before, between and after them.
struct CandidateSequence {
  using Operators = llvm::SmallVector<mlir::linalg::LinalgOp>;

  struct Link {
    /// Element-wise operators on operands that come from outside.
    Operators before;
    /// The prologue with reductions, such as a normalisation: what `before` and
    /// the contraction read besides, unless other operators read it, too.
    Operators head;
    mlir::linalg::LinalgOp contraction;
    /// Operators on the contraction's values, and what only these read.
    Operators after;
    /// Other contractions, with the operators that only they read, whose values
    /// operators of `after` join with this one's. An example is the gate of a
    /// gated linear unit.
    Operators joined;
    /// The element-wise operators of `after` directly behind the contraction,
    /// which a kernel of this contraction alone includes at least.
    Operators directlyAfter;
  };
  std::vector<Link> links;

  /// Returns the operators of links first … last, in program order. `all`: with
  /// the whole epilogue of the last one instead of `directlyAfter`. `joined`:
  /// with joined contractions. `heads`: with prologues that have reductions.
  Operators operators(unsigned first, unsigned last, bool all, bool joined,
                      bool heads) const;
  bool hasJoined(unsigned first, unsigned last) const;
  bool hasHead(unsigned first, unsigned last) const;
};

/// Returns the candidate sequences of a function, in program order. No operator
/// is in two of them, and none is in `except`. `explains`: emits remarks that
/// say where and why each sequence ends.
std::vector<CandidateSequence> collectCandidateSequences(
    mlir::func::FuncOp function,
    const llvm::SmallPtrSetImpl<mlir::Operation *> &except,
    bool explains = true);
/// Returns all candidate sequences of a function, without remarks.
std::vector<CandidateSequence>
collectCandidateSequences(mlir::func::FuncOp function);

/// Returns the values that an operation reads, also inside of its regions.
llvm::SetVector<mlir::Value> valuesReadBy(mlir::Operation &op);

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_PARTITION_CANDIDATESEQUENCES_H
