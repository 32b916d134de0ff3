//===- CheckSizes.cpp - fuse-check-sizes ----------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/Support/FormatVariadic.h"

namespace fusion {
#define GEN_PASS_DEF_FUSECHECKSIZES
#include "fusion/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;

namespace {

/// Where a size comes from: a dimension of a tensor, a computed value
/// (dimension −1), or a constant (no value).
using Size = std::pair<Value, int64_t>;

Size sizeOf(Value tensor, int64_t dimension);

Size sizeFrom(Value number) {
  APInt constant;
  if (matchPattern(number, m_ConstantInt(&constant)))
    return {Value(), constant.getSExtValue()};
  if (auto dim = number.getDefiningOp<tensor::DimOp>())
    if (std::optional<int64_t> index = dim.getConstantIndex();
        index && isa<RankedTensorType>(dim.getSource().getType()))
      return sizeOf(dim.getSource(), *index);
  return {number, -1};
}

/// Follows a tensor to the operation that determined its size.
Size sizeOf(Value tensor, int64_t dimension) {
  while (true) {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (!type.isDynamicDim(dimension))
      return {Value(), type.getDimSize(dimension)};
    Operation *op = tensor.getDefiningOp();
    if (auto view = dyn_cast_or_null<tensor::CastOp>(op);
        view && isa<RankedTensorType>(view.getSource().getType()))
      tensor = view.getSource();
    else if (auto style = dyn_cast_or_null<DestinationStyleOpInterface>(op))
      tensor = style.getTiedOpOperand(cast<OpResult>(tensor))->get();
    else if (auto empty = dyn_cast_or_null<tensor::EmptyOp>(op))
      return sizeFrom(empty.getDynamicSize(dimension));
    else
      return {tensor, dimension};
  }
}

/// Returns whether `expr` grows with every loop and is not negative at their
/// start.
bool isMonotone(AffineExpr expr) {
  if (isa<AffineDimExpr>(expr))
    return true;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() >= 0;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  return binary &&
         (expr.getKind() == AffineExprKind::Add ||
          expr.getKind() == AffineExprKind::Mul) &&
         isMonotone(binary.getLHS()) && isMonotone(binary.getRHS());
}

/// Inserts the assertions of one function.
class Checker {
public:
  explicit Checker(func::FuncOp function)
      : function(function), builder(function.getContext()) {}

  void run();

private:
  void check(linalg::LinalgOp op);
  void check(tensor::CastOp op);
  void check(tensor::ExpandShapeOp op);
  void learn(cf::AssertOp op);
  void checkReach(linalg::LinalgOp op, ArrayRef<Size> extents,
                  OpOperand &operand, unsigned dimension, AffineExpr index);

  Value valueOf(Size size);
  void requireEqual(Operation *op, Size size, Size expected,
                    const Twine &message);
  void require(arith::CmpIPredicate predicate, Value left, Value right,
               Operation *op, const Twine &message);

  func::FuncOp function;
  OpBuilder builder;
  llvm::EquivalenceClasses<Size> known;
  SmallVector<Operation *> dims; ///< that were made
};

/// Returns "input 1" or "output 0".
std::string nameOf(linalg::LinalgOp op, OpOperand &operand) {
  if (op.isDpsInit(&operand))
    return llvm::formatv("output {0}",
                         operand.getOperandNumber() - op.getNumDpsInputs());
  return llvm::formatv("input {0}", operand.getOperandNumber());
}

std::string nameOf(linalg::LinalgOp op, OpOperand &operand,
                   unsigned dimension) {
  return llvm::formatv("dimension {0} of {1}", dimension, nameOf(op, operand));
}

} // namespace

Value Checker::valueOf(Size size) {
  Location loc = function.getLoc();
  if (!size.first)
    return arith::ConstantIndexOp::create(builder, loc, size.second);
  if (size.second < 0)
    return size.first;
  auto dim = tensor::DimOp::create(builder, loc, size.first, size.second);
  dims.push_back(dim);
  return dim;
}

void Checker::require(arith::CmpIPredicate predicate, Value left, Value right,
                      Operation *op, const Twine &message) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>())
    os << place.getFilename().getValue() << ':' << place.getLine() << ':'
       << place.getColumn() << ": ";
  os << op->getName() << ": " << message;
  Value holds =
      arith::CmpIOp::create(builder, op->getLoc(), predicate, left, right);
  cf::AssertOp::create(builder, op->getLoc(), holds, text);
}

/// Asserts that `size` is `expected`, unless they are known to be equal.
void Checker::requireEqual(Operation *op, Size size, Size expected,
                           const Twine &message) {
  if (size == expected || known.isEquivalent(size, expected))
    return;
  // What is asserted at the start of the function holds in all of it.
  if (op->getBlock() == &function.front())
    known.unionSets(size, expected);
  builder.setInsertionPoint(op);
  Value left = valueOf(size);
  require(arith::CmpIPredicate::eq, left, valueOf(expected), op, message);
}

