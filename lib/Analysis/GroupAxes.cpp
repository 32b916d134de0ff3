//===- GroupAxes.cpp - The axes of a group, from its operators ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/GroupAxes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace fusion;

std::optional<unsigned> GroupModel::findAxis(StringRef name) const {
  for (auto [index, axis] : llvm::enumerate(axes))
    if (axis.name == name)
      return index;
  return std::nullopt;
}

std::optional<unsigned> GroupModel::findTensor(StringRef name) const {
  for (auto [index, tensor] : llvm::enumerate(tensors))
    if (tensor.name == name)
      return index;
  return std::nullopt;
}

bool GroupModel::indexes(unsigned tensor, unsigned axis) const {
  return llvm::is_contained(tensors[tensor].axes, axis);
}

//===----------------------------------------------------------------------===//
// What an operator is
//===----------------------------------------------------------------------===//

bool fusion::isElementwise(linalg::LinalgOp op) {
  if (isa<linalg::FillOp>(op) || op.getNumDpsInits() != 1 ||
      op.getNumLoops() != op.getNumParallelLoops() || op.getNumLoops() == 0)
    return false;
  for (AffineMap map : op.getIndexingMapsArray())
    if (!map.isProjectedPermutation())
      return false;
  // One point of the result for every iteration, whose old value is not read.
  OpOperand *init = op.getDpsInitOperand(0);
  if (!op.getMatchingIndexingMap(init).isPermutation() ||
      op.payloadUsesValueFromOperand(init))
    return false;
  for (Operation &inner : op.getBlock()->without_terminator()) {
    StringRef dialect = inner.getName().getDialectNamespace();
    if ((dialect != "arith" && dialect != "math") || inner.getNumRegions() != 0)
      return false;
    for (Value operand : inner.getOperands())
      if (operand.getParentBlock() != op.getBlock() &&
          !matchPattern(operand, m_Constant()))
        return false;
  }
  return true;
}

bool fusion::isContraction(linalg::LinalgOp op) {
  if (!linalg::isaContractionOpInterface(op))
    return false;
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  return succeeded(dims) && !dims->k.empty();
}

bool fusion::accumulatesFromZero(linalg::LinalgOp contraction) {
  auto fill = contraction.getDpsInitOperand(0)
                  ->get()
                  .getDefiningOp<linalg::FillOp>();
  return fill && (matchPattern(fill.getInputs()[0], m_AnyZeroFloat()) ||
                  matchPattern(fill.getInputs()[0], m_Zero()));
}

unsigned fusion::countBodyFlops(linalg::LinalgOp op) {
  unsigned count = 0;
  for (Operation &inner : op.getBlock()->without_terminator())
    count += isa<math::MathDialect>(inner.getDialect()) ? 8 : 1;
  return count;
}

