//===- TileSharedOps.td - Shared memory and pipelines -------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_DIALECT_TILE_IR_TILESHAREDOPS_TD
#define FUSION_DIALECT_TILE_IR_TILESHAREDOPS_TD

include "fusion/Dialect/Tile/IR/TileOpBase.td"

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
    `tile-pipeline-expand` gives them their stages, but for those that have a place
    for each iteration already (`tile.copy_async` with `thread_private`).
    `register_stages` are those of the fragments that are loaded from this buffer, for `tile-pipeline-registers`;
    without them those of the kernel.

    A buffer that TMA copies fill has an mbarrier for each stage, 8 bytes each:
    `barriers` is the offset of the first, set by `tile-allocate-shared`, too. Where
    its stages are released (`tile.release`), each has another one for that:
    `released` is the offset of the first of these. All live as long as the kernel.

    Buffers of the space `cluster` are of kernels with a cluster of blocks.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset,
      OptionalAttr<ConfinedAttr<I64Attr, [IntMinValue<1>,
                                          IntMaxValue<8>]>>:$pipeline_stages,
      UnitAttr:$pipelined,
      OptionalAttr<ConfinedAttr<I64Attr, [IntMinValue<1>,
                                          IntMaxValue<2>]>>:$register_stages,
      OptionalAttr<I64Attr>:$barriers, OptionalAttr<I64Attr>:$released);
  let results = (outs Tile_BufferType:$result);
  let builders = [OpBuilder<
      (ins "::mlir::Type":$result, "::mlir::IntegerAttr":$offset,
          "::mlir::IntegerAttr":$stages, "bool":$pipelined,
          "::mlir::IntegerAttr":$registerStages),
      [{
    build($_builder, $_state, result, offset, stages, pipelined, registerStages,
          /*barriers=*/nullptr, /*released=*/nullptr);
  }]>];
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_FreeOp : Tile_Op<"free", [MemoryEffects<[MemFree]>]> {
  let summary = "Ends the life of a buffer";
  let arguments = (ins Tile_BufferType:$buffer);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer)";
}

def Tile_CopyAsyncOp
    : Tile_Op<"copy_async", [AttrSizedOperandSegments,
                             MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Starts the copy of a tile from global to shared memory";
  let description = [{
    Copies the tile at `coordinates` of the view into a stage of the buffer, elements
    outside of the view as zero. The row of the buffer is the view's dimension
    `1 - unit`, its column the unit dimension. Joins the group that the next
    `tile.commit` closes (PTX ISA, "Data Movement and Conversion Instructions:
    cp.async"). `in_bounds` as for `tile.load`.

    A TMA copy (by `tma`) is issued by one thread, and belongs to no group: the mbarrier of
    the buffer's stage counts its bytes, and `tile.await` waits there. Its view is a
    `tile.window` whose indices are the tile's dimensions and symbols, of a dense tensor
    of at most five dimensions, as those of a tensor map. `eviction` says what the L2
    may do with what it has read (PTX ISA, "createpolicy"). With `multicast` all blocks
    of the kernel's cluster copy the same tile at the same place of their program: each
    of them an equal part of its rows, to the buffers of all.

    With `thread_private`, a tile with a layout, each thread copies what it has of that tile to
    its own place of the buffer, of as many rows as the block has threads and as many
    columns as a thread has different elements, where it takes it back by
    `tile.private_load` when its copies have arrived: threads give one another nothing, so
    that no barrier stands between the two, and the view may have any rank. By `tma`
    it is one thread that copies, whose boxes fill the places of all: the tile, of a
    `tile.view` of an argument of the kernel, is such that they are boxes of a tensor
    map (`fusion/Support/PrivateBoxes.h`), and begins at multiples of its own sizes.

    Where `predicate` is given and false, nothing is copied. `stages` and `slot` are
    notes of the pipelining passes: the stages that the buffer is to have, and in an
    expanded pipeline the iteration whose data this is, counted from the current
    one.
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Index>:$coordinates,
      Tile_BufferType:$buffer, Index:$stage, Optional<I1>:$predicate,
      Tile_TransportAttr:$transport,
      OptionalAttr<DenseBoolArrayAttr>:$in_bounds,
      OptionalAttr<I64Attr>:$stages, OptionalAttr<I64Attr>:$slot,
      OptionalAttr<Tile_EvictionAttr>:$eviction, UnitAttr:$multicast,
      OptionalAttr<TypeAttrOf<AnyRankedTensor>>:$thread_private);
  let assemblyFormat = [{
    $view `[` $coordinates `]` `,` $buffer `[` $stage `]` `by` $transport
    (`if` $predicate^)? attr-dict `:` type($view) `,` type($buffer)
  }];
  let hasVerifier = 1;
}

def Tile_StoreAsyncOp
    : Tile_Op<"store_async", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Starts the copy of a tile from shared to global memory";
  let description = [{
    The other way of a `tile.copy_async` by `tma`: one thread has the boxes of a tensor
    map stored from a stage of the buffer, behind a barrier that stands between what all
    threads have stored there and this. Its view is the same `tile.window`; what lies
    outside of the tensor is left out. Until `tile.store_wait` the buffer is read
    (PTX ISA, "cp.async.bulk.tensor").

    ```mlir
    tile.local_store %result, %staged[%c0] : ...
    tile.store_async %staged[%c0], %e[%m, %h] : ...
    tile.store_wait
    tile.free %staged : ...
    ```
  }];
  let arguments = (ins Tile_BufferType:$buffer, Index:$stage,
      Tile_ViewType:$view, Variadic<Index>:$coordinates);
  let assemblyFormat = [{
    $buffer `[` $stage `]` `,` $view `[` $coordinates `]` attr-dict
    `:` type($buffer) `,` type($view)
  }];
  let hasVerifier = 1;
}

def Tile_StoreWaitOp
    : Tile_Op<"store_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits until TMA stores have read their buffers";
  let description = [{
    The thread that has started them waits; the others may write to the buffers behind a
    barrier that follows. What is stored is there when the kernel is over.
  }];
  let assemblyFormat = "attr-dict";
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
// The four primitives that guard a pipelined buffer (ALCOP section III-B).
// Where copies are synchronised by groups (cp.async), commit and wait are
// instructions, and acquire and release are kept by the barriers that
// tile-insert-barriers adds.

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

def Tile_AwaitOp : Tile_Op<"await", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits for the TMA copy that fills a stage of a buffer";
  let description = [{
    Every thread that waits sees the data; no barrier need follow. All threads of the
    block wait for each copy once, in the order of the copies to the stage. Where
    `predicate` is given and false, nothing is waited for. `slot` as for
    `tile.copy_async`.

    In an expanded pipeline it stands in place of `tile.consumer_wait`, in front of the
    first use of its buffer.

    ```mlir
    tile.await %keys[%stage] {slot = 0 : i64} : !tile.buffer<...>
    ```
  }];
  let arguments = (ins Tile_BufferType:$buffer, Index:$stage,
      Optional<I1>:$predicate, OptionalAttr<I64Attr>:$slot);
  let assemblyFormat = [{
    $buffer `[` $stage `]` (`if` $predicate^)? attr-dict `:` type($buffer)
  }];
}

