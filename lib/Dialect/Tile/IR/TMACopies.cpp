//===- TMACopies.cpp - Tiles as boxes of tensor maps ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Dialect/Tile/IR/TMACopies.h"
#include "fusion/Target/Chips/Hardware.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::tile;

bool fusion::tile::isFilledByTMA(AllocOp alloc) {
  return llvm::any_of(alloc->getUsers(),
                      [](Operation *user) { return isTMA(user); });
}

bool fusion::tile::isFilledByCluster(AllocOp alloc) {
  return alloc.getType().getSpace() == BufferSpace::Cluster &&
         isFilledByTMA(alloc);
}

bool fusion::tile::isStoredByTMA(AllocOp alloc) {
  return llvm::any_of(alloc->getUsers(), llvm::IsaPred<StoreAsyncOp>);
}

static FailureOr<TMACopy>
describe(Value view, BufferType buffer, int64_t parts,
         llvm::function_ref<InFlightDiagnostic()> emitError) {
  auto reject = [&](const Twine &why) -> FailureOr<TMACopy> {
    if (emitError)
      emitError() << why;
    return failure();
  };
  auto window = view.getDefiningOp<WindowOp>();
  auto base = window ? dyn_cast<BlockArgument>(window.getBase()) : nullptr;
  if (!base || !isa<KernelOp>(base.getOwner()->getParentOp()))
    return reject("copies by TMA, which needs a tile.window of an argument of "
                  "the kernel");
  AffineMap map = window.getMap();
  ArrayRef<int64_t> shape = window.getShape();
  int64_t columnDim = cast<ViewType>(view.getType()).getUnit();
  unsigned rank = shape.size();
  if (rank < 2 || rank > kMaxMapDimensions)
    return reject("copies by TMA a part of a tensor of rank " + Twine(rank) +
                  "; tensor maps have 2 to " + Twine(kMaxMapDimensions) +
                  " dimensions here");
  int64_t bytes = buffer.getElementType().getIntOrFloatBitWidth() / 8;
  if (buffer.getRows() % parts != 0)
    return reject("copies by TMA " + Twine(buffer.getRows()) + " rows, which " +
                  Twine(parts) + " blocks do not share");
  std::optional<BoxShape> boxes =
      boxShape(buffer.getRows() / parts, buffer.getColumns(), bytes);
  if (!boxes || panelOrder(buffer.getLayout().getValue(), buffer.getRows(),
                           buffer.getColumns(), bytes) != PanelOrder::Plain)
    return reject("copies by TMA a buffer whose layout is not that of a tensor "
                  "map's boxes");
  TMACopy result;
  result.boxes = *boxes;
  result.parts = parts;
  std::optional<unsigned> rowDimension;
  SmallVector<int64_t> dims, strides, box;
  int64_t stride = bytes;
  for (unsigned d = 0; d < rank; ++d) { // innermost first
    AffineExpr index = map.getResult(rank - 1 - d);
    auto dim = dyn_cast<AffineDimExpr>(index);
    bool isColumn = dim && int64_t(dim.getPosition()) == columnDim;
    if ((!dim && !isa<AffineSymbolExpr>(index)) || isColumn != (d == 0) ||
        (dim && !isColumn && rowDimension))
      return reject("copies by TMA through a window whose indices are not the "
                    "tile's dimensions and symbols");
    if (dim && !isColumn)
      rowDimension = d;
    result.indices.push_back(index);
    dims.push_back(shape[rank - 1 - d]);
    box.push_back(isColumn ? boxes->columns : dim ? boxes->rows : 1);
    if (d > 0)
      strides.push_back(stride);
    stride *= dims.back();
  }
  if (!rowDimension)
    return reject("copies by TMA through a window without rows");
  if (llvm::any_of(strides, [](int64_t s) { return s % kMapUnit != 0; }))
    return reject(
        "copies by TMA a part of a tensor whose strides are no multiples of "
        "16 bytes");
  result.rowDimension = *rowDimension;
  result.map = TensorMapAttr::get(view.getContext(), base.getArgNumber(),
                                  buffer.getElementType(), dims, strides, box,
                                  boxes->swizzleBytes);
  return result;
}

FailureOr<TMACopy> fusion::tile::describeTMACopy(
    CopyAsyncOp copy, llvm::function_ref<InFlightDiagnostic()> emitError) {
  int64_t parts = 1;
  if (copy.getMulticast()) {
    auto kernel = copy->getParentOfType<KernelOp>();
    parts = kernel ? kernel.getCluster().value_or(1) : 1;
    if (parts == 1) {
      if (emitError)
        emitError() << "is 'multicast' in a kernel without a cluster of blocks";
      return failure();
    }
  }
  return describe(copy.getView(), copy.getBuffer().getType(), parts, emitError);
}

FailureOr<TMACopy> fusion::tile::describeTMACopy(
    StoreAsyncOp store, llvm::function_ref<InFlightDiagnostic()> emitError) {
  return describe(store.getView(), store.getBuffer().getType(), /*parts=*/1,
                  emitError);
}

