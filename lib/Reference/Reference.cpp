//===- Reference.cpp - Executes the unfused module on the CPU -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Reference/Reference.h"
#include "fusion/Support/ThreadPool.h"

#include "Jit.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>

using namespace fusion;
using namespace mlir;

std::optional<ElementType> fusion::elementTypeOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return parseElementType(llvm::formatv("{0}", element).str());
}

namespace {

/// The type of an input or result.
struct ValueInfo {
  ElementType type = ElementType::F32;
  bool isScalar = false;
  SmallVector<int64_t> shape; ///< ShapedType::kDynamic where unknown

  /// Bytes and alignment in a struct of the compiled code: memref descriptors
  /// are two pointers, an offset, sizes and strides.
  size_t bytes() const {
    return isScalar ? elementBytes(type) : 24 + 16 * shape.size();
  }
  size_t alignment() const { return isScalar ? elementBytes(type) : 8; }
};

struct Signature {
  std::vector<ValueInfo> inputs, results;
};

/// A memref descriptor as 64-bit words.
using Descriptor = SmallVector<int64_t, 11>;

Descriptor makeDescriptor(const HostTensor &tensor) {
  Descriptor words;
  auto address = reinterpret_cast<int64_t>(tensor.data.data());
  words.append({address, address, 0});
  words.append(tensor.shape.begin(), tensor.shape.end());
  int64_t stride = 1;
  SmallVector<int64_t> strides(tensor.shape.size());
  for (size_t d = tensor.shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= tensor.shape[d];
  }
  words.append(strides.begin(), strides.end());
  return words;
}

/// Copies a strided buffer into a dense tensor.
HostTensor readDescriptor(ElementType type, size_t rank, const char *bytes) {
  Descriptor words(3 + 2 * rank);
  std::memcpy(words.data(), bytes, words.size() * sizeof(int64_t));
  ArrayRef<int64_t> sizes = ArrayRef(words).slice(3, rank);
  ArrayRef<int64_t> strides = ArrayRef(words).slice(3 + rank, rank);
  HostTensor tensor(type, sizes);
  size_t width = elementBytes(type);
  const char *source =
      reinterpret_cast<const char *>(words[1]) + words[2] * width;
  SmallVector<int64_t> coordinates(rank, 0);
  for (int64_t i = 0, e = tensor.elements(); i < e; ++i) {
    int64_t offset = 0;
    for (size_t d = 0; d < rank; ++d)
      offset += coordinates[d] * strides[d];
    std::memcpy(tensor.at(i), source + offset * width, width);
    for (size_t d = rank; d-- > 0;) {
      if (++coordinates[d] < sizes[d])
        break;
      coordinates[d] = 0;
    }
  }
  return tensor;
}

/// The type of a value, or an error at `loc` where the runtime has none.
FailureOr<ValueInfo> describe(Location loc, Type type, const Twine &what) {
  ValueInfo info;
  std::optional<ElementType> element = elementTypeOf(type);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!element || (isa<ShapedType>(type) && !tensor)) {
    emitError(loc) << what << " of type " << type << " cannot be executed";
    return failure();
  }
  info.type = *element;
  info.isScalar = !tensor;
  if (tensor)
    info.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  return info;
}

FailureOr<Signature> describe(func::FuncOp function) {
  Signature signature;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto info =
        describe(function.getArgument(i).getLoc(), type, "input " + Twine(i));
    if (failed(info))
      return failure();
    signature.inputs.push_back(*info);
  }
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    auto info = describe(function.getLoc(), type, "result " + Twine(i));
    if (failed(info))
      return failure();
    signature.results.push_back(*info);
  }
  return signature;
}

} // namespace

struct Reference::Impl {
  explicit Impl(unsigned threads) : threads(threads) {}

  llvm::StringMap<Signature> signatures;
  std::unique_ptr<ExecutionEngine> engine;
  ThreadPool threads;
};

Reference::Reference(std::unique_ptr<Impl> impl) : pimpl(std::move(impl)) {}
Reference::~Reference() = default;

