//===- GroupTensors.cpp - The tensors of a group, from its operators ------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChainReader.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "fusion/Analysis/Groups/Windows.h"
#include "fusion/Analysis/Online/OnlineReduction.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Support/ElementBytes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace fusion;

/// Returns the type that an intrinsic may multiply for this contraction. Both
/// operands have it, and the accumulator is f32, or i32 for integers.
static std::optional<MultiplicandType>
multiplicandTypeOf(linalg::LinalgOp contraction) {
  auto elementType = [&](unsigned operand) {
    return getElementTypeOrSelf(contraction->getOperand(operand).getType());
  };
  auto is = [&](auto predicate) {
    return predicate(elementType(0)) && predicate(elementType(1));
  };
  auto isSaid = [&](StringRef attribute, StringRef how) {
    auto module = contraction->getParentOfType<ModuleOp>();
    auto said =
        module ? module->getAttrOfType<StringAttr>(attribute) : StringAttr();
    return said && said.getValue() == how;
  };
  if (is([](Type type) { return type.isInteger(8); })) {
    bool isSigned = llvm::none_of(*contraction.getBlock(), [](Operation &op) {
      return isa<arith::ExtUIOp>(op);
    });
    if (isSigned && elementType(2).isInteger(32))
      return MultiplicandType::S8;
    return std::nullopt;
  }
  if (!elementType(2).isF32())
    return std::nullopt;
  // The two 8-bit types go together.
  if (is(llvm::IsaPred<Float8E4M3FNType, Float8E5M2Type>))
    return isSaid(fuse::kF8ProductsAttrName, "coarse")
               ? MultiplicandType::FP8Coarse
               : MultiplicandType::FP8;
  if (elementType(0) != elementType(1))
    return std::nullopt;
  if (elementType(0).isF16())
    return MultiplicandType::F16;
  if (elementType(0).isBF16())
    return MultiplicandType::BF16;
  if (!elementType(0).isF32())
    return std::nullopt;
  if (isSaid(fuse::kF32ProductsAttrName, "tf32-cut"))
    return MultiplicandType::TF32Cut;
  return isSaid(fuse::kF32ProductsAttrName, "tf32") ? MultiplicandType::TF32
                                                    : MultiplicandType::F32;
}

LogicalResult ChainReader::collectProducts() {
  for (auto [number, linalgOp] : llvm::enumerate(group.operators)) {
    unsigned index = number;
    linalg::LinalgOp op = linalgOp;
    if (!group.contractionOf[index])
      continue;
    Contraction contraction;
    contraction.axes.assign(group.loops[index].begin(),
                            group.loops[index].end());
    std::optional<ContractionLoops> dims = inferContractionLoops(op);
    auto axesOf = [&](ArrayRef<unsigned> loops) {
      SmallVector<unsigned, 2> axes;
      for (unsigned loop : loops)
        axes.push_back(group.loops[index][loop]);
      return axes;
    };
    contraction.batch = axesOf(dims->batch);
    contraction.lhsAxes = axesOf(dims->m);
    contraction.rhsAxes = axesOf(dims->n);
    contraction.reduction = axesOf(dims->k);
    contraction.type = multiplicandTypeOf(op);
    contraction.result = addTensor(op->getResult(0), TensorRole::Intermediate,
                                   index, op.getDpsInitOperand(0));
    group.model.tensors[contraction.result].contraction =
        group.model.contractions.size();
    group.model.contractions.push_back(contraction);
  }
  return success();
}

SmallVector<unsigned, 4> ChainReader::axesOf(unsigned op, OpOperand *use) {
  SmallVector<unsigned, 4> axes;
  AffineMap map = group.operators[op].getMatchingIndexingMap(use);
  for (AffineExpr expr : map.getResults())
    axes.push_back(group.loops[op][cast<AffineDimExpr>(expr).getPosition()]);
  return axes;
}

