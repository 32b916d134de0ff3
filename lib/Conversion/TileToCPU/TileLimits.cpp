//===- TileLimits.cpp - The elements of a tile that exist -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLimits.h"
#include "fusion/Dialect/Tile/IR/NativeKernels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fusion;

static int64_t rankOf(Value tile) {
  return cast<RankedTensorType>(tile.getType()).getRank();
}

TileLimit fusion::limitBelow(Value bound) {
  TileLimit limit;
  if (auto rest = bound.getDefiningOp<arith::SubIOp>()) {
    limit.size = rest.getLhs();
    limit.coordinate = rest.getRhs();
  } else {
    limit.bound = bound;
  }
  return limit;
}

void fusion::narrow(TileLimits &to, const TileLimits &from) {
  for (auto [mine, others] : llvm::zip_equal(to, from))
    for (const TileLimit &limit : others)
      if (!llvm::is_contained(mine, limit))
        mine.push_back(limit);
}

/// Leaves the limits of `to` that `from` has, too.
void LimitAnalysis::join(Known &to, const Known &from) {
  if (!from)
    return;
  if (!to) {
    to = from;
    return;
  }
  for (auto [mine, others] : llvm::zip_equal(*to, *from))
    llvm::erase_if(mine, [&, &others = others](const TileLimit &limit) {
      return !llvm::is_contained(others, limit);
    });
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
  Known limits = find(tile);
  return limits ? *limits : TileLimits(rankOf(tile));
}

LimitAnalysis::Known LimitAnalysis::find(Value tile) {
  auto it = known.find(tile);
  if (it != known.end())
    return it->second;
  Known limits = compute(tile);
  // Inside of a cycle the limits may lack those of the value around it.
  if (visiting.empty())
    known[tile] = limits;
  return limits;
}

LimitAnalysis::Known LimitAnalysis::compute(Value tile) {
  const Known all = TileLimits(rankOf(tile)), nothing;
  auto ofCarried = [&](scf::ForOp loop, unsigned number) -> Known {
    Value argument = loop.getRegionIterArg(number);
    if (!visiting.insert(argument).second)
      return nothing;
    Known limits = find(loop.getInitArgs()[number]);
    if (Known next = find(loop.getYieldedValues()[number]))
      join(limits, outsideOf(*next, loop.getRegion()));
    visiting.erase(argument);
    return limits;
  };
  if (auto argument = dyn_cast<BlockArgument>(tile)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop ? ofCarried(loop, argument.getArgNumber() - 1) : all;
  }
  Operation *op = tile.getDefiningOp();
  return llvm::TypeSwitch<Operation *, Known>(op)
      .Case<arith::ConstantOp, tile::SplatOp, tile::IotaOp>(
          [&](auto) { return nothing; })
      .Case([&](scf::ForOp loop) {
        return ofCarried(loop, cast<OpResult>(tile).getResultNumber());
      })
      .Case([&](tile::LoadOp load) -> Known {
        if (load->hasAttr(tile::kPartialAttrName))
          return all;
        return limitsOfView(load.getView(), load.getCoordinates(),
                            load.getInBounds());
      })
      .Case([&](tile::BroadcastOp repeat) -> Known {
        Known from = find(repeat.getValue());
        if (!from)
          return nothing;
        TileLimits limits(rankOf(tile));
        unsigned next = 0;
        for (unsigned d = 0; d < limits.size(); ++d)
          if (!llvm::is_contained(repeat.getDimensions(), d))
            limits[d] = (*from)[next++];
        return limits;
      })
      .Case([&](tile::MaskOp mask) -> Known {
        TileLimits limits = limitsOf(mask.getValue());
        TileLimit limit = limitBelow(mask.getBound());
        auto &own = limits[mask.getDimension()];
        if (!llvm::is_contained(own, limit))
          own.push_back(limit);
        return limits;
      })
      .Case([&](tile::ReduceOp reduce) -> Known {
        TileLimits limits = limitsOf(reduce.getValue());
        limits.erase(limits.begin() + reduce.getDimension());
        return limits;
      })
      .Case([&](tile::DotOp dot) -> Known {
        TileLimits own(2);
        own[0] = limitsOf(dot.getLhs())[0];
        own[1] = limitsOf(dot.getRhs())[1];
        Known limits = own;
        join(limits, find(dot.getAccumulator()));
        return limits;
      })
      .Case([&](tile::SliceOp slice) -> Known {
        Known limits = find(slice.getValue());
        if (limits)
          for (auto [d, origin] : llvm::enumerate(slice.getOrigin()))
            for (TileLimit &limit : (*limits)[d])
              limit.origin += origin;
        return limits;
      })
      .Case([&](tile::TransposeOp transpose) -> Known {
        Known limits = find(transpose.getValue());
        if (limits)
          std::swap((*limits)[0], (*limits)[1]);
        return limits;
      })
      .Case<tile::OptimizationBarrierOp, tile::ConvertLayoutOp>(
          [&](auto same) { return find(same.getValue()); })
      .Default([&](Operation *) -> Known {
        if (!OpTrait::hasElementwiseMappableTraits(op) &&
            !isa<tile::ScaleOp>(op))
          return all;
        Known limits;
        for (Value operand : op->getOperands())
          if (isa<RankedTensorType>(operand.getType()))
            join(limits, find(operand));
        return limits;
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
