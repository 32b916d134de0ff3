//===- FuseAttrs.td - Schedules of the fuse dialect ---------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_DIALECT_FUSE_IR_FUSEATTRS_TD
#define FUSION_DIALECT_FUSE_IR_FUSEATTRS_TD

include "fusion/Dialect/Fuse/IR/FuseDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Fuse_Attr<string name, string attrMnemonic>
    : AttrDef<Fuse_Dialect, name> {
  let mnemonic = attrMnemonic;
}

//===----------------------------------------------------------------------===//
// Chips
//===----------------------------------------------------------------------===//

def Fuse_ChipAttr : Fuse_Attr<"Chip", "chip"> {
  let summary = "The chip that a module is compiled for";
  let description = [{
    The name of an entry of the chip table (`fusion/Target/ChipTable.h`). Passes
    that take `chip=NAME` attach it to the module as the attribute `fuse.chip`;
    every number about the chip is read from the table through it.

    ```mlir
    module attributes {fuse.chip = #fuse.chip<"sm_80">} {}
    ```
  }];
  let parameters = (ins StringRefParameter<"name in the chip table">:$name);
  let assemblyFormat = "`<` $name `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

def Fuse_TilingAttr : Fuse_Attr<"Tiling", "tiling"> {
  let summary = "The order of a group's loops and the place of its statements";
  let description = [{
    `expression` is a tiling expression with its statements placed (MCFuser
    section III-A and III-B): loops are axis names, `LX`, `CX` and `SX` load,
    compute and store tensor X. `mh(n(k(LA,LB,CC),LD,CE),SE)` is the nest m, h, n
    with loop k and the statements LD and CE inside n, and SE after n. Names are
    those that the group's axes and tensors have (`fusion/Analysis/GroupAxes.h`);
    `tiles` gives the tile size of every axis in elements. The loop over the axis
    called `skip` visits only tiles that no mask excludes
    (`fusion/Analysis/MaskedTiles.h`).
  }];
  let parameters = (ins StringRefParameter<"loops and statements">:$expression,
                        "::mlir::DictionaryAttr":$tiles,
                        OptionalParameter<"::mlir::StringAttr">:$skip);
  let assemblyFormat = "`<` $expression `,` $tiles (`,` `skip` `=` $skip^)? `>`";
  let genVerifyDecl = 1;
}

def Fuse_OperatorMapAttr : Fuse_Attr<"OperatorMap", "operator_map"> {
  let summary = "How one product uses its intrinsic";
  let description = [{
    The loops of a contraction that are mapped to the loops i1, i2 (parallel) and
    r1 (reduction) of the intrinsic (GTA, table 2), and the arrangement of the
    block's warps over i1 and i2. The product of `warps` is the warp count of the
    block; warps beyond the tile repeat the work of others and are refused.

    ```mlir
    #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [4, 1]>
    ```
  }];
  let parameters = (ins StringRefParameter<"name of the intrinsic">:$intrinsic,
                        StringRefParameter<"axis of the rows">:$i1,
                        StringRefParameter<"axis of the columns">:$i2,
                        StringRefParameter<"axis that is reduced">:$r1,
                        ArrayRefParameter<"int64_t">:$warps);
  let assemblyFormat = [{
    `<` $intrinsic `,` `i1` `=` $i1 `,` `i2` `=` $i2 `,` `r1` `=` $r1 `,`
    `warps` `=` `[` $warps `]` `>`
  }];
  let genVerifyDecl = 1;
}

def Fuse_MappingAttr : Fuse_Attr<"Mapping", "mapping"> {
  let summary = "How the work of a group is mapped to blocks, warps and intrinsics";
  let description = [{
    * `warps`: warps of a block.
    * `blocks`: the axes whose loops are bound to the grid, slowest first; the
      block index is their mixed-radix number.
    * `operators`: an `#fuse.operator_map` for each contraction, by the name of its
      result. Empty for a group in the generic form, in which one thread computes
      one element of the result with all reductions as loops inside.
    * `raster`: blocks of the two fastest grid axes are visited in columns of this
      many blocks, for reuse in L2, the last column narrower; 1 is row by row.
      Default 1.
    * `persistent`: blocks loop over the tiles of a grid of the chip's size.
      Default false. Lowered beside producers.
    * `cluster`: CTAs of a cluster along the fastest grid axis. Default 1. In
      stitched groups that is the reduced axis of which a block has a part, and
      they exchange what they have of its reductions in distributed shared memory;
      in chains its blocks copy for one another what they have in common.
  }];
  let parameters = (ins "int64_t":$warps,
                        OptionalArrayRefParameter<"::mlir::StringAttr">:$blocks,
                        OptionalParameter<"::mlir::DictionaryAttr">:$operators,
                        DefaultValuedParameter<"int64_t", "1">:$raster,
                        DefaultValuedParameter<"bool", "false">:$persistent,
                        DefaultValuedParameter<"int64_t", "1">:$cluster);
  // Of groups without contractions: what is not given is off.
  let builders = [AttrBuilder<(ins "int64_t":$warps, "int64_t":$cluster), [{
    return $_get($_ctxt, warps, ::llvm::ArrayRef<::mlir::StringAttr>(),
                 ::mlir::DictionaryAttr(), /*raster=*/1, /*persistent=*/false,
                 cluster);
  }]>];
  // By hand: every entry but the first may be left out.
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Fuse_Space : I32EnumAttr<"Space", "Where a tensor's tile lives", [
    I32EnumAttrCase<"Registers", 0, "registers">,
    I32EnumAttrCase<"Shared", 1, "shared">]> {
  let cppNamespace = "::fusion::fuse";
  let genSpecializedAttr = 0;
}

def Fuse_Transport : I32EnumAttr<"Transport", "How a tile moves",
                                 [I32EnumAttrCase<"Sync", 0, "sync">,
                                  I32EnumAttrCase<"Async4", 1, "async4">,
                                  I32EnumAttrCase<"Async8", 2, "async8">,
                                  I32EnumAttrCase<"Async16", 3, "async16">,
                                  I32EnumAttrCase<"Bulk", 4, "bulk">]> {
  let cppNamespace = "::fusion::fuse";
  let genSpecializedAttr = 0;
}

def Fuse_Eviction : I32EnumAttr<"Eviction", "What leaves the L2 cache first", [
    I32EnumAttrCase<"Normal", 0, "evict_normal">,
    I32EnumAttrCase<"First", 1, "evict_first">,
    I32EnumAttrCase<"Last", 2, "evict_last">]> {
  let cppNamespace = "::fusion::fuse";
  let genSpecializedAttr = 0;
}

def Fuse_PlaceAttr : Fuse_Attr<"Place", "place"> {
  let summary = "Where the tile of one tensor lives and how it gets there";
  let description = [{
    For an operand, `shared` copies its tile from global to shared memory by
    `transport` (synchronous loads and stores, cp.async of 4, 8 or 16 bytes, or bulk
    copies of boxes by tensor maps, which one thread issues), and
    `registers` loads it straight into the registers of its consumer. For an
    intermediate, `registers` keeps it in the registers of the warps that computed
    it, `shared` hands it over through shared memory. For a result, `shared` stages
    its tile there so that rows are written with the widest aligned stores, by
    threads or, with the transport `bulk`, by boxes of a tensor map, and `registers`
    stores from the accumulator's layout.

    `eviction` says of an operand that is copied in bulk what the L2 may do with what
    was read: `evict_first`, as it is not read again, or `evict_last`, as all blocks
    read it.
  }];
  let parameters = (ins EnumParameter<Fuse_Space>:$space,
      DefaultValuedParameter<"Transport", "Transport::Sync">:$transport,
      DefaultValuedParameter<"Eviction", "Eviction::Normal">:$eviction);
  let assemblyFormat = "`<` $space (`,` $transport^)? (`,` $eviction^)? `>`";
  let genVerifyDecl = 1;
}

def Fuse_MemoryAttr : Fuse_Attr<"Memory", "memory"> {
  let summary = "Where the tensors of a group live on chip";
  let description = [{
    `places` maps the name of every tensor of the group to its `#fuse.place`.
  }];
  let parameters = (ins "::mlir::DictionaryAttr":$places);
  let assemblyFormat = "`<` $places `>`";
  let genVerifyDecl = 1;
}

def Fuse_PipelineAttr : Fuse_Attr<"Pipeline", "pipeline"> {
  let summary = "Stages per buffer and level of the memory hierarchy";
  let description = [{
    `shared` maps an operand to the stages of its shared-memory buffer (ALCOP
    section III); absent operands have one stage. `registers` is the number of
    stages of the shared-to-register level: of the fragments of everything that is
    multiplied from shared memory, but for the tensors that `fragments` maps to
    stages of their own. `products` maps the result of a product to 2 where the
    product runs beside those of its loop's next iteration, whose values are computed
    under it (FlashAttention-3, section 3.2).

    ```mlir
    #fuse.pipeline<{A = 3, B = 3}, fragments = {A = 2}>
    #fuse.pipeline<{B = 2, D = 2}, products = {E = 2}>
    ```
  }];
  let parameters = (ins "::mlir::DictionaryAttr":$shared,
                        DefaultValuedParameter<"int64_t", "1">:$registers,
                        OptionalParameter<"::mlir::DictionaryAttr">:$fragments,
                        OptionalParameter<"::mlir::DictionaryAttr">:$products);
  // By hand: either entry behind the first may be left out.
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Fuse_ParallelAttr : Fuse_Attr<"Parallel", "parallel"> {
  let summary = "Reductions split over blocks, and the roles of warps";
  let description = [{
    `split` maps a reduction axis to the number of blocks that share it; their
    partial results are combined by a second group, or, `in_cluster`, by themselves:
    they are a cluster, and each combines its share of their tile's rows through
    distributed shared memory, and all of them the running values of rows. `producers`
    is the number of warps, beside those of the mapping, that issue bulk copies and do
    nothing else.
    Default 0: every warp loads and multiplies. Some operand must be copied in bulk in
    several stages. Where producers and the other warps are whole groups of four, and
    the chip can, the others have the registers that producers do not need. With
    `turns` the groups of four that compute have the tensor cores one after the other,
    for the products of an iteration, and compute the rest under the products of the
    others (FlashAttention-3, section 3.1).

    ```mlir
    #fuse.parallel<{k = 4}, producers = 1>
    #fuse.parallel<{k = 4}, in_cluster = true>
    #fuse.parallel<{}, producers = 4, turns = true>
    ```
  }];
  let parameters = (ins "::mlir::DictionaryAttr":$split,
                        DefaultValuedParameter<"bool", "false">:$inCluster,
                        DefaultValuedParameter<"int64_t", "0">:$producers,
                        DefaultValuedParameter<"bool", "false">:$turns);
  // Of groups without contractions: what is not given is off.
  let builders = [AttrBuilder<(ins "int64_t":$producers), [{
    return $_get($_ctxt, ::mlir::DictionaryAttr::get($_ctxt),
                 /*inCluster=*/false, producers, /*turns=*/false);
  }]>];
  // By hand: either entry behind the first may be left out.
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Fuse_ReductionForm : I32EnumAttr<"ReductionForm", "How a reduction is evaluated", [
    I32EnumAttrCase<"OneTile", 0, "one_tile">,
    I32EnumAttrCase<"Online", 1, "online">,
    I32EnumAttrCase<"Ahead", 2, "ahead">]> {
  let cppNamespace = "::fusion::fuse";
  let genSpecializedAttr = 0;
}

def Fuse_ReductionAttr : Fuse_Attr<"Reduction", "reduction"> {
  let summary = "The form of the reductions that a group's loop also consumes";
  let description = [{
    `one_tile`: the reduced axes fit in their tiles. `online`: some reduction runs in
    the loop that consumes it, in the running form. `ahead`: those of which the axis
    is cut are in front of a product and over in loops before the product's.

    `rescale` is for `online`: sums so far are corrected only where that divides a
    row of them by more than 2 to this power. Until then the loop computes with an
    earlier running value, and the last correction takes that into account; values
    in the loop may be larger by as much. Default 0: each iteration corrects them.

    ```mlir
    #fuse.reduction<online, rescale = 8>
    ```
  }];
  let parameters = (ins EnumParameter<Fuse_ReductionForm>:$form,
                        DefaultValuedParameter<"int64_t", "0">:$rescale);
  let assemblyFormat = "`<` $form (`,` `rescale` `=` $rescale^)? `>`";
  let genVerifyDecl = 1;
}

def Fuse_SpreadAttr : Fuse_Attr<"Spread", "spread"> {
  let summary = "How one axis of a stitched group is spread over a block";
  let description = [{
    A block has `tile` elements of the axis: `vector` neighbours in one thread,
    then `lanes` of a warp, then `warps`, then as many registers of each thread as
    it takes. Where the axis is reduced, this is FusionStitching's composition
    (section 4.1): with one lane and one warp of *thread*, with one warp of *warp*,
    else of *block*; and of *cluster* where the blocks of a cluster (`mapping`) have a
    tile of it each.

    With `align` the blocks' tiles begin before the axis does, at the last place
    whose element in memory has a number that is a multiple of `align`: of the
    tensor that gives the axis its alignment (Analysis/StitchAlignment.h). Each row
    of odd length has a beginning of its own then, and all accesses of a row are
    aligned; what lies before or behind the row is masked.

    ```mlir
    #fuse.spread<tile = 1024, vector = 8, lanes = 32, warps = 4>
    #fuse.spread<tile = 3072, vector = 8, lanes = 32, warps = 4, align = 16>
    ```
  }];
  let parameters = (ins "int64_t":$tile,
                        DefaultValuedParameter<"int64_t", "1">:$vector,
                        DefaultValuedParameter<"int64_t", "1">:$lanes,
                        DefaultValuedParameter<"int64_t", "1">:$warps,
                        DefaultValuedParameter<"int64_t", "1">:$align);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Fuse_WalkAttr : Fuse_Attr<"Walk", "walk"> {
  let summary = "How the blocks of a stitched group go through a long axis";
  let description = [{
    A block goes through its tile of `axis` in steps of `step` elements, once for
    every reduction that waits for another one, and once for what waits for all of
    them. What a later pass needs of the first `registers` steps stays in registers,
    of the next `shared` steps in shared memory; that of further steps is read
    and computed again.

    With `online` reductions run in the pass of those that they wait for, where the
    algebra has a running form of them: what they have so far is corrected as the
    others change, which saves their pass.

    What a later pass needs is kept as the fewest bytes that it follows from. With
    `costly` these are the results of operators that evaluate special functions or
    polynomials, where several passes would evaluate them.

    Along an axis that is not reduced a block is persistent: it goes through several
    tiles of which others have a block each. With `stages` what a step needs is copied
    to shared memory as many steps less one ahead, with `bulk` by boxes of a tensor map
    wherever a tile is such boxes (`fusion/Analysis/StitchStages.h`).

    ```mlir
    #fuse.walk<axis = "j", step = 4096, registers = 2, shared = 14>
    #fuse.walk<axis = "j", step = 4096, online = true>
    #fuse.walk<axis = "j", step = 4096, registers = 2, costly = true>
    #fuse.walk<axis = "i", step = 4, stages = 3>
    #fuse.walk<axis = "i", step = 4, stages = 3, bulk = true>
    ```
  }];
  let parameters = (ins "::mlir::StringAttr":$axis, "int64_t":$step,
                        DefaultValuedParameter<"int64_t", "0">:$registers,
                        DefaultValuedParameter<"int64_t", "0">:$shared,
                        DefaultValuedParameter<"bool", "false">:$online,
                        DefaultValuedParameter<"bool", "false">:$costly,
                        DefaultValuedParameter<"int64_t", "1">:$stages,
                        DefaultValuedParameter<"bool", "false">:$bulk);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Fuse_StitchingAttr : Fuse_Attr<"Stitching", "stitching"> {
  let summary = "The tile program of a stitched group";
  let description = [{
    `spread` maps every axis of the group (`fusion/Analysis/StitchGroup.h`) to its
    `#fuse.spread`. Without `walk` a block has its tile of every axis in registers.
    With `streams` what is touched once goes past the caches: elements that one
    thread loads once are not kept in the L1, and results leave the L2 first.
    Where blocks share reductions, `combine` of them that follow one another have
    their parts combined by the last of these, then as many groups of blocks theirs,
    until one block has all; without it the last block combines all parts. With `rows`
    a block goes through its tile of the axis along which they share in steps of so
    many elements, through the walk for each of them, and adds up what it shares.
  }];
  let parameters = (ins "::mlir::DictionaryAttr":$spread,
                        OptionalParameter<"::fusion::fuse::WalkAttr">:$walk,
                        DefaultValuedParameter<"bool", "false">:$streams,
                        DefaultValuedParameter<"int64_t", "0">:$combine,
                        DefaultValuedParameter<"int64_t", "0">:$rows);
  let assemblyFormat = [{
    `<` (`streams` `=` $streams^ `,` ` `)? (`combine` `=` $combine^ `,` ` `)?
    (`rows` `=` $rows^ `,` ` `)? $spread (`,` `walk` `=` $walk^)? `>`
  }];
  let genVerifyDecl = 1;
}

def Fuse_CodegenAttr : Fuse_Attr<"Codegen", "codegen"> {
  let summary = "What lowering is told about the machine code of a kernel";
  let description = [{
    * `resident_blocks`: the blocks that an SM is counted on to hold at a time. The
      kernel promises ptxas as many (PTX ISA, ".minnctapersm"), which then uses no
      more registers than leave room for them. An SM of the chip has room for their
      warps.
    * `role_registers`: the registers of a thread of the producer warps, and of a
      thread of the other warps, once a block runs (PTX ISA, "setmaxnreg"). Multiples
      of 8, of which a block asks for no more than it was launched with. Default: the
      shares that all warps are launched with.
    * `masked`: products, by the names of their results. A loop that computes one of
      them masks the tiles of all its iterations. Default: none. Any other loop is
      split where a mask begins or ends (`tile-split-masked-loops`).
    * `unmasked_iterations`: a loop is split only where at least so many of its
      iterations, besides the first one, surely need no mask. Default 1.

    `fuse-complete-schedules` decides all of it for a schedule that has no `codegen`
    (`fusion/Search/CodegenChoice.h`). A schedule that reaches `fuse-lower-to-tile`
    without one is lowered with the defaults, and promises ptxas nothing.

    ```mlir
    #fuse.codegen<resident_blocks = 2>
    #fuse.codegen<resident_blocks = 1, role_registers = [24, 240]>
    #fuse.codegen<resident_blocks = 1, masked = ["C"]>
    ```
  }];
  let parameters = (ins "int64_t":$residentBlocks,
                        OptionalArrayRefParameter<"int64_t">:$roleRegisters,
                        OptionalArrayRefParameter<"::mlir::StringAttr">:$masked,
                        DefaultValuedParameter<"int64_t", "1">:$unmaskedIterations);
  // By hand: every entry but the first may be left out.
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Fuse_ScheduleAttr : Fuse_Attr<"Schedule", "schedule"> {
  let summary = "How a group runs on the chip";
  let description = [{
    Complete: with it, lowering makes no choice. Every part but `mapping` may be
    absent, which switches the feature off: no `tiling` (the generic form), no
    `memory` (registers only), no `pipeline` (one stage everywhere), no `parallel`
    (no reduction split), no `reduction` (nothing is consumed while it is reduced),
    no `stitching` (of a stitched group: the generic form). Without `codegen`,
    `fuse-complete-schedules` decides what it says; the generic form has none.
    `version` is the version of this format.

    The verifier of the group (`fusion/Analysis/ScheduleLegality.h`) refuses what
    lowering cannot do and says why; the search prunes by the same predicate.

    ```mlir
    #fuse.schedule<version = 1,
      tiling = <"mh(n(k(LA,LB,CC),LD,CE),SE)", {m = 64, n = 64, k = 32, h = 64}>,
      mapping = <warps = 4, blocks = ["m", "h"], operators = {
        C = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "n", r1 = "k", warps = [4, 1]>,
        E = #fuse.operator_map<"mma.m16n8k16", i1 = "m", i2 = "h", r1 = "n", warps = [4, 1]>}>,
      memory = <{A = #fuse.place<shared, async16>, B = #fuse.place<shared, async16>,
                 C = #fuse.place<registers>, D = #fuse.place<shared, async16>,
                 E = #fuse.place<shared>}>>
    ```
  }];
  let parameters = (ins "int64_t":$version,
      OptionalParameter<"::fusion::fuse::TilingAttr">:$tiling,
      "::fusion::fuse::MappingAttr":$mapping,
      OptionalParameter<"::fusion::fuse::MemoryAttr">:$memory,
      OptionalParameter<"::fusion::fuse::PipelineAttr">:$pipeline,
      OptionalParameter<"::fusion::fuse::ParallelAttr">:$parallel,
      OptionalParameter<"::fusion::fuse::ReductionAttr">:$reduction,
      OptionalParameter<"::fusion::fuse::StitchingAttr">:$stitching,
      OptionalParameter<"::fusion::fuse::CodegenAttr">:$codegen);
  let assemblyFormat = "`<` struct(params) `>`";
  // Without what stitched groups alone have, and without codegen.
  let builders = [AttrBuilder<(ins "int64_t":$version,
      "::fusion::fuse::TilingAttr":$tiling, "::fusion::fuse::MappingAttr":$mapping,
      "::fusion::fuse::MemoryAttr":$memory, "::fusion::fuse::PipelineAttr":$pipeline,
      "::fusion::fuse::ParallelAttr":$parallel,
      "::fusion::fuse::ReductionAttr":$reduction), [{
    return $_get($_ctxt, version, tiling, mapping, memory, pipeline, parallel,
                 reduction, StitchingAttr(), CodegenAttr());
  }]>];
  let extraClassDeclaration = [{
    /// Returns this schedule with another `codegen`, which may be null.
    ScheduleAttr withCodegen(CodegenAttr codegen) const;
  }];
  let genVerifyDecl = 1;
}

def Fuse_PartialAttr : Fuse_Attr<"Partial", "partial"> {
  let summary = "Which ranges of a reduction a group evaluates";
  let description = [{
    On a chain: everything is evaluated for `parts` consecutive ranges of the axis
    called `axis`, which the last product reduces, of `length` elements each; the
    last ranges are shorter or empty, and a sum over an empty range is zero. The
    group's results carry the parts as their first dimension: a product's sums, then
    values of reductions that run along the axis. What the product sums up is
    computed with a part's own running values, with zero where such a value is still
    the identity of its reduction. `fuse-split-reductions`
    makes such groups, with a schedule that splits the axis, and a group that adds
    the parts.

    ```mlir
    #fuse.partial<axis = "k", parts = 3, length = 128>
    ```
  }];
  let parameters = (ins StringRefParameter<"axis that is split">:$axis,
                        "int64_t":$parts, "int64_t":$length);
  let assemblyFormat = [{
    `<` `axis` `=` $axis `,` `parts` `=` $parts `,` `length` `=` $length `>`
  }];
  let genVerifyDecl = 1;
}

#endif // FUSION_DIALECT_FUSE_IR_FUSEATTRS_TD
