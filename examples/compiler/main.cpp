//===- main.cpp - A compiler that lets Fusion compile for GPUs ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a module of functions over tensors, runs passes of its own and then
// Fusion's pipeline on it, and executes the first function on the emulator with
// inputs of ones.
//
//===----------------------------------------------------------------------===//

#include "fusion/InitAll.h"
#include "fusion/Pipelines/Pipelines.h"
#include "fusion/Runtime/Device.h"
#include "fusion/Runtime/Executor.h"
#include "fusion/Runtime/HostTensor.h"
#include "fusion/Runtime/Manifest.h"
#include "fusion/Target/PTX/PTX.h"
#include "fusion/Target/Plan/Manifest.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/raw_ostream.h"

static int fail(llvm::Error error) {
  llvm::errs() << "example-compiler: " << llvm::toString(std::move(error))
               << "\n";
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    llvm::errs() << "usage: example-compiler MODULE.mlir\n";
    return 1;
  }
  mlir::DialectRegistry registry;
  fusion::registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  if (!module)
    return 1;

  // What the compiler does by itself, then Fusion down to the nvvm dialect.
  mlir::PassManager manager(&context);
  manager.addPass(mlir::createInlinerPass());
  fusion::FuseToNVVMOptions options;
  options.chip = "sm_80";
  fusion::buildFuseToNVVMPipeline(manager, options);
  if (failed(manager.run(*module)))
    return 1;

  // PTX has the kernels; the plan says which of them run, in which order, with
  // which arguments.
  mlir::FailureOr<std::string> ptx = fusion::translateToPTX(*module);
  if (failed(ptx))
    return 1;
  mlir::FailureOr<std::string> json =
      fusion::translateToManifest(*module, *ptx);
  if (failed(json))
    return 1;
  llvm::Expected<fusion::Manifest> manifest = fusion::Manifest::parse(*json);
  if (!manifest)
    return fail(manifest.takeError());
  std::unique_ptr<fusion::Device> device =
      fusion::createEmulatorDevice(fusion::EmulatorOptions());
  if (llvm::Error error = device->loadModule(*manifest))
    return fail(std::move(error));
  const fusion::FunctionPlan &plan = manifest->functions.front();
  std::vector<fusion::HostTensor> inputs;
  for (const fusion::InputInfo &info : plan.inputs) {
    llvm::SmallVector<int64_t> shape;
    for (std::optional<int64_t> size : info.shape)
      shape.push_back(size.value_or(1));
    fusion::HostTensor &ones = inputs.emplace_back(info.type, shape);
    for (int64_t i = 0; i < ones.elements(); ++i)
      fusion::elementFromDouble(info.type, 1, ones.at(i));
  }
  llvm::Expected<fusion::Execution> run =
      fusion::execute(*manifest, plan, *device, inputs);
  if (!run)
    return fail(run.takeError());
  if (run->fault) {
    llvm::errs() << "example-compiler: " << *run->fault << "\n";
    return 1;
  }
  for (const fusion::LaunchReport &launch : run->launches)
    llvm::outs() << "launched " << launch.kernel << "\n";
  for (const fusion::HostTensor &result : run->results)
    llvm::outs() << "result " << fusion::shapeText(result.shape)
                 << " starts with "
                 << fusion::elementToDouble(result.type, result.at(0)) << "\n";
  return 0;
}
