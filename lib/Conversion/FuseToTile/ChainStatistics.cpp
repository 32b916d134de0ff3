//===- ChainStatistics.cpp - Reductions before a contraction --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Row statistics of a contraction's operand are evaluated slice by slice, from
// the fragments that the contraction multiplies. The rows are then in the
// layout that its operand and its accumulator need. Slices are combined element
// by element before lanes combine theirs.
//
//===----------------------------------------------------------------------===//

#include "ChainLowering.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace fusion;

bool ChainLowering::isInput(Value value) const {
  auto tensor = axes.tensorOf.find(value);
  return tensor != axes.tensorOf.end() && model.tensors[tensor->second].window;
}

unsigned ChainLowering::operandTensor(Value value) const {
  unsigned tensor = axes.tensorOf.lookup(value);
  if (!presentPass)
    return tensor;
  const RowStatistics &pass = model.rowStatistics[*presentPass];
  auto *read = llvm::find(pass.reads, tensor);
  if (read == pass.reads.end())
    return tensor;
  unsigned own = pass.prepassReads[read - pass.reads.begin()];
  return retained.loads[own] ? own : tensor;
}

Value ChainLowering::rowsOf(Value value) const {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  auto *known = llvm::find(axes.operators, op);
  if (!op || known == axes.operators.end() ||
      !axes.statisticsOf[known - axes.operators.begin()])
    return {};
  return tiles.lookup(value);
}

unsigned ChainLowering::rowAxisOf(const RowStatistics &pass) const {
  return schedule.contractions[pass.contraction].parallelAxis(
      pass.operandNumber);
}

/// Returns the current tile's contribution to a reduction.
Value ChainLowering::emitPart(unsigned op, const RowStatistics &pass) {
  linalg::LinalgOp linalgOp = axes.operators[op];
  ReductionBody body = *matchReduction(linalgOp);
  const ContractionMapping &mapping = schedule.contractions[pass.contraction];
  bool isOperandA = mapping.isOperandA(pass.operandNumber);
  unsigned rowAxis = rowAxisOf(pass);
  unsigned tileAxes[2] = {rowAxis, pass.axis};
  if (!isOperandA)
    std::swap(tileAxes[0], tileAxes[1]);
  int64_t d = isOperandA ? 1 : 0;
  int64_t step = mapping.intrinsic->isMicroKernel()
                     ? schedule.tiles[pass.axis]
                     : mapping.intrinsic->r1;
  int64_t shape[2];
  shape[d] = step;
  shape[1 - d] = schedule.tiles[rowAxis];
  Type elementType = body.combined.getType();
  Value all;
  for (int64_t start = 0; start < schedule.tiles[pass.axis]; start += step) {
    auto slice = elementwise.beginSlice(pass.axis, start);
    Value combined = elementwise.emitScalar(
        linalgOp, body.combined, tileAxes, shape, [&](Value value) {
          return emitOperandSlice(value, pass.contraction, tileAxes, pass.axis,
                                  start, step);
        });
    if (!block.tilesLieInside(pass.axis)) {
      Value bound = arith::SubIOp::create(
          b, loc, kernel.constant(model.axes[pass.axis].extent - start),
          block.origin(pass.axis));
      combined = tile::MaskOp::create(
          b, loc, combined.getType(), combined, bound, d,
          arith::ConstantOp::create(b, loc, reductionIdentity(b, loc, body)));
    }
    all = all ? arith::getReductionOp(body.kind, b, loc, all, combined)
              : combined;
  }
  int64_t warps[] = {mapping.warps[0], mapping.warps[1]};
  return tile::ReduceOp::create(
      b, loc, RankedTensorType::get({shape[1 - d]}, elementType), body.kind,
      all, d, /*offset=*/IntegerAttr(),
      b.getStringAttr(mapping.intrinsic->name), b.getDenseI64ArrayAttr(warps));
}

void ChainLowering::emitPass(unsigned rows) {
  tiles.waitForCopies();
  unsigned number = llvm::find_if(model.rowStatistics,
                                  [&](const RowStatistics &pass) {
                                    return pass.rows == rows;
                                  }) -
                    model.rowStatistics.begin();
  const RowStatistics &pass = model.rowStatistics[number];
  bool runs = retained.runsWithContraction[number];
  llvm::SaveAndRestore<std::optional<unsigned>> present(presentPass, number);
  llvm::SaveAndRestore<std::optional<unsigned>> ofSplitLoop(presentRowAxis,
                                                            rowAxisOf(pass));
  tiles.clearFetched();
  transposed.clear();
  for (unsigned op = 0; op < axes.operators.size(); ++op) {
    if (axes.statisticsOf[op] != number || !axes.reductionOf[op])
      continue;
    Value part = emitPart(op, pass);
    Running &state = running[*axes.reductionOf[op]];
    if (retained.statisticsLoops[number] && !runs)
      state.carried =
          arith::getReductionOp(matchReduction(axes.operators[op])->kind, b,
                                loc, state.carried, part);
    else
      combineRunning(op, pass.contraction, pass.axis, part);
  }
  if (!retained.statisticsLoops[number])
    return emitStatistics(number);
  // After the last statistics along the axis all factors are known.
  bool isLast = llvm::none_of(
      llvm::ArrayRef(model.rowStatistics).drop_front(number + 1),
      [&](const RowStatistics &later) { return later.axis == pass.axis; });
  if (runs && isLast)
    correctSums(*onlineForm(pass.axis), pass.contraction, rowAxisOf(pass));
}

/// Emits the operators on the final rows of row statistics.
void ChainLowering::emitStatistics(unsigned number) {
  for (unsigned op = 0; op < axes.operators.size(); ++op)
    if (axes.statisticsOf[op] == number && !axes.reductionOf[op])
      emitFollower(op, model.rowStatistics[number].contraction);
}

/// Finishes the row statistics of a loop: their rows are final.
void ChainLowering::finishPasses(const TilingNode &loop) {
  SmallVector<unsigned, 2> here;
  for (unsigned number = 0; number < model.rowStatistics.size(); ++number)
    if (retained.statisticsLoops[number] == &loop)
      here.push_back(number);
  if (here.empty())
    return;
  const RowStatistics &pass = model.rowStatistics[here.front()];
  llvm::SaveAndRestore<std::optional<unsigned>> ofSplitLoop(presentRowAxis,
                                                            rowAxisOf(pass));
  auto emitOperators = [&] {
    for (unsigned number : here) {
      llvm::SaveAndRestore<std::optional<unsigned>> present(presentPass,
                                                            number);
      emitStatistics(number);
    }
  };
  if (retained.runsWithContraction[here.front()])
    return finishOnline(*onlineForm(pass.axis), pass.contraction,
                        rowAxisOf(pass), emitOperators);
  for (auto [op, number] : llvm::enumerate(axes.statisticsOf))
    if (number && llvm::is_contained(here, *number) && axes.reductionOf[op])
      tiles[axes.operators[op]->getResult(0)] =
          running[*axes.reductionOf[op]].carried;
  emitOperators();
}