/// Sets the size of the elements, and the alignment of copies along the last
/// dimension.
static void setElements(GroupTensor &tensor, RankedTensorType type) {
  tensor.elementBytes = elementBytes(type);
  // Tensors are dense and row-major, so every stride is a multiple of the size
  // of the last dimension.
  int64_t columns = type.getRank() ? type.getShape().back() : 1;
  uint64_t rowBytes = ShapedType::isDynamic(columns)
                          ? tensor.elementBytes
                          : columns * tensor.elementBytes;
  tensor.alignment = std::min<uint64_t>(16, rowBytes & -rowBytes);
}

unsigned ChainReader::addTensor(Value value, TensorRole role, unsigned op,
                                OpOperand *use) {
  auto type = cast<RankedTensorType>(value.getType());
  GroupTensor tensor;
  tensor.role = role;
  tensor.contraction = 0;
  tensor.axes = axesOf(op, use);
  setElements(tensor, type);
  unsigned index = group.model.tensors.size();
  group.model.tensors.push_back(std::move(tensor));
  group.values.push_back(value);
  group.finalValues.push_back(value);
  group.tensorOf[value] = index;
  return index;
}

/// Adds the tensor that a contraction reads through a window.
unsigned ChainReader::addWindow(unsigned op, OpOperand *use) {
  SmallVector<int64_t> extents;
  for (const Axis &axis : group.model.axes)
    extents.push_back(axis.extent);
  auto window = std::make_shared<const TensorWindow>(
      describeWindow(*use, group.loops[op], extents));
  std::optional<Padding> padding = matchPadding(use->get());
  Value source = padding ? padding->source : use->get();
  GroupTensor tensor;
  tensor.role = TensorRole::Operand;
  tensor.elementBytes = llvm::divideCeil(
      getElementTypeOrSelf(source.getType()).getIntOrFloatBitWidth(), 8);
  WindowAxes order = orderWindowAxes(*window, tensor.elementBytes);
  tensor.axes.assign(order.axes.begin(), order.axes.end());
  tensor.alignment = order.alignment;
  tensor.window = std::move(window);
  unsigned index = group.model.tensors.size();
  group.model.tensors.push_back(std::move(tensor));
  group.values.push_back(source);
  group.finalValues.push_back(source);
  group.tensorOf[source] = group.tensorOf[use->get()] = index;
  return index;
}

/// Collects the inputs that operator `op` reads, directly or through
/// element-wise operators, up to other contractions.
LogicalResult ChainReader::collectOperandsOf(unsigned op, unsigned contraction,
                                             TensorRole role,
                                             unsigned operandNumber) {
  linalg::LinalgOp linalgOp = group.operators[op];
  bool isProduct = group.contractionOf[op].has_value();
  for (OpOperand *operand : linalgOp.getDpsInputOperands()) {
    unsigned number = isProduct ? operand->getOperandNumber() : operandNumber;
    Value value = operand->get();
    if (std::optional<unsigned> producer = definer(value)) {
      // A contraction, or its epilogue, produces this value.
      if (std::optional<unsigned> other = group.followsContraction[*producer]) {
        if (role == TensorRole::Extra)
          continue;
        std::optional<unsigned> &slot =
            group.model.contractions[contraction].producer[number];
        if (slot && *slot != *other)
          return decline("an operand of a contraction joins the values of two "
                         "contractions");
        slot = other;
        continue;
      }
      if (role == TensorRole::Operand) {
        group.model.contractions[contraction].computed[number] = true;
        if (isProduct && shareFront(*producer, contraction, number))
          continue;
        auto &place = precedes[*producer];
        if (place && *place != std::pair(contraction, number))
          return decline("a value of a contraction's prologue is read in two "
                         "places of the chain");
        place = std::pair(contraction, number);
      }
      if (failed(collectOperandsOf(*producer, contraction, role, number)))
        return failure();
      continue;
    }
    if (!isa<RankedTensorType>(value.getType()))
      continue;
    if (value.getDefiningOp<tensor::EmptyOp>() ||
        value.getDefiningOp<linalg::FillOp>())
      return decline(
          "an operand is not an input but an empty or filled tensor");
    if (role == TensorRole::Operand &&
        getElementTypeOrSelf(value.getType()).isInteger(1))
      return decline("booleans do not pass through shared memory to a "
                     "contraction");
    if (isProduct && readsThroughWindow(*operand)) {
      std::optional<Padding> padding = matchPadding(value);
      if (padding && definer(padding->source))
        return decline("a convolution reads a value of the chain through its "
                       "window: tiles of that value would overlap");
      if (group.tensorOf.contains(padding ? padding->source : value))
        return decline("an input is read in two places of the chain");
      unsigned tensor = addWindow(op, operand);
      group.model.tensors[tensor].contraction = contraction;
      group.model.tensors[tensor].operandNumber = number;
      continue;
    }
    if (auto it = group.tensorOf.find(value); it != group.tensorOf.end()) {
      const GroupTensor &known = group.model.tensors[it->second];
      if (known.role == role && known.contraction == contraction &&
          known.operandNumber == number)
        continue;
      return decline("an input is read in two places of the chain");
    }
    if (isProduct)
      if (std::optional<unsigned> shared = findShared(op, operand)) {
        group.tensorOf[value] = *shared;
        group.model.tensors[*shared].sharedBy.push_back(contraction);
        continue;
      }
    // A prologue may read one input several times.
    std::optional<unsigned> known =
        isProduct || role != TensorRole::Operand
            ? std::nullopt
            : findRead(op, operand, contraction, number);
    if (known) {
      group.tensorOf[value] = *known;
      continue;
    }
    unsigned tensor = addTensor(value, role, op, operand);
    group.model.tensors[tensor].contraction = contraction;
    group.model.tensors[tensor].operandNumber = number;
  }
  return success();
}

