//===- StitchReport.h - What a search of stitching has found ----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_STITCHING_STITCHREPORT_H
#define FUSION_SEARCH_STITCHING_STITCHREPORT_H

#include "fusion/Search/Stitching/StitchSearch.h"
#include "llvm/Support/JSON.h"

namespace fusion {

/// Returns the text of a schedule.
using PrintStitching = llvm::function_ref<std::string(const StitchSchedule &)>;

/// Returns the search of a stitched group as JSON: its axes and operators, how
/// many candidates were looked at and were legal, and the ranking, at most
/// `most` schedules from the chosen one on, with the predicted cost of each
/// (microseconds) and why it was not chosen.
llvm::json::Object reportStitching(llvm::StringRef name,
                                   const StitchGroup &group,
                                   const StitchResult &chosen,
                                   const StitchRanking &ranking, size_t most,
                                   PrintStitching print);

} // namespace fusion

#endif // FUSION_SEARCH_STITCHING_STITCHREPORT_H
