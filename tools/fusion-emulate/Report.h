//===- Report.h - Output of fusion-emulate ----------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TOOLS_FUSIONEMULATE_REPORT_H
#define FUSION_TOOLS_FUSIONEMULATE_REPORT_H

#include "fusion/Emulator/Emulator.h"

#include <string>
#include <vector>

namespace fusion::emulator {

/// `{"counters":{…},"sanitizer":[…]}`, and `"time"` with the JSON text `time`
/// unless that is empty.
std::string toJson(const Counters &counters, bool hasL2,
                   const std::vector<Finding> &findings,
                   const std::string &time = "");

/// One counter a line.
std::string toText(const Counters &counters, bool hasL2);

/// "file:line: kind: message (kernel …)".
std::string toText(const Finding &finding, const std::string &file);

/// The PTX with the counters of every line beside it.
std::string annotatedListing(const std::string &ptx,
                             const std::map<unsigned, Counters> &lines);

} // namespace fusion::emulator

#endif // FUSION_TOOLS_FUSIONEMULATE_REPORT_H