LogicalResult ChainReader::collectOperands() {
  // An element-wise operator belongs to the epilogue of the contraction it
  // depends on, or to the prologue of the one that depends on it.
  auto &follows = group.followsContraction;
  follows.resize(group.operators.size());
  precedes.resize(group.operators.size());
  for (auto [index, op] : llvm::enumerate(group.operators)) {
    if (std::optional<unsigned> contraction = group.contractionOf[index]) {
      follows[index] = contraction;
      if (failed(
              collectOperandsOf(index, *contraction, TensorRole::Operand, 0)))
        return failure();
      continue;
    }
    for (OpOperand *operand : op.getDpsInputOperands())
      if (std::optional<unsigned> producer = definer(operand->get()))
        if (std::optional<unsigned> contraction = follows[*producer])
          follows[index] = std::max(follows[index].value_or(0), *contraction);
  }
  for (auto [index, op] : llvm::enumerate(group.operators)) {
    if (group.contractionOf[index] || !follows[index])
      continue;
    Contraction &contraction = group.model.contractions[*follows[index]];
    GroupTensor &result = group.model.tensors[contraction.result];
    ArrayRef<unsigned> loops(group.loops[index]);
    bool hasAllAxes = llvm::all_of(result.axes, [&](unsigned axis) {
      return llvm::is_contained(loops, axis);
    });
    (hasAllAxes ? contraction.perPoint : contraction.perRow) +=
        countScalarWork(op, /*isInChain=*/true);
    for (unsigned axis : group.loops[index])
      if (!llvm::is_contained(result.axes, axis))
        return decline("an element-wise operator has a loop that its "
                       "contraction does not have");
    if (failed(collectOperandsOf(index, *follows[index], TensorRole::Extra, 0)))
      return failure();
  }
  if (failed(collectJoins()))
    return failure();
  return collectReductions();
}

/// Returns how many axes a contraction's result has.
static size_t tileRank(const Contraction &contraction) {
  return contraction.axes.size() - contraction.reduction.size();
}

