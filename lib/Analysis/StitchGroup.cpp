//===- StitchGroup.cpp - Axes of a stitched group -------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/StitchGroup.h"
#include "StitchIndices.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace fusion;

namespace {

class StitchBuilder {
public:
  StitchBuilder(ArrayRef<linalg::LinalgOp> operators, ValueRange results,
                llvm::function_ref<void(const Twine &)> explain)
      : given(operators), results(results), explain(explain) {}

  FailureOr<StitchGroup> build() {
    if (failed(separate()) || failed(classify()) || failed(unifyLoops()) ||
        failed(collectInputs()) || failed(collectResults()))
      return failure();
    findComponents();
    separateInputs();
    describeReaders();
    return std::move(group);
  }

private:
  LogicalResult decline(const Twine &reason) {
    explain(reason);
    return failure();
  }
  bool isGiven(linalg::LinalgOp op) const {
    return llvm::is_contained(given, op);
  }
  bool isComputed(Value value) const {
    auto op = value.getDefiningOp<linalg::LinalgOp>();
    return op && !isa<linalg::FillOp>(op) && isGiven(op);
  }
  /// Whether a value comes from outside of the operators' group, if they are in
  /// one already.
  static bool isFromOutside(Value value) {
    Operation *definer = value.getDefiningOp();
    return !definer || !isa<fuse::FusedGroupOpInterface>(definer->getParentOp());
  }
  LogicalResult separate();
  LogicalResult classify();
  LogicalResult unifyLoops();
  LogicalResult collectInputs();
  LogicalResult collectResults();
  FailureOr<unsigned> addInput(StitchTensor tensor);
  FailureOr<StitchTensor> describe(Value value, ArrayRef<unsigned> axes);
  FailureOr<StitchTensor> describe(unsigned op, tensor::ExtractOp extract);
  void setAlignment(StitchTensor &tensor) const;
  StitchGroup::Sources sourcesOf(unsigned op) const;
  void findComponents();
  void separateInputs();
  void describeReaders();

  ArrayRef<linalg::LinalgOp> given;
  ValueRange results;
  llvm::function_ref<void(const Twine &)> explain;
  StitchGroup group;
  llvm::DenseMap<Value, SmallVector<PlacedPart>> placements;
};

} // namespace

/// Operators that only put others' values side by side, for the group's results.
LogicalResult StitchBuilder::separate() {
  for (linalg::LinalgOp op : given) {
    if (isa<linalg::FillOp>(op))
      continue;
    if (op->getNumResults() != 1)
      return decline("an operator has more than one result");
    std::optional<SmallVector<PlacedPart>> parts =
        readPlacement(op, [&](Value value) { return isComputed(value); });
    if (parts)
      placements[op->getResult(0)] = std::move(*parts);
  }
  // One that others read the values of is computed like any other; what is read
  // by none but those that are not computed is not computed either.
  llvm::SmallPtrSet<Operation *, 4> apart;
  llvm::SmallDenseSet<Value> placed;
  for (linalg::LinalgOp op : llvm::reverse(given)) {
    if (isa<linalg::FillOp>(op))
      continue;
    bool isResult = llvm::is_contained(results, op->getResult(0));
    bool isRead = llvm::any_of(op->getUsers(), [&](Operation *user) {
      while (user && !llvm::is_contained(given, dyn_cast<linalg::LinalgOp>(user)))
        user = user->getParentOp();
      return user && !apart.contains(user);
    });
    auto parts = placements.find(op->getResult(0));
    if (isRead || (isResult && parts == placements.end()) ||
        placed.contains(op->getResult(0))) {
      placements.erase(op->getResult(0));
      continue;
    }
    apart.insert(op);
    if (isResult)
      for (const PlacedPart &part : parts->second)
        placed.insert(part.source);
  }
  for (linalg::LinalgOp op : given)
    if (!isa<linalg::FillOp>(op) && !apart.contains(op))
      group.operators.push_back(op);
  return success();
}

/// Element-wise but for elements that the body reads at places of its own.
static bool readsElementwise(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1 ||
      op.getNumLoops() != op.getNumParallelLoops() || op.getNumLoops() == 0)
    return false;
  for (AffineMap map : op.getIndexingMapsArray())
    if (!map.isProjectedPermutation())
      return false;
  OpOperand *init = op.getDpsInitOperand(0);
  if (!op.getMatchingIndexingMap(init).isPermutation() ||
      op.payloadUsesValueFromOperand(init))
    return false;
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (isa<linalg::IndexOp, tensor::ExtractOp>(inner))
      continue;
    StringRef dialect = inner.getName().getDialectNamespace();
    if ((dialect != "arith" && dialect != "math") || inner.getNumRegions() != 0)
      return false;
  }
  return true;
}

