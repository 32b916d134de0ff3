//===- Object.cpp - Machine code of a lowered module ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/Native/Object.h"
#include "NativeModule.h"
#include "fusion/Support/StepAction.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Object/ObjectFile.h"

using namespace mlir;
using namespace fusion;
using llvm::object::SymbolRef;

/// Fails with an error that names the functions of other libraries that the
/// object calls.
static LogicalResult checkUndefined(StringRef object, ModuleOp kernels) {
  auto file = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(object, "kernels"));
  if (!file)
    return kernels.emitError("LLVM made no object file: ")
           << llvm::toString(file.takeError());
  SmallVector<std::string> undefined;
  for (const SymbolRef &symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags || !name) {
      llvm::consumeError(flags.takeError());
      llvm::consumeError(name.takeError());
      continue;
    }
    if ((*flags & SymbolRef::SF_Undefined) && !name->empty() &&
        !llvm::is_contained({"memcpy", "memmove", "memset"}, *name))
      undefined.push_back("'" + name->str() + "'");
  }
  if (undefined.empty())
    return success();
  llvm::sort(undefined);
  return kernels.emitError("the machine code needs ")
         << llvm::join(undefined, ", ")
         << ", which no host has; only memcpy, memmove and memset can be "
            "called";
}

/// Returns the code of a module as `type`; an empty text without kernels.
static FailureOr<std::string> emit(ModuleOp module,
                                   const ObjectOptions &options,
                                   llvm::CodeGenFileType type) {
  NativeModule native;
  if (failed(makeNativeModule(module, options.hasEntryPoints, native)))
    return failure();
  if (!native.kernels)
    return std::string();
  optimize(*native.code, *native.machine, module.getContext());
  if (!goesOn(module.getContext()))
    return failure();
  lowerMaskedLoads(*native.code, *native.machine);
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream os(text);
  llvm::legacy::PassManager codegen;
  if (native.machine->addPassesToEmitFile(codegen, os, nullptr, type))
    return module.emitError("the back end cannot write this kind of file");
  codegen.run(*native.code);
  if (type == llvm::CodeGenFileType::ObjectFile &&
      failed(checkUndefined(text, native.kernels)))
    return failure();
  return std::string(text);
}

FailureOr<std::string> fusion::translateToObject(ModuleOp module,
                                                 const ObjectOptions &options) {
  return emit(module, options, llvm::CodeGenFileType::ObjectFile);
}

FailureOr<std::string>
fusion::translateToAssembly(ModuleOp module, const ObjectOptions &options) {
  return emit(module, options, llvm::CodeGenFileType::AssemblyFile);
}
