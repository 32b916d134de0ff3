//===- Compile.cpp - The compiler in C ------------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Pipelines/Compile.h"
#include "Callbacks.h"
#include "fusion/Dialect/Fuse/IR/Exponentials.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/InitAll.h"
#include "fusion/Support/StepAction.h"
#include "fusion/Target/Chips/ChipTable.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <tuple>

using namespace fusion;
using namespace fusion::capi;
using namespace mlir;

struct FusionProgram {
  CompiledModule compiled;
};

namespace {

FusionSeverity severityOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return FusionNote;
  case DiagnosticSeverity::Remark:
    return FusionRemark;
  case DiagnosticSeverity::Warning:
    return FusionWarning;
  case DiagnosticSeverity::Error:
    return FusionError;
  }
  return FusionError;
}

/// One compilation with the caller's callbacks.
class Compilation {
public:
  Compilation(const FusionCompileOptions &options,
              const FusionCallbacks *callbacks);
  ~Compilation() { context.registerActionHandler(nullptr); }

  FusionProgram *run(llvm::StringRef source);

private:
  void forward(const Diagnostic &diagnostic);
  void ask(llvm::StringRef what);
  void perform(llvm::function_ref<void()> transform,
               const tracing::Action &action);
  OwningOpRef<ModuleOp> parse(llvm::StringRef source);
  llvm::Expected<CompileOptions> compileOptions() const;
  /// Returns for each option its name in messages, the module's attribute, and
  /// the chosen value.
  std::array<std::tuple<llvm::StringRef, llvm::StringRef, llvm::StringRef>, 3>
  numericOptions() const {
    return {{{"f32 products", fuse::kF32ProductsAttrName,
              toRef(options.f32Products)},
             {"products of 8-bit floats", fuse::kF8ProductsAttrName,
              toRef(options.f8Products)},
             {"exponentials", fuse::kExponentialsAttrName,
              toRef(options.exponentials)}}};
  }

  const FusionCompileOptions options;
  const FusionCallbacks *callbacks;
  MLIRContext context;
  std::mutex reporting;
  std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> stopped{false};
  std::chrono::steady_clock::time_point asked; ///< by the caller's thread
};

const DialectRegistry &dialects() {
  static const DialectRegistry *registry = [] {
    auto *all = new DialectRegistry;
    registerAllDialects(*all);
    return all;
  }();
  return *registry;
}

Compilation::Compilation(const FusionCompileOptions &options,
                         const FusionCallbacks *callbacks)
    : options(options), callbacks(callbacks), context(dialects()) {
  context.printOpOnDiagnostic(false);
  context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    forward(diagnostic);
    return success();
  });
  if (callbacks && callbacks->proceed)
    context.registerActionHandler(
        [this](llvm::function_ref<void()> transform,
               const tracing::Action &action) { perform(transform, action); });
}

void Compilation::forward(const Diagnostic &diagnostic) {
  // Errors after a skipped pass are not the module's fault.
  if (stopped)
    return;
  std::lock_guard<std::mutex> lock(reporting);
  auto emit = [&](const Diagnostic &one) {
    std::string message = one.str();
    FusionDiagnostic result{
        severityOf(one.getSeverity()), toText(message), {"", 0}, 0, 0};
    // A fused or named location is reported as its first place in a source.
    if (auto place = one.getLocation()->findInstanceOf<FileLineColLoc>()) {
      result.file = toText(place.getFilename().getValue());
      result.line = place.getLine();
      result.column = place.getColumn();
    }
    diagnose(callbacks, result);
  };
  emit(diagnostic);
  for (const Diagnostic &note : diagnostic.getNotes())
    emit(note);
}

/// Asks the caller whether to continue. If no pass begins (`what` is empty),
/// asks at most every 10 ms, as there are a million occasions each second.
void Compilation::ask(llvm::StringRef what) {
  auto now = std::chrono::steady_clock::now();
  if (what.empty() && now - asked < std::chrono::milliseconds(10))
    return;
  asked = now;
  if (!proceed(callbacks, what))
    stopped = true;
}

void Compilation::perform(llvm::function_ref<void()> transform,
                          const tracing::Action &action) {
  const auto *pass = dyn_cast<PassExecutionAction>(&action);
  if (std::this_thread::get_id() == caller && !stopped)
    ask(pass ? pass->getPass().getArgument() : "");
  // Passes and steps may be skipped; other actions of a pass must complete.
  if (!stopped || !(pass || isa<StepAction>(action)))
    transform();
}

OwningOpRef<ModuleOp> Compilation::parse(llvm::StringRef source) {
  llvm::StringRef name = toRef(options.fileName);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(
                                 source, name.empty() ? "<string>" : name),
                             llvm::SMLoc());
  return parseSourceFile<ModuleOp>(sources, &context);
}

