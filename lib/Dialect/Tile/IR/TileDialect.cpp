//===- TileDialect.cpp - The tile dialect ---------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Dialect/Tile/IR/TileDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include <map>

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

#include "fusion/Dialect/Tile/IR/TileDialect.cpp.inc"
#include "fusion/Dialect/Tile/IR/TileEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "fusion/Dialect/Tile/IR/TileAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "fusion/Dialect/Tile/IR/TileTypes.cpp.inc"

namespace {
/// Layouts are long; printed IR names them #layout, #layout1, ...
struct LayoutAliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (!isa<LayoutAttr>(attr))
      return AliasResult::NoAlias;
    os << "layout";
    return AliasResult::FinalAlias;
  }
};
} // namespace

void TileDialect::initialize() {
  addInterfaces<LayoutAliases>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "fusion/Dialect/Tile/IR/TileAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "fusion/Dialect/Tile/IR/TileTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "fusion/Dialect/Tile/IR/TileOps.cpp.inc"
      >();
}

LogicalResult TileDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  if (attribute.getName() != kWaitLimitAttrName)
    return success();
  if (!isa<ModuleOp>(op))
    return op->emitError("'")
           << kWaitLimitAttrName << "' is an attribute of modules";
  auto limit = dyn_cast<IntegerAttr>(attribute.getValue());
  if (limit && limit.getType().isSignlessInteger(64) && limit.getInt() >= 1 &&
      limit.getInt() <= kMaxWaitTries)
    return success();
  return op->emitError("'")
         << kWaitLimitAttrName << "' is an i64 from 1 to " << kMaxWaitTries
         << ", not " << attribute.getValue();
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  std::string text, error;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseString(&text) || parser.parseGreater())
    return {};
  std::optional<LinearLayout> layout = LinearLayout::parse(text, &error);
  if (!layout) {
    parser.emitError(loc, "malformed layout: ") << error;
    return {};
  }
  return LayoutAttr::get(parser.getContext(), *layout);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << "<\"" << getValue().str() << "\">";
}

LogicalResult LayoutAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type,
    llvm::function_ref<InFlightDiagnostic()> emitError) const {
  const LinearLayout &layout = getValue();
  for (LayoutDim in : layout.inDims())
    if (in != LayoutDim::Register && in != LayoutDim::Lane &&
        in != LayoutDim::Warp)
      return emitError() << "the layout of a tile maps registers, lanes and "
                            "warps, this one is "
                         << layout.str();
  // An output that the layout does not have is 0 everywhere: of size one.
  bool fits =
      shape.size() <= kMaxTileRank &&
      llvm::all_of(layout.outDims(), [&](LayoutDim out) {
        return llvm::any_of(llvm::seq<unsigned>(0, shape.size()),
                            [&](unsigned d) { return tileDim(d) == out; });
      });
  for (auto [d, size] : llvm::enumerate(shape))
    fits = fits && layout.outSize(tileDim(d)) == size;
  if (!fits)
    return emitError() << "layout " << layout.str()
                       << " does not cover a tile of [" << shape << "]";
  return success();
}

SmallVector<int64_t> fusion::tile::firstRegisters(const LinearLayout &layout) {
  SmallVector<int64_t> result;
  std::map<SmallVector<int64_t>, int64_t> known;
  for (int64_t reg = 0; reg < layout.inSize(LayoutDim::Register); ++reg)
    result.push_back(
        known.insert({layout.coords(reg, 0, 0), reg}).first->second);
  return result;
}

int64_t fusion::tile::countDistinct(const LinearLayout &layout) {
  int64_t count = 0;
  for (auto [reg, first] : llvm::enumerate(firstRegisters(layout)))
    count += first == static_cast<int64_t>(reg);
  return count;
}

LayoutAttr fusion::tile::getLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_or_null<LayoutAttr>(tensor.getEncoding())
                : LayoutAttr();
}

RankedTensorType fusion::tile::withLayout(RankedTensorType type,
                                          LayoutAttr layout) {
  return RankedTensorType::get(type.getShape(), type.getElementType(), layout);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

LogicalResult
PtrType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                Type elementType) {
  if (!elementType.isIntOrIndexOrFloat())
    return emitError() << "a pointer's elements must be scalars, got "
                       << elementType;
  return success();
}

LogicalResult
ViewType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                 int64_t rank, Type elementType, int64_t unit,
                 int64_t alignment) {
  if (rank < 0 || rank > int64_t(kMaxTileRank))
    return emitError() << "a view has rank 0 to " << kMaxTileRank << ", got "
                       << rank;
  if (!elementType.isIntOrFloat())
    return emitError() << "a view's elements must be integers or floats, got "
                       << elementType;
  if (unit < -1 || unit >= rank)
    return emitError() << "unit dimension " << unit << " is not below the rank "
                       << rank;
  if (!llvm::isPowerOf2_64(alignment) || alignment > 16)
    return emitError() << "alignment must be 1, 2, 4, 8 or 16 bytes, got "
                       << alignment;
  return success();
}

LogicalResult
BufferType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                   int64_t stages, int64_t rows, int64_t columns,
                   Type elementType, LayoutAttr layout, BufferSpace space) {
  if (stages < 1 || rows < 1 || columns < 1)
    return emitError() << "stages, rows and columns must be positive";
  if (!elementType.isIntOrFloat() || elementType.getIntOrFloatBitWidth() < 8)
    return emitError() << "a buffer's elements have at least 8 bits, got "
                       << elementType;
  if (!llvm::isPowerOf2_32(elementType.getIntOrFloatBitWidth()))
    return emitError() << "a buffer's elements take a power of two of bytes, "
                          "got "
                       << elementType;
  const LinearLayout &value = layout.getValue();
  if (value.outSize(LayoutDim::Dim0) != rows ||
      value.outSize(LayoutDim::Dim1) != columns ||
      value.inSize(LayoutDim::Offset) != rows * columns)
    return emitError() << "layout does not cover the buffer's " << rows
                       << " rows and " << columns << " columns";
  return success();
}

LogicalResult
ArrayType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                  int64_t count, RankedTensorType elementType) {
  // A tile takes a register of some thread, and a thread has few.
  constexpr int64_t most = 65536;
  if (count < 1 || count > most)
    return emitError() << "an array has 1 to " << most << " tiles, got "
                       << count;
  if (!elementType.hasStaticShape())
    return emitError() << "the tiles of an array have static sizes, got "
                       << elementType;
  return success();
}

int64_t BufferType::getStageBytes() const {
  return getRows() * getColumns() *
         (getElementType().getIntOrFloatBitWidth() / 8);
}
