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
    three rules hold (section II-A):

    1. One asynchronous copy, and nothing else, fills the buffer.
    2. The copy is in a sequential loop that also has all reads of the buffer, after the
       copy.
    3. That loop has no other pipelined loop inside. Groups of copies are waited for in
       order, so the inner loop's waits would wait for the outer loop's data. This rule
       is only for two loops with groups of copies: TMA copies have an mbarrier for each
       stage of a buffer.

    If a rule does not hold, a remark (category `pipeline`) says which one, and the
    buffer keeps its single stage.

    A load into registers and a store may fill a buffer synchronously. Rule 1 does not
    hold then. If the other rules do, the buffer is prefetched through registers instead:
    the load runs one iteration ahead, and the store writes to a second stage. Such a
    buffer asks for two stages.

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
  let summary = "Set the stages of copies and stores to pipelined buffers";
  let description = [{
    The copy or store that fills a `pipelined` buffer gets the number of stages of that
    buffer. Errors are:

    * stale annotations: a copy or store that has stages already, or a pipelined buffer
      that has been given its stages already;
    * a pipelined buffer that several copies fill;
    * a pipelined buffer that is filled through registers and has more than two stages.

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
    Writes the result of the analysis of ALCOP section III-A into the IR. The pipelined
    loop of a buffer is the innermost sequential loop around the copy that fills it. The
    pass moves the copies, and the operations that they depend on, to the top of the
    loop. This is the load region, between `producer_acquire` and `producer_commit`. The
    use region, from the first to the last read of a pipelined buffer, is between
    `consumer_wait` and `consumer_release`.

    The program still runs one iteration after the other. `tile-pipeline-expand` moves
    the load region ahead and puts a prologue before the loop. The register level has its
    prologue in that prologue, or in the outer loop (`tile-pipeline-registers`).

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
    A buffer with s stages has a prefetch distance of s - 1 iterations. The first s - 1
    copies are in a prologue before the loop. The copy in the loop is for the iteration
    s - 1 later, and fills the stage after the one that was filled last, wrapping around.
    Copies beyond the last iteration are predicated off, so that any trip count works,
    also one that is known only at run time.

    An iteration's copies to buffers with the same number of stages are one group. Groups
    of buffers with fewer stages are closed first. The wait at the top of the iteration
    leaves all groups in flight that the iteration does not need.

    TMA copies belong to no group. Each buffer that they fill is awaited by itself, before
    its first use (`tile.await`). Buffers that TMA copies before the loop fill are awaited
    after the prologue.

    A buffer that is filled through registers is loaded for the next iteration in the load
    region. The registers are stored to the other stage when this iteration's data has
    been read.

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
  let summary = "Load the next fragments while the MMAs of these run";
  let description = [{
    Pipelines the shared-to-register level (ALCOP, figure 3d) of kernels or buffers with
    two `register_stages`. The fragments of a contraction are loaded before the preceding
    contraction.

    In a loop that `tile-pipeline-expand` has pipelined, an iteration's final contraction
    overlaps with the first loads of the next iteration, whose fragments the loop carries.
    The prologue of the register level is thus in the outer loop, and its iterations have
    no bubble between them. The wait for the next iteration's data moves before that final
    contraction. So do waits for TMA copies, which are predicated off in the last
    iteration: no further copy has been issued.

    If copies or waits are between a contraction and the next loads, these loads stay
    after them.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::fusion::tile::TileDialect"
  ];
}

def TileUnrollArrays : Pass<"tile-unroll-arrays", "::fusion::tile::KernelOp"> {
  let summary = "Make a value of each tile of an array";
  let description = [{
    Unrolls the loops whose variables index an array of tiles in registers, and
    replaces arrays by their tiles, also where other loops carry them. A loop carries
    only the tiles of an array that it changes. So each tile has the layout of the
    operations in that loop.

    Runs after the pipelining passes, so that loads in unrolled loops have stages like
    other loads. The pass removes annotations that are relative to an iteration (`slot`)
    and copies that the end of a pipeline predicates off. Stages become constants. An
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
  let summary = "Drop empty copy groups, and their acquires and waits";
  let description = [{
    If a pipelined loop is unrolled, its last iterations copy nothing: the stages that
    they would fill are never read. Their commits close empty groups, which later waits
    still count. Their acquires guard no stage. The pass removes both, and lowers the
    number of pending groups of the waits by as many. It also removes waits that an
    earlier wait makes redundant. An empty group stays if a wait in another block may
    count it while older copies are in flight. Runs after `tile-unroll-arrays`.

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
