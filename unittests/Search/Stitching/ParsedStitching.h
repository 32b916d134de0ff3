//===- ParsedStitching.h - Stitched groups for tests ------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_UNITTESTS_SEARCH_STITCHING_PARSEDSTITCHING_H
#define FUSION_UNITTESTS_SEARCH_STITCHING_PARSEDSTITCHING_H

#include "fusion/Search/Stitching/StitchSearch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

namespace fusion::test {

class ParsedStitching : public testing::Test {
protected:
  ParsedStitching() {
    context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                        mlir::linalg::LinalgDialect, mlir::math::MathDialect,
                        mlir::tensor::TensorDialect, fuse::FuseDialect>();
  }

  /// Returns the operators of the text's function as a group, or nullopt.
  std::optional<StitchGroup> parse(llvm::StringRef text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return std::nullopt;
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    llvm::SmallVector<mlir::linalg::LinalgOp> operators(
        function.getOps<mlir::linalg::LinalgOp>());
    mlir::FailureOr<StitchGroup> group = StitchGroup::compute(
        operators, function.front().getTerminator()->getOperands(),
        [](const llvm::Twine &) {});
    if (mlir::failed(group))
      return std::nullopt;
    return std::move(*group);
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace fusion::test

#endif // FUSION_UNITTESTS_SEARCH_STITCHING_PARSEDSTITCHING_H
