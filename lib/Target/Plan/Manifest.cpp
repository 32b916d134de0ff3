//===- Manifest.cpp - The host plan as JSON -------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/Plan/Manifest.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Dialect/Tile/IR/NativeKernels.h"
#include "fusion/Target/Chips/ChipTable.h"
#include "fusion/Target/Plan/HostPlan.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace fusion;

namespace json = llvm::json;

static std::string typeName(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// An integer where the expression is one.
static json::Value expressionValue(const std::string &text) {
  int64_t value;
  if (!StringRef(text).getAsInteger(10, value))
    return value;
  return text;
}

static json::Value attributeValue(Attribute attr) {
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attr))
    return integer.getInt();
  if (auto real = dyn_cast_or_null<FloatAttr>(attr))
    return real.getValueAsDouble();
  return nullptr;
}

/// The kind of a scalar argument; sizes and indices travel as i32.
static std::string scalarKind(Type type) {
  return type.isIndex() ? "i32" : typeName(type);
}

static json::Value constantValue(DenseElementsAttr dense) {
  bool isSplat = dense.isSplat() && dense.getNumElements() > 0;
  std::string bytes = bytesOfElements(dense);
  if (!isSplat)
    return json::Object{{"bytes", int64_t(bytes.size())},
                        {"data", llvm::encodeBase64(bytes)}};
  size_t ofElement = bytes.size() / dense.getNumElements();
  return json::Object{
      {"bytes", int64_t(bytes.size())},
      {"splat", llvm::toHex(StringRef(bytes).take_front(ofElement), true)}};
}

static FailureOr<json::Value> shapeValue(const HostPlan &plan, Value tensor) {
  json::Array shape;
  auto type = cast<RankedTensorType>(tensor.getType());
  for (int64_t d = 0; d < type.getRank(); ++d) {
    FailureOr<std::string> size = plan.size(tensor, d);
    if (failed(size))
      return failure();
    shape.push_back(expressionValue(*size));
  }
  return json::Value(std::move(shape));
}

/// An actual scalar: an argument of the function, a constant or an expression.
static FailureOr<json::Value> scalarValue(const HostPlan &plan, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return json::Value("arg" + std::to_string(argument.getArgNumber()));
  Attribute attr;
  if (matchPattern(value, m_Constant(&attr)) && isa<FloatAttr>(attr))
    return attributeValue(attr);
  FailureOr<std::string> text = plan.expression(value);
  if (failed(text))
    return failure();
  return expressionValue(*text);
}

/// The tensor maps of a lowered kernel, which are its last arguments.
static ArrayRef<Attribute> tensorMapsOf(ModuleOp module,
                                        tile::LaunchOp launch) {
  Operation *kernel = SymbolTable::lookupSymbolIn(module, launch.getKernel());
  auto maps = kernel
                  ? kernel->getAttrOfType<ArrayAttr>(tile::kTensorMapsAttrName)
                  : ArrayAttr();
  return maps ? maps.getValue() : ArrayRef<Attribute>();
}

static json::Value tensorMapValue(const HostPlan &plan, tile::LaunchOp launch,
                                  tile::TensorMapAttr map) {
  unsigned inputs = launch.getInputs().size(), of = map.getOf();
  Value tensor =
      of < inputs ? launch.getInputs()[of] : launch.getResults()[of - inputs];
  std::string swizzle =
      map.getSwizzle() ? std::to_string(map.getSwizzle()) + "B" : "none";
  return json::Object{{"kind", "tensor_map"},
                      {"of", plan.bufferOf(tensor).str()},
                      {"type", typeName(map.getElementType())},
                      {"dims", json::Array(map.getDims())},
                      {"strides_bytes", json::Array(map.getStrides())},
                      {"box", json::Array(map.getBox())},
                      {"swizzle", swizzle},
                      {"fill", "zero"}};
}

static int64_t clusterOf(ModuleOp module, tile::LaunchOp launch) {
  Operation *kernel = SymbolTable::lookupSymbolIn(module, launch.getKernel());
  auto blocks = kernel ? kernel->getAttrOfType<DenseI32ArrayAttr>(
                             NVVM::NVVMDialect::getClusterDimAttrName())
                       : DenseI32ArrayAttr();
  return blocks ? blocks[0] : 1;
}

/// Blocks along x. A persistent kernel, whose grid is the number of its tiles,
/// has as many clusters as the device holds at a time.
static FailureOr<std::string> gridOf(ModuleOp module, const HostPlan &plan,
                                     tile::LaunchOp launch) {
  FailureOr<std::string> blocks = plan.expression(launch.getGrid());
  if (failed(blocks) || !launch.getPersistent())
    return blocks;
  std::string cluster = std::to_string(clusterOf(module, launch));
  return combineExpressions(
      "*",
      combineExpressions("min", combineExpressions("ceildiv", *blocks, cluster),
                         "device:active_clusters"),
      cluster);
}