def Tile_AcquireOp : Tile_Op<"acquire", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits until the stage that a TMA copy fills has been released";
  let description = [{
    By the warp that copies, in front of the copy, on the copy's `predicate`. The first
    fill of a stage waits for nothing, every later one for the `tile.release` of what
    was there before.
  }];
  let arguments = (ins Tile_BufferType:$buffer, Index:$stage,
      Optional<I1>:$predicate);
  let assemblyFormat = [{
    $buffer `[` $stage `]` (`if` $predicate^)? attr-dict `:` type($buffer)
  }];
}

def Tile_ReleaseOp : Tile_Op<"release", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Says that a stage that TMA copies fill has been read";
  let description = [{
    By each warp, once for every copy to the stage, when it has read what it reads
    of it. The next copy may then be issued, by `tile.acquire`, without a barrier.

    ```mlir
    tile.acquire %keys[%next] if %more : !tile.buffer<...>
    tile.copy_async %k[%at, %c0], %keys[%next] by tma if %more : ...
    tile.await %keys[%stage] : !tile.buffer<...>
    %s = tile.shared_dot ...
    tile.release %keys[%stage] : !tile.buffer<...>
    ```
  }];
  let arguments = (ins Tile_BufferType:$buffer, Index:$stage);
  let assemblyFormat = "$buffer `[` $stage `]` attr-dict `:` type($buffer)";
}

def Tile_BarrierOp : Tile_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits for all threads of the block, or of each warp";
  let description = [{
    With `warp` the lanes of every warp wait for one another only (PTX ISA,
    "bar.warp.sync"). Producers, where the kernel has them, wait only
    `with_producers`: in front of a copy to what others have touched. With `cluster`
    all threads of the cluster's blocks wait (PTX ISA, "barrier.cluster"), producers
    too: in front of a copy to what another block has touched.
  }];
  let arguments = (ins UnitAttr:$warp, UnitAttr:$with_producers,
      UnitAttr:$cluster);
  let assemblyFormat = "(`warp` $warp^)? (`with_producers` $with_producers^)? (`cluster` $cluster^)? attr-dict";
  let hasVerifier = 1;
}

def Tile_PingPongWaitOp
    : Tile_Op<"ping_pong_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits until the warpgroup has the tensor cores";
  let description = [{
    Consumer warpgroups have the tensor cores one after the other, the first one again
    after the last. Each ends its part by `tile.ping_pong_arrive`. All warpgroups do
    both equally often. With `last` only the first warpgroup waits, for the arrival
    that is left over at the end (PTX ISA, "bar.sync" of some of a block's threads).

    ```mlir
    tile.ping_pong_arrive first
    scf.for ... {
      tile.ping_pong_wait
      %s = tile.shared_dot ... {async}
      %o = tile.shared_dot ... {async}
      tile.ping_pong_arrive
      ...
    }
    tile.ping_pong_wait last
    ```
  }];
  let arguments = (ins UnitAttr:$last);
  let assemblyFormat = "(`last` $last^)? attr-dict";
}

