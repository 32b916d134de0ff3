//===- Passes.td - Conversions between dialects -------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_CONVERSION_PASSES
#define FUSION_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def FuseLowerToTile : Pass<"fuse-lower-to-tile", "::mlir::ModuleOp"> {
  let summary = "Turn scheduled groups into block programs and a host plan";
  let description = [{
    Every group becomes a `tile.kernel` at the end of the module and a `tile.launch`
    in its place. The group's `#fuse.schedule` decides everything about the kernel:

    * loops and statements follow from the tiling expression, loops bound to the grid
      from the block's index;
    * placements and transports of tiles follow from `memory`;
    * the promise to ptxas and the contractions whose loops keep their masks follow
      from `codegen`, which `fuse-complete-schedules` fills in.

    The launch takes the group's `predicted`. Groups in the generic form become
    kernels in which one thread computes one element of the result.

    The function becomes the host plan: launches in order, shapes, views and
    constants. On chips with programmatic launches (sm_90 and later), every launch of
    a function but the first is programmatic (`tile-overlap-launches`).

    ```mlir
    %e = fuse.chain ins(…) outs(%o = %empty : …) attributes {schedule = …} {…} -> …
    ```

    becomes

    ```mlir
    %e = tile.launch @main_chain_0 grid(%blocks) ins(…) outs(%empty : …) -> …
    …
    tile.kernel @main_chain_0(…) attributes {warps = 4 : i64} {
      %id = tile.program_id
      …
    }
    ```
  }];
  let dependentDialects = [
    "::fusion::tile::TileDialect", "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def ConvertTileToGPU : Pass<"convert-tile-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Distribute block programs to threads";
  let description = [{
    Every `tile.kernel` becomes a gpu.func of the gpu.module `kernels`. A tensor
    becomes scalars: the elements that its layout gives to the thread. Asynchronous
    copies and matrix loads become nvgpu operations on one-dimensional memrefs of
    shared memory, with offsets computed from the layouts. Contractions become
    nvvm.mma.sync. Values that depend on the thread alone are computed once, at the
    start of the kernel.

    `wait-limit`, or the module's `tile.wait_limit`, is a number of tries: a wait for
    an mbarrier that has failed as often traps. An error in a kernel then ends the
    kernel and does not hang the GPU.

    The host's plan then names its kernels as `@kernels::@name`. The threads of
    a block and the bytes of dynamic shared memory stay as the attributes `fuse.block`
    and `fuse.shared_memory` of the function, for the manifest.
  }];
  let dependentDialects = [
    "::mlir::math::MathDialect",
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::nvgpu::NVGPUDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
  let options = [
    Option<"waitLimit", "wait-limit", "int64_t", /*default=*/"0",
           "Tries after which a wait for an mbarrier traps (default: the module's "
           "tile.wait_limit, else no limit)">
  ];
}

def ConvertTileToCPU : Pass<"convert-tile-to-cpu", "::mlir::ModuleOp"> {
  let summary = "Lower block programs to loops and vectors of a CPU";
  let description = [{
    Every `tile.kernel` becomes a function of the nested module `kernels`, which
    executes a range of its blocks one after the other. Its arguments are the address
    of the launch's arguments as 64-bit words, the first block and the one behind the
    last, and scratch. `fuse.scratch` says how many bytes of scratch a caller needs.

    A tile is read in place, lies in scratch, or is computed by the loops that need
    it. Loops go over the elements of tiles by vectors. What reads the same elements
    shares a loop. Contractions become micro-kernels, which keep their products in
    vector registers. Loops end at the borders of tensors, where vectors are masked.

    The pass comes before layouts are assigned. The host's plan then names its kernels
    as `@kernels::@name`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def ConvertMathToCPU : Pass<"convert-math-to-cpu", "::mlir::ModuleOp"> {
  let summary = "Lower math functions to arithmetic on vectors";
  let description = [{
    These functions of f32 become polynomials and arithmetic on exponents, on whole
    vectors:

    * asin, atan, cbrt, erf, erfc and tanh;
    * exp, exp2, expm1, log, log1p, log2 and log10.

    rsqrt is a root and a division. Functions of f16 and bf16 are computed in f32 and rounded.
    Other functions, and those of f64, are evaluated lane by lane by functions that the
    translation to machine code links. docs/accuracy.md has the errors.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"
  ];
}

def ConvertMathToNVVM : Pass<"convert-math-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower math functions to instructions and device functions";
  let description = [{
    f16 and bf16 functions are computed in f32 and rounded. Functions of f32 become:

    * exp, exp2, log, log2 and rsqrt: the approximate instructions of the PTX ISA
      (ex2.approx, lg2.approx, rsqrt.approx). Their relative error is at most 2^-22;
      that of log is an absolute error of 2^-22;
    * tanh, erf, atan and the like: upstream's polynomial approximations;
    * sin, cos, tan, asinh, pow and remainders: calls of functions of libclc;
    * other functions: upstream's expansions.

    Functions of f64 become calls of functions of libclc, too. Translation to PTX
    links libclc into the kernels (`fusion/Target/DeviceMath/DeviceMath.h`). A function that has
    no lowering is an error: kernels call no function that is not linked.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"
  ];
}

def NVVMExpandNarrowFloats : Pass<"nvvm-expand-narrow-floats", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower arithmetic on 8-bit floats";
  let description = [{
    Operations on 8-bit floats are computed in f32 and rounded. Conversions round once
    to the nearest, ties to even. Values that are too large become infinite, or NaN
    where the format has no infinity. Conversions of f8E4M3FN and f8E5M2 from f32 and
    to f16 are instructions on chips that have them (PTX ISA, "cvt"). Other formats and
    chips get integer arithmetic, derived from the format's parameters.

    Example (before sm_89):

    ```mlir
    %y = arith.extf %x : f8E5M2 to f32
    ```

    becomes

    ```mlir
    %code = arith.bitcast %x : f8E5M2 to i8
    %wide = arith.extui %code : i8 to i32
    %magnitude = arith.andi %wide, %c127 : i32
    %placed = arith.shli %magnitude, %c21 : i32
    %scaled = arith.bitcast %placed : i32 to f32
    %value = arith.mulf %scaled, %c2_to_the_112 : f32
    // ... infinity, NaN and the sign
    ```

    Floats of fewer than 8 bits are an error.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::vector::VectorDialect",
    "::fusion::fuse::FuseDialect"
  ];
}

def NVVMFinalizeKernels : Pass<"nvvm-finalize-kernels", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Prepare lowered kernels for translation";
  let description = [{
    Dynamic shared memory, which upstream leaves an internal object of no size,
    becomes an external one aligned to 1024 bytes, as the launch provides it. Loops
    that are not to be unrolled get metadata on their branches, which becomes
    `.pragma "nounroll"`. Tensor maps (`fuse.tensor_maps`) become parameters of 128
    bytes that are read in place. A call of a function that the module does not define
    is an error.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // FUSION_CONVERSION_PASSES
