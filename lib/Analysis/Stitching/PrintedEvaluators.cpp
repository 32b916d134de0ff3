//===- PrintedEvaluators.cpp - FusionStitching as printed -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Stitching/PrintedEvaluators.h"
#include "fusion/Target/Chips/ChipTable.h"
#include "fusion/Target/Chips/Hardware.h"
#include "fusion/Target/Chips/Microarchitecture.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace fusion;

std::optional<EvaluatorForm> fusion::lookupEvaluatorForm(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<EvaluatorForm>>(name)
      .Case("default", EvaluatorForm::Default)
      .Case("printed", EvaluatorForm::Printed)
      .Default(std::nullopt);
}

ByInstruction fusion::cyclesPerInstruction(const ChipInfo &chip) {
  const Microarchitecture &sm = microarchitectureOf(chip);
  ByInstruction cycles;
  cycles.arithmetic = chip.fmaCycles;
  cycles.special = sm.specialLatency;
  cycles.shuffle = sm.shuffleLatency;
  cycles.shared = sm.sharedLatency;
  cycles.barrier = sm.barrierLatency;
  cycles.load = sm.dramLatency;
  cycles.store = double(kWarpSize) * kSubPartitions / sm.lanes.memory;
  return cycles;
}

double fusion::cyclesOfWarp(const ByInstruction &counts,
                            const ByInstruction &cycles) {
  return counts.arithmetic * cycles.arithmetic +
         counts.special * cycles.special + counts.shuffle * cycles.shuffle +
         counts.shared * cycles.shared + counts.barrier * cycles.barrier +
         counts.load * cycles.load + counts.store * cycles.store;
}

int64_t fusion::countWaves(int64_t warps, int64_t resident) {
  return llvm::divideCeil(warps, resident);
}
