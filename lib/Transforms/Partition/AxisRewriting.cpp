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

/// Makes the operators over the new loops.
class AxisRegrouping::Rewriting {
public:
  Rewriting(const AxisRegrouping &axes, RewriterBase &rewriter)
      : axes(axes), rewriter(rewriter) {}

  Rewritten run();

private:
  /// The new loops of an operator, in the order of the old ones' first atoms.
  struct Loops {
    llvm::SmallDenseMap<unsigned, unsigned> dimOf; ///< by first atom
    SmallVector<utils::IteratorType> iterators;
  };
  Loops loopsOf(unsigned number) const;

  /// Makes the operator `number` over its new loops, in front of the old one.
  void rewrite(unsigned number);
  /// Returns the value that an operand of the new operator reads, and its map.
  std::pair<Value, AffineMap> rewriteInput(unsigned number, OpOperand &operand,
                                           const Loops &loops);
  /// Returns the init of the new operator, which has dimensions `to`.
  Value rewriteInit(OpOperand &init, ArrayRef<Group> from, ArrayRef<Group> to);
  /// Replaces indices of the old loops in a body by those of the new ones.
  void rewriteIndices(linalg::GenericOp copy, unsigned number,
                      const Loops &loops);

  /// Reshapes a value, whose dimensions are groups of atoms, to dimensions that
  /// are other groups of the same atoms: by way of the shape with one dimension
  /// for each atom.
  Value reshape(Value value, ArrayRef<Group> from, ArrayRef<Group> to);
  RankedTensorType typeOf(ArrayRef<Group> groups, Type element) const;

  /// Returns the map of an operand whose dimensions are loops.
  AffineMap loopMap(ArrayRef<unsigned> atoms, const Loops &loops) const;
  /// Returns the map of an operand that keeps its form, over digits of the new
  /// loops.
  AffineMap digitMap(AffineMap map, unsigned number, const Loops &loops) const;
  /// Emits the index of an old loop, from the indices of the new ones.
  Value emitIndex(Location loc, unsigned axis, const Loops &loops);

  const AxisRegrouping &axes;
  RewriterBase &rewriter;
  IRMapping values; ///< from old to new results
  Rewritten made;
};

AxisRegrouping::Rewriting::Loops
AxisRegrouping::Rewriting::loopsOf(unsigned number) const {
  Loops loops;
  linalg::LinalgOp op = axes.operators[number];
  for (auto [axis, kind] :
       llvm::zip_equal(axes.loops[number], op.getIteratorTypesArray()))
    for (unsigned atom : axes.atomsOf[axis])
      if (!axes.follows[atom]) {
        loops.dimOf[atom] = loops.iterators.size();
        loops.iterators.push_back(kind);
      }
  return loops;
}

RankedTensorType AxisRegrouping::Rewriting::typeOf(ArrayRef<Group> groups,
                                                   Type element) const {
  SmallVector<int64_t> shape;
  for (const Group &group : groups) {
    int64_t &size = shape.emplace_back(1);
    for (unsigned atom : group)
      size *= axes.extents[atom];
  }
  return RankedTensorType::get(shape, element);
}

Value AxisRegrouping::Rewriting::reshape(Value value, ArrayRef<Group> from,
                                         ArrayRef<Group> to) {
  if (from == to)
    return value;
  Type element = getElementTypeOrSelf(value.getType());
  auto isApart = [](ArrayRef<Group> groups) {
    return llvm::all_of(groups,
                        [](const Group &group) { return group.size() == 1; });
  };
  SmallVector<Group> single;
  for (const Group &group : from)
    for (unsigned atom : group)
      single.push_back({atom});
  RankedTensorType apart = typeOf(single, element);
  Location loc = value.getLoc();
  if (!isApart(from)) {
    auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>();
    if (collapse && collapse.getSrcType() == apart) {
      value = collapse.getSrc();
    } else {
      value = tensor::ExpandShapeOp::create(rewriter, loc, apart, value,
                                            positions(from));
      made.reshapes.push_back(value.getDefiningOp());
    }
  }
  if (!isApart(to)) {
    value = tensor::CollapseShapeOp::create(rewriter, loc, typeOf(to, element),
                                            value, positions(to));
    made.reshapes.push_back(value.getDefiningOp());
  }
  return value;
}

AffineMap AxisRegrouping::Rewriting::loopMap(ArrayRef<unsigned> atoms,
                                             const Loops &loops) const {
  SmallVector<AffineExpr> exprs;
  for (unsigned atom : atoms)
    if (!axes.follows[atom])
      exprs.push_back(rewriter.getAffineDimExpr(loops.dimOf.lookup(atom)));
  return AffineMap::get(loops.iterators.size(), 0, exprs,
                        rewriter.getContext());
}

AffineMap AxisRegrouping::Rewriting::digitMap(AffineMap map, unsigned number,
                                              const Loops &loops) const {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> old;
  for (unsigned axis : axes.loops[number]) {
    AffineExpr value = getAffineConstantExpr(0, context);
    for (unsigned atom : axes.atomsOf[axis]) {
      auto [leader, inside] = axes.placeOf(atom);
      AffineExpr digit = getAffineConstantExpr(0, context);
      // The first digit stays, so that the loop is seen to index the operand.
      if (axes.extents[atom] != 1 || leader == atom) {
        digit = getAffineDimExpr(loops.dimOf.lookup(leader), context);
        digit = digit.floorDiv(inside);
        if (leader != atom)
          digit = digit % axes.extents[atom];
      }
      value = value * axes.extents[atom] + digit;
    }
    old.push_back(value);
  }
  return map.replaceDimsAndSymbols(old, {}, loops.dimOf.size(), 0);
}