FailureOr<PrivateTMACopy> fusion::tile::describePrivateTMACopy(
    CopyAsyncOp copy, llvm::function_ref<InFlightDiagnostic()> emitError) {
  auto reject = [&](const Twine &why) -> FailureOr<PrivateTMACopy> {
    if (emitError)
      emitError() << why;
    return failure();
  };
  auto view = copy.getView().getDefiningOp<ViewOp>();
  auto base = view ? dyn_cast<BlockArgument>(view.getBase()) : nullptr;
  if (!base || !isa<KernelOp>(base.getOwner()->getParentOp()) ||
      !matchPattern(view.getOffset(), m_Zero()))
    return reject("copies by TMA, which needs a tile.view of all of an "
                  "argument of the kernel");
  bool areKnown = true;
  auto list = [&](ValueRange values) {
    SmallVector<int64_t> numbers;
    for (Value value : values) {
      APInt number;
      areKnown &= matchPattern(value, m_ConstantInt(&number));
      numbers.push_back(areKnown ? number.getSExtValue() : 0);
    }
    return numbers;
  };
  SmallVector<int64_t> sizes = list(view.getSizes()),
                       strides = list(view.getStrides());
  if (!areKnown)
    return reject("copies by TMA through a view whose sizes or strides are "
                  "not constant");
  auto own = cast<RankedTensorType>(*copy.getThreadPrivate());
  int64_t bytes = own.getElementTypeBitWidth() / 8;
  BufferType buffer = copy.getBuffer().getType();
  std::string why;
  std::optional<PrivateBox> box = privateBox(
      {getLayout(own).getValue(),
       static_cast<unsigned>(view.getType().getUnit()), sizes, strides, bytes},
      buffer.getRows() / kWarpSize, &why);
  if (!box)
    return reject("copies by TMA what is no box of a tensor map: " + why);
  if (buffer.getStageBytes() % kBoxAlignment != 0)
    return reject("copies by TMA to stages that do not begin at multiples of "
                  "128 bytes");
  PrivateTMACopy result;
  result.box = std::move(*box);
  SmallVector<int64_t> dims, mapStrides, sizesOfBox;
  for (const PrivateBoxDimension &dimension : result.box.dimensions) {
    dims.push_back(dimension.isLast
                       ? sizes[dimension.coordinate] / dimension.step
                       : dimension.size);
    if (dims.size() > 1)
      mapStrides.push_back(dimension.step * strides[dimension.coordinate] *
                           bytes);
    sizesOfBox.push_back(dimension.size);
  }
  if (llvm::any_of(sizes, [](int64_t size) { return size < 1; }) ||
      llvm::any_of(mapStrides, [](int64_t stride) { return stride < 1; }))
    return reject("copies by TMA of a view without elements, or against the "
                  "order of memory");
  result.map = TensorMapAttr::get(copy.getContext(), base.getArgNumber(),
                                  buffer.getElementType(), dims, mapStrides,
                                  sizesOfBox, /*swizzle=*/0);
  return result;
}

FailureOr<TensorMapAttr>
fusion::tile::tensorMapOf(Operation *op,
                          llvm::function_ref<InFlightDiagnostic()> emitError) {
  auto mapOf = [](auto described) -> FailureOr<TensorMapAttr> {
    if (failed(described))
      return failure();
    return described->map;
  };
  if (auto store = dyn_cast<StoreAsyncOp>(op))
    return mapOf(describeTMACopy(store, emitError));
  auto copy = cast<CopyAsyncOp>(op);
  if (copy.getThreadPrivate())
    return mapOf(describePrivateTMACopy(copy, emitError));
  return mapOf(describeTMACopy(copy, emitError));
}

LogicalResult
TensorMapAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                      int64_t of, Type elementType, ArrayRef<int64_t> dims,
                      ArrayRef<int64_t> strides, ArrayRef<int64_t> box,
                      int64_t swizzle) {
  if (dims.empty() || dims.size() > kMaxMapDimensions)
    return emitError() << "a tensor map has 1 to " << kMaxMapDimensions
                       << " dimensions, not " << dims.size();
  if (strides.size() + 1 != dims.size() || box.size() != dims.size())
    return emitError()
           << "a tensor map of " << dims.size()
           << " dimensions has one stride fewer and as many sizes of "
              "its box";
  if (of < 0 || !elementType.isIntOrFloat())
    return emitError() << "a tensor map describes numbers of an operand";
  constexpr int64_t maxSize = int64_t(1) << 32;
  if (llvm::any_of(dims,
                   [](int64_t size) { return size < 1 || size > maxSize; }))
    return emitError() << "a dimension of a tensor map has 1 to 2^32 elements";
  if (llvm::any_of(strides,
                   [](int64_t s) { return s < 1 || s % kMapUnit != 0; }))
    return emitError()
           << "strides of a tensor map are positive multiples of 16 bytes";
  if (llvm::any_of(box,
                   [](int64_t size) { return size < 1 || size > kMaxOfBox; }))
    return emitError() << "sizes of a box are 1 to " << kMaxOfBox;
  if (swizzle != 0 && swizzle != 32 && swizzle != 64 && swizzle != 128)
    return emitError() << "there is no swizzle of " << swizzle << " bytes";
  return success();
}
