//===- TileLimits.cpp - The elements of a tile that exist -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLimits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fusion;

static int64_t rankOf(Value tile) {
  return cast<RankedTensorType>(tile.getType()).getRank();
}

void LimitAnalysis::merge(TileLimits &to, const TileLimits &from) {
  for (auto [mine, others] : llvm::zip_equal(to, from))
    for (const TileLimit &limit : others)
      if (!llvm::is_contained(mine, limit))
        mine.push_back(limit);
}

TileLimits LimitAnalysis::limitsOfView(Value view, ValueRange coordinates,
                                       std::optional<ArrayRef<bool>> inside) {
  ValueRange sizes;
  if (auto op = view.getDefiningOp<tile::ViewOp>())
    sizes = op.getSizes();
  else
    sizes = view.getDefiningOp<tile::WindowOp>().getSizes();
  TileLimits limits(coordinates.size());
  for (unsigned d = 0; d < limits.size(); ++d)
    if (!inside || !(*inside)[d])
      limits[d].push_back({Value(), coordinates[d], sizes[d]});
  return limits;
}

/// Returns the limits that mean the same outside of a loop.
static TileLimits outsideOf(const TileLimits &limits, Region &loop) {
  auto isOutside = [&](Value value) {
    return !value || !loop.isAncestor(value.getParentRegion());
  };
  TileLimits result(limits.size());
  for (auto [to, from] : llvm::zip_equal(result, limits))
    for (const TileLimit &limit : from)
      if (isOutside(limit.bound) && isOutside(limit.coordinate) &&
          isOutside(limit.size))
        to.push_back(limit);
  return result;
}

TileLimits LimitAnalysis::limitsOf(Value tile) {
  auto it = known.find(tile);
  if (it != known.end())
    return it->second;
  TileLimits limits = compute(tile);
  // Inside of a cycle the limits may lack those of the value around it.
  if (visiting.empty())
    known[tile] = limits;
  return limits;
}

TileLimits LimitAnalysis::compute(Value tile) {
  TileLimits none(rankOf(tile));
  auto ofCarried = [&](scf::ForOp loop, unsigned number) {
    Value argument = loop.getRegionIterArg(number);
    if (!visiting.insert(argument).second)
      return none;
    TileLimits limits = limitsOf(loop.getInitArgs()[number]);
    merge(limits, outsideOf(limitsOf(loop.getYieldedValues()[number]),
                            loop.getRegion()));
    visiting.erase(argument);
    return limits;
  };
  if (auto argument = dyn_cast<BlockArgument>(tile)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop ? ofCarried(loop, argument.getArgNumber() - 1) : none;
  }
  Operation *op = tile.getDefiningOp();
  return llvm::TypeSwitch<Operation *, TileLimits>(op)
      .Case([&](scf::ForOp loop) {
        return ofCarried(loop, cast<OpResult>(tile).getResultNumber());
      })
      .Case([&](tile::LoadOp load) {
        return limitsOfView(load.getView(), load.getCoordinates(),
                            load.getInBounds());
      })
      .Case([&](tile::BroadcastOp repeat) {
        TileLimits from = limitsOf(repeat.getValue());
        unsigned next = 0;
        for (unsigned d = 0; d < none.size(); ++d)
          if (!llvm::is_contained(repeat.getDimensions(), d))
            none[d] = from[next++];
        return none;
      })
      .Case([&](tile::MaskOp mask) {
        TileLimits limits = limitsOf(mask.getValue());
        TileLimit limit;
        limit.bound = mask.getBound();
        limits[mask.getDimension()].push_back(limit);
        return limits;
      })
      .Case([&](tile::ReduceOp reduce) {
        TileLimits limits = limitsOf(reduce.getValue());
        limits.erase(limits.begin() + reduce.getDimension());
        return limits;
      })
      .Case([&](tile::DotOp dot) {
        TileLimits limits = limitsOf(dot.getAccumulator());
        TileLimits own(2);
        own[0] = limitsOf(dot.getLhs())[0];
        own[1] = limitsOf(dot.getRhs())[1];
        merge(limits, own);
        return limits;
      })
      .Case([&](tile::SliceOp slice) {
        TileLimits limits = limitsOf(slice.getValue());
        for (auto [d, origin] : llvm::enumerate(slice.getOrigin()))
          for (TileLimit &limit : limits[d])
            limit.origin += origin;
        return limits;
      })
      .Case([&](tile::TransposeOp transpose) {
        TileLimits limits = limitsOf(transpose.getValue());
        std::swap(limits[0], limits[1]);
        return limits;
      })
      .Case<tile::OptimizationBarrierOp, tile::ConvertLayoutOp>(
          [&](auto same) { return limitsOf(same.getValue()); })
      .Default([&](Operation *) {
        if (!OpTrait::hasElementwiseMappableTraits(op) &&
            !isa<tile::ScaleOp>(op))
          return none;
        for (Value operand : op->getOperands())
          if (isa<RankedTensorType>(operand.getType()))
            merge(none, limitsOf(operand));
        return none;
      });
}

bool fusion::isMultipleOf(Value coordinate, int64_t extent) {
  if (std::optional<int64_t> constant = getConstantIntValue(coordinate))
    return *constant % extent == 0;
  if (auto argument = dyn_cast<BlockArgument>(coordinate)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || loop.getInductionVar() != argument)
      return false;
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    return step && *step % extent == 0 &&
           isMultipleOf(loop.getLowerBound(), extent);
  }
  if (auto product = coordinate.getDefiningOp<arith::MulIOp>())
    return isMultipleOf(product.getRhs(), extent) ||
           isMultipleOf(product.getLhs(), extent);
  if (auto sum = coordinate.getDefiningOp<arith::AddIOp>())
    return isMultipleOf(sum.getLhs(), extent) &&
           isMultipleOf(sum.getRhs(), extent);
  return false;
}

std::optional<llvm::SmallVector<int64_t, 2>>
fusion::possibleValues(const TileLimit &limit, int64_t extent) {
  if (limit.bound || limit.origin != 0)
    return std::nullopt;
  std::optional<int64_t> size = getConstantIntValue(limit.size);
  if (!size || !isMultipleOf(limit.coordinate, extent))
    return std::nullopt;
  llvm::SmallVector<int64_t, 2> values;
  if (*size >= extent)
    values.push_back(extent);
  if (*size % extent != 0)
    values.push_back(*size % extent);
  return values;
}
