//===- ChainEpilogue.cpp - Operators after a contraction ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The work on a contraction's tile between its completion and its next use, and
// the masks that keep padding out of sums.
//
//===----------------------------------------------------------------------===//

#include "ChainLowering.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fusion;

/// Finishes a contraction whose accumulator is complete. Its epilogue follows
/// at once, unless some of its operands are still to be loaded.
void ChainLowering::complete(unsigned number) {
  sums[number] = accumulators[number];
  accumulators[number] = Value();
  if (schedule.splitInCluster &&
      model.tensors[model.contractions[number].result].role ==
          TensorRole::Result) {
    // After the exchange the block has only few of the rows.
    const ContractionMapping &mapping = schedule.contractions[number];
    if (Value scales = std::exchange(rowScales[number], Value()))
      sums[number] = scaleRows(sums[number], scales, {mapping.i1, mapping.i2},
                               rowScaleAxes[number]);
    exchangeParts(number);
  }
  if (!retained.intermediateEpilogues[number].after)
    emitIntermediateEpilogue(number);
}

/// Combines the accumulators of a cluster's blocks in a reduce-scatter.
/// Afterwards this block has its share of the tile's rows, in the order of the
/// splits. The partial results are written where the operands were, which no
/// block reads after the barrier of the cluster.
void ChainLowering::exchangeParts(unsigned number) {
  const ContractionMapping &mapping = schedule.contractions[number];
  int64_t parts = schedule.clusterBlocks(),
          rows = schedule.tiles[mapping.i1] / parts,
          columns = schedule.tiles[mapping.i2];
  tiles.free();
  Type element = getElementTypeOrSelf(sums[number].getType());
  // Elements of this size have a layout for every shape. Four lanes of an MMA's
  // accumulator have eight neighbouring elements of a row.
  LinearLayout layout = *sharedPanels(
      rows, columns, kPartialBytes,
      mapping.intrinsic->isScalar() ? PanelOrder::Plain : PanelOrder::Pairs);
  auto type =
      tile::BufferType::get(b.getContext(), parts, rows, columns, element,
                            tile::LayoutAttr::get(b.getContext(), layout),
                            tile::BufferSpace::Cluster);
  Value given =
      tile::AllocOp::create(b, loc, type, /*offset=*/IntegerAttr(),
                            /*stages=*/IntegerAttr(), /*pipelined=*/false,
                            /*registerStages=*/IntegerAttr());
  // Where running values were exchanged, all blocks have met after the loop.
  // Since then they have used no shared memory but that of the exchange.
  if (clusterReductions(model, schedule).empty())
    tile::BarrierOp::create(b, loc, /*warp=*/false, /*withProducers=*/false,
                            /*cluster=*/true);
  tile::ClusterScatterOp::create(b, loc, sums[number], given);
  tile::BarrierOp::create(b, loc, /*warp=*/false, /*withProducers=*/false,
                          /*cluster=*/true);
  Value sum;
  for (int64_t from = 0; from < parts; ++from) {
    Value own = tile::LocalLoadOp::create(
        b, loc, RankedTensorType::get({rows, columns}, element), given,
        kernel.constant(from), ArrayRef<int64_t>{0, 0}, /*transposed=*/false,
        /*slot=*/IntegerAttr());
    if (!sum)
      sum = own;
    else if (isa<FloatType>(element))
      sum = arith::AddFOp::create(b, loc, sum, own);
    else
      sum = arith::AddIOp::create(b, loc, sum, own);
  }
  tile::FreeOp::create(b, loc, given);
  sums[number] = sum;
  block.shareTile(mapping.i1, rows);
}

/// Whether an element-wise operator may turn the zeros of the padding into
/// other values: it computes, or broadcasts along an axis beyond its extent.
static bool changesZero(linalg::LinalgOp op) {
  return llvm::any_of(op.getBlock()->without_terminator(),
                      [](Operation &inner) {
                        return !isa<arith::TruncFOp, arith::ExtFOp>(inner);
                      }) ||
         llvm::any_of(
             op.getDpsInputOperands(),
             [&](OpOperand *operand) {
               return !op.getMatchingIndexingMap(operand).isPermutation();
             }) ||
         matchPattern(op.getBlock()->getTerminator()->getOperand(0),
                      m_Constant());
}

