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
  let summary = "Let exponentials be zero that nobody can tell from it";
  let description = [{
    Marks exponentials of f32 (`fuse.flush`) of differences from their row's maximum that
    are only added up, or rounded to 16 bits to be multiplied. They are at most 1, and
    their row has one of 1: of what is below 2^-126 nothing is left in either. The
    instruction without those takes one machine instruction in place of four.

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
    Where the module's `fuse.exponentials` is `"fma"`, an exponential of the difference
    between a tile and values of its rows becomes

        exp(s * x - t) = exp2(fma(x, s * log2(e), -t * log2(e)))

    with `t * log2(e)` computed once for each row. A positive constant `s` is taken from
    a product in front, past selections between it and an infinity or zero and past
    extrema of rows, `max(s * x) = s * max(x)`, where nothing else reads the product.
    Factors `exp(t - t')` between values of rows are computed of the same products, so
    that rounding them moves all terms of a row alike. docs/numerics.md bounds the
    error, which is relative to `t`; otherwise nothing changes.

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
    Gives every tensor of a kernel a `#tile.layout`. Products fix the layouts of their
    operands and results, vectorised stores that of what they store; element-wise
    operations take the layout of an operand that is fixed. Everything else, such as
    loads, constants and broadcasts, is made in the layout that its user wants, once
    for each layout. Where two fixed layouts meet, `tile.convert_layout` stands
    between.

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
    Gives every `tile.alloc`, and every `tile.convert_layout` that goes through shared
    memory, its offset: the lowest one, at multiples of 128 bytes, at which it overlaps
    nothing that lives at the same time; of 1024 where products read buffers in place or
    bulk copies fill them. Behind them all lie the mbarriers of the buffers that bulk
    copies fill, one for each stage (`barriers`). Sets `shared_memory` of the kernel.
  }];
  let dependentDialects = ["::fusion::tile::TileDialect"];
}

def TileInsertBarriers : Pass<"tile-insert-barriers", "::fusion::tile::KernelOp"> {
  let summary = "Order accesses to shared memory";
  let description = [{
    Inserts a `tile.barrier` before every access to shared memory that conflicts with
    an earlier access not yet separated from it by a barrier: they overlap and one of
    them writes. The data of asynchronous copies counts as written at the
    `tile.wait` that ends them. A bulk copy must find its stage read; behind it nothing
    needs a barrier, since every thread awaits its data by itself. What `tile.store_async`
    stores counts as read at the `tile.store_wait` behind it: whoever writes there before,
    and a block that ends before, is refused. Loops are followed until nothing changes; a barrier
    that only the first iteration needs stands in front of the loop. Slots of a buffer
    are told apart where their numbers are constant. Where every
    byte of a buffer belongs to one warp, which copies, writes and reads it, the barrier
    is one of the warp's lanes (`tile.barrier warp`), unless the block's must stand
    there anyway.
  }];
  let dependentDialects = ["::fusion::tile::TileDialect"];
}

