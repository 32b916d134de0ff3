//===- StitchGraph.cpp - The operators of a function as a graph -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StitchGraph.h"
#include "CandidateSequences.h"
#include "fusion/Analysis/Cost/CostModel.h"
#include "fusion/Analysis/Cost/GenericCost.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "fusion/Analysis/Stitching/StitchGroup.h"
#include "fusion/Search/Stitching/StitchSearch.h"
#include "fusion/Support/ElementBytes.h"
#include "fusion/Support/StepAction.h"
#include "fusion/Transforms/Partition/GroupBuilder.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

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
  if (!shaped || !shaped.hasStaticShape())
    return 0;
  return double(shaped.getNumElements()) * elementBytes(shaped);
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

/// Whether an index depends on values, not on loops alone.
static bool isGathered(Value index) {
  Operation *op = index.getDefiningOp();
  if (!op || isa<tensor::ExtractOp>(op))
    return true;
  return llvm::any_of(op->getOperands(), isGathered);
}

/// What XLA's GPU backend takes for expensive (InstructionFusion::IsExpensive,
/// with GpuInstructionFusion's exceptions): of real numbers not the quotient,
/// the roots and the exponential in f32 and f16, nor sine, cosine and tangent;
/// of integers not a quotient by a constant.
static bool isExpensiveForXla(Operation &op) {
  auto isFast = [&] {
    Type type = op.getResult(0).getType();
    return type.isF32() || type.isF16();
  };
  return llvm::TypeSwitch<Operation *, bool>(&op)
      .Case<arith::DivFOp, math::SqrtOp, math::RsqrtOp, math::ExpOp,
            math::Exp2Op>([&](auto) { return !isFast(); })
      .Case<arith::RemFOp>([](auto) { return true; })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
            arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(
          [](auto quotient) {
            return !matchPattern(quotient->getOperand(1), m_Constant());
          })
      .Case<tensor::ExtractOp>([](tensor::ExtractOp extract) {
        return llvm::any_of(extract.getIndices(), isGathered);
      })
      .Case<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
            math::CosOp, math::CountLeadingZerosOp, math::CtPopOp,
            math::FloorOp, math::FmaOp, math::RoundEvenOp, math::RoundOp,
            math::SinhOp, math::SinOp, math::TanOp, math::TruncOp>(
          [](auto) { return false; })
      .Default([](Operation *other) {
        return isa<math::MathDialect>(other->getDialect());
      });
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
  vertex.special = vertex.points * work.special;
  vertex.isReduction = op.getNumReductionLoops() > 0;
  vertex.isExpensive =
      llvm::any_of(op.getBlock()->without_terminator(), isExpensiveForXla);
  vertex.isConversion = isConversion(op);
}

StitchGraph::StitchGraph(func::FuncOp function)
    : context(function.getContext()) {
  llvm::DenseMap<Operation *, unsigned> numberOf;
  llvm::DenseMap<Value, unsigned> tensorOf;
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (op.hasTrait<OpTrait::ConstantLike>() || isa<tensor::EmptyOp>(op) ||
        isAbsorbedFill(&op))
      continue;
    unsigned number = operations.size();
    operations.push_back(&op);
    kinds.push_back(kindOf(op));
    reads.emplace_back();
    numberOf[&op] = number;
    OperatorGraph::Vertex vertex;
    std::string &reason = whyAlone.emplace_back();
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    // Contractions and convolutions belong to chains.
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
        reads.back().push_back(it->second);
        continue;
      }
      if (!isa<ShapedType>(value.getType()) ||
          (maker && (isa<tensor::EmptyOp>(maker) || isAbsorbedFill(maker))))
        continue;
      unsigned tensor = tensorOf.insert({value, tensorOf.size()}).first->second;
      vertex.reads.push_back({tensor, bytes(value)});
      reads.back().push_back(~int64_t(tensor));
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
  consumers = graph.consumers();
}