/// The type that tensor cores multiply for this contraction: both operands have
/// it and the accumulator is f32.
static std::optional<TensorCoreType> tensorTypeOf(linalg::LinalgOp contraction) {
  auto elementType = [&](unsigned operand) {
    return getElementTypeOrSelf(contraction->getOperand(operand).getType());
  };
  if (elementType(0) != elementType(1) || !elementType(2).isF32())
    return std::nullopt;
  if (elementType(0).isF16())
    return TensorCoreType::F16;
  if (elementType(0).isBF16())
    return TensorCoreType::BF16;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Unification of loops
//===----------------------------------------------------------------------===//

namespace {

using Explain = llvm::function_ref<void(const Twine &)>;

/// Builds a GroupAxes step by step; every step may decline with a reason.
class GroupAxesBuilder {
public:
  GroupAxesBuilder(ArrayRef<linalg::LinalgOp> operators, ValueRange results,
          Explain explain)
      : results(results), explain(explain) {
    for (linalg::LinalgOp op : operators)
      if (!isa<linalg::FillOp>(op))
        group.operators.push_back(op);
  }

  FailureOr<GroupAxes> build() {
    if (failed(classify()) || failed(unifyLoops()) || failed(nameAxes()) ||
        failed(collectProducts()) || failed(collectOperands()) ||
        failed(collectResults()))
      return failure();
    nameTensors();
    return std::move(group);
  }

private:
  LogicalResult decline(const Twine &reason) {
    explain(reason);
    return failure();
  }
  LogicalResult classify();
  LogicalResult unifyLoops();
  LogicalResult nameAxes();
  LogicalResult collectProducts();
  LogicalResult collectOperands();
  LogicalResult collectResults();
  void nameTensors();

  /// The operator of the group that makes `value`.
  std::optional<unsigned> definer(Value value) const {
    auto it = definers.find(value);
    if (it == definers.end())
      return std::nullopt;
    return it->second;
  }
  std::string nextName(StringRef letter) {
    unsigned count = used[letter]++;
    return count == 0 ? letter.str() : (letter + Twine(count)).str();
  }
  unsigned addTensor(Value value, TensorRole role, unsigned op, OpOperand *use);
  LogicalResult collectOperandsOf(unsigned op, unsigned product,
                                  TensorRole role, unsigned operandNumber);

  ValueRange results;
  Explain explain;
  GroupAxes group;
  llvm::DenseMap<Value, unsigned> definers;
  llvm::StringMap<unsigned> used;
};

} // namespace

LogicalResult GroupAxesBuilder::classify() {
  unsigned numProducts = 0;
  for (auto [index, op] : llvm::enumerate(group.operators)) {
    if (op->getNumResults() != 1)
      return decline("an operator has more than one result");
    if (isContraction(op)) {
      if (!accumulatesFromZero(op))
        return decline("the accumulator of a product is not filled with zero");
      group.productOf.push_back(numProducts++);
    } else if (isElementwise(op)) {
      group.productOf.push_back(std::nullopt);
    } else {
      return decline(op->getName().getStringRef() +
                     " is neither a product nor element-wise");
    }
    for (AffineMap map : op.getIndexingMapsArray())
      if (!map.isProjectedPermutation())
        return decline("an operand is indexed by more than plain loops");
    definers[op->getResult(0)] = index;
  }
  if (numProducts == 0)
    return decline("there is no product");
  return success();
}

LogicalResult GroupAxesBuilder::unifyLoops() {
  // Loops of all operators, numbered through; a consumer's loop joins the
  // producer's loop that indexes the same dimension of the value between them.
  SmallVector<unsigned> first;
  unsigned count = 0;
  for (linalg::LinalgOp op : group.operators) {
    first.push_back(count);
    count += op.getNumLoops();
  }
  llvm::EquivalenceClasses<unsigned> classes;
  for (unsigned loop = 0; loop < count; ++loop)
    classes.insert(loop);
  for (auto [index, op] : llvm::enumerate(group.operators)) {
    for (OpOperand *operand : op.getDpsInputOperands()) {
      std::optional<unsigned> producer = definer(operand->get());
      if (!producer)
        continue;
      linalg::LinalgOp producerOp = group.operators[*producer];
      AffineMap made =
          producerOp.getMatchingIndexingMap(producerOp.getDpsInitOperand(0));
      AffineMap read = op.getMatchingIndexingMap(operand);
      for (auto [madeExpr, readExpr] :
           llvm::zip_equal(made.getResults(), read.getResults()))
        classes.unionSets(
            first[*producer] + cast<AffineDimExpr>(madeExpr).getPosition(),
            first[index] + cast<AffineDimExpr>(readExpr).getPosition());
    }
  }
  // Number the classes in order of first appearance.
  llvm::MapVector<unsigned, unsigned> axisOfLeader;
  for (auto [index, op] : llvm::enumerate(group.operators)) {
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    SmallVector<unsigned> &loops = group.loops.emplace_back();
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
      unsigned leader = classes.getLeaderValue(first[index] + loop);
      auto [it, isNew] =
          axisOfLeader.insert({leader, group.model.axes.size()});
      if (isNew)
        group.model.axes.push_back({"", ShapedType::kDynamic, true});
      Axis &axis = group.model.axes[it->second];
      if (!ShapedType::isDynamic(ranges[loop])) {
        axis.extent = ranges[loop];
        axis.isDynamic = false;
      }
      if (llvm::is_contained(loops, it->second))
        return decline("two loops of one operator would be one axis");
      loops.push_back(it->second);
    }
  }
  return success();
}

LogicalResult GroupAxesBuilder::nameAxes() {
  static constexpr StringLiteral later[] = {"h", "p", "q", "r", "s",
                                            "t", "u", "v", "w"};
  unsigned nextLater = 0;
  bool isFirst = true;
  auto name = [&](unsigned op, ArrayRef<unsigned> loops, StringRef letter) {
    for (unsigned loop : loops) {
      Axis &axis = group.model.axes[group.loops[op][loop]];
      if (!axis.name.empty())
        continue;
      StringRef chosen = letter;
      if (!isFirst && letter != "b")
        chosen = later[nextLater++ % std::size(later)];
      axis.name = nextName(chosen);
    }
  };
  for (auto [index, op] : llvm::enumerate(group.operators)) {
    if (!group.productOf[index])
      continue;
    FailureOr<linalg::ContractionDimensions> dims =
        linalg::inferContractionDims(op);
    name(index, dims->batch, "b");
    name(index, dims->m, "m");
    name(index, dims->n, "n");
    name(index, dims->k, "k");
    isFirst = false;
  }
  // Loops of element-wise operators that no product has, such as a result that
  // is broadcast along a new dimension.
  for (Axis &axis : group.model.axes)
    if (axis.name.empty())
      axis.name = nextName("x");
  return success();
}