LogicalResult ChainReader::collectJoins() {
  for (auto [index, op] : llvm::enumerate(group.operators)) {
    if (group.contractionOf[index] || !group.followsContraction[index])
      continue;
    Contraction &home =
        group.model.contractions[*group.followsContraction[index]];
    for (OpOperand *operand : op.getDpsInputOperands()) {
      std::optional<unsigned> producer = definer(operand->get());
      if (!producer || !group.followsContraction[*producer] ||
          group.followsContraction[*producer] ==
              group.followsContraction[index])
        continue;
      unsigned other = *group.followsContraction[*producer];
      bool isTile = axesOf(index, operand).size() ==
                    tileRank(group.model.contractions[other]);
      auto &list = isTile ? home.joined : home.joinedStatistics;
      if (!llvm::is_contained(list, other))
        list.push_back(other);
    }
  }
  return success();
}

LogicalResult ChainReader::collectReductions() {
  for (auto [index, op] : llvm::enumerate(group.operators)) {
    if (!group.reductionOf[index])
      continue;
    if (!group.followsContraction[index] && !precedes[index])
      return decline("a reduction's result does not reach a contraction");
    Reduction &reduction = group.model.reductions.emplace_back();
    reduction.contraction = group.followsContraction[index]
                                ? *group.followsContraction[index]
                                : precedes[index]->first;
    for (unsigned axis : axesOf(index, op.getDpsInitOperand(0)))
      reduction.axes.push_back(axis);
    for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
      if (kind == utils::IteratorType::reduction)
        reduction.reduced.push_back(group.loops[index][loop]);
    reduction.elementBytes = llvm::divideCeil(
        getElementTypeOrSelf(op->getResult(0)).getIntOrFloatBitWidth(), 8);
  }
  return collectPasses();
}

LogicalResult ChainReader::collectResults() {
  for (unsigned index = 0; index < group.model.contractions.size(); ++index) {
    FailureOr<Value> handed = handedValue(index);
    if (failed(handed))
      return failure();
    GroupTensor &tensor =
        group.model.tensors[group.model.contractions[index].result];
    group.finalValues[group.model.contractions[index].result] = *handed;
    // The epilogue may permute the dimensions of the value.
    unsigned op = *definer(*handed);
    tensor.axes = axesOf(op, group.operators[op].getDpsInitOperand(0));
    setElements(tensor, cast<RankedTensorType>(handed->getType()));
    if (llvm::is_contained(results, *handed))
      tensor.role = TensorRole::Result;
  }
  unsigned numResults = llvm::count_if(group.model.tensors, [](auto &tensor) {
    return tensor.role == TensorRole::Result;
  });
  if (numResults != 1)
    return decline("the value of one contraction must leave the chain, not "
                   "of " +
                   Twine(numResults));
  for (Value result : results) {
    unsigned *known = llvm::find_if(group.resultTensors, [&](unsigned tensor) {
      return group.finalValues[tensor] == result;
    });
    if (known != group.resultTensors.end())
      return decline("one value is two results");
    auto *contraction = llvm::find(group.finalValues, result);
    if (contraction != group.finalValues.end()) {
      group.resultTensors.push_back(contraction - group.finalValues.begin());
      continue;
    }
    std::optional<unsigned> op = definer(result);
    bool isOfRows = op && group.statisticsOf[*op];
    if (!op || (!group.followsContraction[*op] && !isOfRows) ||
        group.contractionOf[*op])
      return decline("a result is not computed in a contraction's epilogue");
    unsigned tensor = addTensor(result, TensorRole::Statistic, *op,
                                group.operators[*op].getDpsInitOperand(0));
    group.model.tensors[tensor].contraction =
        isOfRows
            ? group.model.rowStatistics[*group.statisticsOf[*op]].contraction
            : *group.followsContraction[*op];
    group.model.tensors[tensor].ofOperand = isOfRows;
    group.resultTensors.push_back(tensor);
  }
  return success();
}

