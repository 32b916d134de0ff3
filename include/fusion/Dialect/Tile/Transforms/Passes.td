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

def TileFlushExponentials : Pass<"tile-flush-exponentials", "::fusion::tile::KernelOp"> {
  let summary = "Flush exponentials to zero where that changes no result";
  let description = [{
    Marks f32 exponentials of differences from their row's maximum (`fuse.flush`) whose
    results are only added up, or rounded to 16 bits and then multiplied. The results
    are at most 1, and one of their row is 1. So results below 2^-126 change neither
    the sum nor a rounded factor. An exponential that flushes them to zero is one
    machine instruction in place of four.

    ```mlir
    %top = tile.reduce maximumf %y along 1 : tensor<32x64xf32> -> tensor<32xf32>
    %tops = tile.broadcast %top along [1] : tensor<32xf32> -> tensor<32x64xf32>
    %d = arith.subf %y, %tops : tensor<32x64xf32>
    %e = math.exp %d {fuse.flush} : tensor<32x64xf32>
    %sum = tile.reduce addf %e along 1 : tensor<32x64xf32> -> tensor<32xf32>
    ```
  }];
  let statistics = [
    Statistic<"numFlushed", "exponentials-flushed", "Exponentials that are marked">
  ];
}

def TileFoldExponentials : Pass<"tile-fold-exponentials", "::fusion::tile::KernelOp"> {
  let summary = "Scale and difference of an exponential in one multiply-add";
  let description = [{
    Where the module's `fuse.exponentials` is `"guarded"`, the default, or `"fma"`, an
    exponential of the difference between a tile and values of its rows becomes

        exp(s * x - t) = exp2(fma(x, s * log2(e), -t * log2(e)))

    with `t * log2(e)` computed once for each row. The positive constant `s` is the factor
    of an earlier multiplication `s * x` that nothing else reads. Between it and the
    exponential there may be selections between the product and an infinity or zero, and
    extrema of rows, `max(s * x) = s * max(x)`.

    Factors `exp(t - t')` between statistics of a row use the same products
    `t * log2(e)`. Rounding these products then changes all terms of a row alike.
    docs/numerics.md bounds the error, which is relative to `t`. No other result
    changes.

    With `"fma"` that applies to all exponentials of this form. With `"guarded"`, the
    exponentials of a row are folded where the change of its terms cancels in all that
    the kernel stores or compares. So it does in the quotients of a softmax. They are then
    `math.exp2` of `tile.exponent` and `tile.exponent_step`, which keep to the
    difference in rows of large `t`. Arrays of tiles, buffers with several stages and
    results of branches end the search: exponentials that reach them are not folded.
    Nor are several exponentials of tiles with the same `t`, each of which would be
    behind a branch of its own, as in stitched groups with rows in registers.

    ```mlir
    %y = arith.mulf %x, %scale : tensor<32x64xf32>
    %top = tile.reduce maximumf %y along 1 : tensor<32x64xf32> -> tensor<32xf32>
    %tops = tile.broadcast %top along [1] : tensor<32xf32> -> tensor<32x64xf32>
    %d = arith.subf %y, %tops : tensor<32x64xf32>
    %e = math.exp %d : tensor<32x64xf32>
    ```

    becomes

    ```mlir
    %most = tile.reduce maximumf %x along 1 : tensor<32x64xf32> -> tensor<32xf32>
    %top = arith.mulf %most, %rowScale : tensor<32xf32>
    %low = arith.mulf %top, %minusLog2e : tensor<32xf32>
    %lows = tile.broadcast %low along [1] : tensor<32xf32> -> tensor<32x64xf32>
    %d = math.fma %x, %scaleTimesLog2e, %lows : tensor<32x64xf32>
    %e = math.exp2 %d : tensor<32x64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::fusion::tile::TileDialect"];
  let statistics = [
    Statistic<"numFolded", "exponentials-folded", "Exponentials of a multiply-add">
  ];
}

def TileAssignLayouts : Pass<"tile-assign-layouts", "::fusion::tile::KernelOp"> {
  let summary = "Say which thread holds which element";
  let description = [{
    Gives every tensor of a kernel a `#tile.layout`. Contractions fix the layouts of their
    operands and results, vectorised stores the layout of the stored tile. Element-wise
    operations take the layout of an operand whose layout is fixed. Other tiles, such as
    loads, constants and broadcasts, are made in the layout that their user needs, once
    for each layout. Where two fixed layouts meet, a `tile.convert_layout` is inserted.

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
    Gives an offset to every `tile.alloc`, and to every `tile.convert_layout` that goes
    through shared memory. It is the lowest multiple of 128 bytes at which a buffer
    overlaps no other buffer that lives at the same time. Buffers that contractions read
    in place or that TMA copies fill have multiples of 1024 bytes. The mbarriers of
    buffers that TMA copies fill come after all buffers, one for each stage (`barriers`).
    Sets `shared_memory` of the kernel.
  }];
  let dependentDialects = ["::fusion::tile::TileDialect"];
}

