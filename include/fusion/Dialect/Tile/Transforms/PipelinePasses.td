//===- PipelinePasses.td - Pipelining of block programs (ALCOP) --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_DIALECT_TILE_TRANSFORMS_PIPELINE_PASSES
#define FUSION_DIALECT_TILE_TRANSFORMS_PIPELINE_PASSES

include "mlir/Pass/PassBase.td"

def TilePipelineIdentify : Pass<"tile-pipeline-identify", "::fusion::tile::KernelOp"> {
  let summary = "Find the buffers that can be pipelined";
  let description = [{
    A buffer with `pipeline_stages` above one is marked `pipelined` where ALCOP's
    three rules hold (section II-A): (1) it is filled by one asynchronous copy and by
    nothing else; (2) the copy stands in a sequential loop that also holds all reads of
    the buffer, behind it; (3) since groups of copies are waited for in order, no other
    pipelined loop stands inside of that loop, whose waits would be for other
    data. Rule 3 is of two loops with groups of copies: bulk copies have an mbarrier for
    each stage of a buffer, and may be nested with either. Where a rule fails, a remark
    (category `pipeline`) says which, and the buffer keeps its single stage.

    A buffer that is filled synchronously, by a load into registers and a store, fails
    rule 1 but is prefetched instead where the others hold: the load runs one iteration
    ahead, the store has a second stage to go to. It asks for two stages.

    ```mlir
    %buffer = tile.alloc {pipeline_stages = 3 : i64} : !tile.buffer<1, 64, 32, f16, #layout>
    ```

    becomes

    ```mlir
    %buffer = tile.alloc {pipeline_stages = 3 : i64, pipelined} : …
    ```
  }];
  let dependentDialects = ["::fusion::tile::TileDialect"];
}

def TilePipelineAssignStages
    : Pass<"tile-pipeline-assign-stages", "::fusion::tile::KernelOp"> {
  let summary = "Carry the stages of pipelined buffers to what fills them";
  let description = [{
    The copy or store that fills a `pipelined` buffer gets the buffer's stages; nothing
    else decides here. One that has stages already, or a pipelined buffer that has been
    given its stages already, is an error: the annotations are stale. So is a buffer
    that is marked but not filled by one copy, or through registers with more than two
    stages.

    ```mlir
    tile.copy_async %a[%m, %k], %A[%c0] by async16 …
    ```

    becomes

    ```mlir
    tile.copy_async %a[%m, %k], %A[%c0] by async16 {stages = 3 : i64} …
    ```
  }];
  let dependentDialects = ["::fusion::tile::TileDialect"];
}

