//===- StitchSchedules.h - Schedules of stitched groups -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TRANSFORMS_SCHEDULING_STITCHSCHEDULES_H
#define FUSION_LIB_TRANSFORMS_SCHEDULING_STITCHSCHEDULES_H

#include "fusion/Analysis/Stitching/PrintedEvaluators.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Target/Chips/ChipTable.h"
#include "llvm/Support/JSON.h"

namespace fusion {

/// The results of a stitched group's search for reports.
struct StitchReport {
  llvm::json::Object search; ///< as `reportStitching` returns it
  std::string whyGeneric;    ///< empty unless the group has the generic form
};

/// What is asked of a stitched group's search.
struct StitchRequest {
  /// Unless null, gets the `most` fastest schedules of the group, under its
  /// `name`.
  StitchReport *report = nullptr;
  llvm::StringRef name = {};
  size_t most = 1;
  /// Draws a schedule with this seed in place of the best.
  std::optional<uint64_t> randomSeed = {};
  /// Whose evaluator predicts the times.
  EvaluatorForm evaluator = EvaluatorForm::Default;
};

/// Returns the best schedule of a stitched group, or the generic form, which
/// any group has, if there is none. Remarks say what was chosen and which bytes
/// it moves.
fuse::ScheduleAttr chooseStitching(fuse::FusedGroupOpInterface group,
                                   const ChipInfo &chip,
                                   const StitchRequest &request = {});

/// Returns success if a stitched group can have the schedule on `chip`;
/// otherwise an error at the group says why not.
mlir::LogicalResult verifyStitching(fuse::FusedGroupOpInterface group,
                                    fuse::ScheduleAttr given,
                                    const ChipInfo &chip);

} // namespace fusion

#endif // FUSION_LIB_TRANSFORMS_SCHEDULING_STITCHSCHEDULES_H
