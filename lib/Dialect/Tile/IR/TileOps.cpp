//===- TileOps.cpp - Operations of block programs -------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileVerifiers.h"
#include "fusion/Dialect/Tile/IR/TMACopies.h"
#include "fusion/Support/CacheLine.h"
#include "fusion/Support/ElementBytes.h"
#include "fusion/Support/TileSize.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace fusion::tile;

#define GET_OP_CLASSES
#include "fusion/Dialect/Tile/IR/TileOps.cpp.inc"

/// Checks the element type and the number of coordinates of an access to a
/// view.
template <typename AccessOp>
static LogicalResult verifyViewAccess(AccessOp op, Type elementType) {
  ViewType view = op.getView().getType();
  if (view.getElementType() != elementType)
    return op.emitOpError("moves ")
           << elementType << " but the view holds " << view.getElementType();
  if (static_cast<int64_t>(op.getCoordinates().size()) != view.getRank())
    return op.emitOpError("has ")
           << op.getCoordinates().size() << " coordinates for a view of rank "
           << view.getRank();
  if (op.getInBounds() &&
      static_cast<int64_t>(op.getInBounds()->size()) != view.getRank())
    return op.emitOpError("marks ")
           << op.getInBounds()->size() << " dimensions of a view of rank "
           << view.getRank();
  return success();
}

LogicalResult fusion::tile::verifyStaticTile(Operation *op,
                                             RankedTensorType type) {
  if (!type.hasStaticShape() || llvm::any_of(type.getShape(), [](int64_t size) {
        return size < 1 || size > kMaxTileSize;
      }))
    return op->emitOpError("tiles have static sizes from 1 to ")
           << kMaxTileSize << ", got " << type;
  return success();
}

/// A grid's fastest dimension has 2^31 - 1 blocks at most (CUDA C++ Programming
/// Guide, technical specifications per compute capability).
void ProgramIdOp::inferResultRanges(ArrayRef<ConstantIntRanges>,
                                    SetIntRangeFn setRange) {
  unsigned width = IndexType::kInternalStorageBitWidth;
  setRange(getResult(), ConstantIntRanges::fromSigned(
                            APInt(width, 0), APInt(width, INT32_MAX - 1)));
}

void ProgramCountOp::inferResultRanges(ArrayRef<ConstantIntRanges>,
                                       SetIntRangeFn setRange) {
  unsigned width = IndexType::kInternalStorageBitWidth;
  setRange(getResult(), ConstantIntRanges::fromSigned(APInt(width, 1),
                                                      APInt(width, INT32_MAX)));
}

LogicalResult ViewOp::verify() {
  int64_t rank = getType().getRank();
  if (static_cast<int64_t>(getSizes().size()) != rank ||
      static_cast<int64_t>(getStrides().size()) != rank)
    return emitOpError("needs ")
           << rank << " sizes and strides, got " << getSizes().size() << " and "
           << getStrides().size();
  if (getBase().getType().getElementType() != getType().getElementType())
    return emitOpError("views ")
           << getBase().getType() << " as " << getType().getElementType();
  return success();
}

/// Whether an index is a sum whose terms are digits (quotients and remainders
/// by constants) of the view's coordinates.
static bool isSumOfDigits(AffineExpr expr) {
  if (isa<AffineDimExpr, AffineSymbolExpr, AffineConstantExpr>(expr))
    return true;
  auto binary = cast<AffineBinaryOpExpr>(expr);
  auto right = dyn_cast<AffineConstantExpr>(binary.getRHS());
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return isSumOfDigits(binary.getLHS()) && isSumOfDigits(binary.getRHS());
  case AffineExprKind::Mul:
  case AffineExprKind::Mod:
  case AffineExprKind::FloorDiv:
    return right && right.getValue() > 0 && isSumOfDigits(binary.getLHS());
  default:
    return false;
  }
}

