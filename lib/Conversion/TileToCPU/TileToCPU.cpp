//===- TileToCPU.cpp - convert-tile-to-cpu --------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockEmitter.h"
#include "fusion/Conversion/Passes.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Dialect/Tile/IR/NativeKernels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace fusion {
#define GEN_PASS_DEF_CONVERTTILETOCPU
#include "fusion/Conversion/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;

namespace {

struct TileToCPUPass : fusion::impl::ConvertTileToCPUBase<TileToCPUPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<tile::KernelOp> kernels(module.getOps<tile::KernelOp>());
    if (kernels.empty())
      return;
    auto attribute = module->getAttrOfType<fuse::ChipAttr>(fuse::kChipAttrName);
    const ChipInfo *chip =
        attribute ? lookupChip(attribute.getName()) : nullptr;
    if (!chip || !chip->isCpu()) {
      module.emitError(chip ? "is for " + chip->name.str() + ", which is no CPU"
                            : std::string("does not say for which chip"));
      return signalPassFailure();
    }
    std::string name = "kernels";
    while (module.lookupSymbol(name))
      name += "_";
    OpBuilder b(&getContext());
    b.setInsertionPointToEnd(module.getBody());
    auto native = ModuleOp::create(b, module.getLoc(), name);
    native->setAttr(tile::kNativeAttrName, b.getUnitAttr());
    for (tile::KernelOp kernel : kernels)
      if (failed(convert(kernel, native, *chip)))
        return signalPassFailure();
    module.walk([&](tile::LaunchOp launch) {
      launch.setKernelAttr(SymbolRefAttr::get(
          native.getSymNameAttr(),
          FlatSymbolRefAttr::get(launch.getKernel().getLeafReference())));
    });
    for (tile::KernelOp kernel : kernels)
      kernel.erase();
  }

  /// Makes the function of a kernel: a loop over its blocks.
  static LogicalResult convert(tile::KernelOp kernel, ModuleOp native,
                               const ChipInfo &chip) {
    Location loc = kernel.getLoc();
    OpBuilder b(kernel.getContext());
    b.setInsertionPointToEnd(native.getBody());
    auto pointer = LLVM::LLVMPointerType::get(b.getContext());
    Type number = b.getI64Type();
    auto function = func::FuncOp::create(
        b, loc, kernel.getSymName(),
        b.getFunctionType({pointer, number, number, pointer}, {}));
    Block *entry = function.addEntryBlock();
    b.setInsertionPointToStart(entry);
    KernelState state(b, chip, entry->getArgument(3));
    state.loc = loc;
    if (failed(loadArguments(kernel, entry->getArgument(0), state)))
      return failure();
    auto index = [&](Value value) -> Value {
      return arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
    };
    Value first = index(entry->getArgument(1)),
          end = index(entry->getArgument(2));
    auto blocks =
        scf::ForOp::create(b, loc, first, end, state.access.constant(1));
    b.setInsertionPointToStart(blocks.getBody());
    bool hasThreads =
        kernel.walk([](tile::ThreadIdOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    Value thread;
    if (hasThreads) {
      auto threads =
          scf::ForOp::create(b, loc, state.access.constant(0),
                             state.access.constant(kernel.getNumThreads()),
                             state.access.constant(1));
      b.setInsertionPointToStart(threads.getBody());
      thread = threads.getInductionVar();
    }
    BlockEmitter emitter(state, blocks.getInductionVar(), thread);
    if (failed(emitter.emit(kernel.getBody().front())) ||
        failed(emitter.finish()))
      return failure();
    b.setInsertionPointToEnd(entry);
    // Other cores see non-temporal stores only behind a fence.
    if (state.hasStreams)
      LLVM::CallIntrinsicOp::create(
          b, loc, b.getStringAttr("llvm.x86.sse.sfence"), ValueRange());
    func::ReturnOp::create(b, loc);
    function->setAttr(tile::kScratchAttrName,
                      b.getI64IntegerAttr(state.scratchBytes()));
    return success();
  }

  static TileMemory wordAt(Value address, Type type) {
    TileMemory memory;
    memory.base = address;
    memory.elementType = TileAccess::storedType(type);
    return memory;
  }

  /// Loads the arguments, which are 64-bit words: addresses, and scalars in
  /// their low bytes.
  static LogicalResult loadArguments(tile::KernelOp kernel, Value words,
                                     KernelState &state) {
    OpBuilder &b = state.b;
    Location loc = kernel.getLoc();
    for (auto [number, argument] :
         llvm::enumerate(kernel.getBody().getArguments())) {
      Value address = LLVM::GEPOp::create(
          b, loc, words.getType(), b.getI64Type(), words,
          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(number)});
      Type type = argument.getType();
      Value value;
      if (isa<tile::PtrType>(type))
        value = LLVM::LoadOp::create(b, loc, words.getType(), address);
      else
        value = state.access.load(wordAt(address, type), {}, Lanes(), type);
      state.scalars.map(argument, value);
    }
    return success();
  }
};

} // namespace