LogicalResult StitchBuilder::classify() {
  for (linalg::LinalgOp op : group.operators) {
    // A contraction is a sum of products like any other here.
    std::optional<ReductionBody> body = matchCombination(op);
    if (!body && !isElementwise(op) && !readsElementwise(op))
      return decline(op->getName().getStringRef() +
                     " is neither element-wise nor a reduction by one "
                     "operation");
    for (int64_t extent : op.getStaticLoopRanges()) {
      if (ShapedType::isDynamic(extent))
        return decline("sizes are not known");
      if (extent < 1)
        return decline("an operator has no points");
    }
    group.reductions.push_back(body);
  }
  return success();
}

std::optional<unsigned> StitchGroup::definer(Value value) const {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  auto it = llvm::find(operators, op);
  if (!op || it == operators.end())
    return std::nullopt;
  return it - operators.begin();
}

static SmallVector<unsigned, 4> positions(AffineMap map) {
  SmallVector<unsigned, 4> loops;
  for (AffineExpr expr : map.getResults())
    loops.push_back(cast<AffineDimExpr>(expr).getPosition());
  return loops;
}

LogicalResult StitchBuilder::unifyLoops() {
  SmallVector<unsigned> first;
  unsigned count = 0;
  for (linalg::LinalgOp op : group.operators) {
    first.push_back(count);
    count += op.getNumLoops();
  }
  llvm::EquivalenceClasses<unsigned> classes;
  for (unsigned loop = 0; loop < count; ++loop)
    classes.insert(loop);
  // Two loops of one operator stay apart.
  auto conflicts = [&](unsigned a, unsigned b) {
    for (auto [index, op] : llvm::enumerate(group.operators)) {
      bool hasA = false, hasB = false;
      for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
        hasA |= classes.isEquivalent(first[index] + loop, a);
        hasB |= classes.isEquivalent(first[index] + loop, b);
      }
      if (hasA && hasB)
        return true;
    }
    return false;
  };
  // What is between two operators has to agree; what both read is read once
  // where that is possible.
  llvm::MapVector<Value, SmallVector<unsigned, 4>> readers;
  for (auto [index, op] : llvm::enumerate(group.operators))
    for (OpOperand *operand : op.getDpsInputOperands()) {
      if (!isa<RankedTensorType>(operand->get().getType()))
        continue;
      SmallVector<unsigned, 4> read =
          positions(op.getMatchingIndexingMap(operand));
      for (unsigned &loop : read)
        loop += first[index];
      if (std::optional<unsigned> producer = group.definer(operand->get())) {
        linalg::LinalgOp maker = group.operators[*producer];
        for (auto [made, loop] :
             llvm::zip_equal(positions(maker.getMatchingIndexingMap(
                                 maker.getDpsInitOperand(0))),
                             read)) {
          unsigned source = first[*producer] + made;
          if (!classes.isEquivalent(source, loop) && conflicts(source, loop))
            return decline("two loops of one operator would be one axis");
          classes.unionSets(source, loop);
        }
        continue;
      }
      auto [it, isNew] = readers.insert({operand->get(), read});
      if (isNew)
        continue;
      for (auto [known, loop] : llvm::zip_equal(it->second, read))
        if (!classes.isEquivalent(known, loop) && !conflicts(known, loop))
          classes.unionSets(known, loop);
    }
  static constexpr StringLiteral letters = "ijklpqstuvw";
  llvm::MapVector<unsigned, unsigned> axisOfLeader;
  for (auto [index, op] : llvm::enumerate(group.operators)) {
    SmallVector<unsigned> &loops = group.loops.emplace_back();
    SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
    for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges())) {
      unsigned number = group.axes.size();
      auto [it, isNew] = axisOfLeader.insert(
          {classes.getLeaderValue(first[index] + loop), number});
      if (isNew) {
        std::string name(1, letters[number % letters.size()]);
        if (number >= letters.size())
          name += std::to_string(number / letters.size());
        group.axes.push_back({name, extent});
      }
      group.axes[it->second].isReduced |=
          kinds[loop] == utils::IteratorType::reduction;
      loops.push_back(it->second);
    }
  }
  return success();
}

