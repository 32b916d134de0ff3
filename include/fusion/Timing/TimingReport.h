//===- TimingReport.h - The time of a launch, for readers -------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TIMING_TIMINGREPORT_H
#define FUSION_TIMING_TIMINGREPORT_H

#include "fusion/Timing/LaunchTimer.h"
#include "llvm/Support/JSON.h"
#include <string>

namespace fusion::timing {

/// Returns lines for the console: the time, what warps waited for, how busy the
/// units were, and the instructions of the hot loop with the most waits.
std::string toText(const LaunchTiming &timing, const ChipInfo &chip);

/// Returns the contents of `toText` as JSON (docs/timing-reference.md).
llvm::json::Object toJson(const LaunchTiming &timing, const ChipInfo &chip);

/// Returns the machine code with what the timing says of each instruction: how
/// often it was issued, and the cycles that a warp waited before it.
std::string toListing(const LaunchTiming &timing);

/// Returns the trace of one SM, for a viewer of Chrome's trace format: blocks,
/// the waits of each warp, and the tensor cores. A microsecond of the viewer is
/// a cycle.
std::string toChromeTrace(const LaunchTiming &timing);

} // namespace fusion::timing

#endif // FUSION_TIMING_TIMINGREPORT_H
