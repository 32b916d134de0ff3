//===- GenericTraffic.cpp - Bytes of the generic form ---------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Resources/GenericTraffic.h"
#include "fusion/Support/ElementBytes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace fusion;

SmallVector<unsigned> fusion::resultLoops(linalg::LinalgOp op) {
  SmallVector<unsigned> loops;
  for (OpOperand &init : op.getDpsInitsMutable())
    for (AffineExpr expr : op.getMatchingIndexingMap(&init).getResults()) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      if (!llvm::is_contained(loops, loop))
        loops.push_back(loop);
    }
  return loops;
}

namespace {

/// Follows the evaluation of one point, as the lowering does.
class LoadCounter {
public:
  /// Bytes that one thread loads to evaluate a point of `op`.
  std::optional<int64_t> count(linalg::LinalgOp op) {
    evaluate(op, Indices(op.getNumLoops()));
    return bytes;
  }

private:
  /// A number for each index that is a value of its own; equal numbers are
  /// equal indices. 0: not set.
  using Index = unsigned;
  using Indices = SmallVector<Index>;
  using Place = std::pair<Value, Indices>;

  void evaluate(linalg::LinalgOp op, Indices index);
  void evaluateBody(linalg::LinalgOp op, const Indices &index);
  void load(linalg::LinalgOp op, OpOperand &operand, const Indices &index);
  void countLoad(Value tensor, const Indices &coordinates);

  std::optional<int64_t> bytes = 0;
  Index last = 0;
  SmallVector<std::pair<Index, int64_t>> loopsAround; ///< indices and extents
  SmallVector<Place> loaded;
  SmallVector<std::pair<Operation *, Indices>> evaluated; ///< in these loops
};

} // namespace

/// A load counts for every iteration of the loops around it.
void LoadCounter::countLoad(Value tensor, const Indices &coordinates) {
  Place place(tensor, coordinates);
  if (llvm::is_contained(loaded, place))
    bytes.reset(); // The second one is taken from the first.
  loaded.push_back(std::move(place));
  int64_t count = 1;
  for (auto [index, extent] : loopsAround) {
    // A load that is the same in every iteration may leave the loop.
    if (ShapedType::isDynamic(extent) ||
        !llvm::is_contained(coordinates, index))
      bytes.reset();
    count *= extent;
  }
  if (bytes)
    *bytes += count * elementBytes(tensor.getType());
}

void LoadCounter::load(linalg::LinalgOp op, OpOperand &operand,
                       const Indices &index) {
  Value value = operand.get();
  if (!bytes || !isa<RankedTensorType>(value.getType()) ||
      value.getDefiningOp<linalg::FillOp>() ||
      value.getDefiningOp<tensor::EmptyOp>())
    return;
  Indices coordinates;
  for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    coordinates.push_back(loop ? index[loop.getPosition()] : ++last);
  }
  auto producer = value.getDefiningOp<linalg::LinalgOp>();
  if (!producer)
    return countLoad(value, coordinates);
  std::pair<Operation *, Indices> point(producer, coordinates);
  if (llvm::is_contained(evaluated, point))
    return;
  Indices inside(producer.getNumLoops());
  for (auto [expr, coordinate] : llvm::zip_equal(
           producer.getMatchingIndexingMap(producer.getDpsInitOperand(0))
               .getResults(),
           coordinates))
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      inside[loop.getPosition()] = coordinate;
  evaluate(producer, std::move(inside));
  evaluated.push_back(std::move(point));
}

void LoadCounter::evaluateBody(linalg::LinalgOp op, const Indices &index) {
  for (OpOperand *operand : op.getDpsInputOperands())
    if (!op.getMatchingBlockArgument(operand).use_empty())
      load(op, *operand, index);
  if (op->walk([](tensor::ExtractOp) {
          return WalkResult::interrupt();
        }).wasInterrupted())
    bytes.reset();
}

/// `index`: of loops that are known; the others that index results get indices
/// of their own, and all others are loops of the thread.
void LoadCounter::evaluate(linalg::LinalgOp op, Indices index) {
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!op.getMatchingIndexingMap(&init).isProjectedPermutation())
      bytes.reset();
  if (!bytes)
    return;
  SmallVector<unsigned> parallel = resultLoops(op);
  for (unsigned loop : parallel)
    if (index[loop] == 0)
      index[loop] = ++last;
  bool hasLoops = parallel.size() < op.getNumLoops();
  for (OpOperand &init : op.getDpsInitsMutable())
    if (hasLoops || op.payloadUsesValueFromOperand(&init))
      load(op, init, index);
  size_t loops = loopsAround.size(), known = evaluated.size();
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (!llvm::is_contained(parallel, loop)) {
      index[loop] = ++last;
      loopsAround.push_back({index[loop], extents[loop]});
    }
  evaluateBody(op, index);
  loopsAround.truncate(loops);
  if (hasLoops)
    evaluated.truncate(known);
}

std::optional<GenericTraffic>
fusion::countGenericTraffic(fuse::FusedGroupOpInterface group) {
  SmallVector<linalg::LinalgOp> operators = group.getOperators();
  if (operators.empty())
    return std::nullopt;
  linalg::LinalgOp op = operators.back();
  std::optional<int64_t> loaded = LoadCounter().count(op);
  if (!loaded)
    return std::nullopt;
  int64_t points = 1, stored = 0;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  for (unsigned loop : resultLoops(op)) {
    if (ShapedType::isDynamic(extents[loop]))
      return std::nullopt;
    points *= extents[loop];
  }
  for (Type type : op->getResultTypes())
    stored += elementBytes(type);
  return GenericTraffic{points * *loaded, points * stored};
}