LogicalResult WindowOp::verify() {
  int64_t rank = getType().getRank();
  AffineMap map = getMap();
  if (static_cast<int64_t>(getSizes().size()) != rank ||
      map.getNumDims() != rank)
    return emitOpError("needs ")
           << rank << " sizes and dimensions of its map, got "
           << getSizes().size() << " and " << map.getNumDims();
  if (map.getNumSymbols() != getSymbols().size())
    return emitOpError("has a map of ")
           << map.getNumSymbols() << " symbols, got " << getSymbols().size();
  if (map.getNumResults() != getShape().size() || getShape().empty())
    return emitOpError("has a map to ")
           << map.getNumResults() << " indices of a tensor of rank "
           << getShape().size();
  for (int64_t d : getBounded())
    if (d < 0 || d >= static_cast<int64_t>(getShape().size()))
      return emitOpError("bounds dimension ")
             << d << " of a tensor of rank " << getShape().size();
  for (auto [d, expr] : llvm::enumerate(map.getResults()))
    if (!isSumOfDigits(expr))
      return emitOpError("has an index #") << d << " that is no sum of digits";
  if (getBase().getType().getElementType() != getType().getElementType())
    return emitOpError("views ")
           << getBase().getType() << " as " << getType().getElementType();
  return success();
}

/// Checks a misaligned access: lanes exchange whole words of 4 bytes, and an
/// access moves at most 16 bytes.
template <typename Op>
static LogicalResult verifyMisaligned(Op op, Type element) {
  std::optional<int64_t> width = op.getMisaligned();
  if (!width)
    return success();
  constexpr int64_t wordBits = 32, maxBits = 128, byteBits = 8;
  int64_t each = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0,
          bits = each * *width;
  if (!op.getRagged() || op.getView().getType().getUnit() < 0)
    return op.emitOpError(
        "is misaligned, which needs 'ragged' and a dimension whose stride is "
        "one");
  if (each < byteBits || each > wordBits || bits % wordBits != 0 ||
      bits > maxBits || !llvm::isPowerOf2_64(*width))
    return op.emitOpError("has misaligned accesses of ")
           << *width << " elements of " << element
           << ", which are no 4, 8 or 16 bytes";
  return success();
}

LogicalResult LoadOp::verify() {
  RankedTensorType type = getResult().getType();
  if (failed(verifyStaticTile(*this, type)) ||
      failed(verifyViewAccess(*this, type.getElementType())))
    return failure();
  if (type.getRank() != getView().getType().getRank())
    return emitOpError("loads a tile of rank ")
           << type.getRank() << " from a view of rank "
           << getView().getType().getRank();
  if (getMisaligned() && !getWithin())
    return emitOpError("is misaligned, which needs 'within'");
  return verifyMisaligned(*this, type.getElementType());
}

LogicalResult GatherOp::verify() {
  RankedTensorType indices = getIndices().getType(),
                   type = getResult().getType();
  if (!indices.getElementType().isIndex())
    return emitOpError("indices are of type index, got ") << indices;
  if (getBase().getType().getElementType() != type.getElementType())
    return emitOpError("loads ")
           << type.getElementType() << " from " << getBase().getType();
  if (indices.getShape() != type.getShape() ||
      indices.getEncoding() != type.getEncoding())
    return emitOpError("has other places than its indices: ")
           << type << " and " << indices;
  return verifyStaticTile(*this, type);
}

LogicalResult StoreOp::verify() {
  RankedTensorType type = getValue().getType();
  if (failed(verifyStaticTile(*this, type)) ||
      failed(verifyViewAccess(*this, type.getElementType())))
    return failure();
  if (type.getRank() != getView().getType().getRank())
    return emitOpError("stores a tile of rank ")
           << type.getRank() << " to a view of rank "
           << getView().getType().getRank();
  return verifyMisaligned(*this, type.getElementType());
}

