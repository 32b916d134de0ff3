//===- Compile.cpp - From linalg to code and manifest ---------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Pipelines/Compile.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Pipelines/Pipelines.h"
#include "fusion/Target/Chips/ChipTable.h"
#include "fusion/Target/Native/Object.h"
#include "fusion/Target/PTX/PTX.h"
#include "fusion/Target/Plan/Manifest.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace fusion;

/// Whether the module is for a chip that is a CPU.
static bool isForCpu(ModuleOp module) {
  auto chip = module->getAttrOfType<fuse::ChipAttr>(fuse::kChipAttrName);
  return chip && lookupChip(chip.getName())->isCpu();
}

/// Returns the lowered module as code and manifest.
static llvm::Expected<CompiledModule> translate(ModuleOp module) {
  CompiledModule compiled;
  bool isNative = isForCpu(module);
  FailureOr<std::string> code =
      isNative ? translateToObject(module) : translateToPTX(module);
  if (failed(code))
    return llvm::createStringError(isNative
                                       ? "translation to machine code failed"
                                       : "translation to PTX failed");
  FailureOr<std::string> manifest = translateToManifest(module, *code);
  (isNative ? compiled.object : compiled.ptx) = std::move(*code);
  if (failed(manifest))
    return llvm::createStringError("translation to a manifest failed");
  compiled.manifestJson = std::move(*manifest);
  return compiled;
}

llvm::Expected<CompiledModule> fusion::lowerGroups(ModuleOp groups) {
  PassManager manager(groups.getContext(), ModuleOp::getOperationName());
  if (isForCpu(groups)) {
    buildNativeTilePipeline(manager);
    buildTileToNativePipeline(manager);
  } else {
    buildTilePipeline(manager);
    buildTileToNVVMPipeline(manager);
  }
  if (failed(manager.run(groups)))
    return llvm::createStringError("compilation failed");
  return translate(groups);
}

llvm::Expected<CompiledModule> fusion::compile(ModuleOp unfused,
                                               const CompileOptions &options) {
  OwningOpRef<ModuleOp> module(unfused.clone());
  PassManager manager(unfused.getContext(), ModuleOp::getOperationName());
  if (!options.passPipeline.empty()) {
    // The text names its own anchor, "builtin.module(…)".
    std::string why;
    llvm::raw_string_ostream stream(why);
    FailureOr<OpPassManager> parsed =
        parsePassPipeline(options.passPipeline, stream);
    if (failed(parsed))
      return llvm::createStringError("malformed pass pipeline: " +
                                     llvm::StringRef(why).trim());
    if (parsed->getOpAnchorName() != ModuleOp::getOperationName())
      return llvm::createStringError(
          "the pass pipeline must be of the form builtin.module(…)");
    static_cast<OpPassManager &>(manager) = std::move(*parsed);
  } else {
    FuseToNVVMOptions pipeline;
    pipeline.chip = options.chip;
    pipeline.forceFusion = options.forceFusion;
    buildFuseGroupsPipeline(manager, pipeline, options.measurer);
  }
  if (failed(manager.run(*module)))
    return llvm::createStringError("compilation failed");
  if (!options.passPipeline.empty())
    return translate(*module);
  std::string groups;
  if (options.keepGroups)
    llvm::raw_string_ostream(groups) << *module;
  llvm::Expected<CompiledModule> compiled = lowerGroups(*module);
  if (compiled)
    compiled->groups = std::move(groups);
  return compiled;
}
