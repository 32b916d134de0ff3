//===- Session.h - One run of fusion-run over a module ----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TOOLS_FUSIONRUN_SESSION_H
#define FUSION_TOOLS_FUSIONRUN_SESSION_H

#include "Options.h"
#include "Report.h"
#include "fusion/Reference/Reference.h"
#include "fusion/Runtime/Device.h"
#include "fusion/Runtime/Executor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <functional>

namespace fusion::run {

/// Compiles the functions of a module, runs them on a device and compares their
/// results with the reference, as the options say.
class Session {
public:
  Session(const Options &options, mlir::ModuleOp module)
      : options(options), module(module) {}

  /// Chooses the functions and compiles them and their reference.
  llvm::Error prepare();
  /// Runs one function; the report tells how far it came.
  FunctionReport run(mlir::func::FuncOp function);
  llvm::ArrayRef<mlir::func::FuncOp> functions() const { return entries; }

  /// Called with the report of a function whose results are compared and
  /// written, before its launches are timed.
  std::function<llvm::Error(const FunctionReport &)> onChecked;

private:
  using Check = llvm::function_ref<llvm::Error(llvm::ArrayRef<HostTensor>)>;

  llvm::Error selectFunctions();
  llvm::Error compilePlan();
  /// `isTimed`: the emulator predicts times of launches.
  llvm::Expected<std::unique_ptr<Device>> createDevice(uint64_t schedule,
                                                       bool isTimed,
                                                       bool isWarm,
                                                       timing::CodeChoice code);
  /// Creates the device that measures schedules. The emulator predicts times if
  /// the tools for that are there and the chip has its own SMs.
  llvm::Expected<std::unique_ptr<Device>> createMeasuringDevice();
  llvm::Error runInto(mlir::func::FuncOp function, FunctionReport &report);
  /// Executes the plan and calls `check` with its results.
  llvm::Error runOnDevice(const std::string &name,
                          llvm::ArrayRef<HostTensor> inputs,
                          FunctionReport &report, Check check);
  /// Computes the reference, writes the tensors that are asked for and
  /// compares.
  llvm::Error checkResults(mlir::func::FuncOp function,
                           llvm::ArrayRef<HostTensor> inputs,
                           llvm::ArrayRef<HostTensor> results,
                           FunctionReport &report);
  llvm::Error compareResults(mlir::func::FuncOp function,
                             llvm::ArrayRef<HostTensor> inputs,
                             llvm::ArrayRef<HostTensor> results,
                             llvm::ArrayRef<HostTensor> references,
                             FunctionReport &report);
  llvm::Error writeTensors(llvm::StringRef entry, const char *kind,
                           llvm::ArrayRef<HostTensor> tensors);

  const Options &options;
  mlir::ModuleOp module;
  llvm::SmallVector<mlir::func::FuncOp> entries;
  DeviceChoice device = DeviceChoice::Emulator;
  std::optional<Manifest> manifest;
  std::unique_ptr<Reference> reference;
};

} // namespace fusion::run

#endif // FUSION_TOOLS_FUSIONRUN_SESSION_H
