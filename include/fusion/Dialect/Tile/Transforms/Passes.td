//===- Passes.td - Passes over block programs ---------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_DIALECT_TILE_TRANSFORMS_PASSES
#define FUSION_DIALECT_TILE_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def TileAssignLayouts : Pass<"tile-assign-layouts", "::fusion::tile::KernelOp"> {
  let summary = "Say which thread holds which element";
  let description = [{
    Gives every tensor of a kernel a `#tile.layout`. Products fix the layouts of their
    operands and results, vectorised stores that of what they store; element-wise
    operations take the layout of an operand that is fixed. Everything else, such as
    loads, constants and broadcasts, is made in the layout that its user wants, once
    for each layout. Where two fixed layouts meet, `tile.convert_layout` stands
    between.

    ```mlir
    %c = tile.dot %a, %b, %acc "mma.m16n8k16" warps [4, 1]
           : tensor<64x16xf16>, tensor<16x64xf16> -> tensor<64x64xf32>
    ```

    becomes

    ```mlir
    %c = tile.dot %a, %b, %acc "mma.m16n8k16" warps [4, 1]
           : tensor<64x16xf16, #a>, tensor<16x64xf16, #b> -> tensor<64x64xf32, #acc>
    ```
  }];
  let dependentDialects = ["::fusion::tile::TileDialect"];
}

def TileAllocateShared : Pass<"tile-allocate-shared", "::fusion::tile::KernelOp"> {
  let summary = "Place buffers in shared memory";
  let description = [{
    Gives every `tile.alloc`, and every `tile.convert_layout` that goes through shared
    memory, its offset: the lowest one, at multiples of 128 bytes, at which it overlaps
    nothing that lives at the same time. Sets `shared_memory` of the kernel.
  }];
  let dependentDialects = ["::fusion::tile::TileDialect"];
}

def TileInsertBarriers : Pass<"tile-insert-barriers", "::fusion::tile::KernelOp"> {
  let summary = "Order accesses to shared memory";
  let description = [{
    Inserts a `tile.barrier` before every access to shared memory that conflicts with
    an earlier access not yet separated from it by a barrier: they overlap and one of
    them writes. The data of asynchronous copies counts as written at the
    `tile.wait` that ends them. Loops are followed until nothing changes.
  }];
  let dependentDialects = ["::fusion::tile::TileDialect"];
}

#endif // FUSION_DIALECT_TILE_TRANSFORMS_PASSES
