//===- TileHostOps.td - Kernels and their launches ----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_DIALECT_TILE_IR_TILEHOSTOPS_TD
#define FUSION_DIALECT_TILE_IR_TILEHOSTOPS_TD

include "fusion/Dialect/Tile/IR/TileOps.td"
include "fusion/Dialect/Tile/IR/TileDotOps.td"
include "fusion/Dialect/Tile/IR/TileExponentOps.td"
include "fusion/Dialect/Tile/IR/TileSharedOps.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

def Tile_KernelOp : Tile_Op<"kernel", [
    FunctionOpInterface, IsolatedFromAbove, Symbol]> {
  let summary = "A block program";
  let description = [{
    Arguments are pointers, then sizes as index, and scalars. Each pointer has an
    argument attribute `tile.access`. It has `tile.pending` if an earlier launch that
    may still run accesses the tensor.

    * `warps`: warps of a block, without producers.
    * `shared_memory`: bytes of dynamic shared memory, set by `tile-allocate-shared`.
    * `register_stages`: stages of the shared-to-register level in the schedule.
    * `resident_blocks`: blocks that an SM must have room for at a time. Machine code
      then uses no more registers than that allows; absent, the number of registers
      has no such limit.
    * `cluster`: consecutive blocks of the grid that are a cluster; absent, one.
    * `unmasked_iterations`: iterations of a loop, besides its first one, that must
      surely need no mask for `tile-split-masked-loops` to split the loop; absent, one.
    * `producers`: producer warps (`tile-specialize-warps`). Their numbers follow those
      of the first `warps` warps. Absent, none.
    * `register_budgets`: the registers of a thread of a producer warp and of a consumer
      warp after register reallocation, on chips that have it (PTX ISA, "setmaxnreg").
    * `ping_pong`: consumer warpgroups alternate on the tensor cores (`tile-ping-pong`).

    ```mlir
    tile.kernel @copy(%src: !tile.ptr<f32> {tile.access = #tile.access<read>},
                      %dst: !tile.ptr<f32> {tile.access = #tile.access<write>})
        attributes {warps = 4 : i64} {
      tile.return
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs,
                       I64Attr:$warps,
                       OptionalAttr<I64Attr>:$shared_memory,
                       OptionalAttr<I64Attr>:$register_stages,
                       OptionalAttr<I64Attr>:$resident_blocks,
                       OptionalAttr<I64Attr>:$cluster,
                       OptionalAttr<I64Attr>:$producers,
                       OptionalAttr<DenseI64ArrayAttr>:$register_budgets,
                       UnitAttr:$ping_pong,
                       OptionalAttr<I64Attr>:$unmasked_iterations);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    /// Returns the number of threads that compute.
    int64_t getNumThreads() { return kWarpSize * static_cast<int64_t>(getWarps()); }
    /// Returns the number of threads of a block, with those of producer warps.
    int64_t getBlockThreads() {
      return getNumThreads() +
             kWarpSize * static_cast<int64_t>(getProducers().value_or(0));
    }
  }];
}

def Tile_ReturnOp : Tile_Op<"return", [
    Pure, HasParent<"KernelOp">, ReturnLike, Terminator]> {
  let summary = "Ends a block program";
  let assemblyFormat = "attr-dict";
}

def Tile_LaunchDependentsOp : Tile_Op<"launch_dependents", [
    HasParent<"KernelOp">, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "The next launch may begin";
  let description = [{
    Once all blocks have executed this operation, blocks of the next launch of the
    host plan may begin wherever there is room, if that launch is `programmatic` (PTX
    ISA, "griddepcontrol.launch_dependents"). The next launch sees what this kernel
    has written only after its own `tile.await_launches`.
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_AwaitLaunchesOp : Tile_Op<"await_launches", [
    HasParent<"KernelOp">, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits until the launches before this one have ended";
  let description = [{
    After this operation the kernel sees everything that these launches have written
    (PTX ISA, "griddepcontrol.wait"). Before it, a kernel accesses no memory that they
    may still access: no pointer with `tile.pending`.

    ```mlir
    tile.kernel @second(%weights: !tile.ptr<f16> {tile.access = #tile.access<read>},
                        %hidden: !tile.ptr<f16> {tile.access = #tile.access<read>,
                                                 tile.pending}, …) {
      tile.launch_dependents
      %w = tile.load %weightsView[…] : …
      tile.await_launches
      %h = tile.load %hiddenView[…] : …
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_LaunchOp : Tile_Op<"launch", [
    AttrSizedOperandSegments, DestinationStyleOpInterface, Pure]> {
  let summary = "Launches a kernel: one step of the host plan";
  let description = [{
    In destination-passing style on tensors: the kernel reads `inputs` and writes
    `inits`; its arguments are the inputs (tensors as pointers), then the inits, then
    `sizes`. `grid` is the number of blocks.

    The blocks of a `persistent` kernel process `grid` tiles, whatever their number is
    (`tile.program_count`). The host launches as many blocks as the device holds at a
    time, in whole clusters, and at most one for each tile.

    A `programmatic` launch may begin before the previous launch of the function has
    ended. Its kernel waits for the previous launch itself (`tile-overlap-launches`).

    `schedule` and `predicted` record for reports what the kernel was lowered from:
    its `#fuse.schedule`, and a dictionary of the cost model's predictions.
  }];
  let arguments = (ins SymbolRefAttr:$kernel, Index:$grid,
                       Variadic<AnyType>:$inputs, Variadic<AnyRankedTensor>:$inits,
                       Variadic<Index>:$sizes,
                       UnitAttr:$persistent, UnitAttr:$programmatic,
                       OptionalAttr<AnyAttr>:$schedule,
                       OptionalAttr<DictionaryAttr>:$predicted);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $kernel `grid` `(` $grid `)` (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    `outs` `(` $inits `:` type($inits) `)` (`sizes` `(` $sizes^ `)`)? attr-dict
    `->` type($results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitsMutable(); }
  }];
}

#endif // FUSION_DIALECT_TILE_IR_TILEHOSTOPS_TD
