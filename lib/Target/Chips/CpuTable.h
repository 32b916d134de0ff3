//===- CpuTable.h - CPUs of the chip table ----------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TARGET_CHIPS_CPUTABLE_H
#define FUSION_LIB_TARGET_CHIPS_CPUTABLE_H

#include "fusion/Target/Chips/ChipTable.h"
#include "fusion/Target/Chips/CpuInfo.h"
#include <vector>

namespace fusion {

/// CPUs with a number for everything.
struct CpuTable {
  CpuInfo x86v3, x86v4, zen5, sapphireRapids;
};
const CpuTable &cpuTable();

/// Returns what the machine offers that the process runs on, asked once. Rates
/// are those of the entry of the table that resembles it most.
const CpuInfo &hostCpu();

/// Returns the CPUs of the chip table, the machine's own (`host`) last.
std::vector<ChipInfo> makeCpuChips();

} // namespace fusion

#endif // FUSION_LIB_TARGET_CHIPS_CPUTABLE_H
