//===- DeviceMath.cpp - Functions of f64 and f32 for the GPU --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/DeviceMath.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"

using namespace fusion;

namespace {
#include "DeviceMath.inc"
} // namespace

bool fusion::isDeviceFunction(llvm::StringRef symbol) {
  return llvm::is_contained(kNames, symbol);
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
  return llvm::Error::success();
}
