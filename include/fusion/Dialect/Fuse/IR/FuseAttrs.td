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
    The name of an entry of the chip table (`fusion/Target/Chips/ChipTable.h`). Passes
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
    with loop k and the statements LD and CE inside n, and SE after n. It uses the
    names of the group's axes and tensors (`fusion/Analysis/Groups/GroupAxes.h`). `tiles`
    gives the tile size of every axis in elements. The loop over the axis called
    `skip` visits only tiles that no mask excludes (`fusion/Analysis/Schedules/MaskedTiles.h`).
  }];
  let parameters = (ins StringRefParameter<"loops and statements">:$expression,
                        "::mlir::DictionaryAttr":$tiles,
                        OptionalParameter<"::mlir::StringAttr">:$skip);
  let assemblyFormat = "`<` $expression `,` $tiles (`,` `skip` `=` $skip^)? `>`";
  let genVerifyDecl = 1;
}

def Fuse_OperatorMapAttr : Fuse_Attr<"OperatorMap", "operator_map"> {
  let summary = "How one contraction uses its intrinsic";
  let description = [{
    `i1` and `i2` (parallel) and `r1` (reduction) are the intrinsic's loops (GTA,
    table 2). Each names the contraction's loop that is mapped to it. `warps` arranges
    the block's warps over i1 and i2. The product of `warps` is the warp count of the
    block. Warps beyond the tile would repeat the work of others and are rejected.

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
    * `block_swizzle`: the threadblock swizzle. Blocks of the two fastest grid axes
      run in columns of this many blocks, for reuse in L2; the last column may be
      narrower. 1 is row by row. Default 1.
    * `persistent`: blocks loop over the tiles of a grid of the chip's size.
      Default false. Lowered only together with producers.
    * `cluster`: CTAs of a cluster along the fastest grid axis. Default 1. In
      stitched groups the blocks of a cluster have a tile each of a reduced axis.
      They exchange their partial results through distributed shared memory. In
      chains each block of a cluster copies a part of the tiles that all of them
      read, and multicasts it.
  }];
  let parameters = (ins "int64_t":$warps,
                        OptionalArrayRefParameter<"::mlir::StringAttr">:$blocks,
                        OptionalParameter<"::mlir::DictionaryAttr">:$operators,
                        DefaultValuedParameter<"int64_t", "1">:$blockSwizzle,
                        DefaultValuedParameter<"bool", "false">:$persistent,
                        DefaultValuedParameter<"int64_t", "1">:$cluster);
  // For groups without contractions: the builder switches all other fields off.
  let builders = [AttrBuilder<(ins "int64_t":$warps, "int64_t":$cluster), [{
    return $_get($_ctxt, warps, ::llvm::ArrayRef<::mlir::StringAttr>(),
                 ::mlir::DictionaryAttr(), /*blockSwizzle=*/1,
                 /*persistent=*/false, cluster);
  }]>];
  // By hand: every entry but the first may be left out.
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Fuse_Space : I32EnumAttr<"Space", "Where a tensor's tile lives", [
    I32EnumAttrCase<"Registers", 0, "registers">,
    I32EnumAttrCase<"Shared", 1, "shared">,
    I32EnumAttrCase<"Packed", 2, "packed">]> {
  let cppNamespace = "::fusion::fuse";
  let genSpecializedAttr = 0;
}

