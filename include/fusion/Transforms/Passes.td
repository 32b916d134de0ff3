//===- Passes.td - Transformation passes -------------------*- tablegen -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TRANSFORMS_PASSES
#define FUSION_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def FuseTensorToLinalg : Pass<"fuse-tensor-to-linalg"> {
  let summary = "Make linalg operators of other dialects' operations on tensors";
  let description = [{
    Operations of `arith` and `math` on whole tensors become element-wise
    `linalg.generic`, `tensor.splat` becomes `linalg.fill`, `tensor.bitcast` and
    `tensor.from_elements` become `linalg.generic`, and a `tensor.reshape` between
    static shapes becomes `tensor.collapse_shape` and `tensor.expand_shape`.

    Example: `arith.addf %a, %b : tensor<8xf32>` becomes

    ```mlir
    linalg.generic {…} ins(%a, %b : tensor<8xf32>, tensor<8xf32>)
                       outs(%a : tensor<8xf32>) {… arith.addf …}
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def FuseTosaToLinalg : Pass<"fuse-tosa-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Lower TOSA by upstream's passes";
  let description = [{
    Functions with operations of TOSA become linalg, arith and tensor by
    upstream's conversions, and lose the dimensions of one element that TOSA
    leaves where it reduces. Other functions do not change.

    Example: `tosa.tanh %x : (tensor<8xf32>) -> tensor<8xf32>` becomes

    ```mlir
    linalg.generic {…} ins(%x : tensor<8xf32>) outs(…) {… math.tanh …}
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def FuseExplicitNumerics : Pass<"fuse-explicit-numerics"> {
  let summary = "Write the rules of accumulation and rounding into the IR";
  let description = [{
    The unfused IR does not say in which type a contraction or a sum
    accumulates; upstream's lowerings take the type of `outs`. Here it is read
    as the GPU computes it, and this pass makes that reading explicit, so that
    the compiler and the reference start from the same program:

    * A sum is a contraction, or a reduction or pooling whose combiner is an
      addition. A sum into f16, bf16 or an 8-bit float accumulates in f32 and
      rounds once, at the end, by a separate `linalg.generic`. The initial value
      is extended first. A sum into i8 accumulates in i32 and is truncated once.
      A reduction that multiplies floats accumulates and rounds as a sum does:
      the order of its factors is not fixed either, and would show in every
      intermediate rounding.
    * The products of a contraction are formed in the accumulator's type from
      the narrow inputs. Anything else in a body stays in its own type: an
      element-wise chain of f16 operations rounds after each.
    * `linalg.softmax` is decomposed. Its interior is f32 (f64 for f64): the
      input is extended, and the quotient is rounded once to the result's type.
    * A Winograd transform becomes two contractions with constant matrices, one for
      the rows and one for the columns of all tiles. The rules above hold for them.
    * Where several iterations of a `linalg.generic` write one element, they run in
      the order of its loops: a loop that does not index every result is a
      reduction.
    * These do not change: sums into f32, f64, i32 and i64, reductions that are
      maxima or minima, products of integers, and the rounding of every value that
      the IR materialises.

    Options become attributes of the module, which allow kernels less accurate
    arithmetic:

    * `f32-products=tf32` (`fuse.f32_products`): tensor cores may multiply f32 factors
      rounded to tf32 (10 bits of fraction, ties away from zero);
    * `f32-products=tf32-cut`: f32 factors may be rounded or truncated to tf32. wgmma
      truncates factors that it reads from shared memory;
    * `f8-products=coarse` (`fuse.f8_products`): products of 8-bit floats may be added
      up in fewer bits than f32 has, as by wgmma;
    * `exponentials=fma` (`fuse.exponentials`): read by `tile-fold-exponentials`.

    The reference multiplies and adds f32 with all of them.

    A named contraction or convolution stays the same named operation with a
    wider `outs`, so that later passes recognise it; `linalg.reduce` and bodies
    that must change become or stay `linalg.generic`. The pass is idempotent.
    It works on tensors; an operation of the linalg dialect on memrefs is an
    error.

    Example:

    ```mlir
    %c = linalg.matmul ins(%a, %b : tensor<8x4xf16>, tensor<4x16xf16>)
                       outs(%init : tensor<8x16xf16>) -> tensor<8x16xf16>
    ```

    becomes

    ```mlir
    %0 = tensor.empty() : tensor<8x16xf32>
    %1 = linalg.generic {…} ins(%init : tensor<8x16xf16>)
                            outs(%0 : tensor<8x16xf32>) {… arith.extf …}
    %2 = linalg.matmul ins(%a, %b : tensor<8x4xf16>, tensor<4x16xf16>)
                       outs(%1 : tensor<8x16xf32>) -> tensor<8x16xf32>
    %3 = tensor.empty() : tensor<8x16xf16>
    %c = linalg.generic {…} ins(%2 : tensor<8x16xf32>)
                            outs(%3 : tensor<8x16xf16>) {… arith.truncf …}
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::fusion::fuse::FuseDialect"
  ];
  let options = [
    Option<"f32Products", "f32-products", "std::string", /*default=*/[{""}],
           "How f32 factors are multiplied: f32, rounded to tf32 (tf32), or rounded or "
           "truncated to tf32 (tf32-cut) (default: the module's fuse.f32_products, else "
           "f32)">,
    Option<"f8Products", "f8-products", "std::string", /*default=*/[{""}],
           "How products of 8-bit floats are added up: f32, or coarse (default: the "
           "module's fuse.f8_products, else f32)">,
    Option<"exponentials", "exponentials", "std::string", /*default=*/[{""}],
           "How the exponential of a difference is computed: difference, or its scale "
           "and log2(e) in one fma (default: the module's fuse.exponentials, else "
           "difference)">
  ];
  let statistics = [
    Statistic<"numWidened", "sums-widened", "Sums given a wider accumulator">,
    Statistic<"numDecomposed", "operators-decomposed", "Aggregated operators decomposed">
  ];
}

def FuseCheckInitialized : Pass<"fuse-check-initialized"> {
  let summary = "Warn of operations that read tensors without values";
  let description = [{
    The elements of `tensor.empty` have no defined value. An operator that
    accumulates into its outs, such as `linalg.matmul`, reads them, and so does a
    body that uses such an operand, `tensor.concat`, `tensor.pad`, and a function
    that returns it. The pass warns at the operation where the operand is
    `tensor.empty`, seen through reshapes, casts and slices. It changes nothing.

    Example:

    ```mlir
    %e = tensor.empty() : tensor<4x4xf32>
    // warning: 'linalg.matmul' accumulates into outs that are not initialised: …
    %r = linalg.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>)
                       outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
    ```
  }];
}

def FuseCheckSizes : Pass<"fuse-check-sizes"> {
  let summary = "Assert that the sizes of dynamic operands fit together";
  let description = [{
    The sizes that several operands have along one loop of an operator must be equal.
    An operand that is read at sums of loops (the window of a convolution) must be
    large enough for the largest sum. Casts to static shapes and `tensor.expand_shape`
    have assertions, too. There is no assertion where the types, the operations that
    make the tensors, or an earlier assertion guarantee the sizes.

    On a GPU the assertions become the conditions (`requires`) of the plan; the CPU
    reference reports them. Indices that are no sums of loops and positive
    multiples of them are not checked.

    Example: before `linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) …`

    ```mlir
    %k0 = tensor.dim %a, %c1 : tensor<?x?xf32>
    %k1 = tensor.dim %b, %c0 : tensor<?x?xf32>
    %ok = arith.cmpi eq, %k1, %k0 : index
    cf.assert %ok, "in.mlir:2:8: linalg.matmul: dimension 0 of input 1 must be equal to dimension 1 of input 0"
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::tensor::TensorDialect"
  ];
}

def FuseNormalize : Pass<"fuse-normalize", "::mlir::ModuleOp"> {
  let summary = "Bring a module into the form that groups are made of";
  let description = [{
    After this pass every operator of a function is a linalg operator on tensors:

    * `tensor.pad`, `tensor.extract_slice`, `tensor.insert_slice`, `tensor.concat`
      and `tensor.generate` become `linalg.generic` that read at a computed index;
      `linalg.pack` and `linalg.unpack` become these and transposes;
    * a contraction or another reduction starts from zero, or from the identity of its
      combiner. An element-wise operator afterwards combines its result with the data
      that it started from;
    * an element-wise operator that reads the tensor that its result starts from has
      that tensor as an operand;
    * an operator that reads the results of an element-wise operator by index computes
      the elements itself, if it reads no more elements than that operator makes.
      Examples are one element picked from each row, slices of gathered rows, and
      tensors that are padded or concatenated for other operators than contractions.
      Elements at the reading operator's own place are an operand;
    * a reduction along a concatenation of computed values becomes a reduction of each
      piece, combined by an element-wise operator;
    * a convolution has no loop over an extent of one of its filter: one with a 1 x 1
      filter is a contraction;
    * the conversion of a filled tensor is a filled tensor of the other type, and an
      operator that reads a filled tensor reads the number;
    * a tensor that an element-wise operator overwrites without reading is an empty
      tensor;
    * an operator with several results becomes one operator for each result, if no
      result depends on the running values of the others;
    * a scalar that a body uses from outside of its operator becomes an operand, unless
      it is a constant. A scalar that is computed from floating-point numbers is
      computed in the body instead, since plans compute with integers only.

    `tensor.expand_shape` and `tensor.collapse_shape` stay: they are views for the host
    plan (`fuse-fold-reshapes` moves them out from between operators). Any other
    operation on tensors is an error.

    ```mlir
    %c = linalg.matmul ins(%a, %b : …) outs(%bias : tensor<8x16xf32>) -> …
    ```

    becomes

    ```mlir
    %zero = linalg.fill ins(%c0 : f32) outs(%empty : tensor<8x16xf32>) -> …
    %p = linalg.matmul ins(%a, %b : …) outs(%zero : tensor<8x16xf32>) -> …
    %c = linalg.generic {…} ins(%p, %bias : …) outs(%empty : …) {… arith.addf …}
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def FuseFoldReshapes : Pass<"fuse-fold-reshapes", "::mlir::func::FuncOp"> {
  let summary = "Take reshapes out from between operators that one kernel could hold";
  let description = [{
    A reshape between two operators moves nothing, but a group is made of tensors
    that its operators index alike. Where front ends keep reduced dimensions, or
    compute by rows in one place and by batches and rows in another, operators that
    are neither contractions nor convolutions change:

    * loops of one iteration are removed, where reshapes separate an operator and its
      neighbours from all contractions;
    * if connected operators have more loops than a tile has dimensions, loops that
      are adjacent in all of their operands become one;
    * an operator that reads an expanded tensor, or whose result is collapsed, gets
      fewer loops. The reshape moves to its other side, until it meets its inverse or
      the function's boundary;
    * that is impossible if one operator needs two loops where another one has a single
      loop (the heads of a row). Then the single loop is split, if it is parallel, and
      so are the loops of all neighbours.

    An operator does not change if the reshape would only move to another place, since
    a neighbour cannot change. Such neighbours are contractions of the higher rank,
    operators that need the loops apart, and bodies that compute with an index.

    ```mlir
    %e = tensor.expand_shape %p [[0, 1], [2]] : tensor<24x96xf32> into tensor<2x12x96xf32>
    %g = linalg.generic {… (b, l, n) -> (b, l, n) …} ins(%e : …) outs(… : tensor<2x12x96xf32>) {… math.tanh …}
    %c = tensor.collapse_shape %g [[0, 1], [2]] : tensor<2x12x96xf32> into tensor<24x96xf32>
    ```

    becomes

    ```mlir
    %c = linalg.generic {… (m, n) -> (m, n) …} ins(%p : tensor<24x96xf32>) outs(…) {… math.tanh …}
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

class ChipPass<string argument> : Pass<argument, "::mlir::ModuleOp"> {
  list<Option> chipOptions = [
    Option<"chip", "chip", "std::string", /*default=*/"\"\"",
           "Chip to compile for; default: the module's fuse.chip, else sm_80">
  ];
}

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
    and is predicted to take no longer than its operators apart.

    * `stitch` chooses the strategy: `explorer` is ours, `printed` the paper's, `greedy`
      XLA's rules, `none` leaves every operator alone.
    * `pre-fusion=true`: the explorer's vertices are the groups that XLA's rules fuse
      without recomputation. `auto` takes the better plan of both.
    * `full-evaluator=true`: the latency evaluator scores patterns in place of the delta
      evaluator. `auto` takes the better plan of both.

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

def ClearFastMath : Pass<"clear-fast-math"> {
  let summary = "Drop every fast-math flag";
  let description = [{
    Every operation rounds where the IR says so. Flags of the input would let later
    passes drop roundings or contract operations, and upstream's emulation of narrow
    types sets `contract` on the very conversions that are the roundings.

    Example: `arith.truncf %x fastmath<contract> : f32 to f16` becomes
    `arith.truncf %x : f32 to f16`.
  }];
}

#endif // FUSION_TRANSFORMS_PASSES
