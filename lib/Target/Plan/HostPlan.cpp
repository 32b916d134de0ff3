//===- HostPlan.cpp - A function of launches as a plan --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/Plan/HostPlan.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fusion;

/// What a chain of views looks at.
static Value rootOf(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (!isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
            op))
      break;
    tensor = op->getOperand(0);
  }
  return tensor;
}

llvm::StringRef HostPlan::bufferOf(Value tensor) const {
  auto it = names.find(rootOf(tensor));
  return it == names.end() ? llvm::StringRef() : llvm::StringRef(it->second);
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

static bool isInteger(StringRef text, int64_t &value) {
  return !text.getAsInteger(10, value);
}

std::string fusion::combineExpressions(StringRef op, const std::string &a,
                                       const std::string &b) {
  int64_t x, y;
  if (isInteger(a, x) && isInteger(b, y)) {
    if (op == "+")
      return std::to_string(x + y);
    if (op == "-")
      return std::to_string(x - y);
    if (op == "*")
      return std::to_string(x * y);
    if (y > 0 && op == "ceildiv")
      return std::to_string(llvm::divideCeilSigned(x, y));
    if (y > 0 && op == "floordiv")
      return std::to_string(llvm::divideFloorSigned(x, y));
    if (y > 0 && op == "mod")
      return std::to_string(llvm::mod(x, y));
  }
  if (op == "*" && b == "1")
    return a;
  if (op.size() == 1)
    return "(" + a + " " + op.str() + " " + b + ")";
  return op.str() + "(" + a + ", " + b + ")";
}

FailureOr<std::string> HostPlan::size(Value tensor, int64_t dimension) const {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dimension))
    return std::to_string(type.getDimSize(dimension));
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return "size:arg" + std::to_string(argument.getArgNumber()) + "." +
           std::to_string(dimension);
  Operation *op = tensor.getDefiningOp();
  if (auto launch = dyn_cast<tile::LaunchOp>(op))
    return size(launch.getInits()[cast<OpResult>(tensor).getResultNumber()],
                dimension);
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return expression(empty.getDynamicSize(dimension));
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return size(cast.getSource(), dimension);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    std::string product = "1";
    for (int64_t d : collapse.getReassociationIndices()[dimension]) {
      FailureOr<std::string> factor = size(collapse.getSrc(), d);
      if (failed(factor))
        return failure();
      product =
          product == "1" ? *factor : combineExpressions("*", product, *factor);
    }
    return product;
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    OpFoldResult shape = expand.getMixedOutputShape()[dimension];
    if (auto value = dyn_cast<Value>(shape))
      return expression(value);
  }
  return op->emitOpError("has a size that the host cannot compute");
}

static FailureOr<std::string> affineExpression(AffineExpr expr,
                                               ArrayRef<std::string> operands,
                                               unsigned numDims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return std::to_string(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return operands[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return operands[numDims + symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  FailureOr<std::string> lhs =
      affineExpression(binary.getLHS(), operands, numDims);
  FailureOr<std::string> rhs =
      affineExpression(binary.getRHS(), operands, numDims);
  if (failed(lhs) || failed(rhs))
    return failure();
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return combineExpressions("+", *lhs, *rhs);
  case AffineExprKind::Mul:
    return combineExpressions("*", *lhs, *rhs);
  case AffineExprKind::Mod:
    return combineExpressions("mod", *lhs, *rhs);
  case AffineExprKind::FloorDiv:
    return combineExpressions("floordiv", *lhs, *rhs);
  case AffineExprKind::CeilDiv:
    return combineExpressions("ceildiv", *lhs, *rhs);
  default:
    return failure();
  }
}

FailureOr<std::string> HostPlan::expression(Value value) const {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return std::to_string(constant.getSExtValue());
  if (auto argument = dyn_cast<BlockArgument>(value))
    return "value:arg" + std::to_string(argument.getArgNumber());
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast<tensor::DimOp>(op))
    if (std::optional<int64_t> index = dim.getConstantIndex())
      return size(dim.getSource(), *index);
  SmallVector<std::string> operands;
  for (Value operand : op->getOperands()) {
    if (!operand.getType().isIntOrIndex())
      return op->emitOpError("is no expression over sizes");
    FailureOr<std::string> text = expression(operand);
    if (failed(text))
      return failure();
    operands.push_back(*text);
  }
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    AffineMap map = apply.getAffineMap();
    FailureOr<std::string> text =
        affineExpression(map.getResult(0), operands, map.getNumDims());
    if (succeeded(text))
      return text;
  }
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
          arith::ExtUIOp>(op))
    return operands[0];
  StringRef name =
      llvm::TypeSwitch<Operation *, StringRef>(op)
          .Case<arith::AddIOp>([](auto) { return "+"; })
          .Case<arith::SubIOp>([](auto) { return "-"; })
          .Case<arith::MulIOp>([](auto) { return "*"; })
          .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>(
              [](auto) { return "ceildiv"; })
          .Case<arith::DivUIOp, arith::FloorDivSIOp>(
              [](auto) { return "floordiv"; })
          .Case<arith::RemUIOp>([](auto) { return "mod"; })
          .Case<arith::MinSIOp, arith::MinUIOp>([](auto) { return "min"; })
          .Case<arith::MaxSIOp, arith::MaxUIOp>([](auto) { return "max"; })
          .Default([](Operation *) { return ""; });
  if (name.empty())
    return op->emitOpError("is no expression over sizes");
  return combineExpressions(name, operands[0], operands[1]);
}

