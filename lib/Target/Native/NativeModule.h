//===- NativeModule.h - Kernels for a CPU as LLVM IR ------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TARGET_NATIVE_NATIVEMODULE_H
#define FUSION_LIB_TARGET_NATIVE_NATIVEMODULE_H

#include "fusion/Target/Chips/ChipTable.h"
#include "fusion/Target/Chips/CpuInfo.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace fusion {

struct ChipInfo;

/// The kernels of a module as LLVM IR, and the machine that they are for.
struct NativeModule {
  mlir::ModuleOp kernels; ///< null for a module without kernels
  std::unique_ptr<llvm::TargetMachine> machine;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code;
};

/// Returns the chip of a module that is to become machine code, or diagnoses
/// that it has none or a GPU.
mlir::FailureOr<const ChipInfo *> nativeChipOf(mlir::ModuleOp module);

/// Replaces instructions that `cpu` may lack by others that compute the same.
void expandDots(llvm::Module &code, const CpuInfo &cpu);

/// Checks the kernels and translates them, with entry points for C if these are
/// asked for. Errors are diagnosed.
mlir::LogicalResult makeNativeModule(mlir::ModuleOp module, bool hasEntryPoints,
                                     NativeModule &result);

/// Runs LLVM's optimizations for the target machine. After an interruption, of
/// which `asked` knows, the remaining passes are skipped.
void optimize(llvm::Module &code, llvm::TargetMachine &machine,
              mlir::MLIRContext *asked);

/// Makes masked loads those of AVX2, if the target machine has nothing better.
/// To be called after all optimizations.
void lowerMaskedLoads(llvm::Module &code, const llvm::TargetMachine &machine);

} // namespace fusion

#endif // FUSION_LIB_TARGET_NATIVE_NATIVEMODULE_H