/// Asserts that the largest index that the loops reach lies inside of the
/// tensor.
void Checker::checkReach(linalg::LinalgOp op, ArrayRef<Size> extents,
                         OpOperand &operand, unsigned dimension,
                         AffineExpr index) {
  Size size = sizeOf(operand.get(), dimension);
  bool isStatic = !size.first;
  for (unsigned loop = 0; loop < extents.size(); ++loop)
    if (index.isFunctionOfDim(loop))
      isStatic &= !extents[loop].first;
  // The operator's verifier has compared static sizes.
  if (isStatic || !isMonotone(index))
    return;
  builder.setInsertionPoint(op);
  SmallVector<AffineExpr> last;
  SmallVector<OpFoldResult> values;
  for (auto [loop, extent] : llvm::enumerate(extents)) {
    last.push_back(builder.getAffineDimExpr(loop) - 1);
    values.push_back(index.isFunctionOfDim(loop)
                         ? OpFoldResult(valueOf(extent))
                         : OpFoldResult(builder.getIndexAttr(1)));
  }
  AffineMap map =
      AffineMap::get(extents.size(), 0, index.replaceDims(last) + 1);
  OpFoldResult needed =
      affine::makeComposedFoldedAffineApply(builder, op.getLoc(), map, values);
  Value bound = getValueOrCreateConstantIndexOp(builder, op.getLoc(), needed);
  require(arith::CmpIPredicate::sle, bound, valueOf(size), op,
          "the loops must not reach beyond " +
              Twine(nameOf(op, operand, dimension)));
}

void Checker::check(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return;
  // A loop's extent is the size of the dimension that this loop alone indexes,
  // in the first such operand.
  struct Extent {
    Size size;
    OpOperand *operand = nullptr;
    unsigned dimension = 0;
  };
  SmallVector<Extent> extents(op.getNumLoops());
  auto forEachDimension = [&](auto visit) {
    for (OpOperand &operand : op->getOpOperands())
      if (isa<RankedTensorType>(operand.get().getType()))
        for (auto [dimension, index] :
             llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
          visit(operand, dimension, index);
  };
  forEachDimension(
      [&](OpOperand &operand, unsigned dimension, AffineExpr index) {
        auto loop = dyn_cast<AffineDimExpr>(index);
        if (!loop)
          return;
        Extent &extent = extents[loop.getPosition()];
        Size size = sizeOf(operand.get(), dimension);
        if (!extent.operand) {
          extent = {size, &operand, dimension};
          return;
        }
        requireEqual(op, size, extent.size,
                     nameOf(op, operand, dimension) + " must be equal to " +
                         nameOf(op, *extent.operand, extent.dimension));
      });
  if (llvm::any_of(extents, [](const Extent &e) { return !e.operand; }))
    return;
  SmallVector<Size> sizes =
      llvm::map_to_vector(extents, [](const Extent &e) { return e.size; });
  forEachDimension(
      [&](OpOperand &operand, unsigned dimension, AffineExpr index) {
        if (!isa<AffineDimExpr>(index))
          checkReach(op, sizes, operand, dimension, index);
      });
}

void Checker::check(tensor::CastOp op) {
  auto from = dyn_cast<RankedTensorType>(op.getSource().getType());
  auto to = dyn_cast<RankedTensorType>(op.getType());
  if (!from || !to)
    return;
  for (int64_t d = 0; d < to.getRank(); ++d)
    if (!to.isDynamicDim(d))
      requireEqual(op, sizeOf(op.getSource(), d), {Value(), to.getDimSize(d)},
                   "dimension " + Twine(d) + " of the operand must be " +
                       Twine(to.getDimSize(d)));
}

void Checker::check(tensor::ExpandShapeOp op) {
  SmallVector<OpFoldResult> shape = op.getMixedOutputShape();
  for (auto [d, group] : llvm::enumerate(op.getReassociationIndices())) {
    auto isStatic = [&](int64_t result) {
      return !op.getResultType().isDynamicDim(result);
    };
    Size size = sizeOf(op.getSrc(), d);
    if (!size.first && llvm::all_of(group, isStatic))
      continue;
    builder.setInsertionPoint(op);
    AffineExpr product = builder.getAffineConstantExpr(1);
    SmallVector<OpFoldResult> factors;
    for (int64_t result : group) {
      product = product * builder.getAffineSymbolExpr(factors.size());
      factors.push_back(shape[result]);
    }
    OpFoldResult whole = affine::makeComposedFoldedAffineApply(
        builder, op.getLoc(), AffineMap::get(0, factors.size(), product),
        factors);
    Value value = getValueOrCreateConstantIndexOp(builder, op.getLoc(), whole);
    requireEqual(op, size, sizeFrom(value),
                 "dimension " + Twine(d) +
                     " of the operand must be the product of the sizes it is "
                     "expanded to");
  }
}

/// Learns an equality that the function asserts already.
void Checker::learn(cf::AssertOp op) {
  auto compare = op.getArg().getDefiningOp<arith::CmpIOp>();
  if (compare && compare.getPredicate() == arith::CmpIPredicate::eq &&
      op->getBlock() == &function.front())
    known.unionSets(sizeFrom(compare.getLhs()), sizeFrom(compare.getRhs()));
}

void Checker::run() {
  SmallVector<Operation *> ops;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    // Operators in a group have sizes from outside.
    if (isa<fuse::FusedGroupOpInterface>(op))
      return WalkResult::skip();
    ops.push_back(op);
    return WalkResult::advance();
  });
  for (Operation *op : ops) {
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      check(linalgOp);
    else if (auto cast = dyn_cast<tensor::CastOp>(op))
      check(cast);
    else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      check(expand);
    else if (auto assertion = dyn_cast<cf::AssertOp>(op))
      learn(assertion);
  }
  // A use of a size is no use of the value between operators.
  RewritePatternSet patterns(function.getContext());
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  (void)applyOpPatternsGreedily(dims, std::move(patterns));
}

namespace {

struct CheckSizes : fusion::impl::FuseCheckSizesBase<CheckSizes> {
  void runOnOperation() override {
    getOperation()->walk([](func::FuncOp function) {
      if (!function.isExternal())
        Checker(function).run();
    });
  }
};

} // namespace