def TileUseSharedOperands : Pass<"tile-use-shared-operands", "::fusion::tile::KernelOp"> {
  let summary = "Let intrinsics read their operands from shared memory";
  let description = [{
    Some intrinsics (wgmma) read their RHS from shared memory, and their LHS, too, if it
    lies there. Contractions by such an intrinsic become `tile.shared_dot` of the
    buffers that their operands were to be loaded from: whole stages, between whose
    load and the contraction nothing writes. An LHS that is computed stays a tile in
    registers. What releases a stage moves behind the contraction.

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
  let summary = "Release stages that bulk copies fill by mbarriers";
  let description = [{
    Stands for `producer_acquire` and `consumer_release` where copies are in bulk: in front
    of each copy to a buffer a `tile.acquire`, and behind the last use of what was
    awaited a `tile.release`, so that the thread that copies waits for the warps that
    read, and nobody else for anything. What is surely the first copy to a stage needs
    no acquire, unless producers copy. Of a buffer whose stages a loop fills ahead
    (`tile-pipeline-expand`) the release stands behind the loop's last use of the
    buffer. Otherwise all copies and waits must stand in one block, which a loop
    holds, and each stage of that buffer be awaited behind each copy to it.

    Each copy to a stage is thus awaited once and released once, in this order and in
    the order of the copies, and acquires wait for releases that stand before them:
    nothing can wait for ever.

    Other buffers, and all of a kernel without producers in which anything is copied
    ahead in another way, are left to the barriers of the block: these must
    stand there anyway. So are kernels of one warp, whose barriers cost less.

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
    Where a `tile.shared_dot` has two `stages`, its loop is rotated: what the product
    depends on is computed an iteration ahead. The last product in front of it and itself,
    of the iteration before, are then under way together, and what is computed from the former, such as
    a softmax, runs under the latter (FlashAttention-3, section 3.2). Which operations
    belong to which of the two stages of the loop follows from what they depend on: late are the
    product, all that needs its result and all that fills, awaits and releases the buffer
    that it reads; of the rest what would take more registers to carry than to compute.
    The tile that it multiplies is made of what was computed `under` it once both are over:
    ptxas runs products one by one where registers that one reads are written before
    (C7513). Results are the same, bit by bit.

    Copies to the buffer must be in bulk and its stages released by mbarriers, so that the
    two stages wait for nothing but their own buffers. A loop that might make no iteration
    stays as it is. The reason why a product stays is a remark (category `pipeline`).

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
              "Products that run beside the next iteration's">
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
  let summary = "Give bulk copies to warps of their own";
  let description = [{
    Splits a kernel that asks for `producers` into what one of them does, the bulk
    copies, their acquires and the barriers that order them behind other accesses, and
    what all other warps do, the rest. Each side keeps what its operations are computed
    from and the loops around them, and of what loops carry no more. Runs last, so
    that both sides are parts of one program that is right: who waits does so for
    what stands before it there.

    Where nothing is copied in bulk in a loop, a remark (category `specialize`) says so,
    and the kernel has no producers.

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
    What threads write to a buffer that `tile.shared_dot` reads or `tile.store_async`
    stores is passed on by a `tile.proxy_fence` of the writing threads, in front of the
    next barrier; so is what they write to memory that bulk copies write later. Copies
    by threads write where they are waited for; bulk copies are of that proxy
    themselves. Barriers have none where that proxy does nothing later with what was
    written before them. Runs after `tile-insert-barriers`.
  }];
  let dependentDialects = ["::fusion::tile::TileDialect"];
}

def TileSplitMaskedLoops : Pass<"tile-split-masked-loops", "::fusion::tile::KernelOp"> {
  let summary = "Mask only the tiles that a mask cuts";
  let description = [{
    A loop whose body compares indices of its tile, as those of causal attention and of
    windows do, or masks what lies behind an extent (`tile.mask`), becomes up to three
    loops over the same iterations: those in the middle, whose tiles lie inside, compute
    without the masks that are understood. These compare sums of `tile.iota`, constants
    and what is the same in all iterations, so that a whole tile lies inside up to some
    iteration, or from some iteration on. What a comparison must say inside follows from
    its use: true where a selection then takes what was computed, false where it takes
    it otherwise. A loop stays whole where

    * the blocks of a cluster meet in it;
    * it computes a product that the schedule keeps `masked`;
    * fewer of its iterations surely lie inside than the kernel's
      `unmasked_iterations` (default 1), the loop's first iteration not counted: of a
      window whose inner part is narrower than a step perhaps none does.

    Iterations stay as they are and in their order, with the values that they hand on;
    so do waits and releases in them, each of which has its counterpart in another role
    by its number. Runs behind everything that looks at one loop as a whole.

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
    For every launch that is `programmatic`: its kernel waits for the launches before
    it (`tile.await_launches`) in front of the first operation that touches what they
    may still access, which is everything but the inputs and constants of the
    function; the pointers to that get `tile.pending`. The kernel in front of it lets
    it begin as soon as all of its own blocks run (`tile.launch_dependents`). So what
    a block does before its first such access, from the launch itself to the barriers
    that it sets up and the weights that it loads, is done under the end of the kernel
    before (PTX ISA, "griddepcontrol").

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
