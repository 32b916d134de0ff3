//===- FinalizeKernels.cpp - nvvm-finalize-kernels ------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Conversion/Passes.h"
#include "fusion/Dialect/Tile/IR/TileDialect.h"
#include "fusion/Target/DeviceMath/DeviceMath.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace fusion {
#define GEN_PASS_DEF_NVVMFINALIZEKERNELS
#include "fusion/Conversion/Passes.h.inc"
} // namespace fusion

using namespace mlir;

namespace {

constexpr StringLiteral kLoopAnnotation = "llvm.loop_annotation";

struct FinalizeKernelsPass
    : fusion::impl::NVVMFinalizeKernelsBase<FinalizeKernelsPass> {
  /// Tensor maps lie in the parameters themselves, which nobody copies (PTX
  /// ISA, "Tensor maps": 128 bytes, aligned to 64).
  static void passTensorMaps(LLVM::LLVMFuncOp function) {
    auto maps =
        function->getAttrOfType<ArrayAttr>(fusion::tile::kTensorMapsAttrName);
    if (!maps)
      return;
    constexpr unsigned bytes = 128, alignment = 64;
    Builder b(function.getContext());
    unsigned end = function.getNumArguments();
    for (unsigned index = end - maps.size(); index < end; ++index) {
      function.setArgAttr(
          index, LLVM::LLVMDialect::getByValAttrName(),
          TypeAttr::get(LLVM::LLVMArrayType::get(b.getI8Type(), bytes)));
      function.setArgAttr(index, LLVM::LLVMDialect::getAlignAttrName(),
                          b.getI64IntegerAttr(alignment));
      function.setArgAttr(index, NVVM::NVVMDialect::getGridConstantAttrName(),
                          b.getUnitAttr());
    }
  }

  void runOnOperation() override {
    // Swizzled tiles repeat after 1024 bytes; the TMA asks for as much (PTX
    // ISA, "Tensor swizzling modes").
    constexpr unsigned sharedAlignment = 1024;
    for (auto global : getOperation().getOps<LLVM::GlobalOp>()) {
      auto array = dyn_cast<LLVM::LLVMArrayType>(global.getGlobalType());
      if (!array || array.getNumElements() != 0)
        continue;
      global.setLinkage(LLVM::Linkage::External);
      global.setAlignment(sharedAlignment);
    }
    // What conversion from scf carries along as a discardable attribute.
    getOperation().walk([](LLVM::BrOp branch) {
      auto annotation =
          branch->getAttrOfType<LLVM::LoopAnnotationAttr>(kLoopAnnotation);
      if (!annotation)
        return;
      branch->removeDiscardableAttr(kLoopAnnotation);
      branch.setLoopAnnotationAttr(annotation);
    });
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      passTensorMaps(function);
    if (failed(checkCalls()))
      signalPassFailure();
  }

private:
  /// Kernels may only call what is defined, intrinsics, and functions that
  /// device code gets by name.
  LogicalResult checkCalls() {
    llvm::SmallDenseMap<StringAttr, LLVM::LLVMFuncOp, 4> undefined;
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (function.isExternal() &&
          !function.getSymName().starts_with("llvm.") &&
          !fusion::isDeviceFunction(function.getSymName()))
        undefined.insert({function.getSymNameAttr(), function});
    if (undefined.empty())
      return success();
    std::optional<SymbolTable::UseRange> uses =
        SymbolTable::getSymbolUses(&getOperation().getBodyRegion());
    if (!uses)
      return getOperation().emitError("has symbols whose uses are unknown");
    for (SymbolTable::SymbolUse use : *uses)
      if (auto function =
              undefined.lookup(use.getSymbolRef().getRootReference()))
        return function.emitError("the kernels call '")
               << function.getSymName() << "', which nothing defines";
    return success();
  }
};

} // namespace
