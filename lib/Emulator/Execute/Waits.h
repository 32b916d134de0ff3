//===- Waits.h - Which event a group of lanes waits for ---------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Waits for events are of mbarriers, barrier.cluster, setmaxnreg and wgmma.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_EXECUTE_WAITS_H
#define FUSION_LIB_EMULATOR_EXECUTE_WAITS_H

#include "Emulator/Machine/Code.h"

#include <string>

namespace fusion::emulator {

struct Group;

/// Whether a wait for an event may return without success.
bool mayTimeOut(const Inst &inst);
/// Returns the offset of the mbarrier that a group waits for.
uint32_t mbarrierOf(const Warp &warp, const Inst &inst, const Group &group);
/// Returns " wait at …, line n", for the report of a deadlock.
std::string describeWait(const Warp &warp, const Inst &inst,
                         const Group &group);

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_EXECUTE_WAITS_H
