//===- Jit.cpp - Compiles the reference for the host ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Jit.h"

#include "fusion/Runtime/ElementType.h"
#include "fusion/Support/ThreadPool.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/bit.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <chrono>
#include <utility>

using namespace fusion;

//===----------------------------------------------------------------------===//
// What compiled code calls
//===----------------------------------------------------------------------===//

static thread_local HostServices *currentServices = nullptr;

HostServices::HostServices(ThreadPool &pool,
                           const std::function<bool()> &proceed)
    : pool(pool), proceed(proceed), previous(currentServices) {
  currentServices = this;
}
HostServices::~HostServices() { currentServices = previous; }

void *HostServices::allocate(size_t alignment, size_t bytes) {
  alignment = std::max<size_t>(alignment, 64);
  std::unique_ptr<char[]> block(new char[bytes + alignment]);
  uintptr_t address = reinterpret_cast<uintptr_t>(block.get());
  {
    std::lock_guard<std::mutex> lock(mutex);
    blocks.push_back(std::move(block));
  }
  return reinterpret_cast<void *>((address + alignment - 1) &
                                  ~uintptr_t(alignment - 1));
}

static void *hostAllocate(uint64_t bytes) {
  return currentServices->allocate(64, bytes);
}
static void *hostAlignedAllocate(uint64_t alignment, uint64_t bytes) {
  return currentServices->allocate(alignment, bytes);
}
static void hostFree(void *) {} // all at once, when the call is over

static void hostRefuse(const char *message, int64_t left, int64_t right) {
  currentServices->refuse(
      llvm::formatv("{0} ({1} and {2})", message, left, right));
}
static bool hostGoesOn() {
  return currentServices->getRefusal().empty() && currentServices->goesOn();
}
static void hostUndefined() { currentServices->noteUndefined(); }

static void hostParallelFor(void (*body)(void *, int64_t, int64_t),
                            void *context, int64_t begin, int64_t end) {
  HostServices *services = currentServices;
  auto run = [=](int64_t first, int64_t last) {
    // A body may ask for memory on any thread.
    HostServices *previous = std::exchange(currentServices, services);
    // Steps of some milliseconds, between which the work can be stopped.
    using Clock = std::chrono::steady_clock;
    for (int64_t step = 1; first < last && services->goesOn();) {
      Clock::time_point start = Clock::now();
      int64_t end = step < last - first ? first + step : last;
      body(context, first, end);
      first = end;
      if (Clock::now() - start < std::chrono::milliseconds(10))
        step *= 2;
    }
    currentServices = previous;
  };
  services->threads().parallelFor(begin, end, run);
}

template <ElementType type> static auto hostTruncate(double value) {
  constexpr bool isTwoBytes =
      type == ElementType::F16 || type == ElementType::BF16;
  std::conditional_t<isTwoBytes, uint16_t, uint8_t> bits;
  elementFromDouble(type, value, &bits);
  return bits;
}

/// What LLVM calls to round where the machine has no instruction for it, its
/// result where the ABI has one of type `Narrow`.
template <typename Narrow, ElementType type, typename Wide>
static Narrow hostRound(Wide value) {
  return llvm::bit_cast<Narrow>(hostTruncate<type>(value));
}

