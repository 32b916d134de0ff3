//===- Compile.h - From linalg to code and manifest -------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_PIPELINES_COMPILE_H
#define FUSION_PIPELINES_COMPILE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <string>

namespace fusion {

class GroupMeasurer;

struct CompileOptions {
  std::string chip = "sm_80";
  bool forceFusion = false; ///< fuse what is legal, whatever the cost says
  /// Replaces the default pipeline where it is not empty.
  std::string passPipeline;
  /// Where set, schedules are chosen by measurement (of the default pipeline).
  GroupMeasurer *measurer = nullptr;
  bool keepGroups = false; ///< fill CompiledModule::groups
};

struct CompiledModule {
  std::string ptx;          ///< empty where the chip is a CPU
  std::string object;       ///< an object file where the chip is a CPU
  std::string manifestJson; ///< docs/manifest.md
  /// The module of groups with their schedules, as `tile-pipeline` takes it;
  /// empty unless asked for, and after a pipeline of one's own.
  std::string groups;
};

/// Lowers a module of groups that have their schedules, in place, down to PTX,
/// or an object file for a CPU, and manifest. Diagnostics go to its context;
/// the error says what failed in one line.
llvm::Expected<CompiledModule> lowerGroups(mlir::ModuleOp groups);

/// Compiles a copy of `unfused`. Diagnostics go to its context; the error says
/// what failed in one line.
llvm::Expected<CompiledModule> compile(mlir::ModuleOp unfused,
                                       const CompileOptions &options);

} // namespace fusion

#endif // FUSION_PIPELINES_COMPILE_H
