//===- AxisRegrouping.cpp - Operators over other loops --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AxisRegrouping.h"
#include "fusion/Analysis/Groups/GroupAxes.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "fusion/Analysis/Groups/Windows.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace fusion;

//===----------------------------------------------------------------------===//
// Division into atoms
//===----------------------------------------------------------------------===//

namespace {

/// A dimension of an operand: a loop, or its quotient by a constant.
struct IndexedBy {
  unsigned loop;
  int64_t divisor = 1;
};

} // namespace

static std::optional<IndexedBy> indexOf(AffineExpr expr) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return IndexedBy{dim.getPosition()};
  auto quotient = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!quotient || quotient.getKind() != AffineExprKind::FloorDiv)
    return std::nullopt;
  auto dim = dyn_cast<AffineDimExpr>(quotient.getLHS());
  auto divisor = dyn_cast<AffineConstantExpr>(quotient.getRHS());
  if (!dim || !divisor || divisor.getValue() < 2)
    return std::nullopt;
  return IndexedBy{dim.getPosition(), divisor.getValue()};
}

bool AxisRegrouping::indexesByQuotients(AffineMap map) {
  return llvm::all_of(map.getResults(), [](AffineExpr expr) {
    return indexOf(expr).has_value();
  });
}

bool AxisRegrouping::hasQuotient(AffineMap map) {
  return indexesByQuotients(map) && !map.isProjectedPermutation();
}

bool AxisRegrouping::isWindow(linalg::LinalgOp op, OpOperand &operand) {
  return op.isDpsInput(&operand) &&
         isa<RankedTensorType>(operand.get().getType()) && isContraction(op) &&
         readsThroughWindow(operand) &&
         !hasQuotient(op.getMatchingIndexingMap(&operand));
}

bool AxisRegrouping::canRegroup(linalg::LinalgOp op) {
  if (op->getNumResults() != 1 || op.hasDynamicShape() ||
      isa<linalg::FillOp>(op) ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0))
           .isProjectedPermutation())
    return false;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    if (isWindow(op, *operand))
      continue;
    llvm::SmallDenseSet<unsigned> seen;
    for (AffineExpr expr : op.getMatchingIndexingMap(operand).getResults()) {
      std::optional<IndexedBy> index = indexOf(expr);
      if (!index || !seen.insert(index->loop).second ||
          op.getStaticLoopRanges()[index->loop] % index->divisor != 0)
        return false;
    }
  }
  // Bodies are copied, which is not enough for tensors that they read
  // themselves.
  return !op->walk([](Operation *inner) {
              return isa<tensor::ExtractOp, tensor::DimOp>(inner)
                         ? WalkResult::interrupt()
                         : WalkResult::advance();
            }).wasInterrupted();
}

LogicalResult AxisRegrouping::unify() {
  llvm::DenseMap<Value, unsigned> definers;
  SmallVector<unsigned> first;
  unsigned count = 0;
  for (auto [index, op] : llvm::enumerate(operators)) {
    definers[op->getResult(0)] = index;
    first.push_back(count);
    count += op.getNumLoops();
  }
  llvm::EquivalenceClasses<unsigned> classes;
  for (unsigned loop = 0; loop < count; ++loop)
    classes.insert(loop);
  for (auto [index, op] : llvm::enumerate(operators))
    for (OpOperand *operand : op.getDpsInputOperands()) {
      auto definer = definers.find(operand->get());
      if (definer == definers.end())
        continue;
      if (isWindow(op, *operand))
        return failure();
      linalg::LinalgOp producer = operators[definer->second];
      AffineMap made =
          producer.getMatchingIndexingMap(producer.getDpsInitOperand(0));
      AffineMap read = op.getMatchingIndexingMap(operand);
      for (auto [madeExpr, readExpr] :
           llvm::zip_equal(made.getResults(), read.getResults())) {
        std::optional<IndexedBy> by = indexOf(readExpr);
        if (by->divisor != 1)
          return failure();
        classes.unionSets(first[definer->second] +
                              cast<AffineDimExpr>(madeExpr).getPosition(),
                          first[index] + by->loop);
      }
    }
  llvm::MapVector<unsigned, unsigned> axisOfLeader;
  SmallVector<int64_t> sizes, divisors;
  for (auto [index, linalgOp] : llvm::enumerate(operators)) {
    linalg::LinalgOp op = linalgOp;
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    SmallVector<unsigned> &own = loops.emplace_back();
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
      auto [it, isNew] = axisOfLeader.insert(
          {classes.getLeaderValue(first[index] + loop), sizes.size()});
      if (isNew) {
        sizes.push_back(ranges[loop]);
        divisors.push_back(1);
      }
      if (llvm::is_contained(own, it->second))
        return failure();
      own.push_back(it->second);
    }
    for (OpOperand *operand : op.getDpsInputOperands()) {
      if (isWindow(op, *operand))
        continue;
      for (AffineExpr expr : op.getMatchingIndexingMap(operand).getResults()) {
        IndexedBy by = *indexOf(expr);
        int64_t &divisor = divisors[own[by.loop]];
        if (by.divisor != 1 && divisor != 1 && divisor != by.divisor)
          return failure();
        divisor = std::max(divisor, by.divisor);
      }
    }
  }
  for (auto [size, divisor] : llvm::zip_equal(sizes, divisors)) {
    Group &atoms = atomsOf.emplace_back();
    auto add = [&](int64_t extent) {
      atoms.push_back(extents.size());
      extents.push_back(extent);
    };
    add(size / divisor);
    if (divisor != 1)
      add(divisor);
  }
  follows.resize(extents.size());
  return success();
}