Value AxisRegrouping::Rewriting::emitIndex(Location loc, unsigned axis,
                                           const Loops &loops) {
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(rewriter, loc, value).getResult();
  };
  Value result;
  for (unsigned atom : axes.atomsOf[axis]) {
    auto [leader, inside] = axes.placeOf(atom);
    Value index =
        linalg::IndexOp::create(rewriter, loc, loops.dimOf.lookup(leader));
    if (inside != 1)
      index = arith::DivUIOp::create(rewriter, loc, index, constant(inside));
    int64_t extent = axes.extents[atom];
    if (leader != atom)
      index = arith::RemUIOp::create(rewriter, loc, index, constant(extent));
    if (result) {
      result = arith::MulIOp::create(rewriter, loc, result, constant(extent));
      index = arith::AddIOp::create(rewriter, loc, result, index);
    }
    result = index;
  }
  return result;
}

std::pair<Value, AffineMap>
AxisRegrouping::Rewriting::rewriteInput(unsigned number, OpOperand &operand,
                                        const Loops &loops) {
  linalg::LinalgOp op = axes.operators[number];
  Value value = operand.get();
  if (!isa<RankedTensorType>(value.getType()))
    return {value, loopMap({}, loops)};
  if (isWindow(op, operand))
    return {value,
            digitMap(op.getMatchingIndexingMap(&operand), number, loops)};
  SmallVector<Group> groups = axes.groupsOfOperand(number, operand);
  SmallVector<unsigned> atoms = flatten(groups);
  if (Value known = values.lookupOrNull(value))
    value = known;
  else
    value = reshape(value, groups, groupByLoop(atoms, axes.follows));
  return {value, loopMap(atoms, loops)};
}

Value AxisRegrouping::Rewriting::rewriteInit(OpOperand &init,
                                             ArrayRef<Group> from,
                                             ArrayRef<Group> to) {
  Location loc = init.getOwner()->getLoc();
  auto fill = init.get().getDefiningOp<linalg::FillOp>();
  bool isUnread = init.get().getDefiningOp<tensor::EmptyOp>() != nullptr;
  if (!fill && !isUnread)
    return reshape(init.get(), from, to);
  RankedTensorType type = typeOf(to, getElementTypeOrSelf(init.get()));
  Value start = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                        type.getElementType());
  made.reshapes.push_back(start.getDefiningOp());
  if (fill) {
    start = linalg::FillOp::create(rewriter, loc, fill.getInputs(), start)
                .getResult(0);
    made.reshapes.push_back(start.getDefiningOp());
  }
  return start;
}

void AxisRegrouping::Rewriting::rewriteIndices(linalg::GenericOp copy,
                                               unsigned number,
                                               const Loops &loops) {
  for (auto index :
       llvm::make_early_inc_range(copy.getBody()->getOps<linalg::IndexOp>())) {
    rewriter.setInsertionPoint(index);
    rewriter.replaceOp(
        index,
        emitIndex(copy.getLoc(), axes.loops[number][index.getDim()], loops));
  }
}

void AxisRegrouping::Rewriting::rewrite(unsigned number) {
  linalg::LinalgOp op = axes.operators[number];
  rewriter.setInsertionPoint(op);
  Loops loops = loopsOf(number);
  SmallVector<AffineMap> maps;
  SmallVector<Value> inputs;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    auto [value, map] = rewriteInput(number, *operand, loops);
    inputs.push_back(value);
    maps.push_back(map);
  }
  OpOperand &init = *op.getDpsInitOperand(0);
  SmallVector<Group> oldGroups = axes.groupsOfOperand(number, init),
                     newGroups = groupByLoop(flatten(oldGroups), axes.follows);
  maps.push_back(loopMap(flatten(oldGroups), loops));
  Value start = rewriteInit(init, oldGroups, newGroups);
  auto copy = linalg::GenericOp::create(
      rewriter, op.getLoc(),
      TypeRange{typeOf(newGroups, getElementTypeOrSelf(init.get()))}, inputs,
      start, maps, loops.iterators);
  if (Attribute apart = op->getDiscardableAttr(kSecondsApartAttrName))
    copy->setDiscardableAttr(kSecondsApartAttrName, apart);
  IRMapping inner;
  op->getRegion(0).cloneInto(&copy.getRegion(), inner);
  rewriteIndices(copy, number, loops);
  made.operators.push_back(cast<linalg::LinalgOp>(copy.getOperation()));
  values.map(op->getResult(0), copy->getResult(0));
  bool leaves = llvm::any_of(op->getUsers(), [&](Operation *user) {
    return !llvm::is_contained(axes.operators, user);
  });
  rewriter.setInsertionPointAfter(copy);
  made.results.push_back(
      leaves ? reshape(copy->getResult(0), newGroups, oldGroups) : Value());
}

AxisRegrouping::Rewritten AxisRegrouping::Rewriting::run() {
  OpBuilder::InsertionGuard insertion(rewriter);
  for (unsigned number = 0; number < axes.operators.size(); ++number)
    rewrite(number);
  return std::move(made);
}

AxisRegrouping::Rewritten
AxisRegrouping::rewrite(RewriterBase &rewriter) const {
  return Rewriting(*this, rewriter).run();
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
