//===- TileOps.td - Operations of block programs ------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_DIALECT_TILE_IR_TILEOPS_TD
#define FUSION_DIALECT_TILE_IR_TILEOPS_TD

include "fusion/Dialect/Tile/IR/TileTypes.td"
include "mlir/Dialect/Arith/IR/ArithBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"

class Tile_Op<string opMnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, opMnemonic, traits>;

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

def Tile_ProgramIdOp : Tile_Op<"program_id", [Pure]> {
  let summary = "The linear index of this block in the grid";
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
    Element (i, j) of the view is the element of a dense tensor of the given `shape`
    after `base` whose index `map` computes, or zero where that lies outside. Each
    index is a sum of digits of i and j, a constant of at least minus what the
    tensor is padded with, and digits of the symbols. `bounded` are the dimensions
    along which an index may lie outside.

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
    The tile starts at `coordinates`; elements outside of the view are zero, and all
    of them where `predicate` is given and false. Along dimensions that `in_bounds`
    marks the tile is known to lie inside.

    A `ragged` tile may begin before the view, and its accesses, which are aligned
    all the same, may cross the borders of the unit dimension: elements beyond
    them are zero and not read. Where the base has `within` elements, accesses
    across a border that stay inside of those are done whole, and the elements
    beyond it may be any.

    `realigned` is for tiles whose rows, along the unit dimension, begin at any
    element: accesses move so many elements at places that are multiples of it,
    counted from the base, and what a thread has of its neighbour's is handed on
    between the lanes. Loads need `within`.

    What is `streamed` is not kept in the L1.
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Index>:$coordinates,
                       Optional<I1>:$predicate,
                       OptionalAttr<DenseBoolArrayAttr>:$in_bounds,
                       UnitAttr:$ragged,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$within,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$realigned,
                       UnitAttr:$streamed);
  let results = (outs AnyRankedTensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$view,
      "::mlir::ValueRange":$coordinates, "::mlir::Value":$predicate,
      "::mlir::DenseBoolArrayAttr":$inBounds, "bool":$ragged), [{
    build($_builder, $_state, result, view, coordinates, predicate, inBounds,
          ragged, /*within=*/nullptr, /*realigned=*/nullptr, /*streamed=*/false);
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
    Element c of the result is the one `indices`[c] elements after the base, which
    the program must keep inside; where the index is negative nothing is read, and
    the element is zero.

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
    `vectorize` asks for the layout of `value` to be chosen for the widest stores
    that the view allows, otherwise the layout of its producer is kept. `in_bounds`,
    `ragged` and `realigned` as for `tile.load`. What is `streamed` leaves the L2
    first.
  }];
  let arguments = (ins AnyRankedTensor:$value, Tile_ViewType:$view,
      Variadic<Index>:$coordinates, UnitAttr:$vectorize,
      OptionalAttr<DenseBoolArrayAttr>:$in_bounds, UnitAttr:$ragged,
      OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$realigned,
      UnitAttr:$streamed);
  let builders = [OpBuilder<
      (ins "::mlir::Value":$value, "::mlir::Value":$view,
          "::mlir::ValueRange":$coordinates, "bool":$vectorize,
          "::mlir::DenseBoolArrayAttr":$inBounds, "bool":$ragged),
      [{
    build($_builder, $_state, value, view, coordinates, vectorize, inBounds,
          ragged, /*realigned=*/nullptr, /*streamed=*/false);
  }]>];
  let assemblyFormat = [{
    $value `,` $view `[` $coordinates `]` attr-dict `:` type($value) `,` type($view)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

def Tile_AllocOp : Tile_Op<"alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "Reserves a buffer in shared memory";
  let description = [{
    `offset`, in bytes from the start of the block's dynamic shared memory, is set by
    `tile-allocate-shared`; buffers that do not live at the same time share memory.

    `pipeline_stages` is the schedule's wish, taken up by the `tile-pipeline` passes:
    `tile-pipeline-identify` marks the buffers that can be `pipelined`, and
    `tile-pipeline-expand` gives them their stages. `register_stages` are those of
    the fragments that are loaded from this buffer, for `tile-pipeline-registers`;
    without them those of the kernel.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntMinValue<1>, IntMaxValue<8>]>>:$pipeline_stages,
                       UnitAttr:$pipelined,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntMinValue<1>, IntMaxValue<2>]>>:$register_stages);
  let results = (outs Tile_BufferType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tile_FreeOp : Tile_Op<"free", [MemoryEffects<[MemFree]>]> {
  let summary = "Ends the life of a buffer";
  let arguments = (ins Tile_BufferType:$buffer);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer)";
}

def Tile_CopyAsyncOp : Tile_Op<"copy_async",
    [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Starts the copy of a tile from global to shared memory";
  let description = [{
    Copies the tile at `coordinates` of the view into a stage of the buffer, elements
    outside of the view as zero. The row of the buffer is the view's dimension
    `1 - unit`, its column the unit dimension. Joins the group that the next
    `tile.commit` closes (PTX ISA, "Data Movement and Conversion Instructions:
    cp.async"). `in_bounds` as for `tile.load`.

    Where `predicate` is given and false, nothing is copied. `stages` and `slot` are
    notes of the pipelining passes: the stages that the buffer is to have, and in an
    expanded pipeline the iteration whose data this is, counted from the current
    one.
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Index>:$coordinates,
                       Tile_BufferType:$buffer, Index:$stage,
                       Optional<I1>:$predicate,
                       Tile_TransportAttr:$transport,
                       OptionalAttr<DenseBoolArrayAttr>:$in_bounds,
                       OptionalAttr<I64Attr>:$stages,
                       OptionalAttr<I64Attr>:$slot);
  let assemblyFormat = [{
    $view `[` $coordinates `]` `,` $buffer `[` $stage `]` `by` $transport
    (`if` $predicate^)? attr-dict `:` type($view) `,` type($buffer)
  }];
  let hasVerifier = 1;
}

def Tile_CommitOp : Tile_Op<"commit", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Closes a group of asynchronous copies";
  let assemblyFormat = "attr-dict";
}

def Tile_WaitOp : Tile_Op<"wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits until at most `pending` groups are in flight";
  let description = [{
    Orders the copies of the executing thread only; other threads see them after a
    barrier as well.
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "$pending attr-dict";
}

//===----------------------------------------------------------------------===//
// Pipelines
//===----------------------------------------------------------------------===//
//
// The four primitives that guard a pipelined buffer (ALCOP section III-B). Where
// copies are synchronised by groups (cp.async), commit and wait are instructions,
// and acquire and release are kept by the barriers that tile-insert-barriers adds.

def Tile_ProducerAcquireOp
    : Tile_Op<"producer_acquire", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits until the stage to be filled has been released";
  let assemblyFormat = "attr-dict";
}

def Tile_ProducerCommitOp
    : Tile_Op<"producer_commit", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Closes the copies of one iteration";
  let assemblyFormat = "attr-dict";
}

def Tile_ConsumerWaitOp
    : Tile_Op<"consumer_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits for the data of the oldest iteration";
  let description = [{
    At most `pending` later iterations stay in flight.
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "$pending attr-dict";
}

def Tile_ConsumerReleaseOp
    : Tile_Op<"consumer_release", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Says that the oldest stage has been read";
  let assemblyFormat = "attr-dict";
}

def Tile_BarrierOp : Tile_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits for all threads of the block, or of each warp";
  let description = [{
    With `warp` the lanes of every warp wait for one another only (PTX ISA,
    "bar.warp.sync").
  }];
  let arguments = (ins UnitAttr:$warp);
  let assemblyFormat = "(`warp` $warp^)? attr-dict";
}