/// What makes a value, as far as others depend on it: a number, a fill.
static const void *originOf(Value value) {
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return constant.getAsOpaquePointer();
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    return originOf(fill.getInputs()[0]);
  if (auto empty = value.getDefiningOp<tensor::EmptyOp>())
    return empty->getName().getAsOpaquePointer();
  return nullptr;
}

/// Whether two operations do the same with the values that they read.
static bool areAlike(Operation &a, Operation &b) {
  llvm::SetVector<Value> ofA = valuesReadBy(a), ofB = valuesReadBy(b);
  if (ofA.size() != ofB.size())
    return false;
  llvm::DenseMap<Value, Value> counterparts;
  for (auto [own, other] : llvm::zip_equal(ofA, ofB)) {
    if (own.getType() != other.getType() || originOf(own) != originOf(other))
      return false;
    counterparts[own] = other;
  }
  return OperationEquivalence::isEquivalentTo(
      &a, &b,
      [&](Value own, Value other) {
        return success(counterparts.lookup(own) == other);
      },
      [&](Value own, Value other) { counterparts[own] = other; },
      OperationEquivalence::IgnoreLocations);
}

unsigned StitchGraph::kindOf(Operation &op) {
  unsigned hash = OperationEquivalence::computeHash(
      &op, OperationEquivalence::ignoreHashValue,
      OperationEquivalence::ignoreHashValue,
      OperationEquivalence::IgnoreLocations);
  auto &list = known[hash];
  for (auto [other, kind] : list)
    if (areAlike(op, *other))
      return kind;
  list.push_back({&op, kindCount});
  return kindCount++;
}

std::vector<int64_t> StitchGraph::structure(ArrayRef<unsigned> pattern) const {
  std::vector<int64_t> result;
  llvm::SmallDenseMap<int64_t, int64_t, 8> outside;
  auto isInside = [&](unsigned vertex) {
    return std::binary_search(pattern.begin(), pattern.end(), vertex);
  };
  for (unsigned vertex : pattern) {
    result.push_back(kinds[vertex]);
    result.push_back(reads[vertex].size());
    for (int64_t read : reads[vertex])
      result.push_back(
          read >= 0 && isInside(read)
              ? llvm::lower_bound(pattern, unsigned(read)) - pattern.begin()
              : ~outside.insert({read, outside.size()}).first->second);
    result.push_back(graph.vertices[vertex].escapes ||
                     !llvm::all_of(consumers[vertex], isInside));
  }
  return result;
}

SmallVector<linalg::LinalgOp>
StitchGraph::operators(ArrayRef<unsigned> pattern) const {
  SmallVector<linalg::LinalgOp> result;
  for (unsigned vertex : pattern)
    result.push_back(cast<linalg::LinalgOp>(operations[vertex]));
  return result;
}

FailureOr<StitchGroup> StitchEvaluator::analyse(ArrayRef<unsigned> pattern,
                                                std::string &reason) const {
  SmallVector<linalg::LinalgOp> members = graph.operators(pattern);
  return StitchGroup::compute(
      members, groupResults(members),
      [&](const Twine &why) { reason = why.str(); }, &operators);
}

std::optional<double> StitchEvaluator::search(ArrayRef<unsigned> pattern,
                                              Verdict &verdict,
                                              StitchEffort effort) {
  if (!goesOn(graph.context))
    return std::nullopt;
  for (unsigned vertex : pattern)
    if (!graph.graph.vertices[vertex].canJoin()) {
      verdict.reason = graph.whyAlone[vertex];
      return std::nullopt;
    }
  FailureOr<StitchGroup> group = analyse(pattern, verdict.reason);
  verdict.isPossible = succeeded(group);
  if (failed(group))
    return std::nullopt;
  verdict.crossesBlocks = group->crossesBlocks();
  std::string unexplained;
  std::optional<StitchResult> found;
  if (effort == StitchEffort::First) {
    std::optional<StitchSchedule> &likely = likelyOf(*group);
    found =
        searchStitching(*group, chip, unexplained, effort,
                        likely ? &*likely : nullptr, /*ranking=*/nullptr, form);
    if (found)
      likely = found->schedule;
  } else {
    found = searchStitching(*group, chip, unexplained, effort,
                            /*likely=*/nullptr, /*ranking=*/nullptr, form);
  }
  return found ? std::optional(found->cost.total) : std::nullopt;
}

