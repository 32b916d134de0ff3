//===- SchedulingPasses.td - Schedules of groups -----------*- tablegen -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TRANSFORMS_SCHEDULING_SCHEDULINGPASSES
#define FUSION_TRANSFORMS_SCHEDULING_SCHEDULINGPASSES

include "fusion/Transforms/Support/ChipPass.td"

def FuseSearchSchedules : ChipPass<"fuse-search-schedules"> {
  let summary = "Choose a schedule for every group";
  let description = [{
    Writes `#fuse.schedule` to every group that has none. A schedule that is
    already there, written by hand or by a tuner, is checked and kept; one that
    cannot be lowered is an error that says why.

    Options choose the search space, the cost model and the search:

    - `space=default` is ours: loops in any deep or flat order, tiles, warps and their
      arrangement, stages;
    - `space=paper` is MCFuser's: deep and flat tiling expressions times tiles, pruned by
      its rules 1 to 4. `space=chimera` is its deep part;
    - `model`: `default` is ours; `mcfuser` (equations 2 to 5), `chimera-printed` and
      `chimera-obs2` (data movement by both readings of algorithm 1), `alcop` (table I);
    - `rules` says which of the rules 1 to 4 prune the spaces `paper` and `chimera`:
      `all`, `none` or digits (`134`). Above five axes rule 1 must be among them;
    - `padding` is rule 3 as printed (`printed`) or ours (`least-of-trips`). `auto` is as
      printed where that loses at most 2 % of the best time by MCFuser's model;
    - `search=exhaustive` is by branch and bound, except in the papers' spaces for models
      that depend on more than tiles;
    - `search=descents` starts from many different candidates (space `default`);
    - `search=evolutionary` is MCFuser's algorithm 1;
    - `search=auto` chooses by the size of the space.

    These are for chains. `latency-evaluator=printed` chooses the schedules of stitched
    groups by FusionStitching's latency evaluator as the paper prints it.

    `rules`, `padding` and `remove-dead-loops` are errors in space `default`, as is every
    option that would change nothing.

    Remarks give the chosen schedule with its predicted time and its bound, and the bound
    of each loop (category `pipeline`). `report` and `report-html` write

    * how many candidates there were, and how many after each pruning rule;
    * how many were legal, rejected (with the reasons) or bounded;
    * the best candidates of each group that was searched, the split of their costs, and
      why the runners-up lost;
    * the place of the choice under the roofline.
  }];
  let options = !listconcat(chipOptions, [
    Option<"skipMasked", "skip-masked", "bool", /*default=*/"true",
           "Skip tiles that masks provably exclude, taking 0 * x as 0 there">,
    Option<"rescaleThreshold", "rescale-threshold", "unsigned", /*default=*/"0",
           "Rescale accumulators of online reductions only where that divides them by "
           "more than 2 to this power; 0: always">,
    Option<"maxStages", "max-stages", "unsigned", /*default=*/"8",
           "Most stages of a buffer in shared memory">,
    Option<"maxRegisterStages", "max-register-stages", "unsigned", /*default=*/"2",
           "Most stages of fragments in registers">,
    Option<"randomSeed", "random-seed", "int64_t", /*default=*/"-1",
           "Write a legal schedule drawn with this seed instead of the best one, to "
           "test the lowering; -1: the best one. For space default only">,
    Option<"space", "space", "std::string", /*default=*/"\"default\"",
           "Search space: default, paper, chimera">,
    Option<"model", "model", "std::string", /*default=*/"\"default\"",
           "Cost model: default, mcfuser, chimera-printed, chimera-obs2, alcop">,
    Option<"latencyEvaluator", "latency-evaluator", "std::string", /*default=*/"\"default\"",
           "Evaluator of stitched groups: default, or FusionStitching's as printed">,
    Option<"rules", "rules", "std::string", /*default=*/"\"all\"",
           "Rules that prune spaces paper and chimera: all, none, or digits of 1234">,
    Option<"padding", "padding", "std::string", /*default=*/"\"auto\"",
           "Rule 3: printed, least-of-trips (ours), or auto: as printed where "
           "that loses at most 2 %">,
    Option<"removeDeadLoops", "remove-dead-loops", "bool", /*default=*/"true",
           "Let statements leave loops of one iteration (spaces paper and chimera)">,
    Option<"search", "search", "std::string", /*default=*/"\"auto\"",
           "Search method: auto, exhaustive, descents, evolutionary">,
    Option<"convergence", "convergence", "std::string", /*default=*/"\"best-of-all\"",
           "What ends the evolutionary search: printed, best-of-all">,
    Option<"seed", "seed", "uint64_t", /*default=*/"0",
           "Seed of descents and the evolutionary search">,
    Option<"effort", "effort", "unsigned", /*default=*/"1",
           "Size of the search, in multiples of one that takes about a second (space "
           "default)">,
    Option<"threads", "threads", "unsigned", /*default=*/"1",
           "Threads of the evolutionary search, 0: one per core; the schedule is the same for any">,
    Option<"report", "report", "std::string", /*default=*/"",
           "Write the search as JSON to this file">,
    Option<"reportPage", "report-html", "std::string", /*default=*/"",
           "Write the search as a page to this file">
  ]);
  let dependentDialects = ["::fusion::fuse::FuseDialect"];
}

