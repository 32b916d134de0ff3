//===- TileToGPU.cpp - convert-tile-to-gpu --------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NVVMTarget.h"
#include "fusion/Conversion/Passes.h"
#include "fusion/Conversion/TileToThreads/KernelEmitter.h"
#include "fusion/Conversion/TileToThreads/StoredElements.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Target/Chips/ChipTable.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace fusion {
#define GEN_PASS_DEF_CONVERTTILETOGPU
#include "fusion/Conversion/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;

namespace {

struct TileToGPUPass : fusion::impl::ConvertTileToGPUBase<TileToGPUPass> {
  using ConvertTileToGPUBase::ConvertTileToGPUBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<tile::KernelOp> kernels(module.getOps<tile::KernelOp>());
    if (kernels.empty())
      return;
    auto chip = module->getAttrOfType<fuse::ChipAttr>(fuse::kChipAttrName);
    if (chip && lookupChip(chip.getName())->isCpu()) {
      kernels.front().emitError("cannot become a kernel of a GPU because '")
          << chip.getName() << "' is a CPU";
      return signalPassFailure();
    }
    OpBuilder b(&getContext());
    std::string name = "kernels";
    while (module.lookupSymbol(name))
      name += "_";
    b.setInsertionPointToEnd(module.getBody());
    auto gpuModule = gpu::GPUModuleOp::create(b, module.getLoc(), name);
    if (failed(checkLaunches(module)))
      return signalPassFailure();
    if (waitLimit < 0 || waitLimit > tile::kMaxWaitTries) {
      module.emitError("wait-limit is from 0 to ") << tile::kMaxWaitTries;
      return signalPassFailure();
    }
    int64_t limit = waitLimit;
    auto attribute =
        module->getAttrOfType<IntegerAttr>(tile::kWaitLimitAttrName);
    if (limit == 0 && attribute)
      limit = attribute.getInt();
    for (tile::KernelOp kernel : kernels)
      if (failed(convert(kernel, gpuModule, limit)))
        return signalPassFailure();
    module.walk([&](tile::LaunchOp launch) {
      launch.setKernelAttr(SymbolRefAttr::get(
          gpuModule.getNameAttr(),
          FlatSymbolRefAttr::get(launch.getKernel().getLeafReference())));
    });
    for (tile::KernelOp kernel : kernels)
      kernel.erase();
    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                    b.getUnitAttr());
  }

  /// Checks that the kernels of programmatic launches wait for earlier
  /// launches.
  static LogicalResult checkLaunches(ModuleOp module) {
    SymbolTableCollection symbols;
    WalkResult result = module.walk([&](tile::LaunchOp launch) -> WalkResult {
      if (!launch.getProgrammatic())
        return WalkResult::advance();
      auto kernel = symbols.lookupNearestSymbolFrom<tile::KernelOp>(
          launch, launch.getKernelAttr());
      if (!kernel ||
          kernel.getBody().front().getOps<tile::AwaitLaunchesOp>().empty())
        return launch.emitOpError("is programmatic, and its kernel does not "
                                  "wait; run tile-overlap-launches");
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  /// Returns the tensor maps of a kernel's TMA loads and stores, without
  /// duplicates.
  static FailureOr<SmallVector<tile::TensorMapAttr>>
  listMaps(tile::KernelOp kernel) {
    SmallVector<tile::TensorMapAttr> maps;
    WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
      if (!isa<tile::StoreAsyncOp>(op) && !tile::isTMA(op))
        return WalkResult::advance();
      FailureOr<tile::TensorMapAttr> map =
          tile::tensorMapOf(op, [&] { return op->emitOpError(); });
      if (failed(map))
        return WalkResult::interrupt();
      if (!llvm::is_contained(maps, *map))
        maps.push_back(*map);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    return maps;
  }

  /// Converts a kernel to a gpu.func. Tensors become bare pointers and sizes
  /// 32-bit integers. Pointers to tensor maps, which are parameters, come after
  /// them.
  static LogicalResult convert(tile::KernelOp kernel,
                               gpu::GPUModuleOp gpuModule, int64_t waitLimit) {
    OpBuilder b(kernel.getContext());
    SmallVector<Type> types;
    for (Type type : kernel.getArgumentTypes()) {
      if (auto pointer = dyn_cast<tile::PtrType>(type))
        types.push_back(
            MemRefType::get({}, memoryType(pointer.getElementType())));
      else
        types.push_back(type.isIndex() ? b.getI32Type() : type);
    }
    FailureOr<SmallVector<tile::TensorMapAttr>> maps = listMaps(kernel);
    if (failed(maps))
      return failure();
    types.append(maps->size(), LLVM::LLVMPointerType::get(b.getContext()));
    b.setInsertionPointToEnd(gpuModule.getBody());
    auto function = gpu::GPUFuncOp::create(
        b, kernel.getLoc(), kernel.getSymName(), b.getFunctionType(types, {}));
    function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                      b.getUnitAttr());
    auto block = b.getDenseI32ArrayAttr(
        {static_cast<int32_t>(kernel.getBlockThreads()), 1, 1});
    function.setKnownBlockSizeAttr(block);
    function->setAttr("fuse.block", block);
    // The number of resident blocks that the schedule assumes. Without it ptxas
    // may use registers that cost some of them, or spill to fit more.
    function->setAttr(
        NVVM::NVVMDialect::getMinctasmAttrName(),
        b.getI32IntegerAttr(kernel.getResidentBlocks().value_or(1)));
    if (int64_t cluster = kernel.getCluster().value_or(1); cluster > 1)
      function->setAttr(
          NVVM::NVVMDialect::getClusterDimAttrName(),
          b.getDenseI32ArrayAttr({static_cast<int32_t>(cluster), 1, 1}));
    if (!maps->empty())
      function->setAttr(tile::kTensorMapsAttrName,
                        b.getArrayAttr(llvm::to_vector_of<Attribute>(*maps)));
    if (kernel.getSharedMemory())
      function->setAttr("fuse.shared_memory", kernel.getSharedMemoryAttr());
    for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
      if (!isa<tile::PtrType>(type))
        continue;
      auto access = kernel.getArgAttrOfType<tile::AccessAttr>(
          index, tile::kAccessAttrName);
      function.setArgAttr(index, LLVM::LLVMDialect::getAlignAttrName(),
                          b.getI64IntegerAttr(16));
      // Earlier launches may write a pending argument while this kernel runs.
      // So no cache may hold its data from before the wait (PTX ISA,
      // "ld.global.nc"), and no access may move across the wait.
      if (kernel.getArgAttr(index, tile::kPendingAttrName))
        continue;
      // A block reads what other blocks write in an exchange.
      if (access.getValue() != tile::Access::ReadWrite)
        function.setArgAttr(index, LLVM::LLVMDialect::getNoAliasAttrName(),
                            b.getUnitAttr());
      if (access.getValue() == tile::Access::Read)
        function.setArgAttr(index, LLVM::LLVMDialect::getReadonlyAttrName(),
                            b.getUnitAttr());
    }
    b.setInsertionPointToEnd(&function.getBody().front());
    gpu::ReturnOp::create(b, kernel.getLoc());
    NVVMTarget target(kernel, function, *maps, waitLimit);
    EmitterRegistry registry;
    addThreadEmitters(registry);
    target.addEmitters(registry);
    Block &entry = function.getBody().front();
    b.setInsertionPoint(entry.getTerminator());
    return KernelEmitter(kernel, target, registry, b)
        .run(entry.getArguments().take_front(kernel.getNumArguments()));
  }
};

} // namespace