LogicalResult GroupAxesBuilder::collectProducts() {
  for (auto [number, linalgOp] : llvm::enumerate(group.operators)) {
    unsigned index = number;
    linalg::LinalgOp op = linalgOp;
    if (!group.productOf[index])
      continue;
    Product product;
    product.axes.assign(group.loops[index].begin(), group.loops[index].end());
    FailureOr<linalg::ContractionDimensions> dims =
        linalg::inferContractionDims(op);
    auto axesOf = [&](ArrayRef<unsigned> loops) {
      SmallVector<unsigned, 2> axes;
      for (unsigned loop : loops)
        axes.push_back(group.loops[index][loop]);
      return axes;
    };
    product.batch = axesOf(dims->batch);
    product.lhsAxes = axesOf(dims->m);
    product.rhsAxes = axesOf(dims->n);
    product.reduction = axesOf(dims->k);
    product.type = tensorTypeOf(op);
    product.result = addTensor(op->getResult(0), TensorRole::Intermediate,
                               index, op.getDpsInitOperand(0));
    group.model.tensors[product.result].product = group.model.products.size();
    group.model.products.push_back(product);
  }
  return success();
}

unsigned GroupAxesBuilder::addTensor(Value value, TensorRole role, unsigned op,
                            OpOperand *use) {
  linalg::LinalgOp linalgOp = group.operators[op];
  AffineMap map = linalgOp.getMatchingIndexingMap(use);
  auto type = cast<RankedTensorType>(value.getType());
  GroupTensor tensor;
  tensor.role = role;
  tensor.product = 0;
  for (AffineExpr expr : map.getResults())
    tensor.axes.push_back(
        group.loops[op][cast<AffineDimExpr>(expr).getPosition()]);
  unsigned bits = type.getElementTypeBitWidth();
  tensor.elementBytes = llvm::divideCeil(bits, 8);
  // Tensors are dense and row-major, so every stride is a multiple of the size of
  // the last dimension.
  int64_t columns = type.getRank() ? type.getShape().back() : 1;
  uint64_t rowBytes = ShapedType::isDynamic(columns)
                          ? tensor.elementBytes
                          : columns * tensor.elementBytes;
  tensor.alignment = std::min<uint64_t>(16, rowBytes & -rowBytes);
  unsigned index = group.model.tensors.size();
  group.model.tensors.push_back(std::move(tensor));
  group.values.push_back(value);
  group.finalValues.push_back(value);
  group.tensorOf[value] = index;
  return index;
}

/// Collects the inputs that operator `op` reads, directly or through element-wise
/// operators, up to products.
LogicalResult GroupAxesBuilder::collectOperandsOf(unsigned op, unsigned product,
                                         TensorRole role,
                                         unsigned operandNumber) {
  linalg::LinalgOp linalgOp = group.operators[op];
  bool isProduct = group.productOf[op].has_value();
  for (OpOperand *operand : linalgOp.getDpsInputOperands()) {
    unsigned number =
        isProduct ? operand->getOperandNumber() : operandNumber;
    Value value = operand->get();
    if (std::optional<unsigned> producer = definer(value)) {
      // A product, or an element-wise operator after one, hands its value over.
      if (std::optional<unsigned> other = group.followsProduct[*producer]) {
        if (*other == product && role == TensorRole::Extra)
          continue;
        if (role == TensorRole::Extra)
          return decline("an element-wise operator joins two products");
        std::optional<unsigned> &slot =
            group.model.products[product].producer[number];
        if (slot && *slot != *other)
          return decline("an operand of a product joins two products");
        slot = other;
        continue;
      }
      if (failed(collectOperandsOf(*producer, product, role, number)))
        return failure();
      continue;
    }
    if (!isa<RankedTensorType>(value.getType()))
      continue;
    if (value.getDefiningOp<tensor::EmptyOp>() ||
        value.getDefiningOp<linalg::FillOp>())
      return decline("an operand is not an input but an empty or filled tensor");
    if (auto it = group.tensorOf.find(value); it != group.tensorOf.end()) {
      const GroupTensor &known = group.model.tensors[it->second];
      if (known.role == role && known.product == product &&
          known.operandNumber == number)
        continue;
      return decline("an input is read in two places of the chain");
    }
    unsigned tensor = addTensor(value, role, op, operand);
    group.model.tensors[tensor].product = product;
    group.model.tensors[tensor].operandNumber = number;
  }
  return success();
}