FailureOr<AxisRegrouping> AxisRegrouping::compute(Operators operators) {
  AxisRegrouping result;
  result.operators = std::move(operators);
  if (failed(result.unify()))
    return failure();
  return result;
}

bool AxisRegrouping::takesApart() const {
  return llvm::any_of(atomsOf,
                      [](const Group &atoms) { return atoms.size() > 1; });
}

SmallVector<AxisRegrouping::Group>
AxisRegrouping::groupsOfOperand(unsigned op, OpOperand &operand) const {
  linalg::LinalgOp linalgOp = operators[op];
  SmallVector<Group> result;
  for (AffineExpr expr :
       linalgOp.getMatchingIndexingMap(&operand).getResults()) {
    IndexedBy by = *indexOf(expr);
    ArrayRef<unsigned> atoms = atomsOf[loops[op][by.loop]];
    result.emplace_back(by.divisor == 1 ? atoms : atoms.drop_back());
  }
  return result;
}

SmallVector<unsigned> AxisRegrouping::flatten(ArrayRef<Group> groups) {
  SmallVector<unsigned> result;
  for (const auto &group : groups)
    llvm::append_range(result, group);
  return result;
}

//===----------------------------------------------------------------------===//
// Joining atoms
//===----------------------------------------------------------------------===//

bool AxisRegrouping::join(bool withIndices) {
  unsigned count = extents.size();
  // By atom: whether it directly follows the other atom in all tensors.
  std::vector<std::vector<bool>> may(count, std::vector<bool>(count, true));
  auto visit = [&](ArrayRef<unsigned> atoms, bool isOrdered) {
    for (unsigned a = 0; a < count; ++a)
      for (unsigned b = 0; b < count; ++b) {
        auto *atA = llvm::find(atoms, a), *atB = llvm::find(atoms, b);
        bool hasA = atA != atoms.end(), hasB = atB != atoms.end();
        if (hasA != hasB || (isOrdered && hasA && atA + 1 != atB))
          may[a][b] = false;
      }
  };
  SmallVector<bool> isTensor(count, false), isIndexed(count, false);
  for (auto [index, each] : llvm::enumerate(operators)) {
    linalg::LinalgOp op = each;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<RankedTensorType>(operand.get().getType()))
        continue;
      if (isWindow(op, operand)) {
        // The window decomposes a joined loop's index again.
        SmallVector<unsigned> atoms;
        AffineMap map = op.getMatchingIndexingMap(&operand);
        for (auto [loop, axis] : llvm::enumerate(loops[index]))
          if (map.isFunctionOfDim(loop))
            llvm::append_range(atoms, atomsOf[axis]);
        visit(atoms, /*isOrdered=*/false);
        continue;
      }
      SmallVector<unsigned> atoms = flatten(groupsOfOperand(index, operand));
      for (unsigned atom : atoms)
        isTensor[atom] = true;
      visit(atoms, /*isOrdered=*/true);
    }
    SmallVector<unsigned> parallel, reduced;
    for (auto [axis, kind] :
         llvm::zip_equal(loops[index], op.getIteratorTypesArray()))
      llvm::append_range(kind == utils::IteratorType::parallel ? parallel
                                                               : reduced,
                         atomsOf[axis]);
    visit(parallel, /*isOrdered=*/false);
    visit(reduced, /*isOrdered=*/false);
    for (auto indexOp : op.getBlock()->getOps<linalg::IndexOp>())
      for (unsigned atom : atomsOf[loops[index][indexOp.getDim()]])
        isIndexed[atom] = true;
  }
  bool joins = false;
  for (unsigned b = 0; b < count; ++b)
    for (unsigned a = 0; a < count; ++a)
      if (a != b && may[a][b] && isTensor[a] && isTensor[b] &&
          (withIndices || (!isIndexed[a] && !isIndexed[b]))) {
        follows[b] = a;
        joins = true;
      }
  return joins;
}

std::string AxisRegrouping::describeJoined() const {
  std::string text;
  for (unsigned atom = 0; atom < extents.size(); ++atom) {
    if (follows[atom] || !llvm::is_contained(follows, std::optional(atom)))
      continue;
    if (!text.empty())
      text += ", ";
    text += std::to_string(extents[atom]);
    unsigned last = atom;
    for (auto *next = llvm::find(follows, std::optional(last));
         next != follows.end();
         next = llvm::find(follows, std::optional(last))) {
      last = next - follows.begin();
      text += " x " + std::to_string(extents[last]);
    }
  }
  return text;
}
