//===- FusionTranslateMain.cpp - fusion-translate -------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/InitAll.h"
#include "fusion/Target/Chips/ChipTable.h"
#include "fusion/Target/Native/CHeader.h"
#include "fusion/Target/Native/Object.h"
#include "fusion/Target/PTX/PTX.h"
#include "fusion/Target/Plan/Manifest.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"

using namespace mlir;

using TextTranslation = FailureOr<std::string> (*)(ModuleOp);

/// Returns the code of the kernels: PTX, or an object file where the module's
/// chip is a CPU.
static FailureOr<std::string> translateToCode(ModuleOp module) {
  auto chip = module->getAttrOfType<fusion::fuse::ChipAttr>(
      fusion::fuse::kChipAttrName);
  return chip && fusion::lookupChip(chip.getName())->isCpu()
             ? fusion::translateToObject(module, {})
             : fusion::translateToPTX(module);
}

static FailureOr<std::string> translateToManifest(ModuleOp module) {
  FailureOr<std::string> code = translateToCode(module);
  if (failed(code))
    return failure();
  FailureOr<std::string> manifest = fusion::translateToManifest(module, *code);
  if (failed(manifest))
    return failure();
  return *manifest + "\n";
}

/// Registers a translation that writes what `translate` returns.
static void registerTranslation(StringRef name, StringRef description,
                                TextTranslation translate) {
  TranslateFromMLIRRegistration registration(
      name, description,
      [translate](ModuleOp module, raw_ostream &os) -> LogicalResult {
        // Diagnostics point at the source: an operation can be a whole module.
        module.getContext()->printOpOnDiagnostic(false);
        FailureOr<std::string> text = translate(module);
        if (failed(text))
          return failure();
        os << *text;
        return success();
      },
      fusion::registerAllDialects);
}

/// What C links has functions that C can call.
static FailureOr<std::string> translateToObject(ModuleOp module) {
  return fusion::translateToObject(module, {/*hasEntryPoints=*/true});
}
static FailureOr<std::string> translateToAssembly(ModuleOp module) {
  return fusion::translateToAssembly(module, {/*hasEntryPoints=*/true});
}

int fusionTranslateMain(int argc, char **argv) {
  registerTranslation("fuse-to-ptx", "PTX of a module lowered by fuse-to-nvvm",
                      fusion::translateToPTX);
  registerTranslation("fuse-to-object",
                      "Object file of a module lowered by fuse-to-native",
                      translateToObject);
  registerTranslation("fuse-to-assembly",
                      "Assembly of a module lowered by fuse-to-native",
                      translateToAssembly);
  registerTranslation("fuse-to-c-header",
                      "Header of C for the object of fuse-to-object",
                      fusion::translateToCHeader);
  registerTranslation("fuse-to-manifest",
                      "Manifest (host plan and code of the kernels, as JSON) "
                      "of a module lowered by fuse-to-nvvm or fuse-to-native",
                      translateToManifest);
  return failed(mlirTranslateMain(argc, argv, "Fusion translation driver\n"));
}
