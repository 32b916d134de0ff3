//===- FusionTranslateMain.cpp - fusion-translate -------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/InitAll.h"
#include "fusion/Target/PTX/Manifest.h"
#include "fusion/Target/PTX/PTX.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"

using namespace mlir;

/// Diagnostics point at the source: an operation can be a whole module.
static FailureOr<std::string> translateToPTX(ModuleOp module) {
  module.getContext()->printOpOnDiagnostic(false);
  return fusion::translateToPTX(module);
}

int fusionTranslateMain(int argc, char **argv) {
  TranslateFromMLIRRegistration toPTX(
      "fuse-to-ptx", "PTX of a module lowered by fuse-to-nvvm",
      [](ModuleOp module, raw_ostream &os) -> LogicalResult {
        FailureOr<std::string> ptx = translateToPTX(module);
        if (failed(ptx))
          return failure();
        os << *ptx;
        return success();
      },
      fusion::registerAllDialects);
  TranslateFromMLIRRegistration toManifest(
      "fuse-to-manifest",
      "Manifest (host plan and PTX, as JSON) of a module lowered by "
      "fuse-to-nvvm",
      [](ModuleOp module, raw_ostream &os) -> LogicalResult {
        FailureOr<std::string> ptx = translateToPTX(module);
        if (failed(ptx))
          return failure();
        FailureOr<std::string> manifest =
            fusion::translateToManifest(module, *ptx);
        if (failed(manifest))
          return failure();
        os << *manifest << "\n";
        return success();
      },
      fusion::registerAllDialects);
  return failed(mlirTranslateMain(argc, argv, "Fusion translation driver\n"));
}