LogicalResult GroupAxesBuilder::collectOperands() {
  // An element-wise operator belongs after the product it depends on, or before
  // the product that depends on it.
  auto &follows = group.followsProduct;
  follows.resize(group.operators.size());
  for (auto [index, op] : llvm::enumerate(group.operators)) {
    if (std::optional<unsigned> product = group.productOf[index]) {
      follows[index] = product;
      if (failed(collectOperandsOf(index, *product, TensorRole::Operand, 0)))
        return failure();
      continue;
    }
    for (OpOperand *operand : op.getDpsInputOperands())
      if (std::optional<unsigned> producer = definer(operand->get()))
        if (std::optional<unsigned> product = follows[*producer]) {
          if (follows[index] && *follows[index] != *product)
            return decline("an element-wise operator joins two products");
          follows[index] = product;
        }
  }
  for (auto [index, op] : llvm::enumerate(group.operators)) {
    if (group.productOf[index] || !follows[index])
      continue;
    Product &product = group.model.products[*follows[index]];
    product.flopsPerPoint += countBodyFlops(op);
    GroupTensor &result = group.model.tensors[product.result];
    for (unsigned axis : group.loops[index])
      if (!llvm::is_contained(result.axes, axis))
        return decline("an element-wise operator has a loop that its product "
                       "does not have");
    if (failed(collectOperandsOf(index, *follows[index], TensorRole::Extra, 0)))
      return failure();
    // Operators come in program order, so the last one makes the final value.
    group.finalValues[product.result] = op->getResult(0);
  }
  return success();
}

LogicalResult GroupAxesBuilder::collectResults() {
  if (results.size() != 1)
    return decline("it has more than one result");
  for (unsigned index = 0; index < group.model.products.size(); ++index) {
    Product &product = group.model.products[index];
    GroupTensor &tensor = group.model.tensors[product.result];
    Value value = group.finalValues[product.result];
    auto type = cast<RankedTensorType>(value.getType());
    tensor.elementBytes =
        llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    // The dimensions of what is handed on may be permuted by the operators after
    // the product.
    if (std::optional<unsigned> op = definer(value)) {
      linalg::LinalgOp last = group.operators[*op];
      AffineMap map = last.getMatchingIndexingMap(last.getDpsInitOperand(0));
      tensor.axes.clear();
      for (AffineExpr expr : map.getResults())
        tensor.axes.push_back(
            group.loops[*op][cast<AffineDimExpr>(expr).getPosition()]);
    }
    uint64_t columns = type.getRank() ? type.getShape().back() : 1;
    uint64_t rowBytes = type.getRank() && type.isDynamicDim(type.getRank() - 1)
                            ? tensor.elementBytes
                            : columns * tensor.elementBytes;
    tensor.alignment = std::min<uint64_t>(16, rowBytes & -rowBytes);
    if (value == results.front())
      tensor.role = TensorRole::Result;
    bool isRead = llvm::any_of(group.model.products, [&](const Product &other) {
      return other.producer[0] == index || other.producer[1] == index;
    });
    if (!isRead && tensor.role != TensorRole::Result)
      return decline("a product's value leaves before its last operator");
    if (isRead && tensor.role == TensorRole::Result)
      return decline("a product's value is read inside and outside");
  }
  return success();
}

void GroupAxesBuilder::nameTensors() {
  unsigned next = 0;
  auto name = [&](unsigned tensor) {
    std::string &target = group.model.tensors[tensor].name;
    if (!target.empty())
      return;
    target = next < 26 ? std::string(1, 'A' + next) : "T" + std::to_string(next);
    ++next;
  };
  auto nameAll = [&](unsigned product, TensorRole role, unsigned number) {
    for (auto [index, tensor] : llvm::enumerate(group.model.tensors))
      if (tensor.role == role && tensor.product == product &&
          tensor.operandNumber == number)
        name(index);
  };
  for (auto [index, product] : llvm::enumerate(group.model.products)) {
    nameAll(index, TensorRole::Operand, 0);
    nameAll(index, TensorRole::Operand, 1);
    name(product.result);
  }
  for (unsigned index = 0; index < group.model.tensors.size(); ++index)
    name(index);
}

FailureOr<GroupAxes>
GroupAxes::compute(ArrayRef<linalg::LinalgOp> operators, ValueRange results,
                   Explain explain) {
  return GroupAxesBuilder(operators, results, explain).build();
}
