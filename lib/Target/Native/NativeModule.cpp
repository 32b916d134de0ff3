//===- NativeModule.cpp - Kernels for a CPU as LLVM IR --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NativeModule.h"
#include "EntryPoint.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Dialect/Tile/IR/NativeKernels.h"
#include "fusion/Dialect/Tile/IR/TileDialect.h"
#include "fusion/Target/Chips/ChipTable.h"
#include "fusion/Target/DeviceMath/DeviceMath.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>

using namespace mlir;
using namespace fusion;

extern "C" {
void LLVMInitializeX86Target();
void LLVMInitializeX86TargetInfo();
void LLVMInitializeX86TargetMC();
void LLVMInitializeX86AsmPrinter();
void LLVMInitializeX86AsmParser();
}

/// Returns a place in the file: a module without `module` has none.
static Location findBeginning(ModuleOp module) {
  Block *body = module.getBody();
  return body->empty() ? module.getLoc() : body->front().getLoc();
}

FailureOr<const ChipInfo *> fusion::nativeChipOf(ModuleOp module) {
  auto attr = module->getAttrOfType<fuse::ChipAttr>(fuse::kChipAttrName);
  if (!attr)
    return emitError(findBeginning(module),
                     "the module does not say for which chip (attribute '")
           << fuse::kChipAttrName << "'); lower it with fuse-to-native";
  const ChipInfo *chip = lookupChip(attr.getName());
  if (!chip->isCpu())
    return emitError(findBeginning(module), "'")
           << attr.getName()
           << "' is a GPU, for which there is no object file; fuse-to-nvvm "
              "makes PTX for it";
  return chip;
}

/// Returns the CPU whose instructions the code of a module has.
static FailureOr<const CpuInfo *> instructionsOf(ModuleOp module,
                                                 const ChipInfo &chip) {
  Attribute attr = module->getAttr(tile::kInstructionsAttrName);
  if (!attr)
    return chip.cpu;
  auto other = dyn_cast<fuse::ChipAttr>(attr);
  const ChipInfo *info = other ? lookupChip(other.getName()) : nullptr;
  if (info && info->isCpu())
    return info->cpu;
  return emitError(findBeginning(module), "'")
         << tile::kInstructionsAttrName << "' is " << attr
         << "; the instructions must be those of a CPU";
}

static std::unique_ptr<llvm::TargetMachine>
createTargetMachine(const CpuInfo &cpu, std::string &error) {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
  });
  // The same code on every system whose objects are ELF.
  llvm::Triple triple("x86_64-unknown-linux-gnu");
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  // Every operation keeps its own rounding: multiplications and additions are
  // contracted only where the program says so, as vector.fma does.
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  options.FunctionSections = true;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, cpu.llvmCpu, cpu.llvmFeatures, options, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Aggressive));
}

/// Fails with an error at the first operation that was not lowered.
static LogicalResult checkLowered(ModuleOp module, bool hasKernels) {
  WalkResult unlowered =
      module.walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
        StringRef dialect = op->getName().getDialectNamespace();
        if (hasKernels && isa<tile::LaunchOp>(op))
          return WalkResult::advance();
        if (llvm::is_contained({"linalg", "fuse", "tile", "tosa"}, dialect))
          return emitError(op->getLoc(), "'")
                 << op->getName()
                 << "' has not been lowered; lower the module with "
                    "fuse-to-native";
        return WalkResult::advance();
      });
  return failure(unlowered.wasInterrupted());
}

/// Checks that a kernel has the parameters that every host passes
/// (docs/native-kernels.md).
static LogicalResult checkSignature(LLVM::LLVMFuncOp kernel) {
  MLIRContext *context = kernel.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type i64 = IntegerType::get(context, 64);
  auto expected = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                              {pointer, i64, i64, pointer});
  if (kernel.getFunctionType() == expected)
    return success();
  return kernel.emitError("'")
         << kernel.getSymName() << "' is of type " << kernel.getFunctionType()
         << "; a native kernel is of type " << expected;
}

static LogicalResult checkKernels(ModuleOp kernels) {
  WalkResult lowered = kernels.walk([&](Operation *op) -> WalkResult {
    if (op == kernels)
      return WalkResult::advance();
    if (op->getName().getDialectNamespace() != "llvm")
      return op->emitError("'") << op->getName()
                                << "' is not in the llvm dialect; lower the "
                                   "module with fuse-to-native";
    auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
    if (!function || function.isExternal() || !function.isPublic() ||
        function.getLinkage() != LLVM::Linkage::External)
      return WalkResult::advance();
    return checkSignature(function);
  });
  return failure(lowered.wasInterrupted());
}