SmallVector<unsigned, 4> StitchGroup::axesOf(unsigned op,
                                             OpOperand *operand) const {
  linalg::LinalgOp linalgOp = operators[op];
  SmallVector<unsigned, 4> result =
      positions(linalgOp.getMatchingIndexingMap(operand));
  for (unsigned &loop : result)
    loop = loops[op][loop];
  return result;
}

SmallVector<unsigned, 4> StitchGroup::resultAxes(unsigned op) const {
  linalg::LinalgOp linalgOp = operators[op];
  return axesOf(op, linalgOp.getDpsInitOperand(0));
}

std::optional<unsigned> StitchGroup::findAxis(StringRef name) const {
  for (auto [index, axis] : llvm::enumerate(axes))
    if (axis.name == name)
      return index;
  return std::nullopt;
}

bool StitchTensor::isRagged() const {
  if (!unit)
    return false;
  auto [first, beyond] =
      inside[llvm::find(axes, *unit) - axes.begin()];
  return (first * elementBytes) % alignment != 0 ||
         (beyond * elementBytes) % alignment != 0;
}

StitchGroup::Sources StitchBuilder::sourcesOf(unsigned op) const {
  StitchGroup::Sources sources;
  auto add = [](SmallVector<unsigned, 4> &list, unsigned number) {
    if (!llvm::is_contained(list, number))
      list.push_back(number);
  };
  linalg::LinalgOp linalgOp = group.operators[op];
  for (OpOperand *operand : linalgOp.getDpsInputOperands()) {
    if (std::optional<unsigned> maker = group.definer(operand->get()))
      add(sources.operators, *maker);
    else if (auto it = group.reads.find(operand); it != group.reads.end())
      add(sources.inputs, it->second);
  }
  for (Operation &inner : linalgOp.getBlock()->without_terminator())
    if (auto it = group.reads.find(&inner); it != group.reads.end())
      add(sources.inputs, it->second);
  return sources;
}

static unsigned bytesOf(Type element) {
  return std::max(1u, element.getIntOrFloatBitWidth() / 8);
}

/// Strides of a dense tensor, in elements.
static SmallVector<int64_t> stridesOf(RankedTensorType type) {
  SmallVector<int64_t> strides(type.getRank(), 1);
  for (int64_t d = type.getRank() - 1; d > 0; --d)
    strides[d - 1] = strides[d] * type.getDimSize(d);
  return strides;
}

/// Rows start where the offset and all strides but the unit axis's lead.
void StitchBuilder::setAlignment(StitchTensor &tensor) const {
  uint64_t places = 16 | (tensor.offset * tensor.elementBytes);
  for (auto [axis, stride] : llvm::zip_equal(tensor.axes, tensor.strides))
    if (stride == 1 && !tensor.unit)
      tensor.unit = axis;
    else
      places |= stride * tensor.elementBytes;
  tensor.alignment = std::max<uint64_t>(places & -places, tensor.elementBytes);
}

FailureOr<StitchTensor> StitchBuilder::describe(Value value,
                                                ArrayRef<unsigned> axes) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!type.getElementType().isIntOrFloat())
    return decline("a tensor is of type " +
                   llvm::formatv("{0}", type.getElementType()).str());
  if (!isComputed(value) && !isFromOutside(value))
    return decline("a tensor is made by no operator and comes from nowhere");
  StitchTensor tensor;
  tensor.value = value;
  tensor.axes.assign(axes.begin(), axes.end());
  tensor.elementBytes = bytesOf(type.getElementType());
  tensor.strides = llvm::to_vector<4>(stridesOf(type));
  for (int64_t size : type.getShape())
    tensor.inside.push_back({0, size});
  setAlignment(tensor);
  return tensor;
}

