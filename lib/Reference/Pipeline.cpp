//===- Pipeline.cpp - From linalg to the LLVM dialect on the CPU ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Reference/Passes.h"
#include "fusion/Reference/Reference.h"
#include "fusion/Transforms/Passes.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void fusion::buildReferencePipeline(OpPassManager &manager) {
  manager.addPass(createReferenceInlineGroups());
  manager.addPass(createFuseTosaToLinalg());
  manager.addPass(createClearFastMath());
  manager.addPass(createFuseTensorToLinalg());
  manager.addPass(createFuseExplicitNumerics());
  manager.addPass(createFuseCheckSizes());
  manager.addNestedPass<func::FuncOp>(createReferenceArrangeLoops());
  manager.addPass(createCSEPass());

  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  bufferize.allowReturnAllocsFromLoops = true;
  manager.addPass(bufferization::createOneShotBufferizePass(bufferize));
  // Bufferization makes named operations of its own (copies, padding).
  manager.addPass(createReferenceParallelizeLoops());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());

  math::MathExtendToSupportedTypesOptions mathTypes;
  manager.addPass(math::createMathExtendToSupportedTypes(mathTypes));
  manager.addPass(createReferenceGuardDivision());
  manager.addPass(createReferenceGuardIndices());
  manager.addPass(createReferenceExpandNarrowFloats());
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  manager.addPass(arith::createArithExpandOpsPass(expand));

  manager.addPass(memref::createExpandStridedMetadataPass());
  manager.addPass(createLowerAffinePass());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(createReferenceReportAssertions());
  manager.addPass(createConvertMathToLLVMPass());
  manager.addPass(createConvertMathToLibmPass());
  FinalizeMemRefToLLVMConversionPassOptions memrefs;
  memrefs.useGenericFunctions = true;
  manager.addPass(createFinalizeMemRefToLLVMConversionPass(memrefs));
  manager.addPass(createConvertToLLVMPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
}

void fusion::registerReferencePipeline() {
  PassPipelineRegistration<>(
      "reference-to-llvm",
      "Lower an unfused module to the LLVM dialect for the CPU, as the "
      "reference of fusion-run does",
      buildReferencePipeline);
}
