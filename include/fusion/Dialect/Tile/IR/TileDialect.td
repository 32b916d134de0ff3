//===- TileDialect.td - The tile dialect --------------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_DIALECT_TILE_IR_TILEDIALECT_TD
#define FUSION_DIALECT_TILE_IR_TILEDIALECT_TD

include "mlir/IR/DialectBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::fusion::tile";
  let summary = "What one block does";
  let description = [{
    A block program: what the threads of one block do together, tile by tile.

    * Values are ranked tensors. After `tile-assign-layouts` each carries a
      `#tile.layout`, which says what register of which lane and warp holds which
      element. Element-wise work is arith and math on such tensors, loops are scf.
    * Global operands are `!tile.view`: a base pointer with sizes and strides, which
      are values, and provable divisibility, which is part of the type.
    * Shared memory is `!tile.buffer`: stages of a tile in a layout of its own.

    The legal phases of a kernel are:

    1. as lowered from a group: tensors without layouts, arrays of them where
       several tiles are kept; `tile-unroll-arrays` leaves none;
    2. `tile-use-shared-operands`: what an intrinsic multiplies in shared memory is
       not loaded;
    3. `tile-assign-layouts`: every tensor has a layout, conversions are explicit;
    4. `tile-allocate-shared`: every `tile.alloc` has an offset, the kernel its size;
    5. `tile-insert-barriers`: accesses to shared memory are ordered;
    6. `tile-insert-proxy-fences`: for units that read it by themselves, too;
    7. `convert-tile-to-gpu`: a gpu.func in a gpu.module.
  }];
  let hasOperationAttrVerify = 1;
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

#endif // FUSION_DIALECT_TILE_IR_TILEDIALECT_TD
