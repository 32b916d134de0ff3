//===- Report.h - What fusion-run says of a function ------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TOOLS_FUSIONRUN_REPORT_H
#define FUSION_TOOLS_FUSIONRUN_REPORT_H

#include "fusion/Runtime/Executor.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace fusion::run {

/// The comparison of one result of a function with its reference.
struct ResultReport {
  ElementType type = ElementType::F32;
  llvm::SmallVector<int64_t> shape;
  Tolerance tolerance;
  double rms = 0;                       ///< root mean square of the reference
  std::optional<Comparison> comparison; ///< unset without a reference
  /// If the result differs: operators that it depends on which read tensors
  /// without values.
  std::vector<std::string> uninitialized;
};

struct FunctionReport {
  std::string entry;
  std::string chip;   ///< empty if nothing was compiled
  std::string device; ///< cuda, emulator, cpu or reference
  std::string deviceName;
  std::string assembler; ///< empty if none was used
  std::vector<ResultReport> results;
  std::vector<LaunchReport> launches;
  /// Measured time of the whole plan in one go, in microseconds.
  std::optional<double> measuredUs;
  /// Bytes of the plan's temporaries; nullopt if no plan was run.
  std::optional<int64_t> temporaryBytes;
  std::vector<emulator::Finding> findings;
  /// Whether the reference met an operation without a defined result.
  bool isUndefined = false;
  /// Why the function did not run to its end, or why its results are not valid.
  std::optional<std::string> error;
  /// Whether the error is one of `findings`.
  bool endedByFinding = false;

  /// Returns whether all results agree; nullopt if nothing was compared.
  std::optional<bool> pass() const;
};

/// Returns one object of the JSON report.
llvm::json::Value toJson(const FunctionReport &report);

/// Prints the report as text.
void print(llvm::raw_ostream &os, const FunctionReport &report);

} // namespace fusion::run

#endif // FUSION_TOOLS_FUSIONRUN_REPORT_H