def FuseSplitReductions : Pass<"fuse-split-reductions", "::mlir::ModuleOp"> {
  let summary = "Make partial and combine groups where schedules split reductions";
  let description = [{
    A chain whose schedule splits a reduction over blocks becomes two groups:

    * a partial group (`#fuse.partial`), which ends with the chain's final contraction
      and stores its partial results for each range in f32;
    * a stitched group, which adds the partial results in order and then computes the
      epilogue.

    Nothing is rounded more often than before. Axes that an earlier contraction reduces
    cannot be split.

    If reductions run along the axis, the partial group also yields their results for
    each range. Its contraction lacks the factors that can be moved out of the sum. A
    stitched group for each result of the chain rescales and adds the partial results
    as the online form does, then computes the epilogue (docs/reductions.md).

    ```mlir
    %r = fuse.chain ins(%x = %a : …, %y = %b : …) outs(%o = %out : tensor<64x48xf16>)
        attributes {schedule = #fuse.schedule<…, parallel = <{k = 4}>>} {
      %c = linalg.matmul …
      %t = linalg.generic … {… arith.truncf …}
      fuse.yield %t : tensor<64x48xf16>
    } -> tensor<64x48xf16>
    ```

    becomes, where a block's tile has 32 elements of k and k has 500,

    ```mlir
    %p = fuse.chain ins(%x = %a : …, %y = %b : …) outs(%o = %empty : tensor<4x64x48xf32>)
        attributes {partial = #fuse.partial<axis = "k", splits = 4, length = 128>, schedule = …} {
      %c = linalg.matmul …
      fuse.yield %c : tensor<64x48xf32>
    } -> tensor<4x64x48xf32>
    %r = fuse.stitch ins(%q = %p : tensor<4x64x48xf32>) outs(%o = %out : tensor<64x48xf16>) … {
      %sum = linalg.generic … {… arith.addf …}
      %t = linalg.generic … {… arith.truncf …}
      fuse.yield %t : tensor<64x48xf16>
    } -> tensor<64x48xf16>
    ```
  }];
  let dependentDialects = [
    "::fusion::fuse::FuseDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def FuseCompleteSchedules : Pass<"fuse-complete-schedules", "::mlir::ModuleOp"> {
  let summary = "Decide what schedules leave open about machine code";
  let description = [{
    Adds a `codegen` (`#fuse.codegen`) to every schedule of a chain or a stitched group
    that has none. It says how many blocks an SM must have room for, how many registers
    producer and consumer warps have, and which loops keep their masks. A `codegen` that
    is already there does not change. The pass completes searched schedules, schedules
    written by hand, and those of groups that `fuse-split-reductions` makes.

    Sets `predicted` of every group for reports. It has the predicted time in
    microseconds (`us`), the bytes that the launch loads and stores in global memory, and
    the bytes of a block's shared memory. A group in the generic form has it only if its
    bytes are known.

    A module without a chip (`fuse.chip`), and a group whose schedule cannot be
    lowered, do not change: `fuse-lower-to-tile` gives the reason.

    ```mlir
    %r = fuse.chain ins(…) outs(…) attributes {schedule = #fuse.schedule<…>} {…} -> …
    ```

    becomes

    ```mlir
    %r = fuse.chain ins(…) outs(…) attributes {
      predicted = {global_load_bytes = 32768 : i64, …},
      schedule = #fuse.schedule<…, codegen = <resident_blocks = 2>>} {…} -> …
    ```
  }];
  let dependentDialects = ["::fusion::fuse::FuseDialect"];
}

#endif // FUSION_TRANSFORMS_SCHEDULING_SCHEDULINGPASSES
