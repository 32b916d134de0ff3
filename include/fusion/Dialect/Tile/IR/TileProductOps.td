//===- TileProductOps.td - Products of tiles
//-------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_DIALECT_TILE_IR_TILEPRODUCTOPS_TD
#define FUSION_DIALECT_TILE_IR_TILEPRODUCTOPS_TD

include "fusion/Dialect/Tile/IR/TileOpBase.td"

def Tile_DotOp
    : Tile_Op<"dot", [Pure, AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "Multiplies two tiles and adds to an accumulator";
  let description = [{
    (i1 × r1) times (r1 × i2) plus (i1 × i2), by the named intrinsic, with the block's
    warps arranged over i1 and i2. The extent of r1 is a multiple of the intrinsic's.
  }];
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs,
      AnyRankedTensor:$accumulator, StrAttr:$intrinsic,
      DenseI64ArrayAttr:$warps);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $accumulator $intrinsic `warps` $warps attr-dict
    `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_SharedDotOp
    : Tile_Op<"shared_dot", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>,
                             AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "Multiplies tiles that stay in shared memory";
  let description = [{
    As `tile.dot`, of a second operand that is a stage of a buffer, read in place:
    its rows lie along r1, or, `rhs_transposed`, its columns. So does the first
    operand, along i1 or `lhs_transposed` along r1, unless it is the tile `lhs`.
    What has been written there must have been passed to the asynchronous proxy
    (`tile.proxy_fence`). All has been read when the result is there.

    Where the accumulator is a constant zero the sum begins anew.

    ```mlir
    %scores = tile.shared_dot of %q[%zero], %k[%stage], %sums "wgmma.m64k16" warps [4, 1]
                {rhs_transposed}
              : (!tile.buffer<...>) !tile.buffer<...> -> tensor<64x128xf32>
    ```
  }];
  let arguments = (ins Optional<AnyRankedTensor>:$lhs,
      Optional<Tile_BufferType>:$lhs_buffer, Optional<Index>:$lhs_stage,
      Tile_BufferType:$rhs_buffer, Index:$rhs_stage,
      AnyRankedTensor:$accumulator, StrAttr:$intrinsic,
      DenseI64ArrayAttr:$warps, UnitAttr:$lhs_transposed,
      UnitAttr:$rhs_transposed, OptionalAttr<I64Attr>:$lhs_slot,
      OptionalAttr<I64Attr>:$rhs_slot);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    ($lhs^)? (`of` $lhs_buffer^ `[` $lhs_stage `]`)? `,`
    $rhs_buffer `[` $rhs_stage `]` `,` $accumulator $intrinsic `warps` $warps
    attr-dict `:` (`(` type($lhs_buffer)^ `)`)? (`[` type($lhs)^ `]`)? type($rhs_buffer)
    `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The extent of the axis that is summed over.
    int64_t getDepth() {
      BufferType buffer = getRhsBuffer().getType();
      return getRhsTransposed() ? buffer.getColumns() : buffer.getRows();
    }
  }];
}

#endif // FUSION_DIALECT_TILE_IR_TILEPRODUCTOPS_TD
