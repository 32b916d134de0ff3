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
  let summary = "Make linalg operators of what computes on tensors elsewhere";
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
    leaves where it reduces. Other functions stay as they are.

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

    * A sum (a contraction, a reduction or pooling whose combiner is an
      addition) into f16, bf16 or an 8-bit float accumulates in f32 and rounds
      once, at the end, by a separate `linalg.generic`. The initial value is
      extended first. A sum into i8 accumulates in i32 and is truncated once.
      So does a reduction that multiplies floats: its factors come in any order,
      too, and each rounding on the way would show it.
    * The products of a contraction are formed in the accumulator's type from
      the narrow inputs. Anything else in a body stays in its own type: an
      element-wise chain of f16 operations rounds after each.
    * `linalg.softmax` is decomposed. Its interior is f32 (f64 for f64): the
      input is extended, and the quotient is rounded once to the result's type.
    * Winograd transforms become their products with constant matrices, for which
      the rules above hold: one contraction for the rows and one for the columns
      of all tiles.
    * Where several iterations of a `linalg.generic` write one element, they run in
      the order of its loops: a loop that does not index every result is a
      reduction.
    * Sums into f32, f64, i32 and i64, maxima and minima of a reduction and
      products of integers stay as they are, and so does the rounding of every
      value that the IR materialises.

    With `f32-products=tf32` the module says so in its attribute
    `fuse.f32_products`, and kernels may round the factors of f32 products to tf32
    (10 bits of fraction, ties away from zero) where tensor cores multiply them; with
    `tf32-cut` they may cut what follows these bits off, as wgmma does with what it
    reads in shared memory. With `f8-products=coarse` (`fuse.f8_products`) products of
    8-bit floats may be added up in fewer bits than f32 has, as by wgmma. The
    reference multiplies and adds f32 all the same. In the same way `exponentials=fma`
    leaves `fuse.exponentials`, which `tile-fold-exponentials` reads.

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
           "How f32 factors are multiplied: f32, rounded to tf32, or rounded or cut "
           "(tf32-cut) (default: the module's fuse.f32_products, else f32)">,
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
    Sizes that one loop of an operator takes from several operands must be equal,
    and an operand that is read at sums of loops (the window of a convolution) must
    reach as far as they do. What the types, or the operations that make the
    tensors, or an earlier assertion say already is not asserted again. The same
    holds for casts to static shapes and for `tensor.expand_shape`.

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
    * a product or another reduction that starts from data combines it with its
      result afterwards by an element-wise operator, so that it starts from zero, or
      from what changes nothing; what an element-wise operator reads of the tensor
      that its result starts from is an operand;
    * elements of what an element-wise operator makes are computed where another
      operator reads them by index, if no more are read than it makes: one that is
      picked from each row, slices of gathered rows, what is padded or concatenated
      for others than products. What is read at the operator's own place is an
      operand;
    * a reduction along computed values that are concatenated is one of each piece,
      combined by an element-wise operator;
    * a convolution has no loop over one place of its filter: one of 1 x 1 is a
      contraction;
    * the conversion of a filled tensor is a filled tensor of the other type, and an
      operator that reads a filled tensor reads the number;
    * what an element-wise operator overwrites without reading it is an empty tensor;
    * an operator with several results, each of which needs nothing of what is so far
      of the others, is one for each of them;
    * a scalar that a body takes from around its operator is an operand of it,
      unless it is a constant; one that is computed from floating-point numbers is
      computed in the body, since plans compute with integers only.

    `tensor.expand_shape` and `tensor.collapse_shape` stay (`fuse-fold-reshapes` moves
    them out of the way): they are views for the host plan. Anything else that computes on tensors is an error.

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
    are neither products nor convolutions change:

    * loops of one iteration go, where reshapes cut an operator and those next to it
      off from every product;
    * where operators that hand each other values have more loops than a tile has
      dimensions, loops that follow one another in all of their operands become one;
    * an operator that reads an expanded tensor, or whose result is collapsed, runs
      through fewer loops, and the reshape to its other side, until it
      meets its inverse or the function's boundary;
    * where that cannot be, since one of two operators has to tell apart what is one
      loop of the other, as the heads of a row, the loops of the other one and of all
      that is next to it are split, as long as they are parallel.

    An operator stays as it is where another one next to it could not go along (a
    product of the higher rank, an operator that tells the loops apart, an index that
    a body computes with), since the reshape would only be somewhere else.

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
  let summary = "Make one loop of loops that no tensor tells apart";
  let description = [{
    Query heads that share keys are rows to them as much as the rows of one head
    are, and batches and heads are batches. In a chain's operators, loops that stand
    side by side in every tensor that either of them indexes become one, so that
    tiles can run across both and fewer axes are searched; tensors from outside are
    reshaped, which moves nothing. Where an operator computes with an index of such
    loops it divides instead, and a mask excludes what it excludes for all rows of a
    tile, of one head or of several: this is done where the search predicts that it
    pays.

    A convolution reads its input through a window: places of the result and of the
    filter become one loop each, of which the window takes digits
    (docs/convolutions.md). Where the window reads what another product makes, that
    product is computed at each place of the window if that is predicted to pay, and
    both are a chain. The second one then carries `fuse.seconds_apart`, what both are
    predicted to take in kernels of their own, for the remarks of `fuse-form-groups`.

    Before that, two ways of writing that operands are shared become indexing maps:

    * an operand that is repeated along a loop by an operator of its own
      (`linalg.broadcast`, also behind a `tensor.collapse_shape`) is read where it
      was, and never made;
    * a loop of which an operand is indexed by the quotient (`h floordiv 4`) is
      taken apart, in all operators that it runs through.

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
           "Price kernels that skip tiles which masks provably exclude">,
    Option<"forceFusion", "force-fusion", "bool", /*default=*/"false",
           "Compute at the places of a window whatever can be">
  ]);
  let dependentDialects = [
    "::fusion::fuse::FuseDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def FuseFormGroups : ChipPass<"fuse-form-groups"> {
  let summary = "Decide what becomes one kernel";
  let description = [{
    Puts every operator into a group. Chains are products in a row, with the
    element-wise operators before, between and after them; every cut of a row is
    priced with the best schedule of each part (`fusion/Search/Chains/ScheduleSearch.h`),
    and the cheapest wins. With `force-fusion` the fewest legal groups win, whatever
    they cost.

    All other operators become stitched groups by FusionStitching's explorer
    (`fusion/Search/Stitching/StitchExplorer.h`): patterns of every operator with its
    consumers, plans of patterns that do not overlap, kernels that are merged while
    that saves time, and the latency evaluator's choice. A group has a tile program
    and is predicted to take no longer than its operators apart. `stitch` chooses
    the strategy: `explorer` is ours, `printed` the paper's, `greedy` XLA's rules,
    `none` leaves every operator alone. With `pre-fusion=true` the explorer's vertices
    are what XLA's rules fuse without computing anything twice, with `auto` the
    better plan of both is taken. With `full-evaluator=true` the latency evaluator
    scores patterns in the delta evaluator's place; with `auto`, again, the better
    plan is taken.

    Remarks (category `fuse`) give each product's intensity φ with the chip's
    balance (MCFuser section II-A), the predicted times, for every product
    that is not fused with the next, why, and the same for every stitched group and
    another one whose values it reads, or who reads its values, or the same values.
    `plan-report` and `plan-html` (`--fuse-plan-html` of fusion-opt) write the graph
    with its groups and what the other strategies would do.

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
           "Price kernels that skip tiles which masks provably exclude">,
    Option<"forceFusion", "force-fusion", "bool", /*default=*/"false",
           "Fuse what is legal, whatever the cost says">,
    Option<"stitch", "stitch", "std::string", /*default=*/"\"explorer\"",
           "Who decides on stitched groups: explorer, printed, greedy, none">,
    Option<"beam", "beam", "unsigned", /*default=*/"3",
           "Plans that the explorer carries along">,
    Option<"topK", "top-k", "unsigned", /*default=*/"3",
           "Patterns that the explorer keeps of an operator">,
    Option<"preFusion", "pre-fusion", "std::string", /*default=*/"\"auto\"",
           "Explore what XLA's rules fuse (true), single operators (false), or both, "
           "of which the latency evaluator chooses (auto)">,
    Option<"fullEvaluator", "full-evaluator", "std::string", /*default=*/"\"auto\"",
           "Score patterns by the latency evaluator (true), by the delta evaluator's "
           "simplified one (false), or by each and take the better plan (auto)">,
    Option<"maxEvaluations", "most-asked", "unsigned", /*default=*/"4096",
           "Where pre-fusion or full-evaluator is auto: different patterns that "
           "plans so far have asked about up to which another one is made">,
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

    What it may choose from, who judges and how it looks are options:

    - `space`: `default` is ours (loops in any deep or flat order, tiles, warps and
      their arrangement, stages); `paper` is MCFuser's (deep and flat tiling expressions
      times tiles, pruned by its rules 1 to 4), `chimera` its deep part;
    - `model`: `default` is ours; `mcfuser` (equations 2 to 5), `chimera-printed` and
      `chimera-obs2` (data movement by both readings of algorithm 1), `alcop` (table I);
    - `rules`: which of the rules 1 to 4 prune spaces `paper` and `chimera`, as `all`,
      `none` or digits (`134`), of which 1 cannot be left out above five axes;
      `padding` is rule 3 as printed, ours, or as printed where that loses at most
      2 % of the best time by MCFuser's model; these and `remove-dead-loops` are errors
      in space `default`, as is every other option where it would change nothing;
    - `search`: `exhaustive` (by branch and bound but for models of more than tiles in the
      papers' spaces), `descents` from many different candidates (space `default`),
      `evolutionary` (MCFuser, algorithm 1), or whichever the size of the space
      allows.

    Remarks give the chosen schedule with its predicted time and what bounds it, and
    for each loop what bounds it (category `pipeline`).
    `report` and `report-html` write what was looked at: how many candidates there were
    and were left after each rule, how many were legal, refused (and why) or bounded, the
    best ones of each group that was searched, the split of their costs, why the others
    lost, and where the choice lies under the roofline.
  }];
  let options = !listconcat(chipOptions, [
    Option<"skipMasked", "skip-masked", "bool", /*default=*/"true",
           "Skip tiles that masks provably exclude, taking 0 * x as 0 there">,
    Option<"rescaleThreshold", "rescale-threshold", "unsigned", /*default=*/"0",
           "Correct the sums of online reductions only where that divides them by "
           "more than 2 to this; 0: always">,
    Option<"maxStages", "max-stages", "unsigned", /*default=*/"8",
           "Most stages of a buffer in shared memory">,
    Option<"maxRegisterStages", "max-register-stages", "unsigned", /*default=*/"2",
           "Most stages of fragments in registers">,
    Option<"randomSeed", "random-seed", "int64_t", /*default=*/"-1",
           "Write a legal schedule drawn with this seed instead of the best one, to "
           "test the lowering; -1: the best one. Of space default only">,
    Option<"space", "space", "std::string", /*default=*/"\"default\"",
           "What to choose from: default, paper, chimera">,
    Option<"model", "model", "std::string", /*default=*/"\"default\"",
           "Who judges: default, mcfuser, chimera-printed, chimera-obs2, alcop">,
    Option<"rules", "rules", "std::string", /*default=*/"\"all\"",
           "Rules that prune spaces paper and chimera: all, none, or digits of 1234">,
    Option<"padding", "padding", "std::string", /*default=*/"\"auto\"",
           "Rule 3: printed, least-of-trips (ours), or auto: as printed where "
           "that loses at most 2 %">,
    Option<"removeDeadLoops", "remove-dead-loops", "bool", /*default=*/"true",
           "Let statements leave loops of one iteration (spaces paper and chimera)">,
    Option<"search", "search", "std::string", /*default=*/"\"auto\"",
           "How to look: auto, exhaustive, descents, evolutionary">,
    Option<"convergence", "convergence", "std::string", /*default=*/"\"best-of-all\"",
           "What ends the evolutionary search: printed, best-of-all">,
    Option<"seed", "seed", "uint64_t", /*default=*/"0",
           "Of descents and the evolutionary search">,
    Option<"effort", "effort", "unsigned", /*default=*/"1",
           "How many times as much to look at as takes about a second (space default)">,
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
    A chain whose schedule splits a reduction over blocks becomes two groups: a
    partial one (`#fuse.partial`), which ends with the last product and stores its
    sums over each range in f32, and a stitched one, which adds the parts in order
    and then does what followed the product. Nothing is rounded more often than
    before. Axes that an earlier product reduces cannot be split.

    Where reductions run along the axis, the partial group yields their values too,
    each part's own, and its product lacks the factors that leave the sum; a
    stitched group for each result of the chain merges the parts by the corrections
    of the running form, then does what follows the loop (docs/reductions.md).

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
    Gives every schedule of a chain or a stitched group that has no `codegen` one
    (`#fuse.codegen`): how many blocks an SM is counted on to hold, how many
    registers producers and the other warps have, which loops keep their masks. A
    `codegen` that is there stays as it is. Searched schedules and those written by
    hand are completed alike, the groups that `fuse-split-reductions` makes included.

    Sets `predicted` of every group for reports: microseconds by the cost model
    (`us`), bytes that the launch loads and stores in global memory, and bytes of
    shared memory of a block. A group of the generic form has it where its bytes are
    known.

    A module without a chip (`fuse.chip`), and a group whose schedule cannot be
    lowered, are left as they are: `fuse-lower-to-tile` gives the reason.

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