static FailureOr<json::Value> launchValue(ModuleOp module, const HostPlan &plan,
                                          tile::LaunchOp launch) {
  json::Array arguments;
  auto addBuffer = [&](Value tensor) {
    arguments.push_back(
        json::Object{{"kind", "buffer"}, {"of", plan.bufferOf(tensor).str()}});
  };
  for (Value input : launch.getInputs()) {
    if (isa<RankedTensorType>(input.getType())) {
      addBuffer(input);
      continue;
    }
    FailureOr<json::Value> value = scalarValue(plan, input);
    if (failed(value))
      return failure();
    arguments.push_back(
        json::Object{{"kind", scalarKind(input.getType())}, {"of", *value}});
  }
  for (Value result : launch.getResults())
    addBuffer(result);
  for (Value size : launch.getSizes()) {
    FailureOr<std::string> text = plan.expression(size);
    if (failed(text))
      return failure();
    arguments.push_back(
        json::Object{{"kind", "i32"}, {"of", expressionValue(*text)}});
  }
  for (Attribute map : tensorMapsOf(module, launch))
    arguments.push_back(
        tensorMapValue(plan, launch, cast<tile::TensorMapAttr>(map)));
  FailureOr<std::string> grid = gridOf(module, plan, launch);
  if (failed(grid))
    return failure();
  json::Object object{{"kernel", launch.getKernel().getLeafReference().str()},
                      {"grid", json::Array{expressionValue(*grid), 1, 1}},
                      {"arguments", std::move(arguments)}};
  if (launch.getProgrammatic())
    object["programmatic"] = true;
  return json::Value(std::move(object));
}

/// Returns the name of the pipeline that lowers the module.
static StringRef loweringOf(ModuleOp module) {
  auto chip = module->getAttrOfType<fuse::ChipAttr>(fuse::kChipAttrName);
  return chip && lookupChip(chip.getName())->isCpu() ? "fuse-to-native"
                                                     : "fuse-to-nvvm";
}

/// Adds what one block needs: threads and shared memory on a GPU, scratch
/// memory on a CPU.
static LogicalResult addResources(json::Object &object, ModuleOp module,
                                  tile::LaunchOp launch,
                                  LLVM::LLVMFuncOp kernel) {
  if (tile::isNativeKernel(kernel)) {
    auto scratch = kernel->getAttrOfType<IntegerAttr>(tile::kScratchAttrName);
    object["scratch"] = scratch ? scratch.getInt() : 0;
    return success();
  }
  auto block = kernel->getAttrOfType<DenseI32ArrayAttr>("fuse.block");
  auto shared = kernel->getAttrOfType<IntegerAttr>("fuse.shared_memory");
  if (!block)
    return kernel.emitError("does not say how many threads a block has");
  object["block"] = json::Array{block[0], block[1], block[2]};
  object["dynamic_shared_memory"] = shared ? shared.getInt() : 0;
  object["cluster"] = json::Array{clusterOf(module, launch), 1, 1};
  return success();
}

static FailureOr<json::Value> kernelValue(ModuleOp module,
                                          tile::LaunchOp launch) {
  auto kernel = dyn_cast_or_null<LLVM::LLVMFuncOp>(
      SymbolTable::lookupSymbolIn(module, launch.getKernel()));
  if (!kernel)
    return launch.emitOpError("launches '")
           << launch.getKernel()
           << "', which is no lowered kernel; lower the module with "
           << loweringOf(module);
  json::Array arguments;
  auto buffer = [](StringRef access) {
    return json::Object{
        {"kind", "buffer"}, {"alignment", 16}, {"access", access}};
  };
  for (Value input : launch.getInputs()) {
    if (isa<RankedTensorType>(input.getType()))
      arguments.push_back(buffer("read"));
    else
      arguments.push_back(json::Object{{"kind", scalarKind(input.getType())}});
  }
  for (unsigned i = 0; i < launch.getInits().size(); ++i)
    arguments.push_back(buffer("write"));
  for (unsigned i = 0; i < launch.getSizes().size(); ++i)
    arguments.push_back(json::Object{{"kind", "i32"}});
  for (size_t i = 0; i < tensorMapsOf(module, launch).size(); ++i)
    arguments.push_back(json::Object{{"kind", "tensor_map"}});
  json::Object object{{"name", launch.getKernel().getLeafReference().str()},
                      {"arguments", std::move(arguments)}};
  if (failed(addResources(object, module, launch, kernel)))
    return failure();
  if (launch.getSchedule()) {
    std::string text;
    llvm::raw_string_ostream(text) << *launch.getSchedule();
    object["schedule"] = text;
  }
  json::Object predicted;
  for (StringRef key :
       {"us", "global_load_bytes", "global_store_bytes", "shared_memory"})
    predicted[key] = launch.getPredicted()
                         ? attributeValue(launch.getPredicted()->get(key))
                         : json::Value(nullptr);
  object["predicted"] = std::move(predicted);
  return json::Value(std::move(object));
}