/// Fails where the buffer is not of the space `space`.
static LogicalResult verifySpace(Operation *op, BufferType buffer,
                                 BufferSpace space) {
  if (buffer.getSpace() == space)
    return success();
  return op->emitOpError("needs a buffer of the space '")
         << stringifyBufferSpace(space) << "', got '"
         << stringifyBufferSpace(buffer.getSpace()) << "'";
}

/// Checks that the buffer has one row for each thread, with as many elements as
/// the thread holds in the tile's layout.
static LogicalResult verifyStash(Operation *op, RankedTensorType type,
                                 BufferType buffer) {
  if (type.getElementType() != buffer.getElementType())
    return op->emitOpError("moves ") << type << " by way of " << buffer;
  LayoutAttr layout = getLayout(type);
  if (!layout)
    return op->emitOpError("needs a layout");
  int64_t count = countDistinct(layout.getValue());
  auto kernel = op->getParentOfType<KernelOp>();
  if (buffer.getColumns() != count ||
      (kernel && buffer.getRows() != kernel.getNumThreads()))
    return op->emitOpError("threads have ")
           << count << " different elements each, the buffer has "
           << buffer.getRows() << " rows of " << buffer.getColumns();
  if (failed(verifySpace(op, buffer, BufferSpace::Shared)))
    return failure();
  return verifyStaticTile(op, type);
}

/// Checks a copy in which each thread fills its private row of the buffer with
/// its own elements of a tile.
static LogicalResult verifyOwnCopy(CopyAsyncOp op) {
  ViewType view = op.getView().getType();
  auto own = cast<RankedTensorType>(*op.getThreadPrivate());
  if (failed(verifyStash(op, own, op.getBuffer().getType())))
    return failure();
  if (view.getRank() != own.getRank() || view.getUnit() < 0)
    return op.emitOpError("needs a view of rank ")
           << own.getRank() << " with a unit dimension";
  if (isTMA(op))
    return success();
  int64_t side = getLayout(own).getValue().contiguousRegisters(
      fusion::tileDim(view.getUnit()));
  int64_t bytes = own.getElementTypeBitWidth() / 8,
          moved = static_cast<int64_t>(op.getTransport());
  if (bytes == 0 || side * bytes % moved != 0)
    return op.emitOpError("copies ")
           << moved << " bytes at a time, threads have " << side
           << " elements of " << own.getElementType() << " side by side";
  return success();
}

LogicalResult AllocOp::verify() {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (getType().getSpace() == BufferSpace::Cluster && kernel &&
      kernel.getCluster().value_or(1) == 1)
    return emitOpError("is of the space 'cluster' in a kernel without a "
                       "cluster of blocks");
  return success();
}

LogicalResult CopyAsyncOp::verify() {
  BufferType buffer = getBuffer().getType();
  ViewType view = getView().getType();
  if (failed(verifyViewAccess(*this, buffer.getElementType())))
    return failure();
  if (getThreadPrivate()) {
    if (failed(verifyOwnCopy(*this)))
      return failure();
  } else if (view.getRank() != 2 || view.getUnit() < 0) {
    return emitOpError("needs a view of rank 2 with a unit dimension");
  }
  if (isTMA(*this) && getThreadPrivate() && getMulticast())
    return emitOpError("is 'multicast' and 'thread_private', which blocks "
                       "have no parts of");
  if (isTMA(*this)) {
    if (failed(tensorMapOf(*this, [&] { return emitOpError(); })))
      return failure();
    return verifySpace(*this, buffer,
                       getMulticast() ? BufferSpace::Cluster
                                      : BufferSpace::Shared);
  }
  if (getEviction())
    return emitOpError("says 'eviction', which TMA copies do");
  if (getMulticast())
    return emitOpError("is 'multicast', which TMA copies are");
  int64_t bytes = static_cast<int64_t>(getTransport());
  if (view.getAlignment() < bytes)
    return emitOpError("copies ")
           << bytes << " bytes at a time but the view is only aligned to "
           << view.getAlignment();
  return verifySpace(*this, buffer, BufferSpace::Shared);
}