FailureOr<std::string> HostPlan::bytesOf(Value tensor) const {
  auto type = cast<RankedTensorType>(tensor.getType());
  std::string product = std::to_string(llvm::divideCeil(
      type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth(), 8));
  for (int64_t d = 0; d < type.getRank(); ++d) {
    FailureOr<std::string> factor = size(tensor, d);
    if (failed(factor))
      return failure();
    product = combineExpressions("*", product, *factor);
  }
  return product;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

std::string fusion::bytesOfElements(DenseElementsAttr dense) {
  Type element = dense.getElementType();
  unsigned bytes = llvm::divideCeil(
      element.isIndex() ? 64 : element.getIntOrFloatBitWidth(), 8);
  std::string raw;
  auto append = [&](const APInt &value) {
    APInt wide = value.zextOrTrunc(8 * bytes);
    for (unsigned i = 0; i < bytes; ++i)
      raw.push_back(static_cast<char>(wide.extractBitsAsZExtValue(8, 8 * i)));
  };
  for (Attribute attr : dense.getValues<Attribute>()) {
    auto real = dyn_cast<FloatAttr>(attr);
    append(real ? real.getValue().bitcastToAPInt()
                : cast<IntegerAttr>(attr).getValue());
  }
  return raw;
}

LogicalResult
HostPlan::nameRoots(SmallVectorImpl<DenseElementsAttr> &constants) {
  for (auto [index, argument] : llvm::enumerate(function.getArguments()))
    names[argument] = "arg" + std::to_string(index);
  auto addConstant = [&](Value root) {
    if (names.contains(root))
      return;
    DenseElementsAttr dense;
    if (matchPattern(root, m_Constant(&dense))) {
      auto it = llvm::find(constants, dense);
      names[root] = "const" + std::to_string(it - constants.begin());
      if (it == constants.end())
        constants.push_back(dense);
    }
  };
  // Results take the buffers of what is returned, temporaries the rest.
  auto terminator = cast<func::ReturnOp>(function.front().getTerminator());
  for (auto [index, value] : llvm::enumerate(terminator.getOperands())) {
    std::string own = "result" + std::to_string(index);
    if (!isa<RankedTensorType>(value.getType())) {
      resultAlias.push_back(own);
      continue;
    }
    Value root = rootOf(value);
    addConstant(root);
    auto [it, isNew] = names.insert({root, own});
    resultAlias.push_back(it->second);
  }
  for (auto [number, launch] : llvm::enumerate(launches)) {
    for (Value input : launch.getInputs()) {
      if (!isa<RankedTensorType>(input.getType()))
        continue;
      Value root = rootOf(input);
      addConstant(root);
      if (!names.contains(root) && root.getDefiningOp<tensor::EmptyOp>()) {
        // Read though nothing wrote it: memory of any contents.
        names[root] = "temp" + std::to_string(temporaries.size());
        temporaries.emplace_back(names[root], root, number);
      }
      if (!names.contains(root))
        return launch.emitOpError("reads a tensor that no launch makes");
      for (PlanBuffer &buffer : temporaries)
        if (buffer.value == root)
          buffer.lastUse = number;
    }
    for (Value result : launch.getResults()) {
      if (names.contains(result))
        continue;
      names[result] = "temp" + std::to_string(temporaries.size());
      temporaries.emplace_back(names[result], result, number);
    }
  }
  return success();
}

/// Temporaries of known size share a workspace: largest first, each at the
/// lowest offset where nothing that lives at the same time is.
void HostPlan::placeTemporaries() {
  constexpr int64_t alignment = 256;
  SmallVector<PlanBuffer *> order;
  for (PlanBuffer &buffer : temporaries)
    if (buffer.staticBytes)
      order.push_back(&buffer);
  llvm::sort(order, [](const PlanBuffer *a, const PlanBuffer *b) {
    return std::make_pair(-*a->staticBytes, a->firstUse) <
           std::make_pair(-*b->staticBytes, b->firstUse);
  });
  SmallVector<PlanBuffer *> placed;
  for (PlanBuffer *buffer : order) {
    int64_t bytes = llvm::alignTo(*buffer->staticBytes, alignment);
    SmallVector<std::pair<int64_t, int64_t>> taken;
    for (PlanBuffer *other : placed)
      if (other->firstUse <= buffer->lastUse &&
          buffer->firstUse <= other->lastUse)
        taken.push_back(
            {*other->offset,
             *other->offset + llvm::alignTo(*other->staticBytes, alignment)});
    llvm::sort(taken);
    int64_t offset = 0;
    for (auto [begin, end] : taken) {
      if (offset + bytes <= begin)
        break;
      offset = std::max(offset, end);
    }
    buffer->offset = offset;
    placed.push_back(buffer);
  }
}

/// Adds what `op` asserts, a comparison of sizes, unless it always holds.
LogicalResult HostPlan::addCondition(cf::AssertOp op) {
  if (matchPattern(op.getArg(), m_One()))
    return success();
  auto compare = op.getArg().getDefiningOp<arith::CmpIOp>();
  using Predicate = arith::CmpIPredicate;
  bool isEqual = compare && compare.getPredicate() == Predicate::eq;
  if (!isEqual && (!compare || compare.getPredicate() != Predicate::sle))
    return op.emitOpError("asserts what is neither 'eq' nor 'sle' of sizes");
  FailureOr<std::string> left = expression(compare.getLhs());
  if (failed(left))
    return failure();
  FailureOr<std::string> right = expression(compare.getRhs());
  if (failed(right))
    return failure();
  int64_t x, y;
  if (*left == *right ||
      (!isEqual && isInteger(*left, x) && isInteger(*right, y) && x <= y))
    return success();
  conditions.push_back({*left, *right, isEqual, op.getMsg().str()});
  return success();
}

LogicalResult HostPlan::build(SmallVectorImpl<DenseElementsAttr> &constants) {
  if (!function.getBody().hasOneBlock())
    return function.emitError("a host plan has one block");
  if (!isa<func::ReturnOp>(function.front().back()))
    return function.emitError("a host plan ends in a func.return");
  for (Operation &op : function.front()) {
    if (auto launch = dyn_cast<tile::LaunchOp>(op)) {
      launches.push_back(launch);
      continue;
    }
    if (auto assertion = dyn_cast<cf::AssertOp>(op)) {
      if (failed(addCondition(assertion)))
        return failure();
      continue;
    }
    StringRef dialect = op.getName().getDialectNamespace();
    if (dialect == "linalg" || dialect == "fuse" || op.getNumRegions() != 0)
      return op.emitOpError(
          "is not part of a host plan; lower the module with fuse-to-nvvm");
  }
  if (failed(nameRoots(constants)))
    return failure();
  for (PlanBuffer &buffer : temporaries) {
    FailureOr<std::string> bytes = bytesOf(buffer.value);
    if (failed(bytes))
      return failure();
    buffer.bytes = *bytes;
    int64_t value;
    if (isInteger(buffer.bytes, value))
      buffer.staticBytes = value;
  }
  placeTemporaries();
  return success();
}
