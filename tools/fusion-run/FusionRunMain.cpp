//===- FusionRunMain.cpp - Compiles, runs and checks a module -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusionRunCommit.h"
#include "OutputFiles.h"
#include "Session.h"
#include "fusion/InitAll.h"
#include "fusion/Support/Interrupt.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

#include <mutex>

using namespace fusion;
using namespace fusion::run;
using llvm::Error;
using llvm::Expected;

namespace {

enum ExitCode { success = 0, failed = 1, wrongResult = 2, findings = 3 };

ExitCode exitCodeOf(llvm::ArrayRef<FunctionReport> reports) {
  ExitCode code = success;
  for (const FunctionReport &report : reports) {
    if (report.error && !report.endedByFinding)
      return failed;
    if (!report.error && report.pass() == false)
      code = wrongResult;
    else if (!report.findings.empty() && code == success)
      code = findings;
  }
  return code;
}

Error writeJson(const std::string &path,
                llvm::ArrayRef<FunctionReport> reports) {
  llvm::json::Array array;
  for (const FunctionReport &report : reports)
    array.push_back(toJson(report));
  return writeText(
      path,
      llvm::formatv("{0:2}\n", llvm::json::Value(std::move(array))).str());
}

/// Enables remarks, which are printed like diagnostics.
Error enableRemarks(mlir::MLIRContext &context, const Options &options) {
  if (!options.remarks)
    return Error::success();
  // Kinds that have no expression of their own are off, even if `all` has one.
  mlir::remark::RemarkCategories categories;
  categories.passed = categories.missed = categories.analysis =
      categories.failed = options.remarks;
  return mlir::succeeded(mlir::remark::enableOptimizationRemarks(
             context, /*streamer=*/nullptr,
             std::make_unique<mlir::remark::RemarkEmittingPolicyAll>(),
             categories, /*printAsEmitRemarks=*/true))
             ? Error::success()
             : llvm::createStringError("remarks cannot be printed");
}

int reportFailure(Error error) {
  llvm::errs() << "fusion-run: error: " << llvm::toString(std::move(error))
               << "\n";
  return failed;
}

} // namespace

int fusionRunMain(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Expected<Options> options =
      parseOptions(llvm::ArrayRef<const char *>(argv + 1, argc - 1));
  if (!options)
    return reportFailure(options.takeError());
  if (options->help) {
    llvm::outs() << helpText;
    return success;
  }

  if (options->version) {
    llvm::outs() << "fusion-run " FUSION_VERSION " (" FUSION_COMMIT ")\n";
    return success;
  }
  // Report outputs that cannot be written before a long run, not after it.
  if (Error error = prepareOutputs(*options))
    return reportFailure(std::move(error));

  std::string problem;
  std::unique_ptr<llvm::MemoryBuffer> file =
      mlir::openInputFile(options->input, &problem);
  if (!file)
    return reportFailure(llvm::createStringError(problem));
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  // For --pass-pipeline; other tools of the same process may have done so.
  static std::once_flag passesRegistered;
  std::call_once(passesRegistered, registerAllPasses);
  mlir::MLIRContext context(registry);
  // Diagnostics point at the source; printing the operation could print a whole
  // function.
  context.printOpOnDiagnostic(false);
  if (Error error = enableRemarks(context, *options))
    return reportFailure(std::move(error));
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  mlir::SourceMgrDiagnosticHandler diagnostics(sources, &context);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  if (!module)
    return failed;

  InterruptGuard interrupt;
  // Long passes ask between their steps; after Ctrl-C the others are skipped.
  context.registerActionHandler(
      [](llvm::function_ref<void()> perform, const mlir::tracing::Action &) {
        if (!InterruptGuard::isInterrupted())
          perform();
      });
  // Errors after a skipped pass are not the module's fault.
  mlir::ScopedDiagnosticHandler silencer(&context, [](mlir::Diagnostic &) {
    return mlir::success(InterruptGuard::isInterrupted());
  });
  auto unregister =
      llvm::make_scope_exit([&] { context.registerActionHandler(nullptr); });
  Session session(*options, *module);
  if (Error error = session.prepare()) {
    if (!InterruptGuard::isInterrupted())
      return reportFailure(std::move(error));
    llvm::consumeError(std::move(error));
    return reportFailure(llvm::createStringError(
        "stopped by Ctrl-C before any function has run"));
  }
  std::vector<FunctionReport> reports;
  session.onChecked = [&](const FunctionReport &report) -> Error {
    if (options->jsonFile.empty())
      return Error::success();
    std::vector<FunctionReport> known = reports;
    known.push_back(report);
    return writeJson(options->jsonFile, known);
  };
  for (mlir::func::FuncOp function : session.functions()) {
    reports.push_back(session.run(function));
    print(llvm::outs(), reports.back());
    // If the process is killed in the next function, this report is out.
    llvm::outs().flush();
    if (reports.back().error)
      llvm::errs() << "fusion-run: error: " << *reports.back().error << "\n";
    // Ctrl-C stops all functions.
    if (InterruptGuard::isInterrupted())
      break;
  }
  if (!options->jsonFile.empty())
    if (Error error = writeJson(options->jsonFile, reports))
      return reportFailure(std::move(error));
  return InterruptGuard::isInterrupted() ? failed : exitCodeOf(reports);
}
