//===- TileTypes.td - Types and attributes of the tile dialect ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_DIALECT_TILE_IR_TILETYPES_TD
#define FUSION_DIALECT_TILE_IR_TILETYPES_TD

include "fusion/Dialect/Tile/IR/TileDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"

def Tile_LayoutAttr : AttrDef<Tile_Dialect, "Layout", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "layout";
  let summary = "Where the elements of a tile live";
  let description = [{
    A layout of `fusion/Support/LinearLayout.h` in its printed form. As the encoding
    of a tensor it maps (register, lane, warp) to coordinates; as the layout of a
    buffer, (offset) to coordinates.
  }];
  let parameters = (ins "::fusion::LinearLayout":$value);
  let hasCustomAssemblyFormat = 1;
}

def Tile_PtrType : TypeDef<Tile_Dialect, "Ptr"> {
  let mnemonic = "ptr";
  let summary = "The base of a tensor in global memory";
  let description = [{
    A kernel argument: the 16-byte aligned base of a dense tensor.
  }];
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
  let genVerifyDecl = 1;
}

def Tile_ViewType : TypeDef<Tile_Dialect, "View"> {
  let mnemonic = "view";
  let summary = "A strided operand in global memory";
  let description = [{
    A view has `rank` dimensions, whose sizes and strides are values of the program.
    `unit` is the dimension whose stride is one, or -1. `alignment` is in bytes. The
    base, all other strides and the size of the unit dimension are multiples of
    `alignment`. So an aligned chunk of this size lies wholly inside or wholly outside
    the view.
  }];
  let parameters = (ins "int64_t":$rank, "::mlir::Type":$elementType,
                        "int64_t":$unit, "int64_t":$alignment);
  let assemblyFormat = [{
    `<` $rank `x` $elementType `,` `unit` `=` $unit `,` `alignment` `=` $alignment `>`
  }];
  let genVerifyDecl = 1;
}

def Tile_BufferSpace : I32EnumAttr<"BufferSpace", "memory space of a buffer", [
    // Shared memory that the threads of the block alone access.
    I32EnumAttrCase<"Shared", 0, "shared">,
    // Shared memory of the block that other blocks of its cluster write to.
    I32EnumAttrCase<"Cluster", 1, "cluster">]> {
  let cppNamespace = "::fusion::tile";
  let genSpecializedAttr = 0;
}

def Tile_BufferType : TypeDef<Tile_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "Stages of a tile in shared memory";
  let description = [{
    A buffer has `stages` stages, each a tile of rows × columns: the stages of a
    pipeline, or retained tiles. `layout` maps the element offset inside one stage to
    (row, column).

    `space` says which threads access the memory:

    * `shared`, which is not printed: the threads of the block, by `tile.local_store`,
      `tile.private_store` and copies that are not `multicast`;
    * `cluster` (PTX ISA, ".shared::cluster"): also the threads of other blocks of the
      cluster, which write by a `multicast` `tile.copy_async`, a `tile.cluster_scatter`
      or a `tile.cluster_reduce`. These operations take no other buffers.

    ```mlir
    !tile.buffer<2, 64, 64, f16, #panels>           // shared
    !tile.buffer<4, 16, 128, f32, #parts, cluster>
    ```
  }];
  let parameters = (ins "int64_t":$stages, "int64_t":$rows, "int64_t":$columns,
                        "::mlir::Type":$elementType, "::fusion::tile::LayoutAttr":$layout,
                        DefaultValuedParameter<"::fusion::tile::BufferSpace",
                            "::fusion::tile::BufferSpace::Shared">:$space);
  let assemblyFormat = [{
    `<` $stages `,` $rows `,` $columns `,` $elementType `,` $layout (`,` $space^)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Returns the bytes of one stage.
    int64_t getStageBytes() const;
    /// Returns the bytes of all stages.
    int64_t getBytes() const { return getStages() * getStageBytes(); }
  }];
}

def Tile_ArrayType : TypeDef<Tile_Dialect, "Array"> {
  let mnemonic = "array";
  let summary = "Tiles in registers, told apart by a number";
  let description = [{
    `count` tiles of one type. Registers have no addresses: before layouts are
    assigned, `tile-unroll-arrays` unrolls the loops that an array is indexed by and
    makes a value of each tile.
  }];
  let parameters = (ins "int64_t":$count, "::mlir::RankedTensorType":$elementType);
  let assemblyFormat = "`<` $count `x` $elementType `>`";
  let genVerifyDecl = 1;
}

def Tile_Transport : I32EnumAttr<"Transport", "How an asynchronous copy moves",
                                 [I32EnumAttrCase<"Async4", 4, "async4">,
                                  I32EnumAttrCase<"Async8", 8, "async8">,
                                  I32EnumAttrCase<"Async16", 16, "async16">,
                                  // TMA copies: the value is 0, since one copy
                                  // has no fixed number of bytes.
                                  I32EnumAttrCase<"TMA", 0, "tma">]> {
  let cppNamespace = "::fusion::tile";
  let genSpecializedAttr = 0;
}
def Tile_TransportAttr : EnumAttr<Tile_Dialect, Tile_Transport, "transport">;

def Tile_Eviction : I32EnumAttr<"Eviction", "What leaves the L2 cache first",
                                [I32EnumAttrCase<"First", 0, "first">,
                                 I32EnumAttrCase<"Last", 1, "last">]> {
  let cppNamespace = "::fusion::tile";
  let genSpecializedAttr = 0;
}
def Tile_EvictionAttr : EnumAttr<Tile_Dialect, Tile_Eviction, "eviction"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_TensorMapAttr : AttrDef<Tile_Dialect, "TensorMap"> {
  let mnemonic = "tensor_map";
  let summary =
      "How the host describes a tensor, and the box that one copy moves";
  let description = [{
    A tensor map is a kernel's parameter of 128 bytes, which the host encodes at each
    launch (PTX ISA, "Tensor maps"). `of` is the number of the launch's operand that it
    describes, inputs first and then inits. `dims` are the sizes of the tensor in
    elements, innermost dimension first. `strides` are the strides of all dimensions
    but the innermost, in bytes; the innermost is dense.

    A copy moves a `box`. Its rows lie in shared memory in the swizzle of `swizzle`
    bytes, 0 for none. Elements outside of the tensor are loaded as zero and not
    stored.
  }];
  let parameters = (ins "int64_t":$of, "::mlir::Type":$elementType,
      ArrayRefParameter<"int64_t">:$dims,
      OptionalArrayRefParameter<"int64_t">:$strides,
      ArrayRefParameter<"int64_t">:$box, "int64_t":$swizzle);
  let assemblyFormat = [{
    `<` `of` `=` $of `,` $elementType `,` `dims` `=` `[` $dims `]` `,`
    `strides` `=` `[` (`]`) : ($strides^ `]`)? `,` `box` `=` `[` $box `]` `,`
    `swizzle` `=` $swizzle `>`
  }];
  let genVerifyDecl = 1;
}

def Tile_Access : I32EnumAttr<"Access", "What a kernel does with a global operand", [
    I32EnumAttrCase<"Read", 0, "read">,
    I32EnumAttrCase<"Write", 1, "write">,
    // Data that blocks exchange: it is read after it was written.
    I32EnumAttrCase<"ReadWrite", 2, "read_write">]> {
  let cppNamespace = "::fusion::tile";
  let genSpecializedAttr = 0;
}
def Tile_AccessAttr : EnumAttr<Tile_Dialect, Tile_Access, "access"> {
  let assemblyFormat = "`<` $value `>`";
}

#endif // FUSION_DIALECT_TILE_IR_TILETYPES_TD