LogicalResult BarrierOp::verify() {
  if (getWarp() && (getWithProducers() || getCluster()))
    return emitOpError("is of each warp or of more than a warp");
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (getCluster() && kernel && kernel.getCluster().value_or(1) == 1)
    return emitOpError("needs a kernel with a cluster of blocks");
  return success();
}

LogicalResult StoreAsyncOp::verify() {
  ViewType view = getView().getType();
  Type elementType = getBuffer().getType().getElementType();
  // A boolean is a byte in memory.
  bool isTruth = view.getElementType().isInteger(1) && elementType.isInteger(8);
  if (view.getElementType() != elementType && !isTruth)
    return emitOpError("moves ")
           << elementType << " but the view holds " << view.getElementType();
  if (view.getRank() != 2 || view.getUnit() < 0)
    return emitOpError("needs a view of rank 2 with a unit dimension");
  if (static_cast<int64_t>(getCoordinates().size()) != view.getRank())
    return emitOpError("has ")
           << getCoordinates().size() << " coordinates for a view of rank "
           << view.getRank();
  return describeTMACopy(*this, [&] { return emitOpError(); });
}

LogicalResult LocalLoadOp::verify() {
  BufferType buffer = getBuffer().getType();
  RankedTensorType type = getResult().getType();
  if (type.getElementType() != buffer.getElementType())
    return emitOpError("loads ")
           << type.getElementType() << " from a buffer of "
           << buffer.getElementType();
  if (failed(verifyStaticTile(*this, type)))
    return failure();
  if (type.getRank() != 2 || getOrigin().size() != 2)
    return emitOpError("loads two-dimensional tiles");
  int64_t rows = type.getDimSize(getTransposed() ? 1 : 0);
  int64_t columns = type.getDimSize(getTransposed() ? 0 : 1);
  if (getOrigin()[0] < 0 || getOrigin()[0] > buffer.getRows() - rows ||
      getOrigin()[1] < 0 || getOrigin()[1] > buffer.getColumns() - columns)
    return emitOpError("reads ") << rows << "x" << columns << " at ["
                                 << getOrigin() << "], outside of the buffer";
  return success();
}

LogicalResult PrivateStoreOp::verify() {
  return verifyStash(*this, getValue().getType(), getBuffer().getType());
}

LogicalResult PrivateLoadOp::verify() {
  return verifyStash(*this, getResult().getType(), getBuffer().getType());
}

LogicalResult LocalStoreOp::verify() {
  BufferType buffer = getBuffer().getType();
  RankedTensorType type = getValue().getType();
  if (type.getElementType() != buffer.getElementType())
    return emitOpError("stores ") << type.getElementType() << " to a buffer of "
                                  << buffer.getElementType();
  if (failed(verifyStaticTile(*this, type)))
    return failure();
  if (type.getRank() != 2 ||
      type.getDimSize(getTransposed() ? 1 : 0) != buffer.getRows() ||
      type.getDimSize(getTransposed() ? 0 : 1) != buffer.getColumns())
    return emitOpError("must store a whole stage of the buffer");
  return verifySpace(*this, buffer, BufferSpace::Shared);
}

LogicalResult LastBlockOp::verify() {
  auto isCount = [](int64_t count) {
    return count > 0 && llvm::isInt<32>(count);
  };
  APInt blocks;
  bool isKnown = matchPattern(getBlocks(), m_ConstantInt(&blocks));
  if ((isKnown && !isCount(blocks.getSExtValue())) || !isCount(getCounters()))
    return emitOpError("counts one block at least with one counter at least");
  return success();
}

