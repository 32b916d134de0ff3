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
    bound to the grid from the block's index, places and transports from `memory`.
    Groups in the generic form become kernels in which one thread computes one
    point of the result.

    What is left of a function is its plan: launches in order, shapes, views and
    constants.

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

    The host's plan then names its kernels as `@kernels::@name`. The bytes of dynamic
    shared memory stay as the attribute `fuse.shared_memory` of the function.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::nvgpu::NVGPUDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

#endif // FUSION_CONVERSION_PASSES
