//===- ChainLowering.cpp - Block programs of scheduled chains -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the statements of the schedule's tiling tree in order. A tile in
// registers is a tensor over the axes of its contraction's intrinsic, in the
// order (i1, i2) for results, (i1, r1) for LHS and (r1, i2) for RHS.
//
//===----------------------------------------------------------------------===//

#include "ChainLowering.h"
#include "fusion/Analysis/Chains/ReadChain.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "fusion/Analysis/Legality/ScheduleLegality.h"
#include "fusion/Analysis/Schedules/MemoryTile.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace fusion;

ChainLowering::ChainLowering(fuse::FusedGroupOpInterface group, GroupAxes axes,
                             Schedule schedule, StringRef name)
    : group(group), axes(std::move(axes)), model(this->axes.model),
      schedule(std::move(schedule)), kernel(group, name, this->schedule.warps),
      b(kernel.builder()), loc(group.getLoc()),
      block(this->axes, this->schedule, kernel, loc),
      tiles(group, this->axes, this->schedule, retained, kernel, block, loc),
      elementwise(this->axes, kernel, block, loc,
                  [this](Operation *inner) { return skippedFor(inner); }),
      accumulators(model.contractions.size()), sums(model.contractions.size()),
      running(model.reductions.size()), rowScales(model.contractions.size()),
      rowScaleAxes(model.contractions.size()) {}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void ChainLowering::emitCompute(unsigned number) {
  const ContractionMapping &mapping = schedule.contractions[number];
  tiles.waitForCopies();
  linalg::LinalgOp op = productOperator(number);
  Value lhs = op->getOperand(mapping.swapped ? 1 : 0);
  Value rhs = op->getOperand(mapping.swapped ? 0 : 1);
  unsigned lhsAxes[] = {mapping.i1, mapping.r1};
  unsigned rhsAxes[] = {mapping.r1, mapping.i2};
  bool startsHere = !accumulators[number];
  if (startsHere)
    accumulators[number] = zeroAccumulator(number);
  const TileSlots &slots = retained.accumulators[number];
  Value sum = accumulators[number], slot;
  if (slots.isRetained()) {
    slot = block.slotNumber(slots);
    sum = tiles.getFromArray(sum, slot);
  }
  // An MMA that reads shared memory loads no fragments step by step.
  int64_t step = mapping.intrinsic->multipliesWholeTiles()
                     ? schedule.tiles[mapping.r1]
                     : mapping.intrinsic->r1;
  tiles.clearFetched();
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
        ArrayRef<int64_t>{mapping.warps[0], mapping.warps[1]},
        mapping.stages > 1 ? b.getI64IntegerAttr(mapping.stages)
                           : IntegerAttr(),
        mapping.keepsMasks);
  }
  if (slots.isRetained())
    tiles.setInArray(accumulators[number], slot, sum);
  else
    accumulators[number] = sum;
  if (startsHere)
    complete(number);
}

