//===- DeviceMath.cpp - Functions of f64 and f32 for the GPU --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/DeviceMath/DeviceMath.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"

using namespace fusion;

namespace {
#include "DeviceMath.inc"
} // namespace

bool fusion::isDeviceFunction(llvm::StringRef symbol) {
  return llvm::is_contained(kNames, symbol);
}

/// The most instructions that inlining one function may add to a module: 16
/// sines of f32, for which LLVM takes about half a second.
constexpr uint64_t kMaxInlined = 6144;

using Sizes = llvm::DenseMap<const llvm::Function *, uint64_t>;

/// Returns the number of instructions of a function with all that it calls
/// inlined. Functions of libclc are not recursive.
static uint64_t sizeInlined(const llvm::Function &function, Sizes &known) {
  if (auto it = known.find(&function); it != known.end())
    return it->second;
  uint64_t size = 0;
  for (const llvm::Instruction &instruction : llvm::instructions(function)) {
    ++size;
    auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call && call->getCalledFunction())
      size += sizeInlined(*call->getCalledFunction(), known);
  }
  return known[&function] = size;
}

/// Keeps a device function out of line where inlining it at each call would
/// add more than kMostInlined instructions: the time that compiling a kernel of
/// hundreds of sines takes would grow faster than the number of sines.
static void limitInlining(llvm::Module &module) {
  Sizes sizes;
  for (llvm::Function &function : module) {
    if (function.isDeclaration() || !isDeviceFunction(function.getName()))
      continue;
    uint64_t calls = llvm::count_if(function.users(), [&](llvm::User *user) {
      auto *call = llvm::dyn_cast<llvm::CallBase>(user);
      return call && call->getCalledFunction() == &function;
    });
    if (calls * sizeInlined(function, sizes) <= kMaxInlined)
      continue;
    function.removeFnAttr(llvm::Attribute::AlwaysInline);
    function.addFnAttr(llvm::Attribute::NoInline);
  }
}

llvm::Error fusion::linkDeviceMath(llvm::Module &module) {
  if (llvm::none_of(module, [](const llvm::Function &function) {
        return function.isDeclaration() && isDeviceFunction(function.getName());
      }))
    return llvm::Error::success();
  llvm::StringRef bytes(reinterpret_cast<const char *>(kBitcode),
                        sizeof(kBitcode));
  llvm::Expected<std::unique_ptr<llvm::Module>> library =
      llvm::parseBitcodeFile(llvm::MemoryBufferRef(bytes, "device math"),
                             module.getContext());
  if (!library)
    return library.takeError();
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());
  auto internalize = [](llvm::Module &linked,
                        const llvm::StringSet<> &symbols) {
    for (const auto &symbol : symbols)
      if (llvm::GlobalValue *value = linked.getNamedValue(symbol.getKey());
          value && !value->isDeclaration())
        value->setLinkage(llvm::GlobalValue::InternalLinkage);
  };
  if (llvm::Linker::linkModules(module, std::move(*library),
                                llvm::Linker::LinkOnlyNeeded, internalize))
    return llvm::createStringError("the device functions cannot be linked");
  limitInlining(module);
  return llvm::Error::success();
}
