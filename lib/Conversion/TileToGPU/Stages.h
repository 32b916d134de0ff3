//===- Stages.h - What belongs to a stage of a buffer -----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOGPU_STAGES_H
#define FUSION_LIB_CONVERSION_TILETOGPU_STAGES_H

#include "fusion/Conversion/TileToThreads/KernelEmitter.h"

namespace fusion {

/// `first` + `stage` * `step`, an i32; `stage` is an index of the block
/// program.
mlir::Value ofStage(KernelEmitter &e, mlir::Value stage, int64_t first,
                    int64_t step);

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOGPU_STAGES_H