LogicalResult DiscardOp::verify() {
  ViewType view = getView().getType();
  int64_t rank = view.getRank(), unit = view.getUnit();
  if (static_cast<int64_t>(getCoordinates().size()) != rank ||
      static_cast<int64_t>(getShape().size()) != rank)
    return emitOpError("has ")
           << getCoordinates().size() << " coordinates and "
           << getShape().size() << " extents for a view of rank " << rank;
  if (llvm::any_of(getShape(), [](int64_t extent) { return extent < 1; }))
    return emitOpError("extents must be positive");
  if (unit < 0)
    return emitOpError("needs a view with a unit dimension");
  if (getShape()[unit] * elementBytes(view.getElementType()) % kLineBytes != 0)
    return emitOpError("is for whole lines of ") << kLineBytes << " bytes";
  return success();
}

LogicalResult ClusterScatterOp::verify() {
  RankedTensorType type = getValue().getType();
  BufferType buffer = getBuffer().getType();
  if (failed(verifyStaticTile(*this, type)))
    return failure();
  if (type.getElementType() != buffer.getElementType())
    return emitOpError("gives ") << type.getElementType() << " to buffers of "
                                 << buffer.getElementType();
  int64_t blocks =
      (*this)->getParentOfType<KernelOp>().getCluster().value_or(1);
  if (buffer.getStages() != blocks)
    return emitOpError("has buffers of ")
           << buffer.getStages() << " stages in a cluster of " << blocks;
  if (type.getRank() != 2 || type.getDimSize(0) != blocks * buffer.getRows() ||
      type.getDimSize(1) != buffer.getColumns())
    return emitOpError("must give each of ")
           << blocks << " blocks a stage of " << buffer.getRows() << " x "
           << buffer.getColumns() << " elements, has " << type;
  return verifySpace(*this, buffer, BufferSpace::Cluster);
}

LogicalResult ClusterReduceOp::verify() {
  RankedTensorType type = getValue().getType();
  if (failed(verifyStaticTile(*this, type)))
    return failure();
  Operation *parent = (*this)->getParentOp();
  bool isInLoop = false;
  for (; auto loop = dyn_cast<scf::ForOp>(parent);
       parent = loop->getParentOp()) {
    isInLoop = true;
    if (!getConstantIntValue(loop.getLowerBound()) ||
        !getConstantIntValue(loop.getUpperBound()) ||
        !getConstantIntValue(loop.getStep()))
      return emitOpError("is a barrier of the cluster, and in a loop whose "
                         "bounds are not constant");
  }
  auto kernel = dyn_cast<KernelOp>(parent);
  if (!kernel)
    return emitOpError("is a barrier of the cluster, and not in the body of a "
                       "kernel itself or of its loops");
  if (isInLoop != bool(getStage()))
    return emitOpError(isInLoop ? "is in a loop, and needs a stage"
                                : "is in no loop, and has a stage");
  int64_t blocks = kernel.getCluster().value_or(1);
  if (blocks < 2)
    return emitOpError("needs a kernel with a cluster of blocks");
  BufferType parts = getParts().getType();
  int64_t stages = isInLoop ? 2 : 1;
  if (parts.getStages() != stages || parts.getRows() != blocks ||
      parts.getColumns() != type.getNumElements() ||
      parts.getElementType() != type.getElementType())
    return emitOpError("needs a buffer of ")
           << stages << " x " << blocks << " x " << type.getNumElements()
           << " elements of " << type.getElementType() << ", got " << parts;
  return verifySpace(*this, parts, BufferSpace::Cluster);
}

LogicalResult ElementLoadOp::verify() {
  if (getBase().getType().getElementType() != getResult().getType())
    return emitOpError("loads ")
           << getResult().getType() << " from " << getBase().getType();
  return success();
}