llvm::Expected<CompileOptions> Compilation::compileOptions() const {
  CompileOptions result;
  if (options.chip.length)
    result.chip = toRef(options.chip).str();
  result.forceFusion = options.forceFusion;
  result.passPipeline = toRef(options.passPipeline).str();
  result.keepGroups = true;
  if (!result.passPipeline.empty() &&
      (options.chip.length || options.forceFusion))
    return llvm::createStringError(
        "a pass pipeline names its own chip and whether fusion is forced, as "
        "in builtin.module(fuse-to-nvvm{chip=sm_80 force-fusion=true}); '" +
        llvm::StringRef(options.chip.length ? "chip" : "force fusion") +
        "' beside it has no effect");
  if (!lookupChip(result.chip)) {
    std::string known;
    for (size_t i = 0; fusionChipName(i).length; ++i)
      known += (i ? ", " : "") + toRef(fusionChipName(i)).str();
    return llvm::createStringError("unknown chip '" + result.chip +
                                   "'; known are " + known);
  }
  for (auto [what, attribute, chosen] : numericOptions()) {
    llvm::SmallVector<llvm::StringRef> known =
        fuse::listNumericChoices(attribute);
    if (!chosen.empty() && !llvm::is_contained(known, chosen))
      return llvm::createStringError(what.str() + " are computed as " +
                                     fuse::orList(known, "'") + ", not as '" +
                                     chosen + "'");
  }
  return result;
}

FusionProgram *Compilation::run(llvm::StringRef source) {
  llvm::Expected<CompileOptions> how = compileOptions();
  if (!how) {
    reportError(callbacks, how.takeError());
    return nullptr;
  }
  if (!how->passPipeline.empty()) {
    static std::once_flag registered;
    std::call_once(registered, registerAllPasses);
  }
  if (options.remarks) {
    remark::RemarkCategories categories;
    // Each kind by itself: `all` has an effect only together with these.
    categories.passed = categories.missed = categories.analysis =
        categories.failed = ".*";
    if (failed(remark::enableOptimizationRemarks(
            context, nullptr,
            std::make_unique<remark::RemarkEmittingPolicyAll>(), categories,
            /*printAsEmitRemarks=*/true)))
      return nullptr;
  }
  OwningOpRef<ModuleOp> module = parse(source);
  if (!module)
    return nullptr;
  if (llvm::all_of(module->getOps<FunctionOpInterface>(),
                   [](FunctionOpInterface f) { return f.isExternal(); })) {
    emitError(module->getLoc(), "the module has no function with a body");
    return nullptr;
  }
  for (auto [what, attribute, chosen] : numericOptions())
    if (!chosen.empty())
      (*module)->setAttr(attribute, StringAttr::get(&context, chosen));
  llvm::Expected<CompiledModule> compiled = fusion::compile(*module, *how);
  if (!compiled || stopped) {
    llvm::Error error =
        compiled ? llvm::Error::success() : compiled.takeError();
    if (stopped) {
      llvm::consumeError(std::move(error));
      error = llvm::createStringError("compilation was stopped");
    }
    reportError(callbacks, std::move(error));
    return nullptr;
  }
  return new FusionProgram{std::move(*compiled)};
}

} // namespace

FusionProgram *fusionCompile(FusionText source,
                             const FusionCompileOptions *options,
                             const FusionCallbacks *callbacks) {
  return Compilation(options ? *options : FusionCompileOptions{}, callbacks)
      .run(toRef(source));
}

FusionText fusionProgramPTX(const FusionProgram *program) {
  return toText(program->compiled.ptx);
}

FusionText fusionProgramObject(const FusionProgram *program) {
  return toText(program->compiled.object);
}

FusionText fusionProgramManifest(const FusionProgram *program) {
  return toText(program->compiled.manifestJson);
}

FusionText fusionProgramGroups(const FusionProgram *program) {
  return toText(program->compiled.groups);
}

void fusionProgramDestroy(FusionProgram *program) { delete program; }

FusionText fusionChipName(size_t index) {
  llvm::ArrayRef<ChipInfo> chips = allChips();
  return index < chips.size() ? toText(chips[index].name) : FusionText{"", 0};
}

int fusionChipIsCpu(FusionText name) {
  const ChipInfo *chip = lookupChip(toRef(name));
  return chip && chip->isCpu();
}

FusionText fusionHostCpu() {
  static const std::string text = [] {
    const CpuInfo &cpu = *lookupChip("host")->cpu;
    return (cpu.llvmCpu + ", cores: " + llvm::Twine(cpu.cores) +
            ", L1, L2, L3: " + llvm::Twine(cpu.l1Bytes) + ", " +
            llvm::Twine(cpu.l2Bytes) + ", " + llvm::Twine(cpu.l3Bytes) +
            " bytes, " + cpu.llvmFeatures)
        .str();
  }();
  return toText(text);
}

FusionText fusionVersion() {
  return toText("Fusion " FUSION_VERSION ", LLVM " LLVM_VERSION_STRING);
}
