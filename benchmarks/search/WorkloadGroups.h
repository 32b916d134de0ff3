//===- WorkloadGroups.h - Groups of the workloads' modules ------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The chains that the pipeline forms in the modules that generate.py writes of
// all workloads (FUSION_WORKLOAD_MODULES), fused wherever that is legal.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_BENCHMARKS_SEARCH_WORKLOADGROUPS_H
#define FUSION_BENCHMARKS_SEARCH_WORKLOADGROUPS_H

#include "SearchBenchmark.h"
#include "fusion/Analysis/Chains/ReadChain.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/InitAll.h"
#include "fusion/Pipelines/Pipelines.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace fusion {

/// The modules whose name starts with one of `prefixes`, or all, sorted; exits
/// where they cannot be listed.
inline std::vector<std::string>
listModules(llvm::ArrayRef<llvm::StringRef> prefixes = {}) {
  std::error_code error;
  std::vector<std::string> paths;
  for (llvm::sys::fs::directory_iterator at(FUSION_WORKLOAD_MODULES, error),
       end;
       !error && at != end; at.increment(error)) {
    llvm::StringRef name = llvm::sys::path::filename(at->path());
    if (llvm::sys::path::extension(name) == ".mlir" &&
        !name.starts_with("stitch_") &&
        (prefixes.empty() || llvm::any_of(prefixes, [&](auto prefix) {
           return name.starts_with(prefix);
         })))
      paths.push_back(at->path());
  }
  if (error)
    fail(FUSION_WORKLOAD_MODULES ": " + error.message());
  llvm::sort(paths);
  return paths;
}

/// The chains of a module, or nullopt where none can be formed.
inline std::optional<std::vector<GroupModel>>
formGroups(const std::string &path, const ChipInfo &target = chip()) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(path, &context);
  mlir::PassManager manager(&context);
  FuseToNVVMOptions options;
  options.chip = target.name.str();
  options.forceFusion = true;
  buildFormGroupsPipeline(manager, options);
  if (!module || failed(manager.run(*module)))
    return std::nullopt;
  std::vector<GroupModel> groups;
  module->walk([&](fuse::ChainOp chain) {
    auto axes = readChain(chain.getOperators(),
                                   chain.getYieldedValues(), [](auto &) {});
    if (succeeded(axes))
      groups.push_back(std::move(axes->model));
  });
  return groups;
}

} // namespace fusion

#endif // FUSION_BENCHMARKS_SEARCH_WORKLOADGROUPS_H
