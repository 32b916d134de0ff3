//===- Anchor.cpp - Instructions that PTX and machine code share ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Timing/Anchor.h"
#include "llvm/ADT/StringSwitch.h"

using namespace fusion;
using namespace fusion::timing;

StepKind fusion::timing::anchorKind(const MachineInst &inst) {
  using Kind = StepKind;
  // The machine code of wgmma.fence and wgmma.wait_group.
  if (inst.mnemonic() == "WARPGROUP")
    return inst.hasModifier("ARRIVE")   ? Kind::WarpgroupFence
           : inst.hasModifier("DEPBAR") ? Kind::WarpgroupWait
                                        : Kind::None;
  // Invalidations are no steps.
  if (inst.mnemonic() == "SYNCS" && inst.hasModifier("CCTL"))
    return Kind::None;
  return llvm::StringSwitch<Kind>(inst.mnemonic())
      .Cases({"HMMA", "IMMA", "DMMA", "BMMA", "QMMA"}, Kind::Mma)
      .Cases({"HGMMA", "IGMMA", "BGMMA", "QGMMA"}, Kind::WarpgroupMma)
      .Case("LDSM", Kind::MatrixLoad)
      .Case("STSM", Kind::MatrixStore)
      .Cases({"UTMALDG", "UBLKCP"}, Kind::TMALoad)
      .Cases({"UTMASTG", "UTMAREDG", "UBLKRED"}, Kind::TMAStore)
      .Case("LDGSTS", Kind::AsyncCopy)
      .Case("LDGDEPBAR", Kind::AsyncCommit)
      .Case("DEPBAR", Kind::AsyncWait)
      .Case("BAR", Kind::Barrier)
      .Cases({"UCGABAR_ARV", "UCGABAR_WAIT"}, Kind::ClusterBarrier)
      .Cases({"SYNCS", "ARRIVES"}, Kind::Mbarrier)
      .Cases({"LDG", "LD"}, Kind::GlobalLoad)
      .Cases({"STG", "ST"}, Kind::GlobalStore)
      .Case("LDS", Kind::SharedLoad)
      .Case("STS", Kind::SharedStore)
      .Cases({"ATOM", "ATOMG", "ATOMS", "RED", "REDG"}, Kind::Atomic)
      .Default(Kind::None);
}

bool fusion::timing::isMbarrierWait(const MachineInst &inst) {
  return inst.mnemonic() == "SYNCS" && inst.hasModifier("PHASECHK");
}