static llvm::orc::SymbolMap hostSymbols(llvm::orc::MangleAndInterner intern) {
  llvm::orc::SymbolMap symbols;
  auto add = [&](llvm::StringRef name, auto *function) {
    symbols[intern(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                             llvm::JITSymbolFlags::Exported};
  };
  add("_mlir_memref_to_llvm_alloc", hostAllocate);
  add("_mlir_memref_to_llvm_aligned_alloc", hostAlignedAllocate);
  add("_mlir_memref_to_llvm_free", hostFree);
  add("fusion_reference_parallel_for", hostParallelFor);
  add("fusion_reference_refuse", hostRefuse);
  add("fusion_reference_goes_on", hostGoesOn);
  add("fusion_reference_undefined", hostUndefined);
#define TRUNCATION(name, type)                                                 \
  add("fusion_reference_truncate_" name, hostTruncate<ElementType::type>)
  TRUNCATION("f16", F16);
  TRUNCATION("bf16", BF16);
  TRUNCATION("f8E4M3FN", F8E4M3FN);
  TRUNCATION("f8E5M2", F8E5M2);
  TRUNCATION("f8E4M3", F8E4M3);
  TRUNCATION("f8E3M4", F8E3M4);
  TRUNCATION("f8E4M3FNUZ", F8E4M3FNUZ);
  TRUNCATION("f8E5M2FNUZ", F8E5M2FNUZ);
  TRUNCATION("f8E4M3B11FNUZ", F8E4M3B11FNUZ);
  TRUNCATION("f8E8M0FNU", F8E8M0FNU);
#undef TRUNCATION
  add("__truncsfhf2", hostRound<_Float16, ElementType::F16, float>);
  add("__truncdfhf2", hostRound<_Float16, ElementType::F16, double>);
  add("__truncsfbf2", hostRound<__bf16, ElementType::BF16, float>);
  add("__truncdfbf2", hostRound<__bf16, ElementType::BF16, double>);
  return symbols;
}

//===----------------------------------------------------------------------===//
// Parallel loops in LLVM IR
//===----------------------------------------------------------------------===//

/// Replaces `call body(begin, end, captures...)` by a call of the thread pool,
/// which calls back over parts of the range with the captures in memory.
static void distributeCall(llvm::CallInst *call) {
  llvm::Function *body = call->getCalledFunction();
  llvm::LLVMContext &context = call->getContext();
  llvm::Module *module = body->getParent();
  auto *pointer = llvm::PointerType::getUnqual(context);
  auto *i64 = llvm::Type::getInt64Ty(context);
  llvm::SmallVector<llvm::Type *> fields;
  for (unsigned i = 2; i < call->arg_size(); ++i)
    fields.push_back(call->getArgOperand(i)->getType());
  auto *captures = llvm::StructType::get(context, fields);

  auto *adapter = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                              {pointer, i64, i64}, false),
      llvm::GlobalValue::InternalLinkage, body->getName() + "_part", module);
  llvm::IRBuilder<> builder(
      llvm::BasicBlock::Create(context, "entry", adapter));
  llvm::SmallVector<llvm::Value *> arguments{adapter->getArg(1),
                                             adapter->getArg(2)};
  for (unsigned i = 0; i < fields.size(); ++i)
    arguments.push_back(builder.CreateLoad(
        fields[i], builder.CreateStructGEP(captures, adapter->getArg(0), i)));
  builder.CreateCall(body, arguments);
  builder.CreateRetVoid();

  builder.SetInsertPoint(
      call->getFunction()->getEntryBlock().getFirstInsertionPt());
  llvm::Value *memory = builder.CreateAlloca(captures);
  builder.SetInsertPoint(call);
  for (unsigned i = 0; i < fields.size(); ++i)
    builder.CreateStore(call->getArgOperand(i + 2),
                        builder.CreateStructGEP(captures, memory, i));
  llvm::FunctionCallee parallelFor = module->getOrInsertFunction(
      "fusion_reference_parallel_for", llvm::Type::getVoidTy(context), pointer,
      pointer, i64, i64);
  builder.CreateCall(parallelFor, {adapter, memory, call->getArgOperand(0),
                                   call->getArgOperand(1)});
  call->eraseFromParent();
}

static void distributeParallelLoops(llvm::Module &module) {
  llvm::SmallVector<llvm::CallInst *> calls;
  for (llvm::Function &function : module) {
    if (!function.getName().starts_with("fusion_parallel_body_"))
      continue;
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
    for (llvm::User *user : function.users())
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(user))
        calls.push_back(call);
  }
  for (llvm::CallInst *call : calls)
    distributeCall(call);
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// LLVM's O3 without unrolling. Loops over small tensors would be unrolled to
/// thousands of instructions, which later passes compare in pairs.
static llvm::Error optimize(llvm::Module &module,
                            llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = false;
  tuning.LoopInterleaving = true;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = true;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
      .run(module, modules);
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<mlir::ExecutionEngine>>
fusion::compileForHost(mlir::ModuleOp module) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto host = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!host)
    return host.takeError();
  host->setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  // Where 32 halves are a vector, LLVM 22 makes nodes that it cannot select
  // (SUBV_BROADCAST_LOAD of v16f16 from 64 bits). It takes no longer without.
  if (host->getTargetTriple().isX86())
    host->getFeatures().AddFeature("avx512f", false);
  auto machine = host->createTargetMachine();
  if (!machine)
    return machine.takeError();

  auto translate =
      [&](mlir::Operation *op,
          llvm::LLVMContext &context) -> std::unique_ptr<llvm::Module> {
    std::unique_ptr<llvm::Module> translated =
        mlir::translateModuleToLLVMIR(op, context);
    if (translated)
      distributeParallelLoops(*translated);
    return translated;
  };
  auto transform = [target = machine->get()](llvm::Module *module) {
    return optimize(*module, *target);
  };
  mlir::ExecutionEngineOptions options;
  options.llvmModuleBuilder = translate;
  options.transformer = transform;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::Default;
  options.enableGDBNotificationListener = false;
  options.enablePerfNotificationListener = false;
  auto engine =
      mlir::ExecutionEngine::create(module, options, std::move(*machine));
  if (!engine)
    return engine.takeError();
  (*engine)->registerSymbols(hostSymbols);
  return engine;
}