static FailureOr<json::Value> functionValue(ModuleOp module,
                                            const HostPlan &plan) {
  func::FuncOp function = plan.function;
  json::Array inputs, results, temporaries, launches;
  for (Type type : function.getArgumentTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    json::Object input{{"type", typeName(getElementTypeOrSelf(type))}};
    if (tensor) {
      json::Array shape;
      for (int64_t size : tensor.getShape()) {
        if (ShapedType::isDynamic(size))
          shape.push_back("?");
        else
          shape.push_back(size);
      }
      input["shape"] = std::move(shape);
    }
    inputs.push_back(std::move(input));
  }
  auto terminator = cast<func::ReturnOp>(function.front().getTerminator());
  for (auto [index, value] : llvm::enumerate(terminator.getOperands())) {
    json::Object result{
        {"type", typeName(getElementTypeOrSelf(value.getType()))}};
    if (!isa<RankedTensorType>(value.getType())) {
      FailureOr<std::string> text = plan.expression(value);
      if (failed(text))
        return failure();
      result["value"] = expressionValue(*text);
      results.push_back(std::move(result));
      continue;
    }
    FailureOr<json::Value> shape = shapeValue(plan, value);
    if (failed(shape))
      return failure();
    result["shape"] = *shape;
    if (plan.resultAlias[index] != "result" + std::to_string(index))
      result["alias"] = json::Object{{"of", plan.resultAlias[index]}};
    results.push_back(std::move(result));
  }
  for (const PlanBuffer &buffer : plan.temporaries) {
    json::Object temporary{{"bytes", expressionValue(buffer.bytes)},
                           {"alignment", 256}};
    if (buffer.offset)
      temporary["offset"] = *buffer.offset;
    temporaries.push_back(std::move(temporary));
  }
  for (tile::LaunchOp launch : plan.launches) {
    FailureOr<json::Value> value = launchValue(module, plan, launch);
    if (failed(value))
      return failure();
    launches.push_back(std::move(*value));
  }
  json::Object object{{"name", function.getName().str()},
                      {"inputs", std::move(inputs)},
                      {"results", std::move(results)},
                      {"temporaries", std::move(temporaries)},
                      {"launches", std::move(launches)}};
  json::Array conditions;
  for (const PlanCondition &condition : plan.conditions)
    conditions.push_back(
        json::Object{{condition.isEqual ? "equal" : "at_most",
                      json::Array{expressionValue(condition.left),
                                  expressionValue(condition.right)}},
                     {"message", condition.message}});
  if (!conditions.empty())
    object["requires"] = std::move(conditions);
  return json::Value(std::move(object));
}

FailureOr<std::string> fusion::translateToManifest(ModuleOp module,
                                                   StringRef code) {
  auto chip = module->getAttrOfType<fuse::ChipAttr>(fuse::kChipAttrName);
  if (!chip)
    return module.emitError(
               "the module does not say for which chip (attribute '")
           << fuse::kChipAttrName
           << "'); lower it with fuse-to-nvvm or fuse-to-native";
  SmallVector<DenseElementsAttr> constants;
  json::Array kernels, functions, constantValues;
  llvm::StringSet<> seen;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal() || function.isPrivate())
      continue;
    HostPlan plan(function);
    if (failed(plan.build(constants)))
      return failure();
    for (tile::LaunchOp launch : plan.launches) {
      if (!seen.insert(launch.getKernel().getLeafReference()).second)
        continue;
      FailureOr<json::Value> kernel = kernelValue(module, launch);
      if (failed(kernel))
        return failure();
      kernels.push_back(std::move(*kernel));
    }
    FailureOr<json::Value> value = functionValue(module, plan);
    if (failed(value))
      return failure();
    functions.push_back(std::move(*value));
  }
  for (DenseElementsAttr constant : constants)
    constantValues.push_back(constantValue(constant));
  json::Object manifest{{"version", 1},
                        {"chip", chip.getName().str()},
                        {"kernels", std::move(kernels)},
                        {"functions", std::move(functions)}};
  if (const CpuInfo *cpu = lookupChip(chip.getName())->cpu) {
    if (auto other = module->getAttrOfType<fuse::ChipAttr>(
            tile::kInstructionsAttrName))
      cpu = lookupChip(other.getName())->cpu;
    manifest["object"] = llvm::encodeBase64(code);
    manifest["cpu"] = cpu->llvmCpu.str();
    manifest["cpu_features"] = cpu->llvmFeatures.str();
  } else {
    manifest["ptx"] = code.str();
  }
  if (!constantValues.empty())
    manifest["constants"] = std::move(constantValues);
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::formatv("{0:2}", json::Value(std::move(manifest)));
  return text;
}