def Tile_PingPongArriveOp
    : Tile_Op<"ping_pong_arrive", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Gives the tensor cores to the next warpgroup";
  let description = [{
    Without waiting for it (PTX ISA, "bar.arrive"). With `first` only the last warpgroup
    does so, before any warpgroup has had the tensor cores.
  }];
  let arguments = (ins UnitAttr:$first);
  let assemblyFormat = "(`first` $first^)? attr-dict";
}

def Tile_WarpSpecializeOp : Tile_Op<"warp_specialize",
    [MemoryEffects<[MemRead, MemWrite]>, NoRegionArguments, NoTerminator,
     SingleBlock]> {
  let summary = "What producers do, and what all other warps do";
  let description = [{
    The warps behind the kernel's first `warps` are its `producers`, of which the first
    one does what `producer` says. The others of them are there to give their
    registers to the consumers. Made by `tile-specialize-warps`, as the last
    operation of a kernel.

    ```mlir
    tile.warp_specialize producer {
      scf.for %k = %c0 to %c256 step %c64 {
        tile.acquire %a[%stage] : ...
        tile.copy_async %view[%m, %k], %a[%stage] by tma : ...
      }
    } consumer {
      scf.for %k = %c0 to %c256 step %c64 {
        tile.await %a[%stage] : ...
        ...
        tile.release %a[%stage] : ...
      }
    }
    ```
  }];
  let regions = (region SizedRegion<1>:$producer, SizedRegion<1>:$consumer);
  let assemblyFormat = "`producer` $producer `consumer` $consumer attr-dict";
}

def Tile_ClusterScatterOp : Tile_Op<"cluster_scatter",
    [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Gives every block of a cluster its share of a tile's rows";
  let description = [{
    The buffer has a stage for each block of the cluster, as the kernel's `cluster` says:
    the first block's buffer gets the first rows of the tile, as many as a stage has, the
    next one's the next, at the stage of the block that gives them (PTX ISA, "mapa",
    ".shared::cluster"). All blocks have met before (`tile.barrier cluster`, or in a
    `tile.cluster_reduce`) and do so behind it: nobody writes to what others still use.

    ```mlir
    %given = tile.alloc : !tile.buffer<4, 16, 128, f32, <"...">, cluster>
    tile.barrier cluster
    tile.cluster_scatter %sums, %given : tensor<64x128xf32>, !tile.buffer<4, 16, 128, f32, <"...">, cluster>
    tile.barrier cluster
    %0 = tile.local_load %given[%c0] at [0, 0] : !tile.buffer<4, 16, 128, f32, <"...">, cluster> -> tensor<16x128xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value, Tile_BufferType:$buffer);
  let assemblyFormat =
      "$value `,` $buffer attr-dict `:` type($value) `,` type($buffer)";
  let hasVerifier = 1;
}

def Tile_ProxyFenceOp
    : Tile_Op<"proxy_fence", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Shows the asynchronous proxy what the thread has written";
  let description = [{
    To shared memory; behind the barrier that follows, units that read it by
    themselves see what all threads had written (PTX ISA, "Async proxy").
  }];
  let assemblyFormat = "attr-dict";
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
      Index:$stage, UnitAttr:$transposed, OptionalAttr<I64Attr>:$stages,
      OptionalAttr<I64Attr>:$slot);
  let assemblyFormat = [{
    $value `,` $buffer `[` $stage `]` (`transposed` $transposed^)? attr-dict
    `:` type($value) `,` type($buffer)
  }];
  let hasVerifier = 1;
}

def Tile_PrivateStoreOp : Tile_Op<"private_store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Stages a thread's elements of a tile through shared memory";
  let description = [{
    For `tile.private_load` by the same thread: nobody else reads them, so that no barrier
    stands between the two, and they lie where threads next to one another store
    without conflicts. A `tile.copy_async` with `thread_private` fills the same places. `buffer`
    has for each of its stages as many rows as the block has threads and as many
    columns as a thread has different elements; it is not freed.
  }];
  let arguments = (ins AnyRankedTensor:$value, Tile_BufferType:$buffer,
      Index:$stage);
  let assemblyFormat = [{
    $value `,` $buffer `[` $stage `]` attr-dict `:` type($value) `,` type($buffer)
  }];
  let hasVerifier = 1;
}

def Tile_PrivateLoadOp : Tile_Op<"private_load", [MemoryEffects<[MemRead]>]> {
  let summary = "Loads what the thread stored, or copied, for itself";
  let description = [{
    `slot` is a note of the pipelining passes, as of `tile.local_load`.
  }];
  let arguments = (ins Tile_BufferType:$buffer, Index:$stage,
      OptionalAttr<I64Attr>:$slot);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $buffer `[` $stage `]` attr-dict `:` type($buffer) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // FUSION_DIALECT_TILE_IR_TILESHAREDOPS_TD