/// Elements that the body of an operator reads at places of its own.
FailureOr<StitchTensor> StitchBuilder::describe(unsigned op,
                                                tensor::ExtractOp extract) {
  auto type = cast<RankedTensorType>(extract.getTensor().getType());
  if (isComputed(extract.getTensor()))
    return decline("an operator reads values of the group at other places than "
                   "its own");
  if (!type.hasStaticShape() || !type.getElementType().isIntOrFloat() ||
      !isFromOutside(extract.getTensor()))
    return decline("a tensor that is read from by index has sizes that are not "
                   "known, no numbers for elements, or a constant value");
  StitchTensor tensor;
  tensor.value = extract.getTensor();
  tensor.elementBytes = bytesOf(type.getElementType());
  SmallVector<int64_t> strides = stridesOf(type);
  ArrayRef<unsigned> loops = group.loops[op];
  std::optional<ElementRead> place = readPlace(extract);
  bool isLinear = place.has_value();
  if (isLinear) {
    for (auto [d, index] : llvm::enumerate(place->indices)) {
      tensor.offset += strides[d] * index.constant;
      isLinear &= !place->guard || index.terms.size() <= 1;
      for (auto [loop, coefficient] : index.terms) {
        unsigned axis = loops[loop];
        auto *known = llvm::find(tensor.axes, axis);
        if (known == tensor.axes.end()) {
          known = tensor.axes.insert(known, axis);
          tensor.strides.push_back(0);
          tensor.inside.push_back({0, group.axes[axis].extent});
        }
        tensor.strides[known - tensor.axes.begin()] +=
            strides[d] * coefficient;
        if (!place->guard)
          continue;
        isLinear &= coefficient > 0;
        if (!isLinear)
          break;
        auto &[first, beyond] = tensor.inside[known - tensor.axes.begin()];
        first = std::max<int64_t>(
            first, -llvm::divideFloorSigned(index.constant, coefficient));
        beyond = std::min<int64_t>(
            beyond, llvm::divideCeilSigned(type.getDimSize(d) - index.constant,
                                           coefficient));
      }
      // A guarded dimension that no loop walks.
      isLinear &= !place->guard || !index.terms.empty() ||
                  (index.constant >= 0 &&
                   index.constant < type.getDimSize(d));
    }
    for (auto [range, stride] :
         llvm::zip_equal(tensor.inside, tensor.strides))
      isLinear &= stride > 0 && range.first < range.second;
  }
  if (isLinear) {
    setAlignment(tensor);
    return tensor;
  }
  if (type.getNumElements() < 1)
    return decline("an operator reads from an empty tensor");
  tensor = StitchTensor();
  tensor.value = extract.getTensor();
  tensor.elementBytes = bytesOf(type.getElementType());
  tensor.alignment = tensor.elementBytes;
  tensor.isGathered = true;
  tensor.axes.assign(loops.begin(), loops.end());
  for (unsigned loop : loops) {
    tensor.strides.push_back(0);
    tensor.inside.push_back({0, group.axes[loop].extent});
  }
  return tensor;
}

FailureOr<unsigned> StitchBuilder::addInput(StitchTensor tensor) {
  for (auto [number, known] : llvm::enumerate(group.inputs))
    if (!tensor.isGathered && !known.isGathered &&
        known.value == tensor.value && known.axes == tensor.axes &&
        known.strides == tensor.strides && known.offset == tensor.offset &&
        known.inside == tensor.inside)
      return number;
  group.inputs.push_back(std::move(tensor));
  return group.inputs.size() - 1;
}

LogicalResult StitchBuilder::collectInputs() {
  for (auto [index, op] : llvm::enumerate(group.operators)) {
    for (OpOperand *operand : op.getDpsInputOperands()) {
      Value value = operand->get();
      if (!isa<RankedTensorType>(value.getType()) || group.definer(value))
        continue;
      if (isComputed(value))
        return decline("values that are put side by side are read again");
      // It gives a shape only.
      if (value.getDefiningOp<tensor::EmptyOp>() &&
          !op.payloadUsesValueFromOperand(operand))
        continue;
      // What is filled is a number everywhere.
      if (auto fill = value.getDefiningOp<linalg::FillOp>();
          fill && isGiven(fill))
        continue;
      FailureOr<StitchTensor> tensor =
          describe(value, group.axesOf(index, operand));
      if (failed(tensor))
        return failure();
      // Read along other axes it is loaded again.
      group.reads[operand] = *addInput(*tensor);
    }
    for (auto extract : op.getBlock()->getOps<tensor::ExtractOp>()) {
      FailureOr<StitchTensor> tensor = describe(index, extract);
      if (failed(tensor))
        return failure();
      group.reads[extract.getOperation()] = *addInput(*tensor);
    }
  }
  return success();
}

