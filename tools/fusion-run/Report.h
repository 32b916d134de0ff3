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

/// One result of a function beside its reference.
struct ResultReport {
  ElementType type = ElementType::F32;
  llvm::SmallVector<int64_t> shape;
  Tolerance tolerance;
  double rms = 0;                       ///< root mean square of the reference
  std::optional<Comparison> comparison; ///< unset without a reference
  /// Where the result differs: the operators before it that read tensors
  /// without values.
  std::vector<std::string> uninitialized;
};

struct FunctionReport {
  std::string entry;
  std::string chip;   ///< empty where nothing was compiled
  std::string device; ///< cuda, emulator or cpu
  std::string deviceName;
  std::string assembler; ///< empty where none was used
  std::vector<ResultReport> results;
  std::vector<LaunchReport> launches;
  /// All of the plan in one go.
  std::optional<double> measuredUs;
  /// Of the plan; nullopt where none was run.
  std::optional<int64_t> temporaryBytes;
  std::vector<emulator::Finding> findings;
  /// Whether the reference met an operation without a defined result.
  bool isUndefined = false;
  /// Why the function did not run to its end, or its results say nothing.
  std::optional<std::string> error;
  /// Whether it is one of `findings` that the error says.
  bool endedByFinding = false;

  /// Whether all results agree; nullopt where nothing was compared.
  std::optional<bool> pass() const;
};

/// One object of the JSON report.
llvm::json::Value toJson(const FunctionReport &report);

/// The report for people.
void print(llvm::raw_ostream &os, const FunctionReport &report);

} // namespace fusion::run

#endif // FUSION_TOOLS_FUSIONRUN_REPORT_H
