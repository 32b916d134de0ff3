//===- Passes.td - Passes of the CPU reference -------------*- tablegen -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_REFERENCE_PASSES
#define FUSION_REFERENCE_PASSES

include "mlir/Pass/PassBase.td"

def ReferenceInlineGroups
    : Pass<"reference-inline-groups", "::mlir::ModuleOp"> {
  let summary = "Forget groups and the scripts that formed them";
  let description = [{
    A `fuse.chain` or `fuse.stitch` says which operators become one kernel, not what
    they compute: each is replaced by its body. A partial group, whose result is
    none of its operators', is an error. Scripts of the transform dialect in the
    module are erased.
  }];
  let dependentDialects = ["::fusion::fuse::FuseDialect"];
}

def ReferenceArrangeLoops
    : Pass<"reference-arrange-loops", "::mlir::func::FuncOp"> {
  let summary = "Order the loops of reductions for a CPU";
  let description = [{
    Prepares reductions on tensors for plain loops that run fast on a CPU,
    without changing a number:

    * A narrow input that is read more than once (it does not depend on every
      loop) and is extended in the body is extended once beforehand.
    * Parallel loops come first, then reduction loops. The parallel loop along
      which the output is contiguous becomes the innermost one, so that it is a
      vector operation without a dependence. Inputs that are read more than once
      are transposed to be contiguous along it, too.

    Named reductions become `linalg.generic`; `linalg.pack` and `linalg.unpack`
    become padding, reshaping and transposing.

    Every element of the output still adds its terms in the order of the
    reduction loops.

    Example: the transposed product

    ```mlir
    linalg.generic {indexing_maps = [(m, n, k) -> (m, k), (m, n, k) -> (n, k), (m, n, k) -> (m, n)],
                    iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<8x4xf16>, tensor<16x4xf16>) outs(%c : tensor<8x16xf32>)
    ```

    reads `%a` and a transposed `%b` as f32, with loops (m, k, n).
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def ReferenceParallelizeLoops
    : Pass<"reference-parallelize-loops", "::mlir::ModuleOp"> {
  let summary = "Lower linalg on memrefs to loops, the outermost as a function of a range";
  let description = [{
    Lowers every linalg operation on memrefs to `scf.for`. If an operation is not
    itself in a loop, its leading parallel loops are collapsed into one. If all
    loops are parallel, the innermost one is not collapsed. The body of the
    collapsed loop becomes a private function
    `fusion_parallel_body_N(begin, end, captures...)`, and the operation becomes
    a call of it for the whole range. That call may be replaced by calls for
    parts of the range, in any order and from any threads.

    Example:

    ```mlir
    linalg.generic {…, iterator_types = ["parallel", "parallel"]}
        ins(%a : memref<8x16xf32>) outs(%b : memref<8x16xf32>) {…}
    ```

    becomes

    ```mlir
    call @fusion_parallel_body_0(%c0, %c8, %a, %b)
        : (index, index, memref<8x16xf32>, memref<8x16xf32>) -> ()
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

def ReferenceExpandNarrowFloats
    : Pass<"reference-expand-narrow-floats", "::mlir::ModuleOp"> {
  let summary = "Compute narrow floats in f32 and expand their conversions";
  let description = [{
    Every operation on a type narrower than f32 becomes one in f32 with a rounding
    after it, so that no code generator keeps excess precision.

    A CPU has no instructions for the 8-bit floats, and not every CPU has them
    for bf16. An extension from an 8-bit float becomes a load from a table of
    its 256 values. A truncation to an 8-bit float, and one from f64 to f16 or
    bf16, becomes a call of `fusion_reference_truncate_TYPE(f64)`. That function
    rounds once to nearest even. `math.fma` of types narrower than f32 is
    computed in f64.

    Example:

    ```mlir
    %y = arith.extf %x : f8E4M3FN to f32
    ```

    becomes

    ```mlir
    %table = memref.get_global @fusion_values_f8E4M3FN : memref<256xf32>
    %bits = arith.bitcast %x : f8E4M3FN to i8
    %index = arith.index_castui %bits : i8 to index
    %y = memref.load %table[%index] : memref<256xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def ReferenceGuardDivision
    : Pass<"reference-guard-division", "::mlir::ModuleOp"> {
  let summary = "Keep integer divisions from trapping";
  let description = [{
    A division by zero has no defined value, but on a CPU it ends the program. If the
    divisor is zero, or the quotient would overflow, the divisor becomes one and
    `fusion_reference_undefined()` is called, so that the result is not taken for a
    reference.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def ReferenceGuardIndices
    : Pass<"reference-guard-indices", "::mlir::ModuleOp"> {
  let summary = "Keep gathers inside of their tensors";
  let description = [{
    An element at an index that data gives, and that is outside of its tensor, has
    no defined value, but on a CPU it may end the program. An index that is outside
    becomes zero, and `fusion_reference_undefined()` is called, so that the result is
    not taken for a reference. Indices that are computed from loops and sizes are
    inside.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

def ReferenceReportAssertions
    : Pass<"reference-report-assertions", "::mlir::ModuleOp"> {
  let summary = "Return to the caller where an assertion fails";
  let description = [{
    Upstream's lowering of `cf.assert` ends the process. Here the function calls
    `fusion_reference_refuse(message, left, right)`, with the address of the text and
    the two sides of the comparison, and returns. Its callers return, too.

    Example: `cf.assert %ok, "sizes differ"` becomes

    ```mlir
      cf.cond_br %ok, ^rest, ^leave
    ^leave:
      call @fusion_reference_refuse(%text, %left, %right) : (index, index, index) -> ()
      %nothing = ub.poison : memref<?xf32>
      return %nothing : memref<?xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect",
    "::mlir::ub::UBDialect"
  ];
}

#endif // FUSION_REFERENCE_PASSES