/// Returns the value of a contraction after its epilogue: it is an operand of
/// the next contraction, joins the epilogue of a different one, or leaves the
/// group.
FailureOr<Value> ChainReader::handedValue(unsigned contraction) {
  Value handed;
  bool isRead = false, isResult = false;
  auto take = [&](Value value, bool leaves) -> LogicalResult {
    if (handed && handed != value)
      return decline("two values of one contraction leave its epilogue");
    handed = value;
    (leaves ? isResult : isRead) = true;
    return success();
  };
  auto follows = [&](Value value) {
    std::optional<unsigned> op = definer(value);
    return op && group.followsContraction[*op] == contraction;
  };
  for (auto [index, op] : llvm::enumerate(group.operators)) {
    if (!group.contractionOf[index])
      continue;
    for (OpOperand *operand : op.getDpsInputOperands())
      if (follows(operand->get()) && failed(take(operand->get(), false)))
        return failure();
  }
  // Operators in the epilogues of other contractions read it, too. Rows do not
  // count.
  const Contraction &own = group.model.contractions[contraction];
  for (auto [index, op] : llvm::enumerate(group.operators)) {
    if (group.contractionOf[index] || !group.followsContraction[index] ||
        *group.followsContraction[index] == contraction)
      continue;
    for (OpOperand *operand : op.getDpsInputOperands())
      if (follows(operand->get()) &&
          axesOf(index, operand).size() == tileRank(own) &&
          failed(take(operand->get(), false)))
        return failure();
  }
  // Rows of the value may leave the group as well.
  size_t rank =
      group.model.tensors[group.model.contractions[contraction].result]
          .axes.size();
  for (Value result : results)
    if (follows(result) &&
        cast<RankedTensorType>(result.getType()).getRank() ==
            static_cast<int64_t>(rank) &&
        failed(take(result, true)))
      return failure();
  if (!handed)
    return decline("a contraction's value leaves the chain before the end of "
                   "its epilogue");
  if (isRead && isResult)
    return decline("a contraction's value is read inside and outside of the "
                   "chain");
  return handed;
}

void ChainReader::nameTensors() {
  unsigned next = 0;
  auto name = [&](unsigned tensor) {
    std::string &target = group.model.tensors[tensor].name;
    if (!target.empty())
      return;
    target =
        next < 26 ? std::string(1, 'A' + next) : "T" + std::to_string(next);
    ++next;
  };
  auto nameAll = [&](unsigned contraction, TensorRole role, unsigned number) {
    for (auto [index, tensor] : llvm::enumerate(group.model.tensors))
      if (tensor.role == role && tensor.contraction == contraction &&
          tensor.operandNumber == number)
        name(index);
  };
  for (auto [index, contraction] : llvm::enumerate(group.model.contractions)) {
    nameAll(index, TensorRole::Operand, 0);
    nameAll(index, TensorRole::Operand, 1);
    name(contraction.result);
  }
  for (unsigned index = 0; index < group.model.tensors.size(); ++index)
    name(index);
}

void ChainReader::deriveOnlineForms() {
  for (const Reduction &reduction : group.model.reductions)
    for (unsigned axis : reduction.reduced) {
      if (llvm::any_of(group.model.online, [&](const OnlineAxis &known) {
            return known.axis == axis;
          }))
        continue;
      OnlineAxis &online = group.model.online.emplace_back();
      online.axis = axis;
      FailureOr<OnlineForm> form =
          deriveOnline(group, axis, [&](const Twine &reason) {
            online.whyNot = reason.str();
          });
      auto &known = group.onlineForms.emplace_back();
      if (failed(form))
        continue;
      for (const OnlineForm::Sum &sum : form->sums)
        if (sum.factor)
          online.corrected.push_back(sum.contraction);
      for (const OnlineForm::Running &running : form->running)
        if (running.isGuarded)
          online.references.push_back(running.reduction);
      online.room = form->room;
      online.roomLimit = form->roomLimit;
      for (auto [index, op] : llvm::enumerate(group.operators)) {
        if (!group.followsContraction[index])
          continue;
        ScalarWork work;
        for (Operation &inner : op.getBlock()->without_terminator())
          if (form->skipped.contains(&inner))
            work += countScalarWork(&inner, /*isInChain=*/true);
        if (work.plain || work.special)
          online.deferred.push_back({*group.followsContraction[index], work});
      }
      known = std::make_shared<const OnlineForm>(std::move(*form));
      if (reduction.pass)
        online.whyNotSplit =
            "they are in the prologue of the contraction that sums over it";
      else
        describeSplit(online, *known);
    }
}
