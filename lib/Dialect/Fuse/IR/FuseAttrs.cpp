//===- FuseAttrs.cpp - Verifiers of schedule attributes -----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What can be said of a schedule without its group. Whether it fits the group
// and the chip is said by fusion/Analysis/ScheduleLegality.h.
//
//===----------------------------------------------------------------------===//

#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Target/ChipTable.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::fuse;

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

/// Checks that every value of `dictionary` is an integer of at least `minimum`.
static LogicalResult verifyIntegers(EmitError emitError,
                                    DictionaryAttr dictionary, int64_t minimum,
                                    StringRef what) {
  for (NamedAttribute entry : dictionary) {
    auto value = dyn_cast<IntegerAttr>(entry.getValue());
    if (!value || value.getInt() < minimum)
      return emitError() << what << " of '" << entry.getName().getValue()
                         << "' must be an integer of at least " << minimum
                         << ", got " << entry.getValue();
  }
  return success();
}

LogicalResult ChipAttr::verify(EmitError emitError, StringRef name) {
  if (lookupChip(name))
    return success();
  return emitError() << "unknown chip '" << name << "'; known chips are "
                     << knownChipNames();
}

LogicalResult TilingAttr::verify(EmitError emitError, StringRef expression,
                                 DictionaryAttr tiles) {
  if (expression.empty())
    return emitError() << "tiling expression must not be empty";
  return verifyIntegers(emitError, tiles, 1, "tile size");
}

LogicalResult OperatorMapAttr::verify(EmitError emitError, StringRef intrinsic,
                                      StringRef i1, StringRef i2, StringRef r1,
                                      ArrayRef<int64_t> warps) {
  if (warps.size() != 2 || warps[0] < 1 || warps[1] < 1)
    return emitError() << "'warps' must be two positive numbers, the warps "
                          "along i1 and i2";
  if (i1 == i2 || i1 == r1 || i2 == r1)
    return emitError() << "i1, i2 and r1 must be different axes";
  return success();
}

LogicalResult MappingAttr::verify(EmitError emitError, int64_t warps,
                                  ArrayRef<StringAttr> blocks,
                                  DictionaryAttr operators, int64_t raster,
                                  bool persistent, int64_t cluster) {
  if (warps < 1 || warps > 32)
    return emitError() << "a block has 1 to 32 warps, got " << warps;
  if (raster < 1 || cluster < 1)
    return emitError() << "'raster' and 'cluster' must be at least 1";
  llvm::StringSet<> seen;
  for (StringAttr axis : blocks)
    if (!seen.insert(axis.getValue()).second)
      return emitError() << "axis '" << axis.getValue()
                         << "' is bound to the grid twice";
  if (operators)
    for (NamedAttribute entry : operators)
      if (!isa<OperatorMapAttr>(entry.getValue()))
        return emitError() << "operator '" << entry.getName().getValue()
                           << "' must have an #fuse.operator_map, got "
                           << entry.getValue();
  return success();
}

LogicalResult MemoryAttr::verify(EmitError emitError, DictionaryAttr places) {
  for (NamedAttribute entry : places)
    if (!isa<PlaceAttr>(entry.getValue()))
      return emitError() << "tensor '" << entry.getName().getValue()
                         << "' must have an #fuse.place, got "
                         << entry.getValue();
  return success();
}

LogicalResult PipelineAttr::verify(EmitError emitError, DictionaryAttr shared,
                                   int64_t registers) {
  if (registers < 1 || registers > 2)
    return emitError() << "the register level has 1 or 2 stages, got "
                       << registers;
  return verifyIntegers(emitError, shared, 1, "stages");
}

LogicalResult ParallelAttr::verify(EmitError emitError, DictionaryAttr split) {
  return verifyIntegers(emitError, split, 1, "split factor");
}

LogicalResult ScheduleAttr::verify(EmitError emitError, int64_t version,
                                   TilingAttr, MappingAttr mapping, MemoryAttr,
                                   PipelineAttr, ParallelAttr, ReductionAttr) {
  if (version != 1)
    return emitError() << "unknown schedule version " << version
                       << "; this compiler reads version 1";
  return success();
}
