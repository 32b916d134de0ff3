//===- StitchBuilder.h - Analysis of a stitched group -----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_ANALYSIS_STITCHING_STITCHBUILDER_H
#define FUSION_LIB_ANALYSIS_STITCHING_STITCHBUILDER_H

#include "StitchIndices.h"
#include "fusion/Analysis/Stitching/StitchGroup.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"

namespace fusion {

/// Analyses operators as a stitched group: their loops become axes
/// (StitchGroup.cpp), then what they read and write of memory tensors over
/// these (StitchTensors.cpp).
class StitchBuilder {
public:
  StitchBuilder(llvm::ArrayRef<mlir::linalg::LinalgOp> operators,
                mlir::ValueRange results,
                llvm::function_ref<void(const llvm::Twine &)> explain,
                StitchOperators &known)
      : given(operators), results(results), explain(explain), known(known) {
    for (mlir::linalg::LinalgOp op : operators)
      isOne.insert(op);
  }

  mlir::FailureOr<StitchGroup> build() {
    if (mlir::failed(separate()) || mlir::failed(classify()) ||
        mlir::failed(unifyLoops()))
      return mlir::failure();
    findHomes();
    fuseLoops();
    group.components = findComponents();
    if (mlir::failed(collectInputs()) || mlir::failed(collectResults()))
      return mlir::failure();
    describeReaders();
    group.findShared();
    return std::move(group);
  }

private:
  mlir::LogicalResult decline(const llvm::Twine &reason) {
    explain(reason);
    return mlir::failure();
  }
  bool isGiven(mlir::Operation *op) const { return isOne.contains(op); }
  bool isComputed(mlir::Value value) const {
    mlir::Operation *op = value.getDefiningOp();
    return op && !mlir::isa<mlir::linalg::FillOp>(op) && isGiven(op);
  }
  /// Whether a value comes from outside of the operators' group, if they are in
  /// one already.
  static bool isFromOutside(mlir::Value value) {
    mlir::Operation *definer = value.getDefiningOp();
    return !definer ||
           !mlir::isa<fuse::FusedGroupOpInterface>(definer->getParentOp());
  }
  mlir::LogicalResult separate();
  mlir::LogicalResult classify();
  mlir::LogicalResult unifyLoops();
  mlir::LogicalResult collectInputs();
  mlir::LogicalResult collectResults();
  mlir::FailureOr<unsigned> addInput(StitchTensor tensor);
  mlir::FailureOr<StitchTensor> describe(mlir::Value value,
                                         llvm::ArrayRef<unsigned> axes);
  mlir::FailureOr<StitchTensor> describe(unsigned op,
                                         mlir::tensor::ExtractOp extract);
  void setAlignment(StitchTensor &tensor) const;
  StitchGroup::Sources sourcesOf(unsigned op) const;
  llvm::SmallVector<unsigned> findComponents() const;
  void findHomes();
  void fuseLoops();
  void describeReaders();

  llvm::ArrayRef<mlir::linalg::LinalgOp> given;
  llvm::SmallPtrSet<mlir::Operation *, 32> isOne; ///< of the given ones
  mlir::ValueRange results;
  llvm::function_ref<void(const llvm::Twine &)> explain;
  StitchOperators &known;
  StitchGroup group;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<PlacedPart>> placements;
};

} // namespace fusion

#endif // FUSION_LIB_ANALYSIS_STITCHING_STITCHBUILDER_H