def TileInsertBarriers : Pass<"tile-insert-barriers", "::fusion::tile::KernelOp"> {
  let summary = "Order accesses to shared memory";
  let description = [{
    Inserts a `tile.barrier` before every access to shared memory that conflicts with an
    earlier access without a barrier between the two. Accesses conflict if they overlap
    and one of them writes. Accesses count as follows:

    * Asynchronous copies of threads write at the `tile.wait` that ends them.
    * A TMA copy writes where it is issued, so a barrier separates it from earlier reads
      of its stage. Reads of its data need no barrier, since every thread awaits it.
    * `tile.store_async` reads until the `tile.store_wait` after it. A write to its
      buffer before that wait is an error, and so is the end of the block.

    The analysis follows loops until nothing changes. A barrier that only the first
    iteration needs is inserted before the loop. Stages of a buffer are told apart where
    their numbers are constant. A buffer may be such that one warp alone copies, writes
    and reads each byte of it. Then the barrier is one of the warp's lanes (`tile.barrier
    warp`), unless a barrier of the block is needed there anyway.
  }];
  let dependentDialects = ["::fusion::tile::TileDialect"];
}

def TileUseSharedOperands : Pass<"tile-use-shared-operands", "::fusion::tile::KernelOp"> {
  let summary = "Let intrinsics read their operands from shared memory";
  let description = [{
    Some intrinsics (wgmma) read their RHS from shared memory, and their LHS, too, if it
    lies there. Contractions by such an intrinsic become `tile.shared_dot` of the
    buffers that their operands were to be loaded from. An operand must be a whole
    stage that nothing writes to between the load and the contraction. A computed LHS
    stays a tile in registers. Releases of the stages move behind the contraction.

    ```mlir
    %b = tile.local_load %buffer[%stage] at [0, 0] : ... -> tensor<64x128xf16>
    %sum = tile.dot %a, %b, %sums "wgmma.m64k16" warps [4, 1] : ...
    ```

    becomes

    ```mlir
    %sum = tile.shared_dot %a, %buffer[%stage], %sums "wgmma.m64k16" warps [4, 1] : ...
    ```
  }];
  let dependentDialects = ["::fusion::tile::TileDialect"];
}

def TileReleaseStages : Pass<"tile-release-stages", "::fusion::tile::KernelOp"> {
  let summary = "Release the stages that TMA copies fill, by mbarriers";
  let description = [{
    Replaces `producer_acquire` and `consumer_release` for TMA copies. A `tile.acquire` is
    inserted before each copy to a buffer, and a `tile.release` after the last use of the
    awaited data. So the thread that copies waits for the warps that read, and no other
    thread waits. A copy that is surely the first one to its stage needs no acquire,
    unless producers issue it.

    A loop may prefetch the stages of a buffer (`tile-pipeline-expand`). The release is
    then after the loop's last use of the buffer. Otherwise all copies and waits must be
    in one block, inside of a loop, and each stage must be awaited after each copy to it.

    Each copy to a stage is awaited once and released once, in this order and in the
    order of the copies. Acquires wait for earlier releases. So there is no deadlock.

    These buffers are left to the barriers of the block:

    * other buffers;
    * all buffers of a kernel without producers that prefetches anything by other copies
      than TMA copies, since it has barriers of the block anyway;
    * all buffers of a kernel with one warp, whose barriers cost less.

    ```mlir
    tile.producer_acquire
    tile.copy_async %k[%at, %c0], %keys[%next] by tma if %more {slot = 1 : i64} : ...
    tile.await %keys[%stage] {slot = 0 : i64} : ...
    %s = tile.shared_dot %q, %keys[%stage], %zero ...
    tile.consumer_release
    ```

    becomes

    ```mlir
    tile.acquire %keys[%next] if %more : ...
    tile.copy_async %k[%at, %c0], %keys[%next] by tma if %more {slot = 1 : i64} : ...
    tile.await %keys[%stage] {slot = 0 : i64} : ...
    %s = tile.shared_dot %q, %keys[%stage], %zero ...
    tile.release %keys[%stage] : ...
    ```
  }];
  let dependentDialects = ["::fusion::tile::TileDialect"];
  let statistics = [
    Statistic<"numReleased", "buffers-released", "Buffers released by mbarriers">
  ];
}

def TileOverlapIterations
    : Pass<"tile-overlap-iterations", "::fusion::tile::KernelOp"> {
  let summary = "Overlap a contraction with the next iteration (cross-iteration overlap)";
  let description = [{
    Rotates the loop of a `tile.shared_dot` that has two `stages`: the operands of this
    contraction are computed an iteration ahead. It is then in flight together with the
    next iteration's contraction before it in the loop. Operations on the result of that
    one, such as a softmax, run while this one is in flight (FlashAttention-3, section
    3.2). Results are the same, bit by bit.

    The rotated loop has two stages. These operations are in the late one:

    * the contraction, and operations that need its result;
    * operations that fill, await and release the buffer that it reads;
    * operations whose results would take more registers to carry than their operands.

    The contraction's LHS is made of the values computed `under` it only when both
    contractions have ended. Otherwise ptxas runs contractions one by one, since
    registers that one of them reads are written before (warning C7513).

    The buffer must be filled by TMA copies and released by mbarriers, so that each of the
    two stages waits only for its own buffers. A loop that might have no iteration is not
    changed. A remark (category `pipeline`) gives the reason why a contraction stays.

    A contraction of two buffers whose sum the loop carries goes on while its MMAs of the
    iteration before are in flight (CUTLASS, `warpgroup_wait<1>`). The pass waits for these
    afterwards, with `tile.await_dots`, and then releases their stages. All contractions of
    the loop must allow it.

    ```mlir
    %o = scf.for %n = ... iter_args(%sums = %zero) {
      tile.await %k[%stage]
      %s = tile.shared_dot %q, %k[%stage], %zero ...
      tile.release %k[%stage]
      %p = math.exp %s
      tile.await %v[%stage]
      %next = tile.shared_dot %p, %v[%stage], %sums ... {stages = 2}
      tile.release %v[%stage]
      scf.yield %next
    }
    ```

    becomes

    ```mlir
    tile.await %k[%c0]
    %s0 = tile.shared_dot %q, %k[%c0], %zero ...
    tile.release %k[%c0]
    %p0 = math.exp %s0
    %last, %sum = scf.for %n = ... iter_args(%p = %p0, %sums = %zero) {
      tile.await %k[%stage]
      %s = tile.shared_dot %q, %k[%stage], %zero ... {async}
      tile.await %v[%before]
      %o = tile.shared_dot %p, %v[%before], %sums ... {async}
      %scores = tile.await_dot %s pending 1
      tile.release %k[%stage]
      %next = math.exp %scores
      %new = tile.await_dot %o pending 0 under %next
      tile.release %v[%before]
      scf.yield %next, %new
    }
    tile.await %v[%end]
    %o = tile.shared_dot %last, %v[%end], %sum ...
    tile.release %v[%end]
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::fusion::tile::TileDialect"];
  let statistics = [
    Statistic<"numOverlapped", "products-overlapped",
              "Contractions that overlap with the next iteration's">
  ];
}

def TilePingPong : Pass<"tile-ping-pong", "::fusion::tile::KernelOp"> {
  let summary = "Let consumer warpgroups alternate on the tensor cores";
  let description = [{
    In a kernel with `ping_pong` each consumer warpgroup has the tensor cores for the
    MMAs of one iteration, and computes the rest while the others have them
    (FlashAttention-3, section 3.1). A loop's contractions follow one another in a
    circle. A warpgroup gives the tensor cores away between the two contractions
    between which the most elements are computed, such as a softmax. That may be
    between the last contraction and the first one of the next iteration, or in the
    middle of an iteration.

    A warpgroup that has the tensor cores must not wait for another one, which would
    be a deadlock. So within a loop there is no barrier and nothing that passes
    between warps through shared memory. While a warpgroup has the tensor cores,
    there is no inner loop and no wait for a stage that is released meanwhile. Copies
    are the producers'. A loop that does not fit is left as it is, and a remark
    (category `specialize`) says why.

    ```mlir
    %last, %sum = scf.for %n = ... iter_args(%p = %p0, %sums = %zero) {
      %s = tile.shared_dot %q, %k[%stage], %zero ... {async}
      %o = tile.shared_dot %p, %v[%before], %sums ... {async}
      %scores = tile.await_dot %s pending 1
      %next = math.exp %scores
      ...
    }
    ```

    becomes

    ```mlir
    tile.ping_pong_arrive first
    %last, %sum = scf.for %n = ... iter_args(%p = %p0, %sums = %zero) {
      tile.ping_pong_wait
      %s = tile.shared_dot %q, %k[%stage], %zero ... {async}
      %o = tile.shared_dot %p, %v[%before], %sums ... {async}
      tile.ping_pong_arrive
      %scores = tile.await_dot %s pending 1
      %next = math.exp %scores
      ...
    }
    tile.ping_pong_wait last
    ```
  }];
  let dependentDialects = ["::fusion::tile::TileDialect"];
  let statistics = [
    Statistic<"numLoops", "loops-in-turns", "Loops with ping-pong scheduling">
  ];
}

def TileSpecializeWarps
    : Pass<"tile-specialize-warps", "::fusion::tile::KernelOp"> {
  let summary = "Give TMA copies to producer warps";
  let description = [{
    Splits a kernel that asks for `producers` into the program of a producer warp and that
    of the consumer warps. The producer has the TMA copies, their acquires, and the
    barriers that order copies behind other accesses. The consumers have all other
    operations. Each program keeps the loops around its operations and the values that
    they are computed from. Loops carry only values that the program needs.

    The pass runs last, on a program whose synchronisation is complete: every wait is for
    an operation that comes before it in that program. So the two programs have no
    deadlock either.

    If no loop has TMA copies, a remark (category `specialize`) says so, and the kernel
    has no producers.

    ```mlir
    tile.kernel @k(...) attributes {warps = 4 : i64, producers = 4 : i64} {
      %sums = scf.for %k = %c0 to %c256 step %c64 iter_args(%sum = %zero) {
        tile.acquire %a[%stage] : ...
        tile.copy_async %view[%m, %k], %a[%stage] by tma : ...
        tile.await %a[%stage] : ...
        %next = tile.shared_dot ...
        tile.release %a[%stage] : ...
        scf.yield %next : ...
      }
      tile.store %sums, ...
      tile.return
    }
    ```

    becomes

    ```mlir
    tile.kernel @k(...) attributes {warps = 4 : i64, producers = 4 : i64} {
      tile.warp_specialize producer {
        scf.for %k = %c0 to %c256 step %c64 {
          tile.acquire %a[%stage] : ...
          tile.copy_async %view[%m, %k], %a[%stage] by tma : ...
        }
      } consumer {
        %sums = scf.for %k = %c0 to %c256 step %c64 iter_args(%sum = %zero) {
          tile.await %a[%stage] : ...
          %next = tile.shared_dot ...
          tile.release %a[%stage] : ...
          scf.yield %next : ...
        }
        tile.store %sums, ...
      }
      tile.return
    }
    ```
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::fusion::tile::TileDialect"];
}

def TileInsertProxyFences : Pass<"tile-insert-proxy-fences", "::fusion::tile::KernelOp"> {
  let summary = "Show the asynchronous proxy what threads have written";
  let description = [{
    Inserts a `tile.proxy_fence` before a barrier if threads have written to shared memory
    before the barrier that the asynchronous proxy accesses after it: by
    `tile.shared_dot`, `tile.store_async` or a TMA copy. Asynchronous copies by threads
    write at their wait. TMA copies belong to the asynchronous proxy and need no fence.
    Runs after `tile-insert-barriers`.
  }];
  let dependentDialects = ["::fusion::tile::TileDialect"];
}

def TileSplitMaskedLoops : Pass<"tile-split-masked-loops", "::fusion::tile::KernelOp"> {
  let summary = "Mask only the tiles that a mask divides";
  let description = [{
    Splits a loop with masks into up to three loops over the same iterations. The tiles of
    the middle loop are not masked. A mask is a comparison of indices of the loop's tile,
    as in causal or sliding-window attention, or a `tile.mask` of elements beyond an
    extent. A comparison is understood if its operands are sums of `tile.iota`, constants
    and values that are the same in all iterations. A whole tile then lies inside up to
    some iteration, or from some iteration on. The use of a comparison says whether inside
    means true or false: inside, a selection takes the computed value.

    A loop is not split if

    * the blocks of a cluster synchronise in it;
    * it computes a contraction that the schedule keeps `masked`;
    * fewer of its iterations surely lie inside than the kernel's `unmasked_iterations`
      (default 1). The loop's first iteration does not count. A window whose inner part is
      narrower than a step may have none.

    The iterations, their order, and the values that they carry do not change. Neither do
    their waits and releases, which producers and consumers match by number. Runs after
    all passes that analyse one loop as a whole.

    ```mlir
    scf.for %n = %c0 to %end step %c64 {
      %column = tile.iota %n along 1 : tensor<64x64xindex>
      %row = tile.iota %m along 0 : tensor<64x64xindex>
      %inside = arith.cmpi sle, %column, %row : tensor<64x64xindex>
      %y = arith.select %inside, %x, %low : tensor<64x64xi1>, tensor<64x64xf32>
      ...
    ```

    becomes a loop to `min(%end, %m - 62)`, in which `%y` is `%x`, and one from there.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
  let statistics = [
    Statistic<"numSplit", "loops-split", "Loops that were split">
  ];
}

include "fusion/Dialect/Tile/Transforms/PipelinePasses.td"

def TileOverlapLaunches : Pass<"tile-overlap-launches", "::mlir::ModuleOp"> {
  let summary = "Let a launch begin while the one before it ends";
  let description = [{
    Lets every `programmatic` launch overlap with the end of the previous launch (PTX ISA,
    "griddepcontrol"). Its kernel waits for earlier launches (`tile.await_launches`) before
    the first operation on memory that they may still access. This is all memory but the
    inputs and constants of the function; pointers to it get `tile.pending`. The previous
    kernel lets the launch begin as soon as all of its own blocks run
    (`tile.launch_dependents`). Work before the wait then overlaps: the launch itself, the
    initialisation of mbarriers, loads of weights.

    ```mlir
    func.func @main(%x: tensor<64x64xf16>, %w: tensor<64x64xf16>) -> tensor<64x64xf16> {
      %h = tile.launch @first grid(%c4) ins(%x : …) outs(%e : …) -> …
      %y = tile.launch @second grid(%c4) ins(%h, %w : …) outs(%e : …) {programmatic} -> …
      return %y : tensor<64x64xf16>
    }
    tile.kernel @first(…) attributes {warps = 4 : i64} {
      tile.launch_dependents
      …
    }
    tile.kernel @second(%h: !tile.ptr<f16> {tile.access = …, tile.pending},
                        %w: !tile.ptr<f16> {tile.access = …},
                        %y: !tile.ptr<f16> {tile.access = …, tile.pending})
        attributes {warps = 4 : i64} {
      %weights = tile.load %wView[…] : …
      tile.await_launches
      %hidden = tile.load %hView[…] : …
    ```
  }];
  let dependentDialects = ["::fusion::tile::TileDialect"];
}

#endif // FUSION_DIALECT_TILE_TRANSFORMS_PASSES
