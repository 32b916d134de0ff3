//===- TosaToLinalg.cpp - fuse-tosa-to-linalg ----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "fusion/Transforms/Passes.h"
#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace fusion {
#define GEN_PASS_DEF_FUSETOSATOLINALG
#include "fusion/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;

namespace {

struct TosaToLinalgPass : fusion::impl::FuseTosaToLinalgBase<TosaToLinalgPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      bool hasTosa = false;
      function.walk([&](Operation *op) {
        hasTosa |= isa_and_nonnull<tosa::TosaDialect>(op->getDialect());
      });
      if (!hasTosa)
        continue;
      OpPassManager passes(func::FuncOp::getOperationName());
      passes.addPass(tosa::createTosaMakeBroadcastablePass());
      passes.addPass(tosa::createTosaToLinalgNamed());
      passes.addPass(tosa::createTosaToLinalg());
      TosaToArithPassOptions arith;
      arith.includeApplyRescale = true;
      passes.addPass(createTosaToArithPass(arith));
      passes.addPass(createTosaToTensorPass());
      if (failed(runPipeline(passes, function)) ||
          failed(dropUnitDimensions(function)))
        return signalPassFailure();
    }
  }

  /// TOSA reduces dimensions to one element and multiplies batches of one only;
  /// without these no views stand between operators.
  static LogicalResult dropUnitDimensions(func::FuncOp function) {
    RewritePatternSet patterns(function.getContext());
    linalg::ControlDropUnitDims control;
    linalg::populateFoldUnitExtentDimsPatterns(patterns, control);
    linalg::populateContractionOpRankReducingPatterns(patterns);
    // Fills and empty tensors of that shape at once, not views of others.
    linalg::FillOp::getCanonicalizationPatterns(patterns,
                                                function.getContext());
    tensor::populateFoldTensorEmptyPatterns(patterns);
    return applyPatternsGreedily(function, std::move(patterns));
  }
};

} // namespace
