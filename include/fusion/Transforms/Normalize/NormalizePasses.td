//===- NormalizePasses.td - Programs in normal form --------*- tablegen -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TRANSFORMS_NORMALIZE_NORMALIZEPASSES
#define FUSION_TRANSFORMS_NORMALIZE_NORMALIZEPASSES

include "mlir/Pass/PassBase.td"

def FuseTensorToLinalg : Pass<"fuse-tensor-to-linalg"> {
  let summary = "Make linalg operators of other dialects' operations on tensors";
  let description = [{
    Operations of `arith` and `math` on whole tensors become element-wise
    `linalg.generic`, `tensor.splat` becomes `linalg.fill`, `tensor.bitcast` and
    `tensor.from_elements` become `linalg.generic`, and a `tensor.reshape` between
    static shapes becomes `tensor.collapse_shape` and `tensor.expand_shape`.

    Example: `arith.addf %a, %b : tensor<8xf32>` becomes

    ```mlir
    linalg.generic {…} ins(%a, %b : tensor<8xf32>, tensor<8xf32>)
                       outs(%a : tensor<8xf32>) {… arith.addf …}
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def FuseTosaToLinalg : Pass<"fuse-tosa-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Lower TOSA by upstream's passes";
  let description = [{
    Functions with operations of TOSA become linalg, arith and tensor by
    upstream's conversions, and lose the dimensions of one element that TOSA
    leaves where it reduces. Other functions do not change.

    Example: `tosa.tanh %x : (tensor<8xf32>) -> tensor<8xf32>` becomes

    ```mlir
    linalg.generic {…} ins(%x : tensor<8xf32>) outs(…) {… math.tanh …}
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def FuseExplicitNumerics : Pass<"fuse-explicit-numerics"> {
  let summary = "Write the rules of accumulation and rounding into the IR";
  let description = [{
    The unfused IR does not say in which type a contraction or a sum
    accumulates; upstream's lowerings take the type of `outs`. Here it is read
    as the GPU computes it, and this pass makes that reading explicit, so that
    the compiler and the reference start from the same program:

    * A sum is a contraction, or a reduction or pooling whose combiner is an
      addition. A sum into f16, bf16 or an 8-bit float accumulates in f32 and
      rounds once, at the end, by a separate `linalg.generic`. The initial value
      is extended first. A sum into i8 accumulates in i32 and is truncated once.
      A reduction that multiplies floats accumulates and rounds as a sum does:
      the order of its factors is not fixed either, and would show in every
      intermediate rounding.
    * The products of a contraction are formed in the accumulator's type from
      the narrow inputs. Anything else in a body stays in its own type: an
      element-wise chain of f16 operations rounds after each.
    * `linalg.softmax` is decomposed. Its interior is f32 (f64 for f64): the
      input is extended, and the quotient is rounded once to the result's type.
    * An exponential of the difference from its row's maximum, divided by the sum of
      the row's exponentials, is multiplied by the sum's reciprocal instead. Where
      the exponentials are only summed and rounded to f16, `fuse.flush` on them says
      that results below the normal numbers may be zero.
    * A Winograd transform becomes two contractions with constant matrices, one for
      the rows and one for the columns of all tiles. The rules above hold for them.
    * Where several iterations of a `linalg.generic` write one element, they run in
      the order of its loops: a loop that does not index every result is a
      reduction.
    * These do not change: sums into f32, f64, i32 and i64, reductions that are
      maxima or minima, products of integers, and the rounding of every value that
      the IR materialises.

    Options become attributes of the module, which allow kernels other arithmetic:

    * `f32-products=tf32` (`fuse.f32_products`): tensor cores may multiply f32 factors
      rounded to tf32 (10 bits of fraction, ties away from zero);
    * `f32-products=tf32-cut`: f32 factors may be rounded or truncated to tf32. wgmma
      truncates factors that it reads from shared memory;
    * `f8-products=coarse` (`fuse.f8_products`): products of 8-bit floats may be added
      up in fewer bits than f32 has, as by wgmma;
    * `exponentials=guarded`, the default, `difference` or `fma`
      (`fuse.exponentials`): read by `tile-fold-exponentials`.

    The reference multiplies and adds f32 with all of them.

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
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::fusion::fuse::FuseDialect"
  ];
  let options = [
    Option<"f32Products", "f32-products", "std::string", /*default=*/[{""}],
           "How f32 factors are multiplied: f32, rounded to tf32 (tf32), or rounded or "
           "truncated to tf32 (tf32-cut) (default: the module's fuse.f32_products, else "
           "f32)">,
    Option<"f8Products", "f8-products", "std::string", /*default=*/[{""}],
           "How products of 8-bit floats are added up: f32, or coarse (default: the "
           "module's fuse.f8_products, else f32)">,
    Option<"exponentials", "exponentials", "std::string", /*default=*/[{""}],
           "How the exponential of a difference is computed: difference, its scale and "
           "log2(e) in one fma, or so where that is as exact (guarded) (default: the "
           "module's fuse.exponentials, else guarded)">
  ];
  let statistics = [
    Statistic<"numWidened", "sums-widened", "Sums given a wider accumulator">,
    Statistic<"numDecomposed", "operators-decomposed", "Aggregated operators decomposed">,
    Statistic<"numWeights", "softmax-weights", "Quotients that became products with a reciprocal">
  ];
}

def FuseCheckInitialized : Pass<"fuse-check-initialized"> {
  let summary = "Warn of operations that read tensors without values";
  let description = [{
    The elements of `tensor.empty` have no defined value. An operator that
    accumulates into its outs, such as `linalg.matmul`, reads them, and so does a
    body that uses such an operand, `tensor.concat`, `tensor.pad`, and a function
    that returns it. The pass warns at the operation where the operand is
    `tensor.empty`, seen through reshapes, casts and slices. It changes nothing.

    Example:

    ```mlir
    %e = tensor.empty() : tensor<4x4xf32>
    // warning: 'linalg.matmul' accumulates into outs that are not initialised: …
    %r = linalg.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>)
                       outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
    ```
  }];
}

def FuseCheckSizes : Pass<"fuse-check-sizes"> {
  let summary = "Assert that the sizes of dynamic operands fit together";
  let description = [{
    The sizes that several operands have along one loop of an operator must be equal.
    An operand that is read at sums of loops (the window of a convolution) must be
    large enough for the largest sum. Casts to static shapes and `tensor.expand_shape`
    have assertions, too. There is no assertion where the types, the operations that
    make the tensors, or an earlier assertion guarantee the sizes.

    On a GPU the assertions become the conditions (`requires`) of the plan; the CPU
    reference reports them. Indices that are no sums of loops and positive
    multiples of them are not checked.

    Example: before `linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) …`

    ```mlir
    %k0 = tensor.dim %a, %c1 : tensor<?x?xf32>
    %k1 = tensor.dim %b, %c0 : tensor<?x?xf32>
    %ok = arith.cmpi eq, %k1, %k0 : index
    cf.assert %ok, "in.mlir:2:8: linalg.matmul: dimension 0 of input 1 must be equal to dimension 1 of input 0"
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::tensor::TensorDialect"
  ];
}

def FuseNormalize : Pass<"fuse-normalize", "::mlir::ModuleOp"> {
  let summary = "Bring a module into the form that groups are made of";
  let description = [{
    After this pass every operator of a function is a linalg operator on tensors:

    * `tensor.pad`, `tensor.extract_slice`, `tensor.insert_slice`, `tensor.concat`
      and `tensor.generate` become `linalg.generic` that read at a computed index;
      `linalg.pack` and `linalg.unpack` become these and transposes;
    * a contraction or another reduction starts from zero, or from the identity of its
      combiner. An element-wise operator afterwards combines its result with the data
      that it started from;
    * an element-wise operator that reads the tensor that its result starts from has
      that tensor as an operand;
    * an operator that reads the results of an element-wise operator by index computes
      the elements itself, if it reads no more elements than that operator makes.
      Examples are one element picked from each row, slices of gathered rows, and
      tensors that are padded or concatenated for other operators than contractions.
      Elements at the reading operator's own place are an operand;
    * a reduction along a concatenation of computed values becomes a reduction of each
      piece, combined by an element-wise operator;
    * a convolution has no loop over an extent of one of its filter: one with a 1 x 1
      filter is a contraction;
    * the conversion of a filled tensor is a filled tensor of the other type, and an
      operator that reads a filled tensor reads the number;
    * a tensor that an element-wise operator overwrites without reading is an empty
      tensor;
    * an operator with several results becomes one operator for each result, if no
      result depends on the running values of the others;
    * a scalar that a body uses from outside of its operator becomes an operand, unless
      it is a constant. A scalar that is computed from floating-point numbers is
      computed in the body instead, since plans compute with integers only.

    `tensor.expand_shape` and `tensor.collapse_shape` stay: they are views for the host
    plan (`fuse-fold-reshapes` moves them out from between operators). Any other
    operation on tensors is an error.

    ```mlir
    %c = linalg.matmul ins(%a, %b : …) outs(%bias : tensor<8x16xf32>) -> …
    ```

    becomes

    ```mlir
    %zero = linalg.fill ins(%c0 : f32) outs(%empty : tensor<8x16xf32>) -> …
    %p = linalg.matmul ins(%a, %b : …) outs(%zero : tensor<8x16xf32>) -> …
    %c = linalg.generic {…} ins(%p, %bias : …) outs(%empty : …) {… arith.addf …}
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def FuseFoldReshapes : Pass<"fuse-fold-reshapes", "::mlir::func::FuncOp"> {
  let summary = "Take reshapes out from between operators that one kernel could hold";
  let description = [{
    A reshape between two operators moves nothing, but a group is made of tensors
    that its operators index alike. Where front ends keep reduced dimensions, or
    compute by rows in one place and by batches and rows in another, operators that
    are neither contractions nor convolutions change:

    * loops of one iteration are removed, where reshapes separate an operator and its
      neighbours from all contractions;
    * if connected operators have more loops than a tile has dimensions, loops that
      are adjacent in all of their operands become one;
    * an operator that reads an expanded tensor, or whose result is collapsed, gets
      fewer loops. The reshape moves to its other side, until it meets its inverse or
      the function's boundary;
    * that is impossible if one operator needs two loops where another one has a single
      loop (the heads of a row). Then the single loop is split, if it is parallel, and
      so are the loops of all neighbours.

    An operator does not change if the reshape would only move to another place, since
    a neighbour cannot change. Such neighbours are contractions of the higher rank,
    operators that need the loops apart, and bodies that compute with an index.

    ```mlir
    %e = tensor.expand_shape %p [[0, 1], [2]] : tensor<24x96xf32> into tensor<2x12x96xf32>
    %g = linalg.generic {… (b, l, n) -> (b, l, n) …} ins(%e : …) outs(… : tensor<2x12x96xf32>) {… math.tanh …}
    %c = tensor.collapse_shape %g [[0, 1], [2]] : tensor<2x12x96xf32> into tensor<24x96xf32>
    ```

    becomes

    ```mlir
    %c = linalg.generic {… (m, n) -> (m, n) …} ins(%p : tensor<24x96xf32>) outs(…) {… math.tanh …}
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def ClearFastMath : Pass<"clear-fast-math"> {
  let summary = "Drop every fast-math flag";
  let description = [{
    Every operation rounds where the IR says so. Flags of the input would let later
    passes drop roundings or contract operations, and upstream's emulation of narrow
    types sets `contract` on the very conversions that are the roundings.

    Example: `arith.truncf %x fastmath<contract> : f32 to f16` becomes
    `arith.truncf %x : f32 to f16`.
  }];
}

#endif // FUSION_TRANSFORMS_NORMALIZE_NORMALIZEPASSES