def Tile_LocalLoadOp : Tile_Op<"local_load", [MemoryEffects<[MemRead]>]> {
  let summary = "Loads a tile, or a part of one, from shared memory";
  let description = [{
    The part of the stage that starts at the static (row, column) `origin`. With
    `transposed`, coordinate 0 of the result walks the columns of the buffer.
  }];
  let arguments = (ins Tile_BufferType:$buffer, Index:$stage,
                       DenseI64ArrayAttr:$origin, UnitAttr:$transposed,
                       OptionalAttr<I64Attr>:$slot);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $buffer `[` $stage `]` `at` $origin (`transposed` $transposed^)? attr-dict
    `:` type($buffer) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_LocalStoreOp : Tile_Op<"local_store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Stores a tile to shared memory";
  let description = [{
    `stages` and `slot` as for `tile.copy_async`.
  }];
  let arguments = (ins AnyRankedTensor:$value, Tile_BufferType:$buffer,
                       Index:$stage, UnitAttr:$transposed,
                       OptionalAttr<I64Attr>:$stages,
                       OptionalAttr<I64Attr>:$slot);
  let assemblyFormat = [{
    $value `,` $buffer `[` $stage `]` (`transposed` $transposed^)? attr-dict
    `:` type($value) `,` type($buffer)
  }];
  let hasVerifier = 1;
}

