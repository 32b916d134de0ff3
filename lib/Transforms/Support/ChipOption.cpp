//===- ChipOption.cpp - The chip a module is compiled for
//---------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Transforms/Support/ChipOption.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"

using namespace mlir;
using namespace fusion;

/// Where the module begins. One that is not written in the file has no line,
/// but what is in it has.
static Location findBeginning(ModuleOp module) {
  auto at = dyn_cast<FileLineColLoc>(module.getLoc());
  if (at && at.getLine() == 0 && !module.getBody()->empty())
    return module.getBody()->front().getLoc();
  return module.getLoc();
}

FailureOr<const ChipInfo *> fusion::resolveChip(ModuleOp module,
                                                StringRef option) {
  auto attr = module->getAttrOfType<fuse::ChipAttr>(fuse::kChipAttrName);
  if (!attr && module->hasAttr(fuse::kChipAttrName))
    return emitError(module.getLoc(), "attribute '")
           << fuse::kChipAttrName << "' must be a #fuse.chip, got "
           << module->getAttr(fuse::kChipAttrName);
  StringRef name = !option.empty() ? option : attr ? attr.getName() : "sm_80";
  const ChipInfo *chip = lookupChip(name);
  if (!chip)
    return emitError(findBeginning(module),
                     option.empty() ? "" : "option chip: ")
           << "unknown chip '" << name << "'; known chips are "
           << knownChipNames();
  if (attr && attr.getName() != name)
    return emitError(module.getLoc(), "chip=")
           << name << " contradicts the module, which is for "
           << attr.getName();
  module->setAttr(fuse::kChipAttrName,
                  fuse::ChipAttr::get(module.getContext(), name));
  return chip;
}
