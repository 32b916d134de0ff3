//===- Codegen.h - What a schedule tells about machine code ----*- C++ -*--===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `#fuse.codegen` as plain data, for chains and stitched groups, and whether a
// chip can do what it says. Who decides it:
// fusion/Search/Space/CodegenChoice.h.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_ANALYSIS_SCHEDULES_CODEGEN_H
#define FUSION_ANALYSIS_SCHEDULES_CODEGEN_H

#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Target/Chips/ChipTable.h"

namespace fusion {

/// What `#fuse.codegen` says, except for `masked`, which stands with the
/// products (`ContractionMapping::keepsMasks`). Members that nobody sets have
/// the defaults of the attribute.
struct Codegen {
  /// Blocks that an SM is counted on to hold at a time.
  int64_t residentBlocks = 1;
  /// Registers of a thread of the producer warps and of the other warps; 0 of
  /// both: the shares that all warps are launched with.
  int64_t producerRegisters = 0, consumerRegisters = 0;
  /// Iterations, besides the first one, that surely need no mask in a loop that
  /// is split where a mask begins or ends.
  int64_t unmaskedIterations = 1;

  bool hasRoleRegisters() const { return producerRegisters != 0; }
};

/// Reads the attribute, except for `masked`.
Codegen importCodegen(fuse::CodegenAttr attr);

/// Writes the attribute. `masked` has the names of the results of the
/// contractions whose loops mask the tiles of all their iterations.
fuse::CodegenAttr exportCodegen(const Codegen &codegen,
                                llvm::ArrayRef<mlir::StringAttr> masked,
                                mlir::MLIRContext *context);

} // namespace fusion

#endif // FUSION_ANALYSIS_SCHEDULES_CODEGEN_H