/// Sets what LLVM asks of functions; everything but kernels and entry points
/// becomes internal.
static void prepareFunctions(llvm::Module &code, const ModuleOp &kernels,
                             const CpuInfo &cpu) {
  ModuleOp module = kernels;
  for (llvm::Function &function : code) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", cpu.llvmCpu);
    if (!cpu.llvmFeatures.empty())
      function.addFnAttr("target-features", cpu.llvmFeatures);
    // Vectors of the widest registers stay whole.
    std::string bits = std::to_string(8 * cpu.vectorBytes);
    function.addFnAttr("prefer-vector-width", bits);
    function.addFnAttr("min-legal-vector-width", bits);
    function.setDoesNotThrow();
    auto source = module.lookupSymbol<LLVM::LLVMFuncOp>(function.getName());
    if (source && !source.isPublic())
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  for (llvm::GlobalVariable &global : code.globals())
    if (!global.isDeclaration())
      global.setLinkage(llvm::GlobalValue::InternalLinkage);
}

/// Makes conversions to integers in the library's functions saturate. A
/// function looks up a table before it knows whether its argument is NaN, which
/// GPUs convert to zero.
static void saturateConversions(llvm::Module &code, ModuleOp kernels) {
  for (llvm::Function &function : code) {
    auto own = kernels.lookupSymbol<LLVM::LLVMFuncOp>(function.getName());
    if (own && !own.isExternal())
      continue;
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : llvm::make_early_inc_range(block)) {
        auto *convert = llvm::dyn_cast<llvm::FPToSIInst>(&instruction);
        if (!convert)
          continue;
        llvm::IRBuilder<> b(convert);
        llvm::Value *from = convert->getOperand(0);
        convert->replaceAllUsesWith(
            b.CreateIntrinsic(llvm::Intrinsic::fptosi_sat,
                              {convert->getType(), from->getType()}, {from}));
        convert->eraseFromParent();
      }
  }
}

/// Adds the functions that C can call.
static LogicalResult addFunctionsOfC(ModuleOp module, llvm::Module &code) {
  SmallVector<DenseElementsAttr> constants;
  FailureOr<std::vector<EntryPoint>> entries =
      describeEntryPoints(module, constants);
  if (failed(entries))
    return failure();
  llvm::StringSet<> symbols;
  for (EntryPoint &entry : *entries)
    if (code.getFunction(entry.symbol) || !symbols.insert(entry.symbol).second)
      return entry.function.emitError("has the symbol '")
             << entry.symbol << "', as another function or kernel";
  addEntryPoints(code, *entries, constants);
  return success();
}

LogicalResult fusion::makeNativeModule(ModuleOp module, bool hasEntryPoints,
                                       NativeModule &result) {
  FailureOr<const ChipInfo *> chip = nativeChipOf(module);
  if (failed(chip))
    return failure();
  FailureOr<const CpuInfo *> cpu = instructionsOf(module, **chip);
  if (failed(cpu))
    return failure();
  for (auto nested : module.getOps<ModuleOp>()) {
    if (!nested->hasAttr(tile::kNativeAttrName))
      continue;
    if (result.kernels)
      return nested.emitError("only one module of kernels can be translated");
    result.kernels = nested;
  }
  if (failed(checkLowered(module, bool(result.kernels))))
    return failure();
  if (!result.kernels)
    return success();
  if (failed(checkKernels(result.kernels)))
    return failure();

  std::string error;
  result.machine = createTargetMachine(**cpu, error);
  if (!result.machine)
    return module.emitError("no back end for x86-64: ") << error;
  result.code =
      translateModuleToLLVMIR(result.kernels, result.context, "kernels");
  if (!result.code)
    return result.kernels.emitError("cannot be translated to LLVM IR");
  result.code->setTargetTriple(result.machine->getTargetTriple());
  result.code->setDataLayout(result.machine->createDataLayout());
  result.code->setPICLevel(llvm::PICLevel::BigPIC);
  if (llvm::Error linked = linkDeviceMath(*result.code))
    return result.kernels.emitError(llvm::toString(std::move(linked)));
  saturateConversions(*result.code, result.kernels);
  if (hasEntryPoints && failed(addFunctionsOfC(module, *result.code)))
    return failure();
  expandDots(*result.code, **cpu);
  prepareFunctions(*result.code, result.kernels, **cpu);
  return success();
}
