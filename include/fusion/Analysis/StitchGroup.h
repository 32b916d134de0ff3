//===- StitchGroup.h - Axes of a stitched group -----------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory-intensive operators of one kernel (FusionStitching, section IV): their
// loops unified to axes through the values between them and the inputs they
// share, and which of the axes are reduced.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_STITCHGROUP_H
#define FUSION_ANALYSIS_STITCHGROUP_H

#include "fusion/Analysis/GroupAxes.h"

namespace fusion {

struct StitchAxis {
  std::string name;
  int64_t extent;
  /// Some operator combines values along it: a block has all of it.
  bool isReduced = false;
};

/// A tensor that is read from or written to global memory.
struct StitchTensor {
  mlir::Value value;                   ///< an input or what an operator makes
  llvm::SmallVector<unsigned, 4> axes; ///< by dimension
  unsigned elementBytes;
  /// Bytes that every row's start is a multiple of, at most 16.
  unsigned alignment;
};

struct StitchGroup {
  llvm::SmallVector<StitchAxis> axes;
  /// In program order, without fills.
  llvm::SmallVector<mlir::linalg::LinalgOp> operators;
  /// By operator: the axis of each of its loops.
  llvm::SmallVector<llvm::SmallVector<unsigned>> loops;
  /// By operator: what it combines, none where it is element-wise.
  llvm::SmallVector<std::optional<ReductionBody>> reductions;
  llvm::SmallVector<StitchTensor> inputs;
  /// By result of the group.
  llvm::SmallVector<StitchTensor> results;

  /// Analyses a group of element-wise operators and reductions with static
  /// sizes; operands made by none of them are inputs. Says through `explain`
  /// why there is no tile program for others.
  static mlir::FailureOr<StitchGroup>
  compute(llvm::ArrayRef<mlir::linalg::LinalgOp> operators,
          mlir::ValueRange results,
          llvm::function_ref<void(const llvm::Twine &)> explain);

  std::optional<unsigned> findAxis(llvm::StringRef name) const;
  /// The operator that makes `value`, if it is one of the group's.
  std::optional<unsigned> definer(mlir::Value value) const;
  /// The axes that index an operand of an operator, by dimension.
  llvm::SmallVector<unsigned, 4> axesOf(unsigned op,
                                        mlir::OpOperand *operand) const;
  llvm::SmallVector<unsigned, 4> resultAxes(unsigned op) const;
};

} // namespace fusion

#endif // FUSION_ANALYSIS_STITCHGROUP_H
