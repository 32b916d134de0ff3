//===- AxisRegrouping.cpp - Operators over other loops
//------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AxisRegrouping.h"
#include "fusion/Analysis/GroupAxes.h"
#include "fusion/Analysis/Windows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace fusion;

//===----------------------------------------------------------------------===//
// Taking apart
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

/// Whether an operand keeps its form and is read at digits of the new loops, as
/// products can. Its padding, an operator of its own, stays in front of it.
static bool isWindow(linalg::LinalgOp op, OpOperand &operand) {
  return op.isDpsInput(&operand) &&
         isa<RankedTensorType>(operand.get().getType()) && isContraction(op) &&
         readsThroughWindow(operand) &&
         !AxisRegrouping::hasQuotient(op.getMatchingIndexingMap(&operand));
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
  // Bodies are copied; what they read by themselves would not be.
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

static SmallVector<unsigned> flatten(ArrayRef<SmallVector<unsigned>> groups) {
  SmallVector<unsigned> result;
  for (const auto &group : groups)
    llvm::append_range(result, group);
  return result;
}

//===----------------------------------------------------------------------===//
// Putting together
//===----------------------------------------------------------------------===//

bool AxisRegrouping::join(bool withIndices) {
  unsigned count = extents.size();
  // By atom: whether it stands directly behind the atom that it may follow, in
  // all tensors.
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
        // It takes a loop of several apart again.
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

/// Of a list of atoms those of each new loop, in order.
static SmallVector<SmallVector<unsigned>>
groupByLoop(ArrayRef<unsigned> atoms,
            ArrayRef<std::optional<unsigned>> follows) {
  SmallVector<SmallVector<unsigned>> groups;
  for (unsigned atom : atoms) {
    if (!follows[atom])
      groups.emplace_back();
    groups.back().push_back(atom);
  }
  return groups;
}

/// The positions of the atoms of each group.
static SmallVector<ReassociationIndices>
positions(ArrayRef<SmallVector<unsigned>> groups) {
  SmallVector<ReassociationIndices> result;
  int64_t next = 0;
  for (const auto &group : groups) {
    ReassociationIndices &own = result.emplace_back();
    for (size_t i = 0; i < group.size(); ++i)
      own.push_back(next++);
  }
  return result;
}

/// The value, whose dimensions are made of groups of atoms, over dimensions
/// made of other groups of the same: through the shape that has every atom for
/// itself.
Value AxisRegrouping::reshape(RewriterBase &rewriter, Value value,
                              ArrayRef<Group> from, ArrayRef<Group> to,
                              Rewritten &made) const {
  Type element = getElementTypeOrSelf(value.getType());
  auto typeOf = [&](ArrayRef<Group> groups) {
    SmallVector<int64_t> shape;
    for (const Group &group : groups) {
      int64_t &size = shape.emplace_back(1);
      for (unsigned atom : group)
        size *= extents[atom];
    }
    return RankedTensorType::get(shape, element);
  };
  auto isApart = [](ArrayRef<Group> groups) {
    return llvm::all_of(groups,
                        [](const Group &group) { return group.size() == 1; });
  };
  if (from == to)
    return value;
  SmallVector<Group> single;
  for (const Group &group : from)
    for (unsigned atom : group)
      single.push_back({atom});
  Location loc = value.getLoc();
  if (!isApart(from)) {
    auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>();
    if (collapse && collapse.getSrcType() == typeOf(single)) {
      value = collapse.getSrc();
    } else {
      value = tensor::ExpandShapeOp::create(rewriter, loc, typeOf(single),
                                            value, positions(from));
      made.reshapes.push_back(value.getDefiningOp());
    }
  }
  if (!isApart(to)) {
    value = tensor::CollapseShapeOp::create(rewriter, loc, typeOf(to), value,
                                            positions(to));
    made.reshapes.push_back(value.getDefiningOp());
  }
  return value;
}

/// An atom in its loop: the loop's first atom, and the iterations of what is
/// inside of the atom.
std::pair<unsigned, int64_t> AxisRegrouping::placeOf(unsigned atom) const {
  unsigned leader = atom;
  while (follows[leader])
    leader = *follows[leader];
  int64_t inside = 1;
  unsigned last = atom;
  for (auto *next = llvm::find(follows, std::optional(last));
       next != follows.end(); next = llvm::find(follows, std::optional(last))) {
    last = next - follows.begin();
    inside *= extents[last];
  }
  return {leader, inside};
}

/// The map of an operand that keeps its form, over digits of the new loops.
AffineMap AxisRegrouping::digitMap(
    AffineMap map, unsigned op,
    const llvm::SmallDenseMap<unsigned, unsigned> &dimOf) const {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> old;
  for (unsigned axis : loops[op]) {
    AffineExpr value = getAffineConstantExpr(0, context);
    for (unsigned atom : atomsOf[axis]) {
      auto [leader, inside] = placeOf(atom);
      AffineExpr digit = getAffineConstantExpr(0, context);
      // The first stays, so that the loop is seen to index the operand.
      if (extents[atom] != 1 || leader == atom) {
        digit = getAffineDimExpr(dimOf.lookup(leader), context);
        digit = digit.floorDiv(inside);
        if (leader != atom)
          digit = digit % extents[atom];
      }
      value = value * extents[atom] + digit;
    }
    old.push_back(value);
  }
  return map.replaceDimsAndSymbols(old, {}, dimOf.size(), 0);
}

/// The index of an old loop, from those of the new ones.
Value AxisRegrouping::emitIndex(
    OpBuilder &b, Location loc, unsigned axis,
    const llvm::SmallDenseMap<unsigned, unsigned> &dimOf) const {
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value).getResult();
  };
  Value result;
  for (unsigned atom : atomsOf[axis]) {
    auto [leader, inside] = placeOf(atom);
    Value index = linalg::IndexOp::create(b, loc, dimOf.lookup(leader));
    if (inside != 1)
      index = arith::DivUIOp::create(b, loc, index, constant(inside));
    if (leader != atom)
      index = arith::RemUIOp::create(b, loc, index, constant(extents[atom]));
    if (result) {
      result = arith::MulIOp::create(b, loc, result, constant(extents[atom]));
      index = arith::AddIOp::create(b, loc, result, index);
    }
    result = index;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

AxisRegrouping::Rewritten
AxisRegrouping::rewrite(RewriterBase &rewriter) const {
  OpBuilder::InsertionGuard insertion(rewriter);
  Rewritten made;
  IRMapping values;
  llvm::SmallPtrSet<Operation *, 16> inside;
  for (linalg::LinalgOp op : operators)
    inside.insert(op);
  for (auto [index, linalgOp] : llvm::enumerate(operators)) {
    linalg::LinalgOp op = linalgOp;
    unsigned number = index;
    Location loc = op.getLoc();
    rewriter.setInsertionPoint(op);
    // New loops follow in the order of the old ones' first atoms.
    llvm::SmallDenseMap<unsigned, unsigned> dimOf;
    SmallVector<utils::IteratorType> iterators;
    for (auto [axis, kind] :
         llvm::zip_equal(loops[index], op.getIteratorTypesArray()))
      for (unsigned atom : atomsOf[axis])
        if (!follows[atom]) {
          dimOf[atom] = iterators.size();
          iterators.push_back(kind);
        }
    SmallVector<AffineMap> maps;
    auto mapOf = [&](ArrayRef<unsigned> atoms) {
      SmallVector<AffineExpr> exprs;
      for (unsigned atom : atoms)
        if (!follows[atom])
          exprs.push_back(rewriter.getAffineDimExpr(dimOf.lookup(atom)));
      return AffineMap::get(iterators.size(), 0, exprs, rewriter.getContext());
    };
    SmallVector<Value> inputs;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      Value value = operand->get();
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type) {
        inputs.push_back(value);
        maps.push_back(
            AffineMap::get(iterators.size(), 0, {}, rewriter.getContext()));
        continue;
      }
      if (isWindow(op, *operand)) {
        inputs.push_back(value);
        maps.push_back(
            digitMap(op.getMatchingIndexingMap(operand), index, dimOf));
        continue;
      }
      SmallVector<Group> groups = groupsOfOperand(index, *operand);
      SmallVector<unsigned> atoms = flatten(groups);
      if (Value known = values.lookupOrNull(value))
        value = known;
      else
        value =
            reshape(rewriter, value, groups, groupByLoop(atoms, follows), made);
      inputs.push_back(value);
      maps.push_back(mapOf(atoms));
    }
    OpOperand *init = op.getDpsInitOperand(0);
    SmallVector<Group> oldGroups = groupsOfOperand(index, *init),
                       newGroups = groupByLoop(flatten(oldGroups), follows);
    SmallVector<int64_t> shape;
    for (const Group &group : newGroups) {
      int64_t &size = shape.emplace_back(1);
      for (unsigned atom : group)
        size *= extents[atom];
    }
    auto type = RankedTensorType::get(
        shape, getElementTypeOrSelf(init->get().getType()));
    maps.push_back(mapOf(flatten(oldGroups)));
    Value start;
    auto fill = init->get().getDefiningOp<linalg::FillOp>();
    bool isUnread = init->get().getDefiningOp<tensor::EmptyOp>() != nullptr;
    if (fill || isUnread) {
      start = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                      type.getElementType());
      made.reshapes.push_back(start.getDefiningOp());
      if (fill) {
        start = linalg::FillOp::create(rewriter, loc, fill.getInputs(), start)
                    .getResult(0);
        made.reshapes.push_back(start.getDefiningOp());
      }
    } else {
      start = reshape(rewriter, init->get(), oldGroups, newGroups, made);
    }
    auto copy = linalg::GenericOp::create(rewriter, loc, TypeRange{type},
                                          inputs, start, maps, iterators);
    IRMapping inner;
    op->getRegion(0).cloneInto(&copy.getRegion(), inner);
    for (auto indexOp : llvm::make_early_inc_range(
             copy.getBody()->getOps<linalg::IndexOp>())) {
      rewriter.setInsertionPoint(indexOp);
      Value same =
          emitIndex(rewriter, loc, loops[number][indexOp.getDim()], dimOf);
      rewriter.replaceOp(indexOp, same);
    }
    made.operators.push_back(cast<linalg::LinalgOp>(copy.getOperation()));
    values.map(op->getResult(0), copy->getResult(0));
    bool leaves = llvm::any_of(op->getUsers(), [&](Operation *user) {
      return !inside.contains(user);
    });
    rewriter.setInsertionPointAfter(copy);
    made.results.push_back(leaves ? reshape(rewriter, copy->getResult(0),
                                            newGroups, oldGroups, made)
                                  : Value());
  }
  return made;
}

void AxisRegrouping::adopt(RewriterBase &rewriter,
                           const Rewritten &rewritten) const {
  llvm::SmallPtrSet<Operation *, 16> inside;
  for (linalg::LinalgOp op : operators)
    inside.insert(op);
  for (auto [op, result] : llvm::zip_equal(operators, rewritten.results))
    if (result)
      rewriter.replaceUsesWithIf(op->getResult(0), result, [&](OpOperand &use) {
        return !inside.contains(use.getOwner());
      });
  for (linalg::LinalgOp op : llvm::reverse(operators))
    rewriter.eraseOp(op);
}

void AxisRegrouping::discard(RewriterBase &rewriter,
                             const Rewritten &rewritten) {
  SmallVector<Operation *> all(rewritten.reshapes);
  for (linalg::LinalgOp op : rewritten.operators)
    all.push_back(op);
  llvm::sort(all,
             [](Operation *a, Operation *b) { return b->isBeforeInBlock(a); });
  for (Operation *op : all)
    rewriter.eraseOp(op);
}
