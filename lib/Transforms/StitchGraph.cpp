//===- StitchGraph.cpp - The operators of a function as a graph -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StitchGraph.h"
#include "ChainRows.h"
#include "fusion/Analysis/CostModel.h"
#include "fusion/Analysis/StitchGroup.h"
#include "fusion/Search/StitchSearch.h"
#include "fusion/Transforms/GroupBuilder.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace fusion;

bool fusion::isAbsorbedFill(Operation *op) {
  if (!isa<linalg::FillOp>(op))
    return false;
  return llvm::all_of(op->getUses(), [](OpOperand &use) {
    auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
    return user && user.isDpsInit(&use);
  });
}

/// Bytes of a tensor; 0 of sizes that are not known.
static double bytesOf(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasStaticShape() ||
      !shaped.getElementType().isIntOrFloat())
    return 0;
  return double(shaped.getNumElements()) *
         llvm::divideCeil(shaped.getElementTypeBitWidth(), 8);
}

/// One operation that changes the type of one input.
static bool isConversion(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumReductionLoops() != 0)
    return false;
  Block *body = op.getBlock();
  return llvm::hasSingleElement(body->without_terminator()) &&
         isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp,
             arith::TruncIOp, arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp,
             arith::FPToUIOp>(body->front());
}

/// Whether loops come in another order than the dimensions that they walk.
static bool isTransposing(AffineMap map) {
  SmallVector<unsigned> loops;
  for (AffineExpr result : map.getResults())
    if (auto loop = dyn_cast<AffineDimExpr>(result))
      loops.push_back(loop.getPosition());
  return !llvm::is_sorted(loops);
}

static void describe(OperatorGraph::Vertex &vertex, linalg::LinalgOp op) {
  vertex.points = 1;
  for (int64_t extent : op.getStaticLoopRanges())
    vertex.points *= ShapedType::isDynamic(extent) ? 1 : extent;
  vertex.rows = 1;
  for (auto [extent, kind] :
       llvm::zip_equal(op.getStaticLoopRanges(), op.getIteratorTypesArray())) {
    int64_t known = ShapedType::isDynamic(extent) ? 1 : extent;
    bool isParallel = kind == utils::IteratorType::parallel;
    vertex.loops.push_back(isParallel ? known : -known);
    vertex.rows *= isParallel ? known : 1;
  }
  vertex.isTransposing =
      llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
        return isTransposing(op.getMatchingIndexingMap(operand));
      });
  ScalarWork work = countScalarWork(op);
  vertex.instructions =
      vertex.points * std::max<int64_t>(1, work.plain + work.special);
  vertex.isReduction = op.getNumReductionLoops() > 0;
  vertex.isExpensive = work.special > 0;
  vertex.isConversion = isConversion(op);
}

StitchGraph::StitchGraph(func::FuncOp function) {
  llvm::DenseMap<Operation *, unsigned> numberOf;
  llvm::DenseMap<Value, unsigned> tensorOf;
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (op.hasTrait<OpTrait::ConstantLike>() || isa<tensor::EmptyOp>(op) ||
        isAbsorbedFill(&op))
      continue;
    unsigned number = operations.size();
    operations.push_back(&op);
    numberOf[&op] = number;
    OperatorGraph::Vertex vertex;
    std::string &reason = whyAlone.emplace_back();
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    // Products and convolutions are chains' matter.
    vertex.isForeign = !linalgOp || isContraction(linalgOp) ||
                       linalg::isaConvolutionOpInterface(linalgOp);
    if (linalgOp) {
      describe(vertex, linalgOp);
      if (isa<linalg::FillOp>(op))
        reason = "it fills a tensor";
      else if (!vertex.isForeign)
        (void)StitchGroup::compute(
            linalgOp, op.getResults(),
            [&](const Twine &why) { reason = why.str(); });
      vertex.isAlone = !reason.empty();
    }
    // Views move nothing.
    auto bytes = [&](Value value) {
      return linalgOp || isa<fuse::FusedGroupOpInterface>(op)
                 ? bytesOf(value.getType())
                 : 0;
    };
    for (Value value : valuesReadBy(op)) {
      Operation *maker = value.getDefiningOp();
      auto it = maker ? numberOf.find(maker) : numberOf.end();
      if (it != numberOf.end()) {
        vertex.inputs.push_back({it->second, bytes(value)});
        continue;
      }
      if (!isa<ShapedType>(value.getType()) ||
          (maker && (isa<tensor::EmptyOp>(maker) || isAbsorbedFill(maker))))
        continue;
      unsigned tensor = tensorOf.insert({value, tensorOf.size()}).first->second;
      vertex.reads.push_back({tensor, bytes(value)});
    }
    for (Value result : op.getResults()) {
      vertex.resultBytes += bytes(result);
      vertex.escapes |= result.use_empty() ||
                        llvm::any_of(result.getUsers(), [](Operation *user) {
                          return user->hasTrait<OpTrait::IsTerminator>();
                        });
    }
    graph.vertices.push_back(std::move(vertex));
  }
}

SmallVector<linalg::LinalgOp>
StitchGraph::operators(ArrayRef<unsigned> pattern) const {
  SmallVector<linalg::LinalgOp> result;
  for (unsigned vertex : pattern)
    result.push_back(cast<linalg::LinalgOp>(operations[vertex]));
  return result;
}

static FailureOr<StitchGroup> analyse(const StitchGraph &graph,
                                      ArrayRef<unsigned> pattern,
                                      std::string &reason) {
  SmallVector<linalg::LinalgOp> operators = graph.operators(pattern);
  return StitchGroup::compute(operators, groupResults(operators),
                              [&](const Twine &why) { reason = why.str(); });
}

const StitchJudge::Verdict &StitchJudge::judge(ArrayRef<unsigned> pattern) {
  auto [it, isNew] = verdicts.try_emplace(StitchPattern(pattern));
  Verdict &verdict = it->second;
  if (!isNew)
    return verdict;
  for (unsigned vertex : pattern)
    if (!graph.graph.vertices[vertex].canJoin()) {
      verdict.reason = graph.whyAlone[vertex];
      return verdict;
    }
  verdict.isPossible = succeeded(analyse(graph, pattern, verdict.reason));
  return verdict;
}

const StitchJudge::Verdict &StitchJudge::price(ArrayRef<unsigned> pattern) {
  (void)judge(pattern);
  Verdict &verdict = verdicts.find(StitchPattern(pattern))->second;
  if (verdict.isSearched)
    return verdict;
  verdict.isSearched = true;
  if (verdict.isPossible) {
    FailureOr<StitchGroup> group = analyse(graph, pattern, verdict.reason);
    if (std::optional<StitchResult> found =
            searchStitching(*group, chip, verdict.reason, /*isCoarse=*/true))
      verdict.seconds = found->cost.total;
  }
  if (verdict.seconds || pattern.size() > 1)
    return verdict;
  // The generic form of one operator.
  const OperatorGraph::Vertex &only = graph.graph.vertices[pattern.front()];
  double bytes = only.resultBytes;
  for (const OperatorGraph::Input &input : only.inputs)
    bytes += input.bytes;
  for (auto [tensor, size] : only.reads)
    bytes += size;
  verdict.seconds = predictStreaming(bytes, chip);
  return verdict;
}