LogicalResult StitchBuilder::collectResults() {
  for (auto [number, value] : llvm::enumerate(results)) {
    std::optional<unsigned> maker = group.definer(value);
    auto placed = placements.find(value);
    if (!maker && placed == placements.end())
      return decline("a result is not computed by an operator of the group");
    if (maker) {
      FailureOr<StitchTensor> tensor =
          describe(value, group.resultAxes(*maker));
      if (failed(tensor))
        return failure();
      tensor->result = number;
      group.results.push_back(*tensor);
      continue;
    }
    auto type = cast<RankedTensorType>(value.getType());
    if (!type.getElementType().isIntOrFloat())
      return decline("a tensor is of type " +
                     llvm::formatv("{0}", type.getElementType()).str());
    SmallVector<int64_t> strides = stridesOf(type);
    for (const PlacedPart &part : placed->second) {
      std::optional<unsigned> source = group.definer(part.source);
      if (!source)
        return decline("what is put side by side is read again");
      StitchTensor tensor;
      tensor.value = part.source;
      tensor.elementBytes = bytesOf(type.getElementType());
      tensor.result = number;
      tensor.axes = group.resultAxes(*source);
      for (auto [d, loop] : llvm::enumerate(part.loops)) {
        // Loops are dimensions of the result.
        tensor.strides.push_back(strides[loop]);
        tensor.offset -= strides[loop] * part.offsets[d];
        auto [first, beyond] = part.box[loop];
        tensor.inside.push_back(
            {first + part.offsets[d], beyond + part.offsets[d]});
      }
      setAlignment(tensor);
      group.results.push_back(std::move(tensor));
    }
  }
  return success();
}

/// Axes that operators have in common, by way of others too, are of one
/// component, and so are those of operators that hand on a single number.
void StitchBuilder::findComponents() {
  llvm::EquivalenceClasses<unsigned> classes;
  for (unsigned axis = 0; axis < group.axes.size(); ++axis)
    classes.insert(axis);
  auto join = [&](ArrayRef<unsigned> axes) {
    for (unsigned axis : axes)
      classes.unionSets(axes.front(), axis);
  };
  for (ArrayRef<unsigned> loops : group.loops)
    join(loops);
  for (auto [op, loops] : llvm::enumerate(group.loops))
    for (Value value : group.operators[op].getDpsInputs())
      if (std::optional<unsigned> maker = group.definer(value))
        join({loops.front(), group.loops[*maker].front()});
  llvm::MapVector<unsigned, unsigned> numbers;
  for (unsigned axis = 0; axis < group.axes.size(); ++axis)
    group.components.push_back(
        numbers.insert({classes.getLeaderValue(axis), numbers.size()})
            .first->second);
}

/// A single number that several components read is loaded by each of them.
void StitchBuilder::separateInputs() {
  llvm::DenseMap<std::pair<unsigned, unsigned>, unsigned> numbers;
  llvm::DenseSet<unsigned> taken;
  auto own = [&](void *reader, unsigned component) {
    auto read = group.reads.find(reader);
    if (read == group.reads.end())
      return;
    unsigned input = read->second;
    auto [it, isNew] = numbers.insert({{input, component}, input});
    if (isNew && !taken.insert(input).second) {
      it->second = group.inputs.size();
      group.inputs.push_back(StitchTensor(group.inputs[input]));
    }
    read->second = it->second;
  };
  for (auto [op, loops] : llvm::enumerate(group.loops)) {
    unsigned component = group.components[loops.front()];
    for (OpOperand *operand : group.operators[op].getDpsInputOperands())
      own(operand, component);
    for (auto extract :
         group.operators[op].getBlock()->getOps<tensor::ExtractOp>())
      own(extract.getOperation(), component);
  }
}

void StitchBuilder::describeReaders() {
  for (auto [op, loops] : llvm::enumerate(group.loops)) {
    group.sources.push_back(sourcesOf(op));
    for (unsigned input : group.sources.back().inputs)
      group.inputs[input].component = group.components[loops.front()];
  }
  for (StitchTensor &tensor : group.inputs)
    tensor.isRepeated =
        tensor.axes.size() <
        size_t(llvm::count(group.components, tensor.component));
  for (StitchTensor &tensor : group.results)
    tensor.component =
        group.components[group.loops[*group.definer(tensor.value)].front()];
}

FailureOr<StitchGroup>
StitchGroup::compute(ArrayRef<linalg::LinalgOp> operators, ValueRange results,
                     llvm::function_ref<void(const Twine &)> explain) {
  return StitchBuilder(operators, results, explain).build();
}
