//===- AxisRewriting.cpp - Operators over the loops of a regrouping -------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AxisRegrouping.h"
#include "fusion/Transforms/Normalize/WindowInlining.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace fusion;

/// Groups a list of atoms by new loop, in order.
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

/// Returns the positions of the atoms of each group.
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

/// Reshapes a value, whose dimensions are groups of atoms, to dimensions that
/// are other groups of the same atoms: by way of the shape with one dimension
/// for each atom.
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

/// Returns the place of an atom in its loop: the loop's first atom, and the
/// iterations of all atoms inside of this one.
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

/// Returns the map of an operand that keeps its form, over digits of the new
/// loops.
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
      // The first digit stays, so that the loop is seen to index the operand.
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

/// Emits the index of an old loop, from the indices of the new ones.
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
    if (Attribute apart = op->getDiscardableAttr(kSecondsApartAttrName))
      copy->setDiscardableAttr(kSecondsApartAttrName, apart);
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
