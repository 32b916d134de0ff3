//===- TileDotOps.td - Contractions of tiles ------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_DIALECT_TILE_IR_TILEDOTOPS_TD
#define FUSION_DIALECT_TILE_IR_TILEDOTOPS_TD

include "fusion/Dialect/Tile/IR/TileOpBase.td"

def Tile_DotOp
    : Tile_Op<"dot", [Pure, AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "Multiplies two tiles and adds to an accumulator";
  let description = [{
    (i1 × r1) times (r1 × i2) plus (i1 × i2), by the named intrinsic, with the block's
    warps arranged over i1 and i2. The extent of r1 is a multiple of the intrinsic's.

    `stages` asks for cross-iteration overlap: the contraction runs `stages` - 1
    iterations of its loop after the contractions before it
    (`tile-overlap-iterations`). A loop around a `masked` contraction masks the tiles
    of all its iterations (`tile-split-masked-loops`).
  }];
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs,
      AnyRankedTensor:$accumulator, StrAttr:$intrinsic,
      DenseI64ArrayAttr:$warps, OptionalAttr<I64Attr>:$stages,
      UnitAttr:$masked);
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
  let summary = "Multiplies tiles that are read in place from shared memory";
  let description = [{
    This is a `tile.dot` that reads its RHS in place, from a stage of a buffer. The
    rows of that stage are along r1 and its columns along i2, or the other way round
    with `rhs_transposed`. The LHS is the tile `lhs`, or it is read in place, too: its
    rows are along i1, or along r1 with `lhs_transposed`.

    Data that threads have written to the operands must have been passed to the
    asynchronous proxy (`tile.proxy_fence`). All operands have been read when the
    result is there. With `async` that is at the `tile.await_dot` of the result. Until
    then nothing may write to the operands. Its only use is that wait, or a loop that
    carries it to the next contraction's accumulator.

    With a constant zero as accumulator, the MMA starts from zero and reads no
    accumulator.

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
      OptionalAttr<I64Attr>:$rhs_slot, OptionalAttr<I64Attr>:$stages,
      UnitAttr:$async, UnitAttr:$masked);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    ($lhs^)? (`of` $lhs_buffer^ `[` $lhs_stage `]`)? `,`
    $rhs_buffer `[` $rhs_stage `]` `,` $accumulator $intrinsic `warps` $warps
    attr-dict `:` (`(` type($lhs_buffer)^ `)`)? (`[` type($lhs)^ `]`)? type($rhs_buffer)
    `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Returns the extent of the axis that is summed over.
    int64_t getDepth() {
      BufferType buffer = getRhsBuffer().getType();
      return getRhsTransposed() ? buffer.getColumns() : buffer.getRows();
    }
  }];
}

def Tile_AwaitDotOp
    : Tile_Op<"await_dot", [MemoryEffects<[MemRead, MemWrite]>,
                            AllTypesMatch<["value", "result"]>]> {
  let summary = "Waits for a contraction in flight";
  let description = [{
    Gives the result of a `tile.shared_dot` with `async` of the same block, or of a
    loop that carries its sum. `pending` such contractions, which began after that
    one, may still be in flight then (PTX ISA, "wgmma.wait_group"). The values of `under` are computed while the contraction
    is in flight: no compiler moves their computation behind the wait.

    ```mlir
    %0 = tile.shared_dot ... {async} : ... -> tensor<64x128xf32>
    %1 = tile.shared_dot %p, %v[%stage], %sums ... {async} : ... -> tensor<64x64xf32>
    %scores = tile.await_dot %0 pending 1 : tensor<64x128xf32>
    %p = ...
    %next = tile.await_dot %1 pending 0 under %p : tensor<64x64xf32>, tensor<64x128xf16>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value, I64Attr:$pending,
      Variadic<AnyRankedTensor>:$computed);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $value `pending` $pending (`under` $computed^)? attr-dict
    `:` type($value) (`,` type($computed)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Returns the contraction that is waited for.
    SharedDotOp getDot();
  }];
}

def Tile_AwaitDotsOp
    : Tile_Op<"await_dots", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits for all contractions in flight but the newest";
  let description = [{
    At most `pending` contractions with `async` are in flight afterwards. The others
    have read their operands. This gives no result: a loop that adds up products goes
    on with the sum in flight.

    ```mlir
    scf.for ... iter_args(%sum = %first, %before = %zero) -> ... {
      %next = tile.shared_dot of %a[%stage], %b[%stage], %sum ... {async} : ...
      tile.await_dots pending 1
      tile.release %a[%before] : ...
      scf.yield %next, %stage : ...
    }
    ```
  }];
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "`pending` $pending attr-dict";
  let hasVerifier = 1;
}

#endif // FUSION_DIALECT_TILE_IR_TILEDOTOPS_TD