LogicalResult ElementStoreOp::verify() {
  if (getBase().getType().getElementType() != getValue().getType())
    return emitOpError("stores ")
           << getValue().getType() << " to " << getBase().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Kernels and launches
//===----------------------------------------------------------------------===//

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> arguments,
                      ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(arguments, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult KernelOp::verify() {
  if (getFunctionType().getNumResults() != 0)
    return emitOpError("has no results; it writes through its pointers");
  if (getWarps() < 1 || getWarps() > kMaxWarps)
    return emitOpError("a block has 1 to ")
           << kMaxWarps << " warps, got " << getWarps();
  if (std::optional<int64_t> blocks = getResidentBlocks();
      blocks && (*blocks < 1 || !llvm::isInt<32>(*blocks)))
    return emitOpError("an SM holds one block at least, got ") << *blocks;
  if (std::optional<int64_t> iterations = getUnmaskedIterations();
      iterations && *iterations < 1)
    return emitOpError("a loop has 1 iteration or more, got ") << *iterations;
  if (std::optional<int64_t> cluster = getCluster();
      cluster && (*cluster < 1 || !llvm::isInt<32>(*cluster)))
    return emitOpError("a cluster has one block at least, got ") << *cluster;
  if (int64_t producers = getProducers().value_or(0);
      producers < 0 || static_cast<int64_t>(getWarps()) + producers > kMaxWarps)
    return emitOpError("a block has 1 to ")
           << kMaxWarps << " warps, got " << getWarps() << " and " << producers
           << " producers";
  if (getPingPong() &&
      (getWarps() % kWarpgroupWarps != 0 || getWarps() < 2 * kWarpgroupWarps))
    return emitOpError("has ping_pong of warpgroups of ")
           << kWarpgroupWarps << " warps, and " << getWarps() << " warps";
  if (std::optional<ArrayRef<int64_t>> registers = getRegisterBudgets())
    if (registers->size() != 2 || !llvm::all_of(*registers, canReallocate))
      return emitOpError("threads have multiples of ")
             << kReallocationStep << " registers from " << kMinReallocated
             << " to " << kMaxReallocated << ", of producers and of consumers";
  if (!getBody().hasOneBlock() || getBody().front().empty() ||
      !isa<ReturnOp>(getBody().front().back()))
    return emitOpError("needs a body of one block that ends in tile.return");
  for (auto [index, type] : llvm::enumerate(getArgumentTypes())) {
    Attribute pending = getArgAttr(index, kPendingAttrName);
    if (pending && (!isa<UnitAttr>(pending) || !isa<PtrType>(type)))
      return emitOpError("argument #")
             << index << ": '" << kPendingAttrName << "' is a unit of pointers";
    if (isa<PtrType>(type)) {
      if (!getArgAttrOfType<AccessAttr>(index, kAccessAttrName))
        return emitOpError("pointer argument #")
               << index << " needs the attribute '" << kAccessAttrName << "'";
      continue;
    }
    if (!type.isIntOrIndexOrFloat())
      return emitOpError("argument #")
             << index << " must be a pointer or a scalar, got " << type;
  }
  return success();
}

LogicalResult LaunchOp::verify() {
  if (getInits().getTypes() != getResults().getTypes())
    return emitOpError("results must have the types of its outs");
  auto kernel = SymbolTable::lookupNearestSymbolFrom<KernelOp>(getOperation(),
                                                               getKernelAttr());
  // A lowered kernel is a gpu.func, whose arguments are memrefs.
  if (!kernel)
    return success();
  SmallVector<Type> types(getInputs().getTypes());
  llvm::append_range(types, getInits().getTypes());
  llvm::append_range(types, getSizes().getTypes());
  ArrayRef<Type> formal = kernel.getArgumentTypes();
  if (types.size() != formal.size())
    return emitOpError("passes ")
           << types.size() << " arguments to a kernel of " << formal.size();
  for (auto [index, actual, expected] : llvm::enumerate(types, formal)) {
    auto tensor = dyn_cast<RankedTensorType>(actual);
    auto pointer = dyn_cast<PtrType>(expected);
    if (tensor && pointer ? tensor.getElementType() == pointer.getElementType()
                          : actual == expected)
      continue;
    return emitOpError("argument #") << index << " is " << actual
                                     << " but the kernel expects " << expected;
  }
  return success();
}
