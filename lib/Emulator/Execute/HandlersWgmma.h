//===- HandlersWgmma.h - wgmma ----------------------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_EXECUTE_HANDLERSWGMMA_H
#define FUSION_LIB_EMULATOR_EXECUTE_HANDLERSWGMMA_H

#include "Emulator/Machine/Code.h"

#include <string>

namespace fusion::emulator {

/// [D…, A registers or descriptor, B descriptor, scale-d]; a: N / 8, b and c:
/// types of A and B, d: type of D, e: WgmmaFlags.
enum WgmmaFlags : uint8_t {
  WgmmaRegistersA = 1,
  WgmmaNegateA = 2,
  WgmmaNegateB = 4,
  WgmmaTransposeA = 8,
  WgmmaTransposeB = 16,
  WgmmaSatfinite = 32,
};
Handler wgmmaHandler();
Handler wgmmaFenceHandler();
Handler registerWatchHandler(); ///< imm: index into Code::watches
Handler wgmmaCommitHandler();
Handler wgmmaWaitHandler(); ///< imm: groups that may stay
/// Returns a warp of the warpgroup that has not ended and has not committed the
/// groups that `wait` waits for, or null.
const Warp *lateProducts(const Warp &warp, const Inst &wait);
/// Wakes warps that wait for wgmma after `warp` has committed a group or ended.
void wakeProductWaits(const Warp &warp);
/// Returns " wait for wgmma, line n (…)".
std::string describeProducts(const Warp &warp, const Inst &wait);
void finishProducts(Warp &warp);

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_EXECUTE_HANDLERSWGMMA_H
