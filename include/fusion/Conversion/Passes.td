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
    in its place. The kernel follows the group's `#fuse.schedule` and makes no
    choice of its own: loops and statements come from the tiling expression, loops
    bound to the grid from the block's index, places and transports from `memory`,
    what ptxas is promised and which products keep masks from `codegen`, which
    `fuse-complete-schedules` fills in. The launch takes the group's `predicted`.
    Groups in the generic form become kernels in which one thread computes one
    point of the result.

    What is left of a function is its plan: launches in order, shapes, views and
    constants. Where the chip has programmatic launches (sm_90 and later), all but the
    first of a function are (`tile-overlap-launches`).

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
    becomes the scalars that a thread holds of it. Asynchronous copies and matrix
    loads become nvgpu operations on one-dimensional memrefs of shared memory, with
    offsets computed from the layouts; products become nvvm.mma.sync. What depends on
    the thread alone is computed once, at the start of the kernel.

    With `wait-limit`, or the module's `tile.wait_limit`, a wait for an mbarrier traps
    after so many tries: an error in a kernel then ends it, and does not hang the GPU.

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

def ConvertMathToNVVM : Pass<"convert-math-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower math functions to instructions and device functions";
  let description = [{
    f16 and bf16 functions are computed in f32 and rounded. exp, exp2, log, log2 and
    rsqrt of f32 become the approximate instructions of the PTX ISA (ex2.approx,
    lg2.approx, rsqrt.approx; relative errors of 2^-22 and less, for log an
    absolute one of 2^-22); tanh, erf, atan and their kin become upstream's
    polynomial approximations, other functions its expansions. Functions of f64,
    and of f32 sin, cos, tan, asinh, pow and remainders, become calls of libclc's,
    which translation to PTX links into the kernels (`fusion/Target/DeviceMath/DeviceMath.h`). A function that has no lowering is an error:
    nothing may call a library that is not there.
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
    to the nearest, ties to even; what is too large becomes infinite, or NaN where the
    format has no infinity. On chips with instructions for it (PTX ISA, "cvt") those
    convert f8E4M3FN and f8E5M2 from f32 and to f16; other formats and chips get integer
    arithmetic, derived from the format's parameters.

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
    that are not to be unrolled say so on their branches, from where it becomes
    `.pragma "nounroll"`. Tensor maps (`fuse.tensor_maps`) become parameters of 128
    bytes that are read where they lie. Checks that no function is called that the module does not
    define.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // FUSION_CONVERSION_PASSES