std::optional<StitchSchedule> &
StitchEvaluator::likelyOf(const StitchGroup &group) {
  std::vector<int64_t> axes = {llvm::Log2_64(group.operators().size())};
  for (const StitchAxis &axis : group.axes)
    axes.insert(axes.end(), {axis.extent, axis.isReduced, axis.align});
  return likely[std::move(axes)];
}

bool StitchEvaluator::canSchedule(ArrayRef<unsigned> pattern) {
  if (pattern.size() == 1)
    return predict(pattern).seconds.has_value();
  Verdict &verdict = verdictOf(pattern);
  if (!verdict.isSchedulable) {
    verdict.ofFirst = search(pattern, verdict, StitchEffort::First);
    verdict.isSchedulable = verdict.ofFirst.has_value();
  }
  return *verdict.isSchedulable;
}

std::optional<double> StitchEvaluator::maxSeconds(ArrayRef<unsigned> pattern) {
  if (!canSchedule(pattern))
    return std::nullopt;
  const Verdict &verdict = verdictOf(pattern);
  return verdict.isEvaluated ? verdict.seconds : verdict.ofFirst;
}

std::string StitchEvaluator::whyUnscheduled(ArrayRef<unsigned> pattern) const {
  std::string reason;
  FailureOr<StitchGroup> group = analyse(pattern, reason);
  if (succeeded(group))
    (void)searchStitching(*group, chip, reason, StitchEffort::Coarse,
                          /*likely=*/nullptr, /*ranking=*/nullptr, form);
  return reason;
}

const StitchEvaluator::Verdict &
StitchEvaluator::predict(ArrayRef<unsigned> pattern) {
  return costedVerdictOf(pattern);
}

std::optional<double>
StitchEvaluator::predictExactly(ArrayRef<unsigned> pattern) {
  Verdict &verdict = costedVerdictOf(pattern);
  if (verdict.isSearched || !verdict.isPossible || !goesOn(graph.context))
    return verdict.isSearched ? verdict.searched : verdict.seconds;
  verdict.isSearched = true;
  std::string reason;
  FailureOr<StitchGroup> group = analyse(pattern, reason);
  std::optional<StitchResult> found =
      searchStitching(*group, chip, reason, StitchEffort::Full,
                      /*likely=*/nullptr, /*ranking=*/nullptr, form);
  verdict.searched = found ? std::optional(found->cost.total) : verdict.seconds;
  return verdict.searched;
}

StitchEvaluator::Verdict &
StitchEvaluator::verdictOf(ArrayRef<unsigned> pattern) {
  Verdict *&known = asked[StitchPattern(pattern)];
  if (!known)
    known = &verdicts[graph.structure(pattern)];
  return *known;
}

StitchEvaluator::Verdict &
StitchEvaluator::costedVerdictOf(ArrayRef<unsigned> pattern) {
  Verdict &verdict = verdictOf(pattern);
  if (std::exchange(verdict.isEvaluated, true) ||
      (verdict.isSchedulable && !*verdict.isSchedulable))
    return verdict;
  verdict.seconds = search(pattern, verdict, StitchEffort::Bounded);
  verdict.isSchedulable = verdict.seconds.has_value();
  if (verdict.seconds || pattern.size() > 1)
    return verdict;
  // The generic form of one operator.
  auto op = dyn_cast<linalg::LinalgOp>(graph.operations[pattern.front()]);
  const OperatorGraph::Vertex &only = graph.graph.vertices[pattern.front()];
  double bytes = only.resultBytes;
  for (const OperatorGraph::Input &input : only.inputs)
    bytes += input.bytes;
  for (auto [tensor, size] : only.reads)
    bytes += size;
  verdict.seconds = op && !op.hasDynamicShape()
                        ? predictGeneric(op, bytes, chip)
                        : predictStreaming(bytes, chip);
  return verdict;
}
