//===- ParsedGroup.h - Groups from IR, for tests ----------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function is parsed and all of its linalg operators are taken as one group
// whose result is what the function returns.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_UNITTESTS_ANALYSIS_PARSEDGROUP_H
#define FUSION_UNITTESTS_ANALYSIS_PARSEDGROUP_H

#include "fusion/Analysis/Chains/ReadChain.h"
#include "fusion/Analysis/Groups/GroupAxes.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

namespace fusion::test {

class ParsedGroup {
public:
  explicit ParsedGroup(llvm::StringRef ir) {
    context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                        mlir::linalg::LinalgDialect, mlir::math::MathDialect,
                        mlir::tensor::TensorDialect, fuse::FuseDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(ir, &context);
    if (!module) {
      ADD_FAILURE() << "the test's IR does not parse";
      return;
    }
    for (auto function : module->getOps<mlir::func::FuncOp>()) {
      llvm::SmallVector<mlir::linalg::LinalgOp> operators(
          function.getOps<mlir::linalg::LinalgOp>());
      mlir::FailureOr<GroupAxes> computed =
          readChain(operators, function.front().getTerminator()->getOperands(),
                    [&](const llvm::Twine &why) { reason = why.str(); });
      if (mlir::succeeded(computed))
        axes = std::move(*computed);
    }
  }

  GroupModel &model() { return axes->model; }
  unsigned axis(llvm::StringRef name) { return *model().findAxis(name); }
  unsigned tensor(llvm::StringRef name) { return *model().findTensor(name); }
  /// Names of a tensor's axes, in the order of its dimensions.
  std::string axesOf(llvm::StringRef name) {
    std::string names;
    for (unsigned index : model().tensors[tensor(name)].axes)
      names += model().axes[index].name;
    return names;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::optional<GroupAxes> axes;
  std::string reason; ///< where the operators make no group
};

/// A chain of contractions, M x K0 times K0 x K1 times ..., with an f16 copy of
/// each intermediate; the result is f32.
inline std::string chainIR(llvm::ArrayRef<int64_t> sizes,
                           llvm::StringRef type = "f16") {
  auto tensor = [](int64_t rows, int64_t columns, llvm::StringRef element) {
    return ("tensor<" + llvm::Twine(rows) + "x" + llvm::Twine(columns) + "x" +
            element + ">")
        .str();
  };
  std::string arguments, body;
  int64_t rows = sizes[0];
  std::string value = "%a0";
  for (unsigned i = 0; i + 1 < sizes.size(); ++i)
    arguments += (i ? ", " : "") + ("%a" + llvm::utostr(i)) + ": " +
                 tensor(sizes[i], sizes[i + 1], type);
  unsigned count = sizes.size() - 2;
  for (unsigned i = 0; i < count; ++i) {
    std::string n = llvm::utostr(i);
    std::string in = tensor(rows, sizes[i + 1], type),
                right = tensor(sizes[i + 1], sizes[i + 2], type),
                out = tensor(rows, sizes[i + 2], "f32"),
                copy = tensor(rows, sizes[i + 2], type);
    body += "%e" + n + " = tensor.empty() : " + out + "\n%f" + n +
            " = linalg.fill ins(%z : f32) outs(%e" + n + " : " + out + ") -> " +
            out + "\n%p" + n + " = linalg.matmul ins(" + value + ", %a" +
            llvm::utostr(i + 1) + " : " + in + ", " + right + ") outs(%f" + n +
            " : " + out + ") -> " + out + "\n";
    value = "%p" + n;
    if (i + 1 == count)
      break;
    body += "%g" + n + " = tensor.empty() : " + copy + "\n%h" + n +
            " = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, "
            "affine_map<(i, j) -> (i, j)>], iterator_types = [\"parallel\", "
            "\"parallel\"]} ins(%p" +
            n + " : " + out + ") outs(%g" + n + " : " + copy +
            ") {\n^bb0(%x: f32, %y: " + type.str() +
            "):\n%t = arith.truncf %x : f32 to " + type.str() +
            "\nlinalg.yield %t : " + type.str() + "\n} -> " + copy + "\n";
    value = "%h" + n;
  }
  std::string result = tensor(rows, sizes.back(), "f32");
  return "func.func @chain(" + arguments + ") -> " + result +
         " {\n%z = arith.constant 0.0 : f32\n" + body + "return " + value +
         " : " + result + "\n}\n";
}

} // namespace fusion::test

#endif // FUSION_UNITTESTS_ANALYSIS_PARSEDGROUP_H