def TilePipelinePlace : Pass<"tile-pipeline-place", "::fusion::tile::KernelOp"> {
  let summary = "Place the primitives that guard pipelined buffers";
  let description = [{
    The analysis of ALCOP section III-A, written into the IR. The pipelined loop of a
    buffer is the innermost sequential one around what fills it. In it the fills, with
    what they are computed from, are gathered at the top: the load region, between
    `producer_acquire` and `producer_commit`. The use region, from the first to the last
    read of a pipelined buffer, stands between `consumer_wait` and `consumer_release`.
    The program is still the same, one iteration after the other; expansion moves the
    load region ahead. Its prologue will stand in front of the loop, and that of the
    register level in the prologue or in the loop around (`tile-pipeline-registers`).

    ```mlir
    scf.for %k = %c0 to %K step %c32 … {
      tile.copy_async %a[%m, %k], %A[%c0] by async16 {stages = 3 : i64} …
      tile.commit
      tile.wait 0
      %x = tile.local_load %A[%c0] …
    }
    ```

    becomes

    ```mlir
    scf.for %k = %c0 to %K step %c32 … {
      tile.producer_acquire
      tile.copy_async %a[%m, %k], %A[%c0] by async16 {stages = 3 : i64} …
      tile.producer_commit
      tile.consumer_wait 0
      %x = tile.local_load %A[%c0] …
      tile.consumer_release
    }
    ```
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::fusion::tile::TileDialect"];
}

def TilePipelineExpand : Pass<"tile-pipeline-expand", "::fusion::tile::KernelOp"> {
  let summary = "Issue copies ahead of their use";
  let description = [{
    Rewrites every loop with primitives (ALCOP section III-B). Buffers get their stages.
    A buffer with s stages is filled s - 1 iterations ahead: the first s - 1 copies
    stand in a prologue before the loop, the copy in the loop is for the iteration s - 1
    later, into the stage after the last one that was filled, wrapping around. Copies
    beyond the last iteration are predicated off, so any trip count will do, also one
    that is known at run time only. An iteration's copies to buffers with the same
    number of stages are one group, those with fewer stages first; the wait at the top
    of the iteration leaves all groups in flight that it does not need.

    Copies in bulk belong to no group: each buffer that they fill is awaited by itself,
    in front of its first use (`tile.await`). What bulk copies in front of the loop
    fill is awaited behind the prologue.

    What is filled through registers is loaded in the load region, too, for the next
    iteration, and stored to the other stage when this iteration's data has been read.

    ```mlir
    scf.for %k = %c0 to %K step %c32 … {
      tile.producer_acquire
      tile.copy_async %a[%m, %k], %A[%c0] by async16 {stages = 3 : i64} …
      tile.producer_commit
      tile.consumer_wait 0
      %x = tile.local_load %A[%c0] …
      tile.consumer_release
    }
    ```

    becomes

    ```mlir
    tile.copy_async %a[%m, %c0], %A[%c0] by async16 {slot = 0 : i64} …
    tile.producer_commit
    tile.copy_async %a[%m, %c32], %A[%c1] by async16 if %second {slot = 1 : i64} …
    tile.producer_commit
    scf.for %k = %c0 to %K step %c32 iter_args(…, %read = %c0, %write = %c2) {
      tile.consumer_wait 1
      tile.producer_acquire
      tile.copy_async %a[%m, %later], %A[%write] by async16 if %inside {slot = 2 : i64} …
      tile.producer_commit
      %x = tile.local_load %A[%read] … {slot = 0 : i64}
      tile.consumer_release
      …
    }
    ```

    Primitives that are incomplete, fills outside of the load region and reads outside of
    the use region are errors.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::fusion::tile::TileDialect"
  ];
}

def TilePipelineRegisters : Pass<"tile-pipeline-registers", "::fusion::tile::KernelOp"> {
  let summary = "Load the next fragments under the product of these";
  let description = [{
    The second level (ALCOP, figure 3d), for kernels or buffers with two
    `register_stages`: the loads from them for one product are issued before the
    product in front of it. In a loop that `tile-pipeline-expand` has pipelined, the last product of
    an iteration covers the first loads of the next one, whose fragments the loop
    carries: the inner pipeline's prologue belongs to the outer loop, and there is no
    bubble between its iterations. The wait for the next iteration's data moves
    before that last product. Bulk copies that it loads from are awaited there, unless
    this is the last iteration: nothing would come.

    Where copies or waits stand between a product and the next loads, these stay
    behind them.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::fusion::tile::TileDialect"
  ];
}

def TileUnrollArrays : Pass<"tile-unroll-arrays", "::fusion::tile::KernelOp"> {
  let summary = "Make a value of each tile of an array";
  let description = [{
    Unrolls the loops whose variables index an array of tiles in registers, and
    replaces arrays by their tiles, also where other loops carry them. An array comes
    whole into a loop; its tiles are carried by the loops that change them and by no
    others, so that each has its layout from what is computed there. Runs after the
    pipelining passes, so that loads in such loops have stages like any other: what
    those passes have noted relative to an iteration (`slot`) goes, stages become
    constants, and copies that the end of a pipeline predicates off are left out. An
    index that does not become a constant is an error.

    ```mlir
    %zeros = tile.make_array %zero : !tile.array<2 x tensor<64x32xf32>>
    %sums = scf.for %h = %c0 to %c64 step %c32 iter_args(%given = %zeros) … {
      %slot = arith.divui %h, %c32 : index
      %old = tile.array_get %given[%slot] : !tile.array<2 x tensor<64x32xf32>>
      %new = tile.dot %c, %d, %old …
      %set = tile.array_set %new, %given[%slot] : !tile.array<2 x tensor<64x32xf32>>
      scf.yield %set : …
    }
    ```

    becomes

    ```mlir
    %new = tile.dot %c, %d, %zero …
    %new1 = tile.dot %c, %d1, %zero …
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::fusion::tile::TileDialect"
  ];
}

def TilePipelinePrune : Pass<"tile-pipeline-prune", "::fusion::tile::KernelOp"> {
  let summary = "Drop groups without copies, and what guards them";
  let description = [{
    Where the rounds of a pipelined loop are unrolled, the last ones copy nothing: the
    stages they would fill are never read. Their commits close empty groups, which
    later waits still count; their acquires guard no stage. Both go, the waits leave as
    many groups fewer in flight, and a wait that an earlier one has made sure of
    already goes, too. Where a group may be counted by a wait out of sight, in another
    block, while older copies are in flight, it stays. Runs after
    `tile-unroll-arrays`.

    ```mlir
    tile.consumer_wait 0
    tile.producer_acquire
    tile.producer_commit
    %c = tile.local_load %buffer[%c1] at [0, 0] : …
    tile.consumer_release
    ```

    becomes

    ```mlir
    tile.consumer_wait 0
    %c = tile.local_load %buffer[%c1] at [0, 0] : …
    ```
  }];
}

#endif // FUSION_DIALECT_TILE_TRANSFORMS_PIPELINE_PASSES
