//===- CompiledGroup.h - Scheduled groups on the emulator -------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function of linalg operators, taken as one group with a schedule by hand,
// is compiled and run on the emulator, for tests that compare what was
// predicted with what is counted.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_UNITTESTS_PIPELINES_COMPILEDGROUP_H
#define FUSION_UNITTESTS_PIPELINES_COMPILEDGROUP_H

#include "ScheduledGroup.h"
#include "fusion/InitAll.h"
#include "fusion/Pipelines/Compile.h"
#include "fusion/Runtime/Executor.h"
#include "fusion/Transforms/Passes.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"

namespace fusion::test {

/// Runs the group's schedule on the emulator behind an L2 of `l2Bytes`; inputs
/// are zero. Empty, with a failure, where something goes wrong.
inline std::vector<LaunchReport> emulate(ScheduledGroup &group,
                                         uint64_t l2Bytes) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  group.context.appendDialectRegistry(registry);
  mlir::OwningOpRef<mlir::ModuleOp> module(group.module->clone());
  mlir::PassManager form(&group.context);
  FuseFormGroupsOptions options;
  options.chip = "sm_80";
  options.forceFusion = true;
  form.addPass(createFuseFormGroups(options));
  if (failed(form.run(*module))) {
    ADD_FAILURE() << "no group";
    return {};
  }
  fuse::ScheduleAttr schedule =
      exportSchedule(*group.schedule, group.model(), &group.context);
  module->walk(
      [&](fuse::FusedGroupOpInterface op) { op.setGroupSchedule(schedule); });
  llvm::Expected<CompiledModule> compiled = lowerGroups(*module);
  if (!compiled) {
    ADD_FAILURE() << llvm::toString(compiled.takeError());
    return {};
  }
  llvm::Expected<Manifest> manifest = Manifest::parse(compiled->manifestJson);
  EmulatorOptions emulator;
  emulator.l2Bytes = l2Bytes;
  std::unique_ptr<Device> device = createEmulatorDevice(emulator);
  llvm::Error error =
      manifest ? device->loadModule(*manifest) : manifest.takeError();
  if (error) {
    ADD_FAILURE() << llvm::toString(std::move(error));
    return {};
  }
  std::vector<HostTensor> inputs;
  auto function = *group.module->getOps<mlir::func::FuncOp>().begin();
  for (mlir::Type type : function.getArgumentTypes())
    inputs.emplace_back(ElementType::F16,
                        llvm::cast<mlir::RankedTensorType>(type).getShape());
  llvm::Expected<Execution> run =
      execute(*manifest, manifest->functions[0], *device, inputs);
  if (!run || run->fault) {
    ADD_FAILURE() << (run ? *run->fault : llvm::toString(run.takeError()));
    return {};
  }
  return std::move(run->launches);
}

} // namespace fusion::test

#endif // FUSION_UNITTESTS_PIPELINES_COMPILEDGROUP_H
