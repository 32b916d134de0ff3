//===- FusionOptMain.cpp - Runs passes over a module ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/InitAll.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

/// Lets the pass that decides on kernels draw its plan.
static LogicalResult requestPlanPage(PassManager &manager,
                                     llvm::StringRef path) {
  bool isKnown = false;
  for (Pass &pass : manager.getPasses()) {
    if (pass.getArgument() != "fuse-form-groups")
      continue;
    isKnown = true;
    auto reject = [](const llvm::Twine &why) {
      llvm::errs() << "error: --fuse-plan-html: " << why << "\n";
      return failure();
    };
    if (failed(pass.initializeOptions(("plan-html=" + path).str(), reject)))
      return failure();
  }
  if (!isKnown)
    llvm::errs() << "error: --fuse-plan-html: no pass of the pipeline is "
                    "fuse-form-groups\n";
  return success(isKnown);
}

static LogicalResult runWithPlanPage(int argc, char **argv,
                                     llvm::StringRef input,
                                     llvm::StringRef output,
                                     DialectRegistry &registry,
                                     llvm::StringRef page) {
  llvm::InitLLVM init(argc, argv);
  MlirOptMainConfig asked = MlirOptMainConfig::createFromCLOptions();
  // Each part would overwrite what the one before has drawn.
  llvm::StringRef unfit = page.empty() ? "no file is named"
                          : !asked.inputSplitMarker().empty()
                              ? "an input that is split has several plans"
                              : "";
  if (!unfit.empty()) {
    llvm::errs() << "error: --fuse-plan-html: " << unfit << "\n";
    return failure();
  }
  MlirOptMainConfig config = asked;
  config.setPassPipelineSetupFn([&](PassManager &manager) {
    return success(succeeded(asked.setupPassPipeline(manager)) &&
                   succeeded(requestPlanPage(manager, page)));
  });
  std::string why;
  std::unique_ptr<llvm::MemoryBuffer> source = openInputFile(input, &why);
  std::unique_ptr<llvm::ToolOutputFile> target;
  if (source)
    target = openOutputFile(output, &why);
  if (!target) {
    llvm::errs() << why << "\n";
    return failure();
  }
  if (failed(MlirOptMain(target->os(), std::move(source), registry, config)))
    return failure();
  target->keep();
  return success();
}

int fusionOptMain(int argc, char **argv) {
  static llvm::cl::opt<std::string> planPage(
      "fuse-plan-html",
      llvm::cl::desc("Draw the graph with its kernels, as plan-html of "
                     "fuse-form-groups does"),
      llvm::cl::value_desc("file"));
  DialectRegistry registry;
  fusion::registerAllDialects(registry);
  fusion::registerAllPasses();
  auto [input, output] = registerAndParseCLIOptions(
      argc, argv, "Fusion's optimizer and pass driver\n", registry);
  return asMainReturnCode(
      planPage.getNumOccurrences() == 0
          ? MlirOptMain(argc, argv, input, output, registry)
          : runWithPlanPage(argc, argv, input, output, registry, planPage));
}
