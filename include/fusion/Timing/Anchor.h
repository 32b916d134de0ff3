//===- Anchor.h - Instructions that PTX and machine code share --*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas unrolls loops, moves code, and makes one instruction of PTX into many.
// Some instructions it neither makes nor loses: those of the tensor cores,
// copies, barriers, and accesses to memory. Their order in an execution of the
// PTX tells which way a warp took through the machine code.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TIMING_ANCHOR_H
#define FUSION_TIMING_ANCHOR_H

#include "fusion/Timing/MachineCode.h"

namespace fusion::timing {

enum class AnchorKind : uint8_t {
  Mma,            ///< mma, wmma: HMMA, IMMA, DMMA, QMMA
  WarpgroupMma,   ///< wgmma.mma_async: HGMMA, IGMMA, QGMMA
  WarpgroupFence, ///< wgmma.fence: WARPGROUP.ARRIVE
  WarpgroupWait,  ///< wgmma.wait_group: WARPGROUP.DEPBAR
  MatrixLoad,     ///< ldmatrix: LDSM
  MatrixStore,    ///< stmatrix: STSM
  TMALoad,        ///< cp.async.bulk into shared memory: UTMALDG, UBLKCP
  TMAStore,       ///< cp.async.bulk out of shared memory: UTMASTG, UTMAREDG
  AsyncCopy,      ///< cp.async: LDGSTS
  AsyncCommit,    ///< cp.async.commit_group: LDGDEPBAR
  AsyncWait,      ///< cp.async.wait_group: DEPBAR
  Barrier,        ///< bar: BAR
  ClusterBarrier, ///< barrier.cluster: UCGABAR
  Mbarrier,       ///< mbarrier: SYNCS
  GlobalLoad,     ///< ld.global: LDG, LD
  GlobalStore,    ///< st.global: STG, ST
  SharedLoad,     ///< ld.shared: LDS
  SharedStore,    ///< st.shared: STS
  Atomic,         ///< atom, red: ATOM, ATOMG, ATOMS, RED
};

constexpr unsigned kNumAnchorKinds = 19;

llvm::StringRef name(AnchorKind kind);

/// One step of a warp's execution.
struct Anchor {
  AnchorKind kind;
  unsigned line; ///< of the PTX
};

/// Returns the kind of an instruction of the machine code, or nullopt if it is
/// no anchor.
std::optional<AnchorKind> anchorKind(const MachineInst &inst);

} // namespace fusion::timing

#endif // FUSION_TIMING_ANCHOR_H
