//===- Passes.td - Transformation passes -------------------*- tablegen -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TRANSFORMS_PASSES
#define FUSION_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def FuseExplicitNumerics : Pass<"fuse-explicit-numerics"> {
  let summary = "Write the rules of accumulation and rounding into the IR";
  let description = [{
    The unfused IR does not say in which type a contraction or a sum
    accumulates; upstream's lowerings take the type of `outs`. Here it is read
    as the GPU computes it, and this pass makes that reading explicit, so that
    the compiler and the reference start from the same program:

    * A sum (a contraction, a reduction or pooling whose combiner is an
      addition) into f16, bf16 or an 8-bit float accumulates in f32 and rounds
      once, at the end, by a separate `linalg.generic`. The initial value is
      extended first. A sum into i8 accumulates in i32 and is truncated once.
    * The products of a contraction are formed in the accumulator's type from
      the narrow inputs. Anything else in a body stays in its own type: an
      element-wise chain of f16 operations rounds after each.
    * `linalg.softmax` is decomposed. Its interior is f32 (f64 for f64): the
      input is extended, and the quotient is rounded once to the result's type.
    * Winograd transforms are decomposed into their products, for which the
      rules above hold.
    * Sums into f32, f64, i32 and i64, maxima, minima and products of a
      reduction stay as they are, and so does the rounding of every value that
      the IR materialises.

    A named contraction or convolution stays the same named operation with a
    wider `outs`, so that later passes recognise it; `linalg.reduce` and bodies
    that must change become or stay `linalg.generic`. The pass is idempotent.
    It works on tensors; an operation of the linalg dialect on memrefs is an
    error.

    Example:

    ```mlir
    %c = linalg.matmul ins(%a, %b : tensor<8x4xf16>, tensor<4x16xf16>)
                       outs(%init : tensor<8x16xf16>) -> tensor<8x16xf16>
    ```

    becomes

    ```mlir
    %0 = tensor.empty() : tensor<8x16xf32>
    %1 = linalg.generic {…} ins(%init : tensor<8x16xf16>)
                            outs(%0 : tensor<8x16xf32>) {… arith.extf …}
    %2 = linalg.matmul ins(%a, %b : tensor<8x4xf16>, tensor<4x16xf16>)
                       outs(%1 : tensor<8x16xf32>) -> tensor<8x16xf32>
    %3 = tensor.empty() : tensor<8x16xf16>
    %c = linalg.generic {…} ins(%2 : tensor<8x16xf32>)
                            outs(%3 : tensor<8x16xf16>) {… arith.truncf …}
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numWidened", "sums-widened", "Sums given a wider accumulator">,
    Statistic<"numDecomposed", "operators-decomposed", "Aggregated operators decomposed">
  ];
}

#endif // FUSION_TRANSFORMS_PASSES