llvm::Expected<std::unique_ptr<Reference>>
Reference::compile(ModuleOp unfused, unsigned threads) {
  auto fail = [] {
    return llvm::createStringError("the reference cannot be compiled");
  };
  OwningOpRef<ModuleOp> module = unfused.clone();
  MLIRContext *context = module->getContext();
  auto impl = std::make_unique<Impl>(threads);
  for (auto function : module->getOps<func::FuncOp>()) {
    if (!function.isPublic() || function.isExternal())
      continue;
    FailureOr<Signature> signature = describe(function);
    if (failed(signature))
      return fail();
    impl->signatures[function.getName()] = std::move(*signature);
    function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                      UnitAttr::get(context));
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (isa<TensorType>(function.getArgument(i).getType()))
        function.setArgAttr(
            i, bufferization::BufferizationDialect::kWritableAttrName,
            BoolAttr::get(context, false));
  }
  PassManager manager(context);
  buildReferencePipeline(manager);
  if (failed(manager.run(*module)))
    return fail();
  auto engine = compileForHost(*module);
  if (!engine)
    return engine.takeError();
  impl->engine = std::move(*engine);
  return std::unique_ptr<Reference>(new Reference(std::move(impl)));
}

llvm::Expected<Reference::Results>
Reference::run(llvm::StringRef function, llvm::ArrayRef<HostTensor> inputs,
               const std::function<bool()> &proceed) {
  auto found = pimpl->signatures.find(function);
  if (found == pimpl->signatures.end())
    return llvm::createStringError("there is no public function '" + function +
                                   "'");
  const Signature &signature = found->second;
  if (inputs.size() != signature.inputs.size())
    return llvm::createStringError("function '" + function + "' takes " +
                                   Twine(signature.inputs.size()) +
                                   " inputs, got " + Twine(inputs.size()));
  std::vector<Descriptor> descriptors(inputs.size());
  std::vector<void *> pointers(inputs.size());
  SmallVector<void *> arguments;

  // Results come back through the first argument, except a single scalar.
  bool returnsScalar =
      signature.results.size() == 1 && signature.results[0].isScalar;
  size_t resultBytes = 0;
  SmallVector<size_t> resultOffsets;
  for (const ValueInfo &result : signature.results) {
    resultBytes = llvm::alignTo(resultBytes, result.alignment());
    resultOffsets.push_back(resultBytes);
    resultBytes += result.bytes();
  }
  std::vector<char> resultMemory(llvm::alignTo(resultBytes, 8) + 8);
  void *resultPointer = resultMemory.data();
  if (!signature.results.empty() && !returnsScalar)
    arguments.push_back(&resultPointer);

  for (size_t i = 0; i < inputs.size(); ++i) {
    const ValueInfo &expected = signature.inputs[i];
    const HostTensor &input = inputs[i];
    bool fits = input.type == expected.type &&
                input.shape.size() == expected.shape.size();
    for (size_t d = 0; fits && d < input.shape.size(); ++d)
      fits = ShapedType::isDynamic(expected.shape[d]) ||
             expected.shape[d] == input.shape[d];
    if (!fits)
      return llvm::createStringError(
          "input " + Twine(i) + " of function '" + function + "' is " +
          elementTypeName(input.type) + " " + shapeText(input.shape) +
          ", expected " + elementTypeName(expected.type) + " " +
          shapeText(expected.shape));
    if (expected.isScalar) {
      arguments.push_back(const_cast<char *>(input.data.data()));
      continue;
    }
    descriptors[i] = makeDescriptor(input);
    pointers[i] = descriptors[i].data();
    arguments.push_back(&pointers[i]);
  }
  if (returnsScalar)
    arguments.push_back(resultMemory.data());

  HostServices services(pimpl->threads, proceed);
  if (llvm::Error error = pimpl->engine->invokePacked(
          ("_mlir_ciface_" + function).str(), arguments))
    return std::move(error);

  if (services.isStopped())
    return llvm::createStringError("function '" + function +
                                   "': the reference was stopped");
  if (!services.getRefusal().empty())
    return llvm::createStringError("function '" + function +
                                   "': " + services.getRefusal());

  Results results;
  results.isUndefined = services.isUndefined();
  for (auto [info, offset] :
       llvm::zip_equal(signature.results, resultOffsets)) {
    const char *bytes = resultMemory.data() + offset;
    if (!info.isScalar) {
      results.tensors.push_back(
          readDescriptor(info.type, info.shape.size(), bytes));
      continue;
    }
    HostTensor scalar(info.type, {});
    std::memcpy(scalar.data.data(), bytes, scalar.data.size());
    results.tensors.push_back(std::move(scalar));
  }
  return results;
}
