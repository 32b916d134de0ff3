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

    `pipeline_stages` is the number of stages that the schedule asks for.
    `tile-pipeline-identify` marks the buffers that can be pipelined with `pipelined`,
    and `tile-pipeline-expand` gives them their stages. A buffer that `thread_private`
    copies fill (`tile.copy_async`) has its stages from the start. `register_stages` is
    the number of stages of the fragments that are loaded from this buffer, for
    `tile-pipeline-registers`; default: the kernel's `register_stages`.

    A buffer that TMA copies fill has an mbarrier of 8 bytes for each stage.
    `barriers` is the offset of the first one, set by `tile-allocate-shared`. Where
    stages are released (`tile.release`), each has another mbarrier for its release:
    `released` is the offset of the first of these. Mbarriers live as long as the
    kernel.

    Only kernels with a `cluster` have buffers of the space `cluster`.
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
    Copies the tile at `coordinates` of the view into a stage of the buffer. Elements
    outside of the view become zero. The row of the buffer is the view's dimension
    `1 - unit`, its column the unit dimension. The copy joins the group that the next
    `tile.commit` closes (PTX ISA, "Data Movement and Conversion Instructions:
    cp.async"). `in_bounds` means what it means for `tile.load`.

    A TMA copy (by `tma`) is issued by one thread and belongs to no group. The mbarrier
    of the buffer's stage counts its bytes, and `tile.await` waits there. Its view is a
    `tile.window` of a dense tensor of at most five dimensions, whose indices are the
    tile's dimensions and symbols, as a tensor map requires. `eviction` tells the L2
    what to do with the data (PTX ISA, "createpolicy"). With `multicast` all blocks of
    the kernel's cluster copy the same tile at the same place of their program. Each
    block copies an equal part of the rows to the buffers of all blocks.

    `thread_private` is a tile type with a layout. Each thread copies its own elements
    of the tile, by that layout, to its own place of the buffer. `tile.private_load`
    reads them back in the same thread once the copies have arrived. The buffer has a
    row for each thread of the block and a column for each different element of a
    thread. Since threads exchange nothing, no barrier is needed, and the view may have
    any rank.

    By `tma`, one thread copies to the places of all threads. The view is then a
    `tile.view` of an argument of the kernel, and the tile begins at multiples of its
    own sizes. Its layout must let a tensor map describe the places
    (`fusion/Support/PrivateBoxes.h`).

    If `predicate` is false, nothing is copied. The pipelining passes set `stages` and
    `slot`. `stages` is the number of stages that the buffer will have. In an expanded
    pipeline, `slot` is the iteration whose data this is, counted from the current one.
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
    This is a TMA store, which one thread issues (PTX ISA, "cp.async.bulk.tensor"). A
    barrier separates it from the threads' stores to the stage. Its view is a
    `tile.window` as for a TMA copy by `tile.copy_async`. Elements outside of the tensor
    are not stored. The store reads the buffer until `tile.store_wait`.

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
    The thread that has issued the stores waits. Other threads may write to the buffers
    after a barrier that follows. The stored data is in global memory when the kernel
    has ended.
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
    block wait for each copy once, in the order of the copies to the stage. If
    `predicate` is false, no thread waits. `slot` means what it means for
    `tile.copy_async`.

    In an expanded pipeline `tile.await` replaces `tile.consumer_wait`. It is before the
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
    The warp that issues the copy waits before the copy, on the copy's `predicate`. The
    first copy to a stage waits for nothing. Every later copy waits for the
    `tile.release` of the stage's previous data.
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
    Each warp releases a stage once for every copy to it, after its last read of the
    data. The next copy, after its `tile.acquire`, then needs no barrier.

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
    With `warp` only the lanes of a warp wait for one another (PTX ISA,
    "bar.warp.sync"). Producer warps take part only in a barrier `with_producers`, which
    precedes a copy to memory that consumer warps have accessed. With `cluster` all
    threads of the cluster's blocks wait, producers too (PTX ISA, "barrier.cluster"):
    such a barrier precedes a copy to memory that another block has accessed.
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
    The warpgroup does not wait for the next one (PTX ISA, "bar.arrive"). With `first`
    only the last warpgroup arrives, before any warpgroup has had the tensor cores.
  }];
  let arguments = (ins UnitAttr:$first);
  let assemblyFormat = "(`first` $first^)? attr-dict";
}

def Tile_WarpSpecializeOp : Tile_Op<"warp_specialize",
    [MemoryEffects<[MemRead, MemWrite]>, NoRegionArguments, NoTerminator,
     SingleBlock]> {
  let summary = "The programs of producer warps and of consumer warps";
  let description = [{
    The warps after the kernel's first `warps` are its `producers`. The first producer
    warp executes the region `producer`. Other producer warps only give their registers
    to the consumers, which execute `consumer`. `tile-specialize-warps` makes this
    operation, as the last one of a kernel.

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
    The buffer has a stage for each block of the cluster (`cluster` of the kernel). The
    first block receives the first rows of every block's tile, as many as a stage has,
    the second block the next rows, and so on. A block receives rows at the stage whose
    number is that of the sending block (PTX ISA, "mapa", ".shared::cluster").

    A barrier of the cluster precedes and follows the operation (`tile.barrier cluster`,
    or a `tile.cluster_reduce`), so that no block writes to memory that another block
    still uses.

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
    The fence is for writes to shared memory. After the barrier that follows, the
    asynchronous proxy (TMA stores, wgmma) sees what all threads have written before
    their fences (PTX ISA, "Async proxy").
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_LocalLoadOp : Tile_Op<"local_load", [MemoryEffects<[MemRead]>]> {
  let summary = "Loads a tile, or a part of one, from shared memory";
  let description = [{
    The part of the stage starts at the static (row, column) `origin`. With
    `transposed`, coordinate 0 of the result is the column of the buffer.
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
    `stages` and `slot` mean what they mean for `tile.copy_async`.
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
    Only `tile.private_load` by the same thread reads the elements, so that no barrier is
    needed between the two. The elements are placed so that neighbouring threads store
    without bank conflicts. A `tile.copy_async` with `thread_private` fills the same
    places. Each stage of `buffer` has a row for each thread of the block and a column
    for each different element of a thread. The buffer is not freed.
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
    The pipelining passes set `slot`, as for `tile.copy_async`.
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