/// Emits the intermediate epilogue of a contraction, in loops of its own if
/// several tiles are complete at once.
void ChainLowering::emitIntermediateEpilogue(unsigned number) {
  const IntermediateEpilogue &epilogue = retained.intermediateEpilogues[number];
  unsigned tensor = model.contractions[number].result;
  bool isArray =
      retained.values[tensor].isRetained() && tiles.isInRegisters(tensor);
  if (isArray && !retained.makers[tensor])
    tiles.startArray(tensor);
  SmallVector<Value *> carried;
  if (isArray)
    carried.push_back(&tiles.array(tensor));
  auto open = [&](auto &&self, ArrayRef<unsigned> axes) -> void {
    if (axes.empty())
      return emitEpilogue(number);
    block.emitLoop(axes.front(), carried,
                   [&] { self(self, axes.drop_front()); });
  };
  open(open, epilogue.opened);
}

/// Emits the element-wise operators on one tile of a completed contraction.
void ChainLowering::emitEpilogue(unsigned number) {
  const Contraction &contraction = model.contractions[number];
  const ContractionMapping &mapping = schedule.contractions[number];
  unsigned tileAxes[] = {mapping.i1, mapping.i2};
  Value sum = sums[number];
  if (retained.accumulators[number].isRetained())
    sum = tiles.getFromArray(sum,
                             block.slotNumber(retained.accumulators[number]));
  if (rowScales[number])
    sum = scaleRows(sum, rowScales[number], tileAxes, rowScaleAxes[number]);
  Value value = productOperator(number)->getResult(0);
  tiles[value] = sum;
  productOfValue[value] = number;
  tiles.clearFetched();
  bool changes = false;
  for (auto [index, op] : llvm::enumerate(axes.operators)) {
    if (axes.contractionOf[index] || axes.followsContraction[index] != number)
      continue;
    emitFollower(index, number);
    productOfValue[op->getResult(0)] = number;
    changes |= changesZero(op);
  }
  correctSums(number);
  const GroupTensor &info = model.tensors[contraction.result];
  Value last = axes.finalValues[contraction.result];
  if (info.role == TensorRole::Intermediate && changes)
    tiles[last] = maskPadding(tiles[last], tileAxes);
  const TileSlots &slots = retained.values[contraction.result];
  bool isBuffered = hasOwnBuffer(model, schedule, retained, contraction.result);
  if (!slots.isRetained() && !isBuffered)
    return;
  if (!isBuffered)
    tiles.setInArray(tiles.array(contraction.result), block.slotNumber(slots),
                     tile::OptimizationBarrierOp::create(
                         b, loc, tiles[last].getType(), tiles[last]));
  else
    tile::LocalStoreOp::create(
        b, loc, tiles[last], tiles.buffer(contraction.result),
        block.slotNumber(slots),
        /*transposed=*/false, /*stages=*/IntegerAttr(), /*slot=*/IntegerAttr());
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

bool ChainLowering::changesPadding(Value operand) const {
  // For completed values, the padding is masked already (emitFollowers).
  auto op = operand.getDefiningOp<linalg::LinalgOp>();
  if (!op || productOfValue.contains(operand) || isInput(operand))
    return false;
  return changesZero(op) || llvm::any_of(op.getDpsInputs(), [&](Value input) {
           return changesPadding(input);
         });
}

/// Masks padding to zero along axes that contractions reduce, after
/// element-wise operators have changed it. The mask comes before a rounding to
/// 16 bits, where it need not unpack two elements of a register.
Value ChainLowering::maskPadding(Value value, ArrayRef<unsigned> tileAxes,
                                 std::optional<unsigned> sliceAxis,
                                 int64_t start) {
  if (auto rounding = value.getDefiningOp<arith::TruncFOp>()) {
    Value masked = maskPadding(rounding.getIn(), tileAxes, sliceAxis, start);
    if (masked == rounding.getIn())
      return value;
    IRMapping mapping;
    mapping.map(rounding.getIn(), masked);
    return b.clone(*rounding, mapping)->getResult(0);
  }
  Type elementType = cast<RankedTensorType>(value.getType()).getElementType();
  for (unsigned d = 0; d < tileAxes.size(); ++d) {
    unsigned axis = tileAxes[d];
    // Padding along other axes never reaches an element of the result.
    bool isReduced =
        llvm::any_of(model.contractions, [&](const Contraction &contraction) {
          return llvm::is_contained(contraction.reduction, axis);
        });
    if (!isReduced || block.tilesLieInside(axis))
      continue;
    int64_t size = cast<RankedTensorType>(value.getType()).getDimSize(d);
    if (block.trips(axis) == 1 && schedule.splitOf(axis) == 1 &&
        axis == sliceAxis && start + size <= model.axes[axis].extent)
      continue;
    int64_t extent = model.axes[axis].extent - (axis == sliceAxis ? start : 0);
    Value bound = arith::SubIOp::create(b, loc, kernel.constant(extent),
                                        block.origin(axis));
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(elementType));
    value = tile::MaskOp::create(b, loc, value.getType(), value, bound,
                                 static_cast<int64_t>(d), zero);
  }
  return value;
}
