//===- TileOps.td - Operations of block programs ------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_DIALECT_TILE_IR_TILEOPS_TD
#define FUSION_DIALECT_TILE_IR_TILEOPS_TD

include "fusion/Dialect/Tile/IR/TileOpBase.td"
include "mlir/Interfaces/InferIntRangeInterface.td"

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

def Tile_ProgramIdOp : Tile_Op<"program_id", [
    Pure, DeclareOpInterfaceMethods<InferIntRangeInterface,
                                    ["inferResultRanges"]>]> {
  let summary = "The linear index of this block in the grid";
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

def Tile_ProgramCountOp : Tile_Op<"program_count", [
    Pure, DeclareOpInterfaceMethods<InferIntRangeInterface,
                                    ["inferResultRanges"]>]> {
  let summary = "The number of blocks of the grid";
  let description = [{
    This is the stride of a persistent kernel's loop over tiles. The host decides on
    the number of blocks at the launch (`persistent` of `tile.launch`).

    ```mlir
    %first = tile.program_id
    %blocks = tile.program_count
    scf.for %tile = %first to %tiles step %blocks { … }
    ```
  }];
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

def Tile_ViewOp : Tile_Op<"view", [Pure, AttrSizedOperandSegments]> {
  let summary = "Describes an operand in global memory";
  let description = [{
    The operand starts `offset` elements after `base` and has the given sizes and
    strides, all in elements.

    ```mlir
    %a = tile.view %base[%offset] sizes [%m, %k] strides [%k, %one]
           : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 16>
    ```
  }];
  let arguments = (ins Tile_PtrType:$base, Index:$offset, Variadic<Index>:$sizes,
                       Variadic<Index>:$strides);
  let results = (outs Tile_ViewType:$result);
  let assemblyFormat = [{
    $base `[` $offset `]` `sizes` `[` $sizes `]` `strides` `[` $strides `]` attr-dict
    `:` type($base) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_WindowOp : Tile_Op<"window", [Pure, AttrSizedOperandSegments]> {
  let summary = "Describes an operand in global memory that is read through a window";
  let description = [{
    The window reads a dense tensor of the given `shape` at `base`. `map` computes from
    (i, j) the index of the view's element (i, j) in that tensor. The element is zero
    where the index lies outside of the tensor. Each component of the index is a sum
    of digits of i and j, digits of the symbols, and a constant that is at least minus
    the tensor's padding. `bounded` are the dimensions along which an index may lie
    outside.

    A convolution reads its input in this way: rows are the places of its result,
    columns the channels at all places of its filter.

    ```mlir
    // 3 x 3 places of 64 channels, padded by 1, for results of 56 x 56 places.
    %x = tile.window %base[] sizes [%m, %k]
           {bounded = array<i64: 0, 1>, shape = array<i64: 56, 56, 64>,
            map = affine_map<(d0, d1) -> (d0 floordiv 56 + d1 floordiv 192 - 1,
                                          d0 mod 56 + (d1 floordiv 64) mod 3 - 1,
                                          d1 mod 64)>}
           : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 16>
    ```
  }];
  let arguments = (ins Tile_PtrType:$base, Variadic<Index>:$symbols,
                       Variadic<Index>:$sizes, AffineMapAttr:$map,
                       DenseI64ArrayAttr:$shape, DenseI64ArrayAttr:$bounded);
  let results = (outs Tile_ViewType:$result);
  let assemblyFormat = [{
    $base `[` $symbols `]` `sizes` `[` $sizes `]` attr-dict
    `:` type($base) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_LoadOp : Tile_Op<"load",
    [AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let summary = "Loads a tile from global memory into registers";
  let description = [{
    The tile starts at `coordinates`. Elements outside of the view are zero. If
    `predicate` is false, all elements are. Along dimensions that `in_bounds` marks the
    tile is known to lie inside.

    A `ragged` tile may begin before the view. Its accesses are aligned and may cross
    the borders of the unit dimension. Elements beyond a border are zero and not read.
    `within` is the number of elements at the base. An access across a border that
    stays among these elements is not split, and the elements beyond the border may
    have any value.

    `misaligned` is for misaligned rows (along the unit dimension). Accesses move
    `misaligned` elements, at multiples of `misaligned` elements from the base. Lanes
    then exchange the elements that their neighbours have loaded for them. Loads need
    `within`.

    An `evict_first` load does not stay in the L1.

    `packed` is for CPUs: the tile is copied to scratch for its contraction, instead of
    being read in place.
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Index>:$coordinates,
                       Optional<I1>:$predicate,
                       OptionalAttr<DenseBoolArrayAttr>:$in_bounds,
                       UnitAttr:$ragged,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$within,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$misaligned,
                       UnitAttr:$evict_first, UnitAttr:$packed);
  let results = (outs AnyRankedTensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$view,
      "::mlir::ValueRange":$coordinates, "::mlir::Value":$predicate,
      "::mlir::DenseBoolArrayAttr":$inBounds, "bool":$ragged), [{
    build($_builder, $_state, result, view, coordinates, predicate, inBounds,
          ragged, /*within=*/nullptr, /*misaligned=*/nullptr,
          /*evict_first=*/false, /*packed=*/false);
  }]>];
  let assemblyFormat = [{
    $view `[` $coordinates `]` (`if` $predicate^)? attr-dict
    `:` type($view) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_GatherOp : Tile_Op<"gather", [MemoryEffects<[MemRead]>]> {
  let summary = "Loads elements from computed places in global memory";
  let description = [{
    Element c of the result is loaded from `indices`[c] elements after the base. The
    program must keep this place inside of the tensor. Where the index is negative
    nothing is read, and the element is zero.

    ```mlir
    %rows = tile.gather %table[%at] : !tile.ptr<f16>, tensor<4x64xindex> -> tensor<4x64xf16>
    ```
  }];
  let arguments = (ins Tile_PtrType:$base, AnyRankedTensor:$indices);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $base `[` $indices `]` attr-dict `:` type($base) `,` type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Stores a tile from registers to global memory";
  let description = [{
    The tile starts at `coordinates`; elements outside of the view are not stored.
    With `vectorize`, the layout of `value` is chosen for the widest stores that the
    view allows; otherwise it is the layout of the operation that defines `value`.
    `in_bounds`, `ragged` and `misaligned` mean what they mean for `tile.load`. The L2
    evicts the lines of an `evict_first` store first.
  }];
  let arguments = (ins AnyRankedTensor:$value, Tile_ViewType:$view,
      Variadic<Index>:$coordinates, UnitAttr:$vectorize,
      OptionalAttr<DenseBoolArrayAttr>:$in_bounds, UnitAttr:$ragged,
      OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$misaligned,
      UnitAttr:$evict_first);
  let builders = [OpBuilder<
      (ins "::mlir::Value":$value, "::mlir::Value":$view,
          "::mlir::ValueRange":$coordinates, "bool":$vectorize,
          "::mlir::DenseBoolArrayAttr":$inBounds, "bool":$ragged),
      [{
    build($_builder, $_state, value, view, coordinates, vectorize, inBounds,
          ragged, /*misaligned=*/nullptr,
          /*evict_first=*/false);
  }]>];
  let assemblyFormat = [{
    $value `,` $view `[` $coordinates `]` attr-dict `:` type($value) `,` type($view)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "Repeats a tile along new dimensions";
  let description = [{
    `dimensions` are those of the result that the operand lacks.
  }];
  let arguments = (ins AnyRankedTensor:$value, DenseI64ArrayAttr:$dimensions);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $value `along` $dimensions attr-dict `:` type($value) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_ReduceOp : Tile_Op<"reduce", [Pure]> {
  let summary = "Combines the elements of a tile along one dimension";
  let description = [{
    The result lacks `dimension`. Elements are combined in a fixed order, which the
    layout gives: registers of a thread, then lanes by shuffles, then warps through
    shared memory, for which `tile-allocate-shared` sets `offset`. Every thread that
    held an element of a row holds the row's result.

    `intrinsic` and `warps` are for a tile that a contraction multiplies, too. A tile
    that is reduced `along 1` then has the layout of that contraction's LHS, and one
    that is reduced `along 0` that of its RHS. Without `intrinsic` the layout is that of
    the values that the tile is computed from.

    ```mlir
    %max = tile.reduce maximumf %scores along 1 : tensor<64x128xf32> -> tensor<64xf32>
    ```
  }];
  let arguments = (ins AtomicRMWKindAttr:$kind, AnyRankedTensor:$value,
                       I64Attr:$dimension, OptionalAttr<I64Attr>:$offset,
                       OptionalAttr<StrAttr>:$intrinsic,
                       OptionalAttr<DenseI64ArrayAttr>:$warps);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $kind $value `along` $dimension attr-dict `:` type($value) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_SplatOp : Tile_Op<"splat", [Pure]> {
  let summary = "A tile of equal elements";
  let arguments = (ins AnyType:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_IotaOp : Tile_Op<"iota", [Pure]> {
  let summary = "The coordinates of a tile's elements along one dimension";
  let description = [{
    Element c of the result is `start` + c[dimension], of type index.
  }];
  let arguments = (ins Index:$start, I64Attr:$dimension);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$start `along` $dimension attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_SliceOp : Tile_Op<"slice", [Pure]> {
  let summary = "A part of a tile in registers";
  let description = [{
    The part that starts at the static coordinates `origin`. Lowering needs a layout
    in which the part is a subset of every thread's registers.
  }];
  let arguments = (ins AnyRankedTensor:$value, DenseI64ArrayAttr:$origin);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $value `at` $origin attr-dict `:` type($value) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_TransposeOp : Tile_Op<"transpose", [Pure]> {
  let summary = "Exchanges the dimensions of a two-dimensional tile";
  let arguments = (ins AnyRankedTensor:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_MaskOp : Tile_Op<"mask", [Pure]> {
  let summary = "Replaces the elements beyond a bound";
  let description = [{
    Elements whose coordinate along `dimension` is not below `bound` become `fill`.
    Keeps the padding of a tile from reaching a contraction or a reduction.
  }];
  let arguments = (ins AnyRankedTensor:$value, Index:$bound, I64Attr:$dimension,
                       AnyType:$fill);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $value `below` $bound `along` $dimension `else` $fill attr-dict
    `:` type($value) `,` type($fill) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_ConvertLayoutOp : Tile_Op<"convert_layout", [Pure]> {
  let summary = "Moves the elements of a tile between registers, lanes and warps";
  let description = [{
    The conversion permutes registers where the layouts allow, and else goes through
    shared memory: `tile-allocate-shared` gives it a scratch buffer as `offset`. The
    rows of a scratch buffer are units of 16 bytes. With `padded` they may have any
    length (Support/PaddedScratch.h). The scratch buffers of tiles with more than two
    dimensions are always padded. With `in_warp` a warp exchanges its elements by
    shuffles instead, or its threads select some of their own registers
    (Support/WarpExchange.h).

    ```mlir
    %rows = tile.convert_layout %one {in_warp} : tensor<8xf32, #spread> -> tensor<8xf32, #rows>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value, OptionalAttr<I64Attr>:$offset,
                       UnitAttr:$padded, UnitAttr:$in_warp);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Arrays of tiles in registers
//===----------------------------------------------------------------------===//

def Tile_MakeArrayOp : Tile_Op<"make_array", [Pure,
    TypesMatchWith<"operand is an element of the result", "result", "init",
                   "::llvm::cast<ArrayType>($_self).getElementType()">]> {
  let summary = "An array of equal tiles";
  let arguments = (ins AnyRankedTensor:$init);
  let results = (outs Tile_ArrayType:$result);
  let assemblyFormat = "$init attr-dict `:` type($result)";
}

def Tile_ArrayGetOp : Tile_Op<"array_get", [Pure,
    TypesMatchWith<"result is an element of the array", "array", "result",
                   "::llvm::cast<ArrayType>($_self).getElementType()">]> {
  let summary = "One tile of an array";
  let description = [{
    `index` must become a constant when the loops around are unrolled
    (`tile-unroll-arrays`).

    ```mlir
    %tile = tile.array_get %tiles[%n] : !tile.array<4 x tensor<64x32xf32>>
    ```
  }];
  let arguments = (ins Tile_ArrayType:$array, Index:$index);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$array `[` $index `]` attr-dict `:` type($array)";
}

def Tile_ArraySetOp : Tile_Op<"array_set", [Pure,
    AllTypesMatch<["array", "result"]>,
    TypesMatchWith<"value is an element of the array", "array", "value",
                   "::llvm::cast<ArrayType>($_self).getElementType()">]> {
  let summary = "An array with one tile replaced";
  let description = [{
    `index` as for `tile.array_get`.

    ```mlir
    %new = tile.array_set %tile, %tiles[%n] : !tile.array<4 x tensor<64x32xf32>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value, Tile_ArrayType:$array,
                       Index:$index);
  let results = (outs Tile_ArrayType:$result);
  let assemblyFormat = "$value `,` $array `[` $index `]` attr-dict `:` type($array)";
}

def Tile_OptimizationBarrierOp : Tile_Op<"optimization_barrier",
    [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "The same tile, computed here and not later";
  let description = [{
    This is for retained tiles. LLVM and ptxas would otherwise move cheap operations,
    such as the rounding of accumulators to a narrower type, to the first use of their
    results. The wider values of all tiles would then be live until that use.
  }];
  let arguments = (ins AnyRankedTensor:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Tile_ScaleOp : Tile_Op<"scale", [Pure,
    AllTypesMatch<["value", "factors", "result"]>]> {
  let summary = "A tile times factors that are mostly one";
  let description = [{
    The product is element by element. A warp whose lanes all hold factors of one does
    not multiply, and leaves its part of the tile unchanged. This is worth a branch
    where such warps are common, as in conditional rescaling of accumulators.

    ```mlir
    %sums = tile.scale %before by %factors : tensor<64x128xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value, AnyRankedTensor:$factors);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value `by` $factors attr-dict `:` type($value)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Between blocks
//===----------------------------------------------------------------------===//

def Tile_LastBlockOp : Tile_Op<"last_block",
    [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Whether this block is the last of several to arrive";
  let description = [{
    `blocks` blocks count with the counter `number`. The result is true in the last
    one to arrive, which sees everything that the others stored before. The operation
    is a barrier of the block. The kernel has `counters` counters, which are zero
    again after the last block.

    ```mlir
    tile.store %partial, %mine[%0] : ...
    %last = tile.last_block %column of %blocks {counters = 6 : i64}
    scf.if %last { ... }
    ```
  }];
  let arguments = (ins Index:$number, Index:$blocks, I64Attr:$counters);
  let results = (outs I1:$result);
  let assemblyFormat = "$number `of` $blocks attr-dict";
  let hasVerifier = 1;
}

def Tile_DiscardOp : Tile_Op<"discard", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Discards a tile of global memory that is not read any more";
  let description = [{
    The tile has the given `shape` and starts at `coordinates`. The operation applies
    to its elements inside of the view. The L2 need not write their lines to memory
    (PTX ISA, "discard.L2"). Until the elements are written again, reading them gives
    any value. The operation is a barrier of the block, so that its threads' earlier
    reads are not affected.

    The tile consists of whole lines of 128 bytes. Along the unit dimension its size
    is a multiple of a line, and the view and all of its rows begin at a line. So the
    rest of a row's last line belongs to the same row.

    ```mlir
    %sums = tile.load %parts[%0, %0] : ... -> tensor<100x32xf32>
    tile.discard %parts[%0, %0] {shape = array<i64: 100, 32>}
        : !tile.view<2 x f32, unit = 1, alignment = 16>
    ```
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Index>:$coordinates,
                       DenseI64ArrayAttr:$shape);
  let assemblyFormat = "$view `[` $coordinates `]` attr-dict `:` type($view)";
  let hasVerifier = 1;
}

def Tile_ClusterReduceOp : Tile_Op<"cluster_reduce",
    [MemoryEffects<[MemRead, MemWrite]>,
     AllTypesMatch<["value", "result"]>]> {
  let summary = "Combines the tiles of the blocks of a cluster";
  let description = [{
    Tiles are combined element by element, in the order of the blocks, so that all
    blocks have the same result. Every block writes its tile to the shared memory of
    all blocks, waits for the cluster, and combines the tiles that it has received.

    `parts` has a row for each block of the cluster and a column for each element of
    the tile. Nothing else uses it. It is not freed, since other blocks may still
    write to it.

    The operation is a barrier of the block and of the cluster. So it is in no branch,
    and only in loops with constant bounds. In a loop `parts` has two stages, which
    `stage` alternates between. When a block writes to a stage, all other blocks have
    read the tiles of the previous exchange through that stage.

    ```mlir
    %sum = tile.cluster_reduce addf %mine in %parts
        : tensor<1xf32>, !tile.buffer<1, 8, 1, f32, #parts, cluster>
    scf.for %i = %c0 to %c16 step %c1 {
      %stage = arith.remui %i, %c2 : index
      %of_row = tile.cluster_reduce addf %row in %more[%stage]
          : tensor<1xf32>, !tile.buffer<2, 8, 1, f32, #parts, cluster>
    }
    ```
  }];
  let arguments = (ins AtomicRMWKindAttr:$kind, AnyRankedTensor:$value,
                       Tile_BufferType:$parts, Optional<Index>:$stage);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $kind $value `in` $parts (`[` $stage^ `]`)? attr-dict `:` type($value) `,`
    type($parts)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// The generic form: one element for each thread
//===----------------------------------------------------------------------===//

def Tile_ThreadIdOp : Tile_Op<"thread_id", [Pure]> {
  let summary = "The linear index of the thread in its block";
  let description = [{
    Only in kernels of the generic form, whose values are scalars of one thread.
  }];
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

def Tile_ElementLoadOp : Tile_Op<"element_load", [MemoryEffects<[MemRead]>]> {
  let summary = "Loads one element";
  let description = [{
    The element `index` elements after the base; the program must keep it inside.
  }];
  let arguments = (ins Tile_PtrType:$base, Index:$index);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$base `[` $index `]` attr-dict `:` type($base) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ElementStoreOp : Tile_Op<"element_store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Stores one element";
  let arguments = (ins AnyType:$value, Tile_PtrType:$base, Index:$index);
  let assemblyFormat = "$value `,` $base `[` $index `]` attr-dict `:` type($value) `,` type($base)";
  let hasVerifier = 1;
}

#endif // FUSION_DIALECT_TILE_IR_TILEOPS_TD
