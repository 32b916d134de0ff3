//===- ChainLowering.cpp - Block programs of scheduled chains
//-----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks the tiling tree of the schedule and emits what its statements say. A
// tile in registers is a tensor over the axes of its product's intrinsic, in
// the order (i1, i2) for results, (i1, r1) and (r1, i2) for operands.
//
//===----------------------------------------------------------------------===//

#include "ChainLowering.h"
#include "fusion/Analysis/CostModel.h"
#include "fusion/Analysis/ScheduleLegality.h"
#include "fusion/Analysis/SplitReduction.h"
#include "fusion/Target/ProductLayouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace fusion;

ChainLowering::ChainLowering(fuse::FusedGroupOpInterface group, GroupAxes axes,
                             Schedule schedule, StringRef name)
    : group(group), axes(std::move(axes)), model(this->axes.model),
      schedule(std::move(schedule)), kernel(group, name, this->schedule.warps),
      b(kernel.builder()), loc(group.getLoc()),
      accumulators(model.products.size()), sums(model.products.size()),
      buffers(model.tensors.size()), arrays(model.tensors.size()),
      running(model.reductions.size()), rowScales(model.products.size()),
      rowScaleAxes(model.products.size()) {}

int64_t ChainLowering::trips(unsigned axis) const {
  return tripCount(model.axes[axis], schedule.tiles[axis]);
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

MemoryTile ChainLowering::memoryTile(unsigned tensor) const {
  const GroupTensor &info = model.tensors[tensor];
  const ProductMapping &mapping = schedule.products[info.product];
  bool isFirst = (info.operandNumber == 0) != mapping.swapped;
  return getMemoryTile(info, isFirst ? mapping.i1 : mapping.i2, mapping.r1);
}

/// The order that the intrinsic which reads a tensor's buffer asks for.
PanelOrder ChainLowering::panelsOf(unsigned tensor,
                                   const MemoryTile &tile) const {
  const GroupTensor &info = model.tensors[tensor];
  auto asked = [&](unsigned product, unsigned operand) {
    const ProductMapping &mapping = schedule.products[product];
    return operandPanels(*mapping.intrinsic,
                         mapping.isFirst(operand),
                         tile.columnAxis == mapping.r1);
  };
  if (info.role == TensorRole::Operand)
    return asked(info.product, info.operandNumber);
  for (auto [number, product] : llvm::enumerate(model.products))
    for (unsigned operand : {0u, 1u})
      if (product.producer[operand] == info.product)
        return asked(number, operand);
  return PanelOrder::Plain;
}

/// Operands of products, and intermediates of which several tiles are kept. One
/// tile that is handed over goes through the scratch of a conversion.
LogicalResult ChainLowering::allocateBuffers() {
  for (auto [index, info] : llvm::enumerate(model.tensors)) {
    bool isOperand = info.role == TensorRole::Operand;
    if (schedule.places[index].space != fuse::Space::Shared ||
        (!isOperand && !hasOwnBuffer(model, schedule, kept, index)))
      continue;
    const ProductMapping &mapping = schedule.products[info.product];
    MemoryTile tile = isOperand ? memoryTile(index)
                                : MemoryTile{mapping.i1, mapping.i2, true};
    int64_t rows = schedule.tiles[tile.rowAxis],
            columns = schedule.tiles[tile.columnAxis];
    std::optional<LinearLayout> layout =
        sharedPanels(rows, columns, info.elementBytes, panelsOf(index, tile));
    if (!layout)
      return group.emitError("no shared-memory layout for the tile of '")
             << info.name << "' (" << rows << " x " << columns << ")";
    // The pipelining passes give the buffer its stages.
    IntegerAttr stages;
    if (schedule.places[index].stages > 1)
      stages = b.getI64IntegerAttr(schedule.places[index].stages);
    auto type = tile::BufferType::get(
        b.getContext(), kept.values[index].count, rows, columns,
        getElementTypeOrSelf(axes.finalValues[index].getType()),
        tile::LayoutAttr::get(b.getContext(), *layout));
    buffers[index] =
        tile::AllocOp::create(b, loc, type, /*offset=*/IntegerAttr(), stages,
                              /*pipelined=*/false);
  }
  return success();
}

void ChainLowering::freeBuffers() {
  for (Value &buffer : buffers) {
    if (!buffer)
      continue;
    tile::FreeOp::create(b, loc, buffer);
    buffer = Value();
  }
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

static tile::Transport asyncTransport(fuse::Transport transport) {
  switch (transport) {
  case fuse::Transport::Async4:
    return tile::Transport::Async4;
  case fuse::Transport::Async8:
    return tile::Transport::Async8;
  default:
    return tile::Transport::Async16;
  }
}

/// The axes of the tile of a tensor that is loaded into registers: those of the
/// tile it is used with that index it.
SmallVector<unsigned> ChainLowering::registerTileAxes(unsigned tensor) const {
  const GroupTensor &info = model.tensors[tensor];
  const ProductMapping &mapping = schedule.products[info.product];
  bool isFirst = (info.operandNumber == 0) != mapping.swapped;
  unsigned used[2] = {mapping.i1, mapping.i2};
  if (info.role == TensorRole::Operand)
    used[isFirst ? 1 : 0] = mapping.r1;
  SmallVector<unsigned> tileAxes;
  for (unsigned axis : used)
    if (model.indexes(tensor, axis))
      tileAxes.push_back(axis);
  return tileAxes;
}

void ChainLowering::emitLoad(unsigned tensor) {
  const Placement &place = schedule.places[tensor];
  if (place.space == fuse::Space::Registers) {
    SmallVector<unsigned> tileAxes = registerTileAxes(tensor);
    Type elementType =
        cast<RankedTensorType>(axes.values[tensor].getType()).getElementType();
    Value value = tile::LoadOp::create(
        b, loc, tileType(tileAxes, elementType), emitView(tensor, tileAxes),
        coordinates(tileAxes), /*predicate=*/Value(), inBounds(tileAxes));
    const TileSlots &slots = kept.values[tensor];
    if (slots.isKept())
      setInArray(arrays[tensor], slotNumber(slots), value);
    else
      tiles[axes.values[tensor]] = value;
    return;
  }
  MemoryTile tile = memoryTile(tensor);
  unsigned tileAxes[] = {tile.rowAxis, tile.columnAxis};
  Value view = emitView(tensor, tileAxes);
  Value stage = slotNumber(kept.values[tensor]);
  if (place.transport == fuse::Transport::Sync) {
    Type elementType = cast<tile::ViewType>(view.getType()).getElementType();
    Value value = tile::LoadOp::create(
        b, loc, tileType(tileAxes, elementType), view, coordinates(tileAxes),
        /*predicate=*/Value(), inBounds(tileAxes));
    tile::LocalStoreOp::create(b, loc, value, buffers[tensor], stage,
                               /*transposed=*/false, /*stages=*/IntegerAttr(),
                               /*slot=*/IntegerAttr());
    return;
  }
  tile::CopyAsyncOp::create(
      b, loc, view, coordinates(tileAxes), buffers[tensor], stage,
      /*predicate=*/Value(),
      tile::TransportAttr::get(b.getContext(), asyncTransport(place.transport)),
      inBounds(tileAxes), /*stages=*/IntegerAttr(), /*slot=*/IntegerAttr());
  copiesInFlight = true;
}

/// The slice of a product's operand that one step of the intrinsic multiplies:
/// `value` over `tileAxes`, which are the operand's two axes, of which
/// `sliceAxis` is cut at `start`.
Value ChainLowering::emitOperandSlice(Value value, unsigned product,
                                      ArrayRef<unsigned> tileAxes,
                                      unsigned sliceAxis, int64_t start,
                                      int64_t length) {
  SmallVector<int64_t> shape, origin;
  for (unsigned axis : tileAxes) {
    shape.push_back(axis == sliceAxis ? length : schedule.tiles[axis]);
    origin.push_back(axis == sliceAxis ? start : 0);
  }
  Type elementType = getElementTypeOrSelf(value.getType());
  auto type = RankedTensorType::get(shape, elementType);
  // The value of an earlier product.
  if (auto earlier = productOfValue.find(value);
      earlier != productOfValue.end()) {
    const ProductMapping &from = schedule.products[earlier->second];
    unsigned tensor = model.products[earlier->second].result;
    bool isTurned = from.i1 != tileAxes[0];
    if (hasOwnBuffer(model, schedule, kept, tensor)) {
      if (isTurned)
        std::swap(origin[0], origin[1]);
      return tile::LocalLoadOp::create(b, loc, type, buffers[tensor],
                                       slotNumber(kept.values[tensor]), origin,
                                       isTurned, /*slot=*/IntegerAttr());
    }
    Value whole = tileOf(value, tensor);
    if (isTurned) {
      Value &turned = transposed[value];
      if (!turned) {
        auto given = cast<RankedTensorType>(whole.getType());
        turned = tile::TransposeOp::create(
            b, loc,
            RankedTensorType::get({given.getDimSize(1), given.getDimSize(0)},
                                  elementType),
            whole);
      }
      whole = turned;
    }
    return tile::SliceOp::create(b, loc, type, whole, origin);
  }
  // An element-wise operator in front of the product.
  if (auto op = value.getDefiningOp<linalg::LinalgOp>()) {
    llvm::SaveAndRestore<decltype(slicedAxis)> slice(
        slicedAxis, std::make_pair(sliceAxis, start));
    return emitElementwise(op, tileAxes, shape, [&](Value operand) {
      return emitOperandSlice(operand, product, tileAxes, sliceAxis, start,
                              length);
    });
  }
  // An operand of the group.
  if (!isa<RankedTensorType>(value.getType()))
    return kernel.argument(value);
  unsigned tensor = axes.tensorOf.lookup(value);
  value = axes.values[tensor]; // an input may be several products'
  if (schedule.places[tensor].space == fuse::Space::Shared) {
    MemoryTile tile = memoryTile(tensor);
    bool transposed = tile.rowAxis != tileAxes[0];
    SmallVector<int64_t> inBuffer = origin;
    if (transposed)
      std::swap(inBuffer[0], inBuffer[1]);
    return tile::LocalLoadOp::create(b, loc, type, buffers[tensor],
                                     slotNumber(kept.values[tensor]), inBuffer,
                                     transposed, /*slot=*/IntegerAttr());
  }
  Value whole = tileOf(value, tensor);
  // An operand that lacks one of the axes, loaded as a whole.
  SmallVector<int64_t> presentShape, presentOrigin;
  for (auto [d, axis] : llvm::enumerate(tileAxes)) {
    if (!model.indexes(tensor, axis))
      continue;
    presentShape.push_back(shape[d]);
    presentOrigin.push_back(origin[d]);
  }
  auto part = RankedTensorType::get(presentShape, elementType);
  if (part == whole.getType())
    return whole;
  return tile::SliceOp::create(b, loc, part, whole, presentOrigin);
}

/// The copies so far are one group, and what follows needs it.
void ChainLowering::waitForCopies() {
  tile::CommitOp::create(b, loc);
  tile::WaitOp::create(b, loc, 0);
  copiesInFlight = false;
}

void ChainLowering::emitCompute(unsigned number) {
  const ProductMapping &mapping = schedule.products[number];
  if (copiesInFlight)
    waitForCopies();
  linalg::LinalgOp op = productOperator(number);
  Value lhs = op->getOperand(mapping.swapped ? 1 : 0);
  Value rhs = op->getOperand(mapping.swapped ? 0 : 1);
  unsigned lhsAxes[] = {mapping.i1, mapping.r1};
  unsigned rhsAxes[] = {mapping.r1, mapping.i2};
  bool startsHere = !accumulators[number];
  if (startsHere)
    accumulators[number] = zeroAccumulator(number);
  const TileSlots &slots = kept.accumulators[number];
  Value sum = accumulators[number], slot;
  if (slots.isKept()) {
    slot = slotNumber(slots);
    sum = getFromArray(sum, slot);
  }
  int64_t step = mapping.intrinsic->r1;
  fetched.clear();
  transposed.clear();
  auto slice = [&](Value operand, ArrayRef<unsigned> tileAxes, int64_t start) {
    Value value =
        emitOperandSlice(operand, number, tileAxes, mapping.r1, start, step);
    return changesPadding(operand)
               ? maskPadding(value, tileAxes, mapping.r1, start)
               : value;
  };
  for (int64_t start = 0; start < schedule.tiles[mapping.r1]; start += step) {
    Value a = slice(lhs, lhsAxes, start);
    Value c = slice(rhs, rhsAxes, start);
    sum = tile::DotOp::create(
        b, loc, sum.getType(), a, c, sum, mapping.intrinsic->name,
        ArrayRef<int64_t>{mapping.warps[0], mapping.warps[1]});
  }
  if (slots.isKept())
    setInArray(accumulators[number], slot, sum);
  else
    accumulators[number] = sum;
  if (startsHere)
    complete(number);
}

Value ChainLowering::zeroAccumulator(unsigned number) {
  const ProductMapping &mapping = schedule.products[number];
  unsigned tileAxes[] = {mapping.i1, mapping.i2};
  auto type = tileType(tileAxes, getElementTypeOrSelf(
                                     productOperator(number)->getResult(0)));
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  if (!kept.accumulators[number].isKept())
    return zero;
  return tile::MakeArrayOp::create(
      b, loc,
      tile::ArrayType::get(b.getContext(), kept.accumulators[number].count,
                           type),
      zero);
}

void ChainLowering::emitStore(unsigned tensor) {
  const ProductMapping &mapping =
      schedule.products[model.tensors[tensor].product];
  if (model.tensors[tensor].role == TensorRole::Statistic)
    return emitStatistic(tensor);
  unsigned tileAxes[] = {mapping.i1, mapping.i2};
  fetched.clear();
  Value value = tileOf(axes.finalValues[tensor], tensor);
  tile::StoreOp::create(
      b, loc, value, emitView(tensor, tileAxes), coordinates(tileAxes),
      schedule.places[tensor].space == fuse::Space::Shared, inBounds(tileAxes));
}

//===----------------------------------------------------------------------===//
// The tree
//===----------------------------------------------------------------------===//

void ChainLowering::emitLoop(unsigned axis, ArrayRef<Value *> carried,
                             llvm::function_ref<void()> emitBody) {
  SmallVector<Value> inits;
  for (Value *value : carried)
    inits.push_back(*value);
  Value outside = origins[axis];
  auto [begin, length] = emitLoopRange(axis);
  auto loop = scf::ForOp::create(b, loc, kernel.constant(0), length,
                                 kernel.constant(schedule.tiles[axis]), inits);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    origins[axis] = loop.getInductionVar();
    if (!matchPattern(begin, m_Zero()))
      origins[axis] = arith::AddIOp::create(b, loc, begin, origins[axis]);
    inductions[axis] = loop.getInductionVar();
    for (auto [value, argument] :
         llvm::zip_equal(carried, loop.getRegionIterArgs()))
      *value = argument;
    emitBody();
    SmallVector<Value> results;
    for (Value *value : carried)
      results.push_back(*value);
    b.setInsertionPointToEnd(loop.getBody());
    if (!results.empty())
      scf::YieldOp::create(b, loc, results);
    origins[axis] = outside;
    inductions[axis] = kernel.constant(0);
  }
  for (auto [value, result] : llvm::zip_equal(carried, loop.getResults()))
    *value = result;
}

/// Whether something is computed in a loop before anything is copied there.
static bool computesFirst(const TilingTree &items, const Schedule &schedule) {
  for (const TilingStatement &statement : listStatements(items)) {
    if (statement.kind == TilingNode::Kind::Compute)
      return true;
    if (statement.kind == TilingNode::Kind::Load &&
        schedule.places[statement.tensor].transport != fuse::Transport::Sync)
      return false;
  }
  return false;
}

/// A sequential loop carries the accumulators of the products that it reduces,
/// and the arrays of the tiles that it makes.
void ChainLowering::emitLoop(const TilingNode &node) {
  SmallVector<Value *> carried;
  auto isInside = [&](ArrayRef<const TilingNode *> loops) {
    return llvm::is_contained(loops, &node);
  };
  if (copiesInFlight && computesFirst(node.children, schedule))
    waitForCopies();
  // A loop may have no iteration that would wait for them.
  bool mayStayInFlight = copiesInFlight && mayBeIdle(node.index);
  for (auto [number, product] : llvm::enumerate(model.products)) {
    if (kept.reductions[number] == &node)
      accumulators[number] = zeroAccumulator(number);
    if (accumulators[number] && isInside(kept.computes[product.result]->loops))
      carried.push_back(&accumulators[number]);
  }
  for (auto [index, info] : llvm::enumerate(model.tensors)) {
    if (!kept.makers[index] || !isInRegisters(index))
      continue;
    if (kept.makers[index] == &node)
      startArray(index);
    if (arrays[index] &&
        isInside(kept.loads[index] ? kept.loads[index]->loops
                                   : kept.handOvers[info.product].loops))
      carried.push_back(&arrays[index]);
  }
  llvm::append_range(carried, startRunning(node));
  emitLoop(node.index, carried,
           [&] { emitItems(node.children, /*isOutermost=*/false); });
  if (mayStayInFlight)
    waitForCopies();
  finishRunning(node);
  for (unsigned number = 0; number < model.products.size(); ++number)
    if (kept.reductions[number] == &node)
      complete(number);
}

void ChainLowering::emitItems(const TilingTree &items, bool isOutermost) {
  std::optional<size_t> finalStores;
  if (isOutermost)
    finalStores = findFinalStores(items, schedule);
  for (auto [position, node] : llvm::enumerate(items)) {
    if (finalStores == position)
      freeBuffers();
    switch (node.kind) {
    case TilingNode::Kind::Loop:
      if (schedule.isBlockAxis(node.index))
        emitItems(node.children, isOutermost);
      else
        emitLoop(node);
      break;
    case TilingNode::Kind::Load:
      emitLoad(node.index);
      for (unsigned number = 0; number < model.products.size(); ++number)
        if (kept.handOvers[number].after == node.index)
          emitHandOver(number);
      break;
    case TilingNode::Kind::Compute:
      emitCompute(model.tensors[node.index].product);
      break;
    case TilingNode::Kind::Store:
      emitStore(node.index);
      break;
    }
  }
}

/// A tile that is kept is that of the value after all element-wise operators.
LogicalResult ChainLowering::checkKeptValues() {
  for (auto [index, op] : llvm::enumerate(axes.operators))
    for (Value operand : op.getDpsInputs()) {
      auto producer = operand.getDefiningOp<linalg::LinalgOp>();
      auto *known = llvm::find(axes.operators, producer);
      if (!producer || known == axes.operators.end())
        continue;
      std::optional<unsigned> number =
          axes.followsProduct[known - axes.operators.begin()];
      if (!number ||
          (!axes.productOf[index] && axes.followsProduct[index] == number))
        continue;
      unsigned tensor = model.products[*number].result;
      if ((kept.values[tensor].isKept() ||
           hasOwnBuffer(model, schedule, kept, tensor)) &&
          operand != axes.finalValues[tensor])
        return op.emitError("reads '")
               << model.tensors[tensor].name
               << "' before its last element-wise operator, but the schedule "
                  "keeps tiles of the last one's result";
    }
  return success();
}

LogicalResult ChainLowering::run(RewriterBase &rewriter) {
  if (schedule.registerStages > 1)
    kernel.kernel().setRegisterStages(schedule.registerStages);
  if (std::optional<std::string> reason =
          analyzeKeptTiles(model, schedule, kept))
    return group.emitError("schedule cannot be lowered: ") << *reason;
  shortened = shortenedLoop(model, schedule);
  if (failed(checkKeptValues()))
    return failure();
  emitBlockCoordinates();
  if (failed(allocateBuffers()))
    return failure();
  emitItems(schedule.tree, /*isOutermost=*/true);
  freeBuffers();

  Footprint footprint = computeFootprint(model, schedule, kept);
  auto chipName =
      group->getParentOfType<ModuleOp>()->getAttrOfType<fuse::ChipAttr>(
          fuse::kChipAttrName);
  Cost cost =
      predictCost(model, schedule, footprint, *lookupChip(chipName.getName()));
  kernel.kernel().setResidentBlocks(cost.residentBlocks);
  NamedAttribute predicted[] = {
      b.getNamedAttr("us",
                     b.getF64FloatAttr((cost.total - cost.combine) * 1e6)),
      b.getNamedAttr("global_load_bytes",
                     b.getI64IntegerAttr(footprint.globalLoadBytes)),
      b.getNamedAttr("global_store_bytes",
                     b.getI64IntegerAttr(footprint.globalStoreBytes)),
      b.getNamedAttr("shared_memory",
                     b.getI64IntegerAttr(footprint.sharedMemory))};
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(group);
  Value grid = arith::ConstantIndexOp::create(rewriter, loc, footprint.blocks);
  kernel.finish(rewriter, grid, b.getDictionaryAttr(predicted));
  return success();
}

LogicalResult fusion::lowerChain(RewriterBase &rewriter,
                                 fuse::FusedGroupOpInterface group,
                                 StringRef name) {
  std::string reason;
  auto explain = [&](const Twine &why) { reason = why.str(); };
  FailureOr<GroupAxes> axes = GroupAxes::compute(
      group.getOperators(), group.getYieldedValues(), explain);
  if (failed(axes))
    return group.emitError("cannot be lowered as a chain: ") << reason;
  std::optional<Schedule> schedule =
      importSchedule(group.getGroupSchedule(), axes->model, explain);
  if (!schedule)
    return group.emitError("schedule does not fit the group: ") << reason;
  auto chipName =
      group->getParentOfType<ModuleOp>()->getAttrOfType<fuse::ChipAttr>(
          fuse::kChipAttrName);
  if (!chipName)
    return group.emitError("the module does not say for which chip; run "
                           "fuse-search-schedules");
  if (auto illegal = checkSchedule(axes->model, *schedule,
                                   *lookupChip(chipName.getName())))
    return group.emitError("schedule cannot be lowered: ") << *illegal;
  if (auto illegal =
          whyNotPartial(group.getGroupPartial(), axes->model, *schedule))
    return group.emitError("schedule does not fit the group: ") << *illegal;
  return ChainLowering(group, std::move(*axes), std::move(*schedule), name)
      .run(rewriter);
}
