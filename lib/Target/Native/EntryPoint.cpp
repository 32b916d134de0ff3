//===- EntryPoint.cpp - Functions that C can call -------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryPoint.h"
#include "fusion/Dialect/Tile/IR/NativeKernels.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fusion;

namespace {

/// Describes one function. What C cannot call leaves a reason in it.
class EntryPointBuilder {
public:
  EntryPointBuilder(ModuleOp module, const HostPlan &plan)
      : module(module), plan(plan) {
    entry.function = plan.function;
    entry.symbol = "fusion_";
    for (char c : entry.function.getName())
      entry.symbol += llvm::isAlnum(c) ? c : '_';
  }

  FailureOr<EntryPoint> build() {
    for (Type type : entry.function.getArgumentTypes())
      checkType(type);
    if (!plan.conditions.empty())
      giveUp("it has conditions on its sizes");
    for (const PlanBuffer &buffer : plan.temporaries) {
      if (!buffer.offset)
        return giveUp("its sizes are not static");
      entry.temporaryOffsets.push_back(*buffer.offset);
      entry.workspaceBytes =
          std::max(entry.workspaceBytes, *buffer.offset + *buffer.staticBytes);
    }
    if (!entry.whyNone.empty())
      return std::move(entry);
    for (tile::LaunchOp launch : plan.launches)
      if (failed(addLaunch(launch)))
        return failure();
    auto terminator = entry.function.front().getTerminator();
    for (auto [index, value] : llvm::enumerate(terminator->getOperands()))
      if (failed(addResult(index, value)))
        return failure();
    return std::move(entry);
  }

private:
  EntryPoint giveUp(const Twine &reason) {
    if (entry.whyNone.empty())
      entry.whyNone = reason.str();
    return entry;
  }

  void checkType(Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (tensor && !tensor.hasStaticShape())
      giveUp("its sizes are not static");
  }

  FailureOr<EntryPoint::Scalar> scalar(Value value) {
    EntryPoint::Scalar scalar;
    scalar.type = value.getType();
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      scalar.input = argument.getArgNumber();
      return scalar;
    }
    FloatAttr real;
    if (matchPattern(value, m_Constant(&real))) {
      scalar.number = real.getValueAsDouble();
      return scalar;
    }
    FailureOr<std::string> text = plan.expression(value);
    if (failed(text))
      return failure();
    StringRef name = *text;
    unsigned input;
    if (name.consume_front("value:arg") && !name.getAsInteger(10, input))
      scalar.input = input;
    else if (StringRef(*text).getAsInteger(10, scalar.integer))
      giveUp("'" + *text + "' is known at run time");
    return scalar;
  }

  LogicalResult addLaunch(tile::LaunchOp launch) {
    EntryPoint::Launch &added = entry.launches.emplace_back();
    added.kernel = launch.getKernel().getLeafReference().str();
    Operation *kernel = SymbolTable::lookupSymbolIn(module, launch.getKernel());
    if (!kernel)
      return launch.emitOpError("launches '")
             << launch.getKernel()
             << "', which is no lowered kernel; lower the module with "
                "fuse-to-native";
    if (auto scratch =
            kernel->getAttrOfType<IntegerAttr>(tile::kScratchAttrName))
      entry.scratchBytes =
          std::max<int64_t>(entry.scratchBytes,
                            llvm::alignTo(scratch.getInt(), kScratchAlignment));
    FailureOr<EntryPoint::Scalar> blocks = scalar(launch.getGrid());
    if (failed(blocks))
      return failure();
    if (blocks->input)
      giveUp("the grid of '" + added.kernel + "' is known at run time");
    added.blocks = blocks->integer;
    auto addScalar = [&](Value value) -> LogicalResult {
      FailureOr<EntryPoint::Scalar> number = scalar(value);
      if (failed(number))
        return failure();
      added.arguments.push_back(*number);
      return success();
    };
    for (Value input : launch.getInputs()) {
      if (isa<RankedTensorType>(input.getType()))
        added.arguments.push_back(plan.bufferOf(input).str());
      else if (failed(addScalar(input)))
        return failure();
    }
    for (Value result : launch.getResults())
      added.arguments.push_back(plan.bufferOf(result).str());
    for (Value size : launch.getSizes())
      if (failed(addScalar(size)))
        return failure();
    return success();
  }

  LogicalResult addResult(unsigned index, Value value) {
    EntryPoint::Result &result = entry.results.emplace_back();
    result.type = value.getType();
    checkType(result.type);
    auto tensor = dyn_cast<RankedTensorType>(result.type);
    if (!tensor) {
      FailureOr<EntryPoint::Scalar> number = scalar(value);
      if (failed(number))
        return failure();
      result.value = *number;
      return success();
    }
    if (plan.resultAlias[index] != "result" + std::to_string(index))
      result.alias = plan.resultAlias[index];
    Type element = tensor.getElementType();
    if (tensor.hasStaticShape())
      result.bytes =
          tensor.getNumElements() *
          llvm::divideCeil(
              element.isIndex() ? 64 : element.getIntOrFloatBitWidth(), 8);
    return success();
  }

  ModuleOp module;
  const HostPlan &plan;
  EntryPoint entry;
};

} // namespace

FailureOr<std::vector<EntryPoint>>
fusion::describeEntryPoints(ModuleOp module,
                            SmallVectorImpl<DenseElementsAttr> &constants) {
  std::vector<EntryPoint> entries;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal() || function.isPrivate())
      continue;
    HostPlan plan(function);
    if (failed(plan.build(constants)))
      return failure();
    FailureOr<EntryPoint> entry = EntryPointBuilder(module, plan).build();
    if (failed(entry))
      return failure();
    entries.push_back(std::move(*entry));
  }
  return entries;
}
