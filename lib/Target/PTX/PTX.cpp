//===- PTX.cpp - PTX text of a lowered module -----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/PTX/PTX.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Dialect/Tile/IR/TileDialect.h"
#include "fusion/Support/StepAction.h"
#include "fusion/Target/Chips/ChipTable.h"
#include "fusion/Target/DeviceMath/DeviceMath.h"
#include "fusion/Target/PTX/BeforeSelection.h"
#include "fusion/Target/PTX/LargeBlockGate.h"
#include "fusion/Target/PTX/PinLoads.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Vectorize/VectorCombine.h"
#include <mutex>

using namespace mlir;
using namespace fusion;

extern "C" {
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

/// Sets a switch that LLVM offers on its command line only.
static void setOption(StringRef name, bool value) {
  auto &options = llvm::cl::getRegisteredOptions();
  if (auto it = options.find(name); it != options.end())
    static_cast<llvm::cl::opt<bool> *>(it->second)->setValue(value);
}

static std::unique_ptr<llvm::TargetMachine>
createTargetMachine(const ChipInfo &chip, std::string &error) {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    // Addresses in shared memory have 32 bits: half the registers and no 64-bit
    // arithmetic.
    setOption("nvptx-short-ptr", true);
    // Loads stay where the schedule places them, so that they move the
    // predicted bytes. Arithmetic stays, too, so that its operands do not wait
    // in registers for a store at the end (BeforeSelection.cpp leaves out
    // machine sinking).
    setOption("instcombine-code-sinking", false);
    // Accesses are as wide as the layouts make them. LLVM would also pad the
    // ones that it joins beyond that to a power of two, past the end of a
    // tensor.
    setOption("disable-nvptx-load-store-vectorizer", true);
  });
  llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  // Every operation keeps its own rounding: no contraction of multiplications
  // and additions.
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::string features = "+ptx" + std::to_string(chip.ptxVersion);
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, chip.arch, features, options, std::nullopt, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     MLIRContext *asked) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  // A block program is already unrolled and vectorised as its schedule says.
  tuning.LoopUnrolling = false;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  // After an interruption the remaining passes are skipped, and in any case the
  // one that divides an access into one for each extracted element, which is
  // four accesses instead of one in shared memory.
  llvm::PassInstrumentationCallbacks callbacks;
  callbacks.registerShouldRunOptionalPassCallback(
      [&](StringRef pass, llvm::Any) {
        return pass != llvm::VectorCombinePass::name() && goesOn(asked);
      });
  llvm::PassBuilder builder(&machine, tuning, std::nullopt, &callbacks);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
      .run(module, modules);
}

/// Returns a place in the file: a module without `module` has none.
static Location findBeginning(ModuleOp module) {
  Block *body = module.getBody();
  return body->empty() ? module.getLoc() : body->front().getLoc();
}

/// Fails with an error at the first operation that was not lowered, if the
/// module has no kernels or no chip. A plan without launches has no kernels.
static LogicalResult checkLowered(ModuleOp module) {
  bool hasKernels = !module.getOps<gpu::GPUModuleOp>().empty();
  WalkResult unlowered =
      module.walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
        StringRef dialect = op->getName().getDialectNamespace();
        if (hasKernels && isa<tile::LaunchOp>(op))
          return WalkResult::advance();
        if (dialect == "linalg" || dialect == "fuse" || dialect == "tile" ||
            dialect == "tosa")
          return emitError(op->getLoc(), "'")
                 << op->getName()
                 << "' has not been lowered; lower the module with "
                    "fuse-to-nvvm";
        return WalkResult::advance();
      });
  if (unlowered.wasInterrupted())
    return failure();
  if (module->getAttrOfType<fuse::ChipAttr>(fuse::kChipAttrName))
    return success();
  return emitError(findBeginning(module),
                   "the module does not say for which chip (attribute '")
         << fuse::kChipAttrName << "'); lower it with fuse-to-nvvm";
}

FailureOr<std::string> fusion::translateToPTX(ModuleOp module) {
  auto chipAttr = module->getAttrOfType<fuse::ChipAttr>(fuse::kChipAttrName);
  if (chipAttr && lookupChip(chipAttr.getName())->isCpu())
    return emitError(findBeginning(module), "'")
           << chipAttr.getName()
           << "' is a CPU, for which there is no PTX; fuse-to-native makes "
              "machine code for it";
  SmallVector<gpu::GPUModuleOp> gpuModules(module.getOps<gpu::GPUModuleOp>());
  if ((!chipAttr || gpuModules.empty()) && failed(checkLowered(module)))
    return failure();
  if (gpuModules.empty())
    return std::string();
  if (gpuModules.size() > 1)
    return gpuModules[1].emitError("only one gpu.module can be translated");
  gpu::GPUModuleOp kernels = gpuModules.front();
  auto isIdentifier = [](StringRef name) {
    return !name.empty() && !llvm::isDigit(name.front()) &&
           llvm::all_of(name, [](char c) {
             return llvm::isAlnum(c) || c == '_' || c == '$';
           });
  };
  WalkResult lowered = kernels.walk([&](Operation *op) -> WalkResult {
    auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
    if (function && !function.isExternal() &&
        !isIdentifier(function.getSymName()))
      return op->emitError("'")
             << function.getSymName() << "' is no identifier of PTX";
    StringRef dialect = op->getName().getDialectNamespace();
    if (op == kernels || dialect == "llvm" || dialect == "nvvm" ||
        isa<gpu::GPUModuleOp>(op))
      return WalkResult::advance();
    return op->emitError("'") << op->getName()
                              << "' is not in the nvvm or llvm dialect; lower "
                                 "the module with fuse-to-nvvm";
  });
  if (lowered.wasInterrupted())
    return failure();

  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine =
      createTargetMachine(*lookupChip(chipAttr.getName()), error);
  if (!machine)
    return module.emitError("no PTX back end: ") << error;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(kernels, context, "kernels");
  if (!llvmModule)
    return kernels.emitError("cannot be translated to LLVM IR");
  llvmModule->setTargetTriple(machine->getTargetTriple());
  llvmModule->setDataLayout(machine->createDataLayout());
  if (llvm::Error failed = linkDeviceMath(*llvmModule))
    return kernels.emitError() << llvm::toString(std::move(failed));
  pinLoads(*llvmModule);
  optimize(*llvmModule, *machine, module.getContext());
  if (!goesOn(module.getContext()))
    return failure();

  llvm::SmallString<0> text;
  llvm::raw_svector_ostream os(text);
  BeforeSelectionScope rewritten(*machine);
  LargeBlockGate gate(*llvmModule);
  context.setOptPassGate(gate);
  llvm::legacy::PassManager codegen;
  if (machine->addPassesToEmitFile(codegen, os, nullptr,
                                   llvm::CodeGenFileType::AssemblyFile))
    return module.emitError("the PTX back end cannot write text");
  codegen.run(*llvmModule);
  return std::string(text);
}