def Fuse_Transport : I32EnumAttr<"Transport", "How a tile moves",
                                 [I32EnumAttrCase<"Sync", 0, "sync">,
                                  I32EnumAttrCase<"Async4", 1, "async4">,
                                  I32EnumAttrCase<"Async8", 2, "async8">,
                                  I32EnumAttrCase<"Async16", 3, "async16">,
                                  I32EnumAttrCase<"TMA", 4, "tma">]> {
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
    `space` means for

    * an operand: `shared` copies its tile from global to shared memory, `registers`
      loads it straight into the registers of its consumer;
    * an intermediate: `registers` leaves its tile in the registers of the warps that
      computed it, `shared` passes it through shared memory;
    * a result: `shared` stages its tile in shared memory so that rows are written
      with the widest aligned stores, `registers` stores from the accumulator's
      layout.

    On a CPU `registers` means that the tile has no place of its own. An operand is
    then read in place. An intermediate stays in the scratch of its block, and a result
    is stored from there. `packed` is for operands: each block copies the tile to
    scratch, in the order and the type in which its micro-kernels read it.

    `transport` is how an operand's tile gets to shared memory:

    * `sync`: loads into registers and stores to shared memory;
    * `async4`, `async8`, `async16`: cp.async of 4, 8 or 16 bytes;
    * `tma`: TMA loads, which one thread issues.

    With `tma`, a result in shared memory is written by TMA stores.

    `eviction` is for operands of TMA loads. It tells the L2 what to do with the data:
    `evict_first` where it is not read again, `evict_last` where all blocks read it.
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
    section III); absent operands have one stage. `register_stages` is the number of
    stages of the shared-to-register level: of the fragments that contractions load
    from shared memory. In the generic form it is the number of iterations of an
    innermost reduction whose elements a thread loads together. `fragments` maps a tensor to another number of stages for its
    own fragments. `overlap` maps the result of a contraction to 2 for
    cross-iteration overlap: its MMA runs while the operands of the next iteration
    are computed (FlashAttention-3, section 3.2).

    ```mlir
    #fuse.pipeline<{A = 3, B = 3}, fragments = {A = 2}>
    #fuse.pipeline<{B = 2, D = 2}, overlap = {E = 2}>
    ```
  }];
  let parameters = (ins "::mlir::DictionaryAttr":$shared,
                        DefaultValuedParameter<"int64_t", "1">:$registerStages,
                        OptionalParameter<"::mlir::DictionaryAttr">:$fragments,
                        OptionalParameter<"::mlir::DictionaryAttr">:$overlap);
  // By hand: either entry behind the first may be left out.
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Fuse_ParallelAttr : Fuse_Attr<"Parallel", "parallel"> {
  let summary = "Reductions split over blocks, and warp specialization";
  let description = [{
    `split` maps a reduction axis to the number of blocks that it is split over. A
    second group reduces their partial results. With `in_cluster` these blocks are a
    cluster and reduce the partial results themselves (reduce-scatter). Each block
    reduces its share of the tile's rows through distributed shared memory. The row
    statistics are reduced by every block.

    `producers` is the number of producer warps, which only issue TMA copies. They
    are in addition to the warps of the mapping. Default 0: every warp loads and
    multiplies. Some operand must have TMA copies in several stages. The consumers
    get the registers that producers do not need, where both are whole warpgroups and
    the chip has register reallocation.

    With `ping_pong` the consumer warpgroups alternate on the tensor cores: one has
    them for the MMAs of an iteration while the others compute the rest
    (FlashAttention-3, section 3.1).

    ```mlir
    #fuse.parallel<{k = 4}, producers = 1>
    #fuse.parallel<{k = 4}, in_cluster = true>
    #fuse.parallel<{}, producers = 4, ping_pong = true>
    ```
  }];
  let parameters = (ins "::mlir::DictionaryAttr":$split,
                        DefaultValuedParameter<"bool", "false">:$inCluster,
                        DefaultValuedParameter<"int64_t", "0">:$producers,
                        DefaultValuedParameter<"bool", "false">:$pingPong);
  // For groups without contractions: the builder switches all other fields off.
  let builders = [AttrBuilder<(ins "int64_t":$producers), [{
    return $_get($_ctxt, ::mlir::DictionaryAttr::get($_ctxt),
                 /*inCluster=*/false, producers, /*pingPong=*/false);
  }]>];
  // By hand: either entry behind the first may be left out.
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Fuse_ReductionForm : I32EnumAttr<"ReductionForm", "How a reduction is evaluated", [
    I32EnumAttrCase<"OneTile", 0, "one_tile">,
    I32EnumAttrCase<"Online", 1, "online">,
    I32EnumAttrCase<"Prepass", 2, "prepass">]> {
  let cppNamespace = "::fusion::fuse";
  let genSpecializedAttr = 0;
}

def Fuse_ReductionAttr : Fuse_Attr<"Reduction", "reduction"> {
  let summary = "The form of the reductions that a group's loop also consumes";
  let description = [{
    `one_tile`: the reduced axes fit in their tiles. `online`: some reduction runs in
    the loop that consumes it, as an online reduction. `prepass`: reductions over an
    axis of several tiles, whose results a contraction reads, run in loops of their
    own before the contraction's loop.

    `rescale_threshold` is for `online`: accumulators are rescaled only where that
    divides a row of them by more than 2 to this power. Until then the loop computes
    with an earlier running value, and the last rescaling takes that into account;
    values in the loop may be larger by as much. Default 0: each iteration rescales.

    ```mlir
    #fuse.reduction<online, rescale_threshold = 8>
    ```
  }];
  let parameters = (ins EnumParameter<Fuse_ReductionForm>:$form,
                        DefaultValuedParameter<"int64_t", "0">:$rescaleThreshold);
  let assemblyFormat = [{
    `<` $form (`,` `rescale_threshold` `=` $rescaleThreshold^)? `>`
  }];
  let genVerifyDecl = 1;
}

def Fuse_ThreadMappingAttr : Fuse_Attr<"ThreadMapping", "thread_mapping"> {
  let summary = "Which elements of a stitched group's axis a thread holds";
  let description = [{
    A block has `tile` elements of the axis: `vector` neighbours in one thread,
    then `lanes` of a warp, then `warps`, then as many registers of each thread as
    are needed. For a reduced axis the thread mapping is FusionStitching's composition
    (section 4.1):

    * *thread* with one lane and one warp;
    * *warp* with several lanes and one warp;
    * *block* with several warps;
    * *cluster* where each block of a cluster (`mapping`) has a tile of the axis.

    With `align` tiles are ragged. One tensor gives the axis its alignment
    (Analysis/Stitching/StitchAlignment.h). A block's tile begins before its row does, at the
    last element of this tensor whose number in memory is a multiple of `align`. All
    accesses of a row are aligned then, also where rows have an odd length. Elements
    before and after the row are masked.

    ```mlir
    #fuse.thread_mapping<tile = 1024, vector = 8, lanes = 32, warps = 4>
    #fuse.thread_mapping<tile = 3072, vector = 8, lanes = 32, warps = 4, align = 16>
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

def Fuse_SerialLoopAttr : Fuse_Attr<"SerialLoop", "serial_loop"> {
  let summary = "How the blocks of a stitched group run over a long axis in steps";
  let description = [{
    A block runs over its tile of `axis` in steps of `step` elements. It makes one
    pass over the tile for every reduction that depends on another reduction, and a
    last pass for the operators that depend on all reductions. Values that a later
    pass needs are retained: those of the first `register_steps` steps in registers,
    those of the next `shared_steps` steps in shared memory. The values of further
    steps are read or recomputed.

    With `online`, a reduction that depends on another one runs in the same pass if
    it has an online form. Its earlier results are rescaled when the other reduction's
    result changes. This saves a pass.

    The retained tiles are the fewest bytes from which the needed values can be
    computed. With `retain_expensive`, results of expensive operators (special
    functions, polynomials) are retained instead, where several passes would evaluate
    them.

    Along an axis that is not reduced a block is persistent: it computes several
    tiles, one after the other. With `stages` the tiles that a step reads are copied
    to shared memory, with a prefetch distance of `stages` - 1 steps. With `tma` these
    are TMA loads, where a tensor map can describe the tile
    (`fusion/Analysis/Stitching/StitchStages.h`).

    ```mlir
    #fuse.serial_loop<axis = "j", step = 4096, register_steps = 2, shared_steps = 14>
    #fuse.serial_loop<axis = "j", step = 4096, online = true>
    #fuse.serial_loop<axis = "j", step = 4096, register_steps = 2, retain_expensive = true>
    #fuse.serial_loop<axis = "i", step = 4, stages = 3>
    #fuse.serial_loop<axis = "i", step = 4, stages = 3, tma = true>
    ```
  }];
  let parameters = (ins "::mlir::StringAttr":$axis, "int64_t":$step,
                        DefaultValuedParameter<"int64_t", "0">:$register_steps,
                        DefaultValuedParameter<"int64_t", "0">:$shared_steps,
                        DefaultValuedParameter<"bool", "false">:$online,
                        DefaultValuedParameter<"bool", "false">:$retain_expensive,
                        DefaultValuedParameter<"int64_t", "1">:$stages,
                        DefaultValuedParameter<"bool", "false">:$tma);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Fuse_Sharing : I32EnumAttr<"Sharing", "Which threads evaluate a value once", [
    I32EnumAttrCase<"Warp", 0, "warp">,
    I32EnumAttrCase<"Block", 1, "block">]> {
  let cppNamespace = "::fusion::fuse";
}

def Fuse_CompositionAttr : Fuse_Attr<"Composition", "composition"> {
  let summary = "How an element-wise operator's result reaches the threads that read it";
  let description = [{
    Threads along the axes that do not index a result all need the same elements of it.
    By default each of them evaluates these elements (*thread* composition). Otherwise
    `scheme` says which threads evaluate each element once (FusionStitching, section
    4.1):

    * `warp`: the lanes of a warp share its elements out, and pass them to one another
      by shuffles;
    * `block`: the threads of a block share its elements out, and pass them to one
      another in shared memory.

    `operator` counts the operators of the group in program order, without fills and
    without operators that only assemble a result
    (`fusion/Analysis/Stitching/StitchCompositions.h`).

    ```mlir
    #fuse.composition<operator = 0, scheme = block>
    ```
  }];
  let parameters = (ins "int64_t":$op, EnumParameter<Fuse_Sharing>:$scheme);
  let assemblyFormat = "`<` `operator` `=` $op `,` `scheme` `=` $scheme `>`";
  let genVerifyDecl = 1;
}

def Fuse_StitchingAttr : Fuse_Attr<"Stitching", "stitching"> {
  let summary = "The tile program of a stitched group";
  let description = [{
    The dictionary `thread_mapping` maps every axis of the group
    (`fusion/Analysis/Stitching/StitchGroup.h`) to its `#fuse.thread_mapping`. Without
    `serial_loop` a block has its tile of every axis in registers.

    With `evict_first` data that is used once bypasses the caches: elements that one
    thread loads once do not stay in the L1, and the L2 evicts results first.

    `fan_in` and `split_step` are for split reductions. With `fan_in` the cross-block
    reduction is a tree. The last one of every `fan_in` consecutive blocks to arrive
    reduces their partial results. Every `fan_in` such results are reduced in the same
    way, until one remains. Without `fan_in` the last block of all reduces all partial
    results. With `split_step` a block runs over its tile of the split axis in steps
    of `split_step` elements, with the serial loop inside, and adds up its partial
    results.

    `compositions` lists the element-wise operators whose elements the threads of a warp
    or of a block evaluate once, in ascending order.

    ```mlir
    #fuse.stitching<compositions = [<operator = 0, scheme = warp>],
                    {i = #fuse.thread_mapping<tile = 8>,
                     j = #fuse.thread_mapping<tile = 128, vector = 4, lanes = 32>}>
    ```
  }];
  let parameters = (ins "::mlir::DictionaryAttr":$threadMapping,
                        OptionalParameter<"::fusion::fuse::SerialLoopAttr">:$serialLoop,
                        DefaultValuedParameter<"bool", "false">:$evictFirst,
                        DefaultValuedParameter<"int64_t", "0">:$fanIn,
                        DefaultValuedParameter<"int64_t", "0">:$splitStep,
                        OptionalArrayRefParameter<"::fusion::fuse::CompositionAttr">:$compositions);
  let assemblyFormat = [{
    `<` (`evict_first` `=` $evictFirst^ `,` ` `)? (`fan_in` `=` $fanIn^ `,` ` `)?
    (`split_step` `=` $splitStep^ `,` ` `)?
    (`compositions` `=` `[` $compositions^ `]` `,` ` `)? $threadMapping
    (`,` `serial_loop` `=` $serialLoop^)? `>`
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
    * `register_budgets`: the registers of a thread of the producer warps, and of a
      thread of the other warps, once a block runs (PTX ISA, "setmaxnreg"). Multiples
      of 8, of which a block asks for no more than it was launched with. Default: the
      shares that all warps are launched with.
    * `masked`: contractions, by the names of their results. A loop that computes one of
      them masks the tiles of all its iterations. Default: none. Any other loop is
      split where a mask begins or ends (`tile-split-masked-loops`).
    * `unmasked_iterations`: a loop is split only where at least this number of its
      iterations, besides the first one, surely needs no mask. Default 1.

    `fuse-complete-schedules` decides all of it for a schedule that has no `codegen`
    (`fusion/Search/Space/CodegenChoice.h`). A schedule that reaches `fuse-lower-to-tile`
    without one is lowered with the defaults, and promises ptxas nothing.

    ```mlir
    #fuse.codegen<resident_blocks = 2>
    #fuse.codegen<resident_blocks = 1, register_budgets = [24, 240]>
    #fuse.codegen<resident_blocks = 1, masked = ["C"]>
    ```
  }];
  let parameters = (ins "int64_t":$residentBlocks,
                        OptionalArrayRefParameter<"int64_t">:$registerBudgets,
                        OptionalArrayRefParameter<"::mlir::StringAttr">:$masked,
                        DefaultValuedParameter<"int64_t", "1">:$unmaskedIterations);
  // By hand: every entry but the first may be left out.
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Fuse_ScheduleAttr : Fuse_Attr<"Schedule", "schedule"> {
  let summary = "How a group runs on the chip";
  let description = [{
    A schedule is complete: lowering makes no choice of its own. Every field but
    `mapping` may be absent, which means:

    * no `tiling`: the generic form;
    * no `memory`: all tiles are in registers;
    * no `pipeline`: every buffer has one stage;
    * no `parallel`: no reduction is split;
    * no `reduction`: no result of a reduction is used in the loop that computes it;
    * no `stitching`, for a stitched group: the generic form;
    * no `codegen`: `fuse-complete-schedules` adds one. The generic form has none.

    `version` is the version of this format: 2. Fields of version 1 have other names
    (docs/glossary.md), and version 1 is not read.

    The verifier of the group (`fusion/Analysis/Legality/ScheduleLegality.h`) rejects what
    lowering cannot do and says why; the search prunes by the same predicate.

    ```mlir
    #fuse.schedule<version = 2,
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
  // Builds a schedule without the fields of stitched groups and without codegen.
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
    A chain with `partial` evaluates its operators for `splits` consecutive ranges of
    the axis called `axis`, which its last contraction reduces. A range has `length`
    elements; the last ranges are shorter or empty, and a sum over an empty range is
    zero. The number of the range is the first dimension of the group's results. These
    are the contraction's partial results, then the results of reductions that run
    along the axis.

    The contraction of a range reads the running values of that range, or zero where
    such a value is still the identity of its reduction. `fuse-split-reductions` makes
    such groups, with a schedule that splits the axis, and a group that reduces the
    partial results.

    ```mlir
    #fuse.partial<axis = "k", splits = 3, length = 128>
    ```
  }];
  let parameters = (ins StringRefParameter<"axis that is split">:$axis,
                        "int64_t":$splits, "int64_t":$length);
  let assemblyFormat = [{
    `<` `axis` `=` $axis `,` `splits` `=` $splits `,` `length` `=` $length `>`
  }];
  let genVerifyDecl = 1;
}

#endif // FUSION_DIALECT_FUSE_IR_FUSEATTRS_TD