/// Emits the slice of a contraction's operand that one step of the intrinsic
/// multiplies. `value` has the two axes `tileAxes`; the slice begins at `start`
/// along `sliceAxis`.
Value ChainLowering::emitOperandSlice(Value value, unsigned contraction,
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
  // A slice of an earlier contraction's value.
  if (auto earlier = productOfValue.find(value);
      earlier != productOfValue.end()) {
    const ContractionMapping &from = schedule.contractions[earlier->second];
    unsigned tensor = model.contractions[earlier->second].result;
    bool isTransposed = from.i1 != tileAxes[0];
    if (hasOwnBuffer(model, schedule, retained, tensor)) {
      if (isTransposed)
        std::swap(origin[0], origin[1]);
      return tile::LocalLoadOp::create(
          b, loc, type, tiles.buffer(tensor),
          block.slotNumber(retained.values[tensor]), origin, isTransposed,
          /*slot=*/IntegerAttr());
    }
    Value whole = tiles.tileOf(value, tensor);
    if (isTransposed) {
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
  // Row statistics are used whole, as steps go along the other axis.
  if (Value rows = rowsOf(value))
    return rows;
  // An element-wise operator of the prologue.
  if (auto op = value.getDefiningOp<linalg::LinalgOp>();
      op && !isInput(value)) {
    auto slice = elementwise.beginSlice(sliceAxis, start);
    return elementwise.emit(op, tileAxes, shape, [&](Value operand) {
      return emitOperandSlice(operand, contraction, tileAxes, sliceAxis, start,
                              length);
    });
  }
  // An operand of the group.
  if (!isa<RankedTensorType>(value.getType()))
    return kernel.argument(value);
  unsigned tensor = operandTensor(value);
  if (schedule.places[tensor].space == fuse::Space::Shared) {
    MemoryTile tile = tiles.memoryTile(tensor);
    bool transposed = tile.rowAxis != tileAxes[0];
    SmallVector<int64_t> inBuffer = origin;
    if (transposed)
      std::swap(inBuffer[0], inBuffer[1]);
    return tile::LocalLoadOp::create(b, loc, type, tiles.buffer(tensor),
                                     block.slotNumber(retained.values[tensor]),
                                     inBuffer, transposed,
                                     /*slot=*/IntegerAttr());
  }
  Value whole = tiles.tileOf(axes.values[tensor], tensor);
  // An operand that lacks one of the axes is loaded as a whole.
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

Value ChainLowering::zeroAccumulator(unsigned number) {
  const ContractionMapping &mapping = schedule.contractions[number];
  unsigned tileAxes[] = {mapping.i1, mapping.i2};
  auto type = block.tileType(
      tileAxes, getElementTypeOrSelf(productOperator(number)->getResult(0)));
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  if (!retained.accumulators[number].isRetained())
    return zero;
  return tile::MakeArrayOp::create(
      b, loc,
      tile::ArrayType::get(b.getContext(), retained.accumulators[number].count,
                           type),
      zero);
}

void ChainLowering::emitStore(unsigned tensor) {
  const ContractionMapping &mapping =
      schedule.contractions[model.tensors[tensor].contraction];
  if (model.tensors[tensor].role == TensorRole::Statistic)
    return emitStatistic(tensor);
  unsigned tileAxes[] = {mapping.i1, mapping.i2};
  tiles.clearFetched();
  Value value = tiles.tileOf(axes.finalValues[tensor], tensor);
  if (schedule.places[tensor].transport == fuse::Transport::TMA)
    return emitTMAStore(tensor, value);
  tile::StoreOp::create(b, loc, value, block.emitView(tensor, tileAxes),
                        block.originsOf(tileAxes),
                        schedule.places[tensor].space == fuse::Space::Shared,
                        block.inBounds(tileAxes),
                        /*ragged=*/false);
}

/// Emits a TMA store through a buffer of its own. The buffer is freed at once:
/// the next use of its memory waits until the store has read it.
void ChainLowering::emitTMAStore(unsigned tensor, Value value) {
  MemoryTile tile = tiles.memoryTile(tensor);
  unsigned tileAxes[] = {tile.rowAxis, tile.columnAxis};
  auto valueType = cast<RankedTensorType>(value.getType());
  if (valueType.getElementType().isInteger(1)) // a byte in memory
    value =
        arith::ExtUIOp::create(b, loc, valueType.clone(b.getI8Type()), value);
  // The legality check has ensured that this layout exists.
  LinearLayout layout = *sharedPanels(
      schedule.tiles[tile.rowAxis], schedule.tiles[tile.columnAxis],
      model.tensors[tensor].elementBytes, PanelOrder::Plain);
  auto type = tile::BufferType::get(
      b.getContext(), /*stages=*/1, schedule.tiles[tile.rowAxis],
      schedule.tiles[tile.columnAxis], getElementTypeOrSelf(value.getType()),
      tile::LayoutAttr::get(b.getContext(), layout), tile::BufferSpace::Shared);
  Value buffer =
      tile::AllocOp::create(b, loc, type, /*offset=*/IntegerAttr(),
                            /*stages=*/IntegerAttr(), /*pipelined=*/false,
                            /*registerStages=*/IntegerAttr());
  Value stage = kernel.constant(0);
  bool isTransposed =
      tile.rowAxis !=
      schedule.contractions[model.tensors[tensor].contraction].i1;
  tile::LocalStoreOp::create(b, loc, value, buffer, stage, isTransposed,
                             /*stages=*/IntegerAttr(), /*slot=*/IntegerAttr());
  tile::StoreAsyncOp::create(b, loc, buffer, stage,
                             block.emitBoxView(tensor, tileAxes),
                             block.originsOf(tileAxes));
  tile::StoreWaitOp::create(b, loc);
  tile::FreeOp::create(b, loc, buffer);
}

//===----------------------------------------------------------------------===//
// The tree
//===----------------------------------------------------------------------===//

static bool computesAnything(const TilingTree &items) {
  return llvm::any_of(items, [](const TilingNode &node) {
    return node.kind == TilingNode::Kind::Compute ||
           computesAnything(node.children);
  });
}

/// Whether a loop computes before it issues cp.async copies, so that it would
/// wait for the group of earlier copies.
static bool computesFirst(const TilingTree &items, const Schedule &schedule) {
  for (const TilingStatement &statement : listStatements(items)) {
    if (statement.kind == TilingNode::Kind::Compute)
      return true;
    if (statement.kind != TilingNode::Kind::Load)
      continue;
    fuse::Transport transport = schedule.places[statement.tensor].transport;
    if (transport != fuse::Transport::Sync && transport != fuse::Transport::TMA)
      return false;
  }
  return false;
}

/// Emits a sequential loop. It carries the accumulators of the contractions
/// that it reduces, and the arrays of the retained tiles that it makes.
void ChainLowering::emitLoop(const TilingNode &node) {
  SmallVector<Value *> carried;
  auto isInside = [&](ArrayRef<const TilingNode *> loops) {
    return llvm::is_contained(loops, &node);
  };
  if (tiles.areCopiesInFlight() && computesFirst(node.children, schedule))
    tiles.waitForCopies();
  bool computes = computesAnything(node.children);
  if (computes)
    tiles.awaitTMA();
  size_t awaitedElsewhere = tiles.countTMAInFlight();
  // A loop without iterations would not wait for the copies.
  bool mayStayInFlight =
      tiles.areCopiesInFlight() && block.mayBeIdle(node.index);
  for (auto [number, contraction] : llvm::enumerate(model.contractions)) {
    if (retained.reductions[number] == &node)
      accumulators[number] = zeroAccumulator(number);
    if (accumulators[number] &&
        isInside(retained.computes[contraction.result]->loops))
      carried.push_back(&accumulators[number]);
  }
  for (auto [index, info] : llvm::enumerate(model.tensors)) {
    if (!retained.makers[index] || !tiles.isInRegisters(index))
      continue;
    if (retained.makers[index] == &node)
      tiles.startArray(index);
    if (tiles.array(index) &&
        isInside(retained.loads[index]
                     ? retained.loads[index]->loops
                     : retained.intermediateEpilogues[info.contraction].loops))
      carried.push_back(&tiles.array(index));
  }
  llvm::append_range(carried, startRunning(node));
  block.emitLoop(node.index, carried, [&] {
    emitItems(node.children, /*isOutermost=*/false);
    if (computes)
      tiles.awaitTMA();
  });
  tiles.leaveLoop(node.index, awaitedElsewhere);
  if (mayStayInFlight)
    tiles.waitAgain();
  finishRunning(node);
  for (unsigned number = 0; number < model.contractions.size(); ++number)
    if (retained.reductions[number] == &node)
      complete(number);
}

void ChainLowering::emitItems(const TilingTree &items, bool isOutermost) {
  std::optional<size_t> finalStores;
  if (isOutermost)
    finalStores = findFinalStores(items, schedule);
  for (auto [position, node] : llvm::enumerate(items)) {
    if (finalStores == position)
      tiles.free();
    switch (node.kind) {
    case TilingNode::Kind::Loop:
      if (schedule.isBlockAxis(node.index))
        emitItems(node.children, isOutermost);
      else
        emitLoop(node);
      break;
    case TilingNode::Kind::Load:
      tiles.load(node.index);
      for (unsigned number = 0; number < model.contractions.size(); ++number)
        if (retained.intermediateEpilogues[number].after == node.index)
          emitIntermediateEpilogue(number);
      break;
    case TilingNode::Kind::Compute:
      if (model.tensors[node.index].role == TensorRole::Rows)
        emitPass(node.index);
      else
        emitCompute(model.tensors[node.index].contraction);
      break;
    case TilingNode::Kind::Store:
      emitStore(node.index);
      break;
    }
  }
}

/// Checks that retained tiles hold values after all element-wise operators. Row
/// statistics of such a value are not part of the tile.
LogicalResult ChainLowering::checkKeptValues() {
  for (auto [index, op] : llvm::enumerate(axes.operators))
    for (Value operand : op.getDpsInputs()) {
      auto producer = operand.getDefiningOp<linalg::LinalgOp>();
      auto *known = llvm::find(axes.operators, producer);
      if (!producer || known == axes.operators.end())
        continue;
      std::optional<unsigned> number =
          axes.followsContraction[known - axes.operators.begin()];
      if (!number || (!axes.contractionOf[index] &&
                      axes.followsContraction[index] == number))
        continue;
      unsigned tensor = model.contractions[*number].result;
      auto rankOf = [](Value value) {
        return cast<RankedTensorType>(value.getType()).getRank();
      };
      if (rankOf(operand) < rankOf(axes.finalValues[tensor]))
        continue;
      if ((retained.values[tensor].isRetained() ||
           hasOwnBuffer(model, schedule, retained, tensor)) &&
          operand != axes.finalValues[tensor])
        return op.emitError("reads '")
               << model.tensors[tensor].name
               << "' before its last element-wise operator, but the schedule "
                  "keeps tiles of the last one's result";
    }
  return success();
}

LogicalResult ChainLowering::allocateBuffers() {
  // Other blocks write here while this block still computes, so it is never
  // freed.
  for (unsigned number : clusterReductions(model, schedule)) {
    unsigned op = axes.operatorOf(number);
    running[number].given = kernel.plainBuffer(
        loc, matchReduction(axes.operators[op])->combined.getType(),
        /*stages=*/1, schedule.clusterBlocks(),
        reductionRows(schedule, model.reductions[number]),
        tile::BufferSpace::Cluster);
  }
  return tiles.allocate();
}

/// Emits the program of a block: one tile or, in a persistent kernel, every
/// tile whose number is the block's modulo the number of blocks. Buffers live
/// throughout, so that the next tile's loads need not wait for the stores of
/// the current one. Both numbers are multiples of the cluster size, so that the
/// blocks of a cluster process neighbouring tiles, and equally many.
LogicalResult ChainLowering::emitProgram(int64_t blocks) {
  auto ownIndex = [&]() -> Value {
    return tile::ProgramIdOp::create(b, loc, b.getIndexType());
  };
  if (!schedule.persistent) {
    block.setBlock(ownIndex);
    if (failed(allocateBuffers()))
      return failure();
    emitItems(schedule.tree, /*isOutermost=*/true);
    tiles.awaitTMA();
    tiles.free();
    return success();
  }
  if (failed(allocateBuffers()))
    return failure();
  Value first = ownIndex();
  auto stride = tile::ProgramCountOp::create(b, loc, b.getIndexType());
  auto loop =
      scf::ForOp::create(b, loc, first, kernel.constant(blocks), stride);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    block.setBlock([&] { return loop.getInductionVar(); });
    emitItems(schedule.tree, /*isOutermost=*/false);
    tiles.awaitTMA();
  }
  tiles.free();
  return success();
}

LogicalResult ChainLowering::run(RewriterBase &rewriter) {
  if (unsigned stages = commonRegisterStages(model, schedule).value_or(1);
      stages > 1)
    kernel.kernel().setRegisterStages(stages);
  if (std::optional<std::string> reason =
          analyzeRetainedTiles(model, schedule, retained))
    return group.emitError("schedule cannot be lowered: ") << *reason;
  if (failed(checkKeptValues()))
    return failure();
  int64_t blocks = countBlocks(model, schedule);
  if (failed(emitProgram(blocks)))
    return failure();
  kernel.setCodegen(schedule.codegen);
  if (schedule.clusterBlocks() != 1)
    kernel.kernel().setCluster(schedule.clusterBlocks());
  if (schedule.producerWarps != 0)
    kernel.kernel().setProducers(schedule.producerWarps);
  kernel.kernel().setPingPong(schedule.isPingPong);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(group);
  Value grid = arith::ConstantIndexOp::create(rewriter, loc, blocks);
  kernel.finish(rewriter, grid, schedule.persistent);
  return success();
}

LogicalResult fusion::lowerChain(RewriterBase &rewriter,
                                 fuse::FusedGroupOpInterface group,
                                 StringRef name) {
  std::string reason;
  auto explain = [&](const Twine &why) { reason = why.str(); };
  FailureOr<GroupAxes> axes =
      readChain(group.getOperators(), group.getYieldedValues(), explain);
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
