//===- FinalizeKernels.cpp - nvvm-finalize-kernels ------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Conversion/Passes.h"
#include "fusion/Target/DeviceMath.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace fusion {
#define GEN_PASS_DEF_NVVMFINALIZEKERNELS
#include "fusion/Conversion/Passes.h.inc"
} // namespace fusion

using namespace mlir;

namespace {

constexpr StringLiteral kLoopAnnotation = "llvm.loop_annotation";

struct FinalizeKernelsPass
    : fusion::impl::NVVMFinalizeKernelsBase<FinalizeKernelsPass> {
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
      if (function.isExternal() &&
          !function.getSymName().starts_with("llvm.") &&
          !fusion::isDeviceFunction(function.getSymName()) &&
          !SymbolTable::symbolKnownUseEmpty(function, getOperation())) {
        function.emitError("the kernels call '")
            << function.getSymName() << "', which nothing defines";
        return signalPassFailure();
      }
  }
};

} // namespace