def Tile_StashOp : Tile_Op<"stash", [MemoryEffects<[MemWrite]>]> {
  let summary = "Puts a thread's elements of a tile aside in shared memory";
  let description = [{
    For `tile.unstash` by the same thread: nobody else reads them, so that no barrier
    stands between the two, and they lie where threads next to one another store
    without conflicts. `buffer` has for each of its stages as many rows as the block
    has threads and as many columns as a thread has different elements; it is not
    freed.
  }];
  let arguments = (ins AnyRankedTensor:$value, Tile_BufferType:$buffer, Index:$stage);
  let assemblyFormat = [{
    $value `,` $buffer `[` $stage `]` attr-dict `:` type($value) `,` type($buffer)
  }];
  let hasVerifier = 1;
}

def Tile_UnstashOp : Tile_Op<"unstash", [MemoryEffects<[MemRead]>]> {
  let summary = "Takes back what the thread put aside";
  let arguments = (ins Tile_BufferType:$buffer, Index:$stage);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $buffer `[` $stage `]` attr-dict `:` type($buffer) `->` type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

def Tile_DotOp : Tile_Op<"dot", [Pure, AllTypesMatch<["accumulator", "result"]>]> {
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

def Tile_SharedDotOp : Tile_Op<"shared_dot", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead]>, AllTypesMatch<["accumulator", "result"]>]> {
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
                       Optional<Tile_BufferType>:$lhs_buffer,
                       Optional<Index>:$lhs_stage,
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

def Tile_ProxyFenceOp : Tile_Op<"proxy_fence", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Shows the asynchronous proxy what the thread has written";
  let description = [{
    To shared memory; behind the barrier that follows, units that read it by
    themselves see what all threads had written (PTX ISA, "Async proxy").
  }];
  let assemblyFormat = "attr-dict";
}

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

    A tile that products multiply, too, lies as they want it: where `intrinsic` and
    `warps` are given, as the first operand of such a product, which is reduced
    `along 1`, or as the second, `along 0`. Otherwise the layout is that of what the
    tile is computed from.

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
    Keeps the padding of a tile from reaching a product or a reduction.
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
    By permutation of registers where the layouts allow, else through shared memory:
    `tile-allocate-shared` gives it a scratch buffer as `offset`. That is made for
    rows of 16-byte units; `padded` asks for one whose rows may have any length
    (Support/PaddedScratch.h), which tiles of more than two dimensions always have.
  }];
  let arguments = (ins AnyRankedTensor:$value, OptionalAttr<I64Attr>:$offset,
                       UnitAttr:$padded);
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

def Tile_HoldOp : Tile_Op<"hold", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "The same tile, computed here and not later";
  let description = [{
    Of tiles that are kept, compilers further down would put off what is cheap, such
    as rounding accumulators to a narrower type, to the first use, and keep the wider
    values of all tiles until then.
  }];
  let arguments = (ins AnyRankedTensor:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Tile_ScaleOp : Tile_Op<"scale", [Pure,
    AllTypesMatch<["value", "factors", "result"]>]> {
  let summary = "A tile times factors that are mostly one";
  let description = [{
    Element by element. A warp of which all lanes hold factors of one only leaves
    its part of the tile as it is, and does not multiply: worth its branch where
    that is common, such as for sums of rows that are corrected now and then.

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
  let summary = "Whether all other blocks that count here have been here";
  let description = [{
    True in one of the `blocks` blocks that count with the same `number`: the last to
    arrive, which sees all that the others stored before. A barrier of the block.
    The kernel has `counters` of them, which are zero again after the last block.

    ```mlir
    tile.store %partial, %mine[%0] : ...
    %last = tile.last_block %column of 24 {counters = 6 : i64}
    scf.if %last { ... }
    ```
  }];
  let arguments = (ins Index:$number, I64Attr:$blocks, I64Attr:$counters);
  let results = (outs I1:$result);
  let assemblyFormat = "$number `of` $blocks attr-dict";
  let hasVerifier = 1;
}

def Tile_ClusterReduceOp : Tile_Op<"cluster_reduce",
    [MemoryEffects<[MemRead, MemWrite]>,
     AllTypesMatch<["value", "result"]>]> {
  let summary = "Combines the tiles of the blocks of a cluster";
  let description = [{
    Element by element, in the order of the blocks, so that all of them have the
    same result. Every block writes its tile to the shared memory of all, waits for
    the cluster, and combines what it has been given. `parts` has a row for each
    block of the cluster and a column for each element of the tile; nothing else
    uses it, and it is not freed: other blocks may be ahead. A barrier of the block,
    and so not in a loop or a branch.

    ```mlir
    %sum = tile.cluster_reduce addf %mine in %parts
        : tensor<1xf32>, !tile.buffer<1 x 8x1xf32, #parts>
    ```
  }];
  let arguments = (ins AtomicRMWKindAttr:$kind, AnyRankedTensor:$value,
                       Tile_BufferType:$parts);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $kind $value `in` $parts attr-dict `:` type($value) `,` type($parts)
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
