//===- PartitionPasses.td - Operators of one kernel --------*- tablegen -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TRANSFORMS_PARTITION_PARTITIONPASSES
#define FUSION_TRANSFORMS_PARTITION_PARTITIONPASSES

include "fusion/Transforms/Support/ChipPass.td"

def FuseMergeAxes : ChipPass<"fuse-merge-axes"> {
  let summary = "Merge loops that no tensor needs apart";
  let description = [{
    In a chain's operators, loops that are adjacent in every tensor that either of
    them indexes become one. Examples are the query heads that share keys, with the
    rows of a head, and batches with heads. Tiles can then run across both loops, and
    fewer axes are searched. Tensors from outside of the chain are reshaped, which
    moves nothing.

    An operator that computes with an index of such loops divides the merged index
    instead. A mask then excludes a tile only if it excludes it for all rows, which may
    belong to several heads. Such loops are merged only if the search predicts a gain.

    A convolution reads its input through a window: places of the result and of the
    filter become one loop each, and the window decomposes their indices into digits
    (docs/convolutions.md). The window may read the result of another contraction. If a
    gain is predicted, that contraction is computed at each place of the window, and
    both become a chain. The convolution then carries `fuse.seconds_apart` for the
    remarks of `fuse-form-groups`: the predicted time of both in kernels of their own.

    Before that, two ways to express shared operands become indexing maps:

    * an operator of its own repeats an operand along a loop (`linalg.broadcast`, also
      before a `tensor.collapse_shape`): its users read the operand instead, and the
      repeated tensor is never made;
    * an operand is indexed by a quotient of a loop (`h floordiv 4`): the loop becomes
      two loops, in all operators that have it.

    ```mlir
    %s = linalg.generic {indexing_maps = [(b, c, g, m, n, k) -> (b, c, g, m, k),
                                          (b, c, g, m, n, k) -> (b, c, n, k),
                                          (b, c, g, m, n, k) -> (b, c, g, m, n)], …}
        ins(%q, %k : tensor<2x8x4x16x64xf16>, tensor<2x8x512x64xf16>) …
    ```

    becomes

    ```mlir
    %q3 = tensor.collapse_shape %q [[0, 1], [2, 3], [4]] : … into tensor<16x64x64xf16>
    %k3 = tensor.collapse_shape %k [[0, 1], [2], [3]] : … into tensor<16x512x64xf16>
    %s3 = linalg.generic {indexing_maps = [(b, m, n, k) -> (b, m, k),
                                           (b, m, n, k) -> (b, n, k),
                                           (b, m, n, k) -> (b, m, n)], …}
        ins(%q3, %k3 : …) …
    ```
  }];
  let options = !listconcat(chipOptions, [
    Option<"skipMasked", "skip-masked", "bool", /*default=*/"true",
           "Predict times of kernels that skip tiles which masks provably exclude">,
    Option<"forceFusion", "force-fusion", "bool", /*default=*/"false",
           "Compute contractions at the places of a window wherever that is legal, "
           "whatever the cost says">
  ]);
  let dependentDialects = [
    "::fusion::fuse::FuseDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def FuseFormGroups : ChipPass<"fuse-form-groups"> {
  let summary = "Decide what becomes one kernel";
  let description = [{
    Puts every operator into a group. A chain is consecutive contractions with the
    element-wise operators before, between and after them. Every partition of a
    candidate sequence into segments is evaluated with the best schedule of each
    segment (`fusion/Search/Chains/ScheduleSearch.h`). The one with the least predicted time
    wins. With `force-fusion` the partition with the fewest legal groups wins, whatever
    its predicted time.

    All other operators become stitched groups. FusionStitching's explorer
    (`fusion/Search/Stitching/StitchExplorer.h`) makes patterns of every operator with its
    consumers, and plans of patterns that do not overlap. It merges kernels while that
    saves time, and the latency evaluator chooses a plan. A group has a tile program
    and, but for `stitch=printed`, is predicted to take no longer than its operators
    apart.

    * `stitch` chooses the strategy: `explorer` is ours, `printed` the paper's, `greedy`
      XLA's rules, `none` leaves every operator alone.
    * `latency-evaluator` and `delta-evaluator`: `default` is ours, `printed` the
      paper's (`fusion/Analysis/Stitching/PrintedEvaluators.h`). `auto` is `printed`
      with `stitch=printed`, else `default`.
    * `pre-fusion=true`: the explorer's vertices are the groups that XLA's rules fuse
      without recomputation. `auto` takes the better plan of both; with
      `stitch=printed` it is `true`.
    * `full-evaluator=true`: the latency evaluator scores patterns in place of the delta
      evaluator. With `delta-evaluator=printed` it estimates the penalty alone. `auto`
      takes the better plan of both; with `stitch=printed` it is `false`.

    Remarks (category `fuse`) give

    * the arithmetic intensity (φ) of each contraction with the chip's balance (MCFuser
      section II-A), and the predicted times;
    * for every two consecutive contractions that are not fused, the reason;
    * for every two stitched groups that are not fused although they are connected, the
      reason. Groups are connected if one reads values of the other, or both read the
      same values.

    `plan-report` and `plan-html` (`--fuse-plan-html` of fusion-opt) write the graph
    with its groups and the plans of the other strategies.

    ```mlir
    %c = linalg.matmul ins(%a, %b : …) outs(%zero : …) -> …
    %e = linalg.matmul ins(%c16, %d : …) outs(%zero2 : …) -> …
    ```

    becomes

    ```mlir
    %e = fuse.chain ins(%x = %a : …, %y = %b : …, %z = %d : …) outs(%o = %empty : …) {
      …
    } -> …
    ```
  }];
  let options = !listconcat(chipOptions, [
    Option<"skipMasked", "skip-masked", "bool", /*default=*/"true",
           "Predict times of kernels that skip tiles which masks provably exclude">,
    Option<"forceFusion", "force-fusion", "bool", /*default=*/"false",
           "Fuse what is legal, whatever the cost says">,
    Option<"stitch", "stitch", "std::string", /*default=*/"\"explorer\"",
           "Strategy that forms stitched groups: explorer, printed, greedy, none">,
    Option<"latencyEvaluator", "latency-evaluator", "std::string", /*default=*/"\"auto\"",
           "Latency evaluator of stitched kernels: default, printed, or auto: the "
           "one that belongs to stitch">,
    Option<"deltaEvaluator", "delta-evaluator", "std::string", /*default=*/"\"auto\"",
           "Delta evaluator of patterns: default, printed, or auto: the one that "
           "belongs to stitch">,
    Option<"beam", "beam", "unsigned", /*default=*/"3",
           "Plans in the explorer's beam">,
    Option<"topK", "top-k", "unsigned", /*default=*/"3",
           "Patterns that the explorer keeps for an operator">,
    Option<"preFusion", "pre-fusion", "std::string", /*default=*/"\"auto\"",
           "Vertices of the explorer: groups that XLA's rules fuse (true), single "
           "operators (false), or the latency evaluator's choice of both (auto)">,
    Option<"fullEvaluator", "full-evaluator", "std::string", /*default=*/"\"auto\"",
           "Score patterns by the latency evaluator (true), by the simplified delta "
           "evaluator (false), or by each and take the better plan (auto)">,
    Option<"maxEvaluations", "most-asked", "unsigned", /*default=*/"4096",
           "If pre-fusion or full-evaluator is auto: no further plan is made once "
           "earlier ones have evaluated more different patterns than this number">,
    Option<"planReport", "plan-report", "std::string", /*default=*/"",
           "Write graph and plan as JSON to this file">,
    Option<"planPage", "plan-html", "std::string", /*default=*/"",
           "Write graph and plan as a page to this file">
  ]);
  let dependentDialects = [
    "::fusion::fuse::FuseDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

#endif // FUSION_TRANSFORMS_PARTITION_PARTITIONPASSES
