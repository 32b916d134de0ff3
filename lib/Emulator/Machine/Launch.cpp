//===- Launch.cpp - Counters of a launch ----------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Emulator/Machine/Launch.h"

using namespace fusion::emulator;

Counters &Counters::operator+=(const Counters &other) {
  globalLoadBytes += other.globalLoadBytes;
  globalStoreBytes += other.globalStoreBytes;
  globalSectors += other.globalSectors;
  dramBytes += other.dramBytes;
  sharedWavefronts += other.sharedWavefronts;
  sharedBankConflicts += other.sharedBankConflicts;
  mmaFlops += other.mmaFlops;
  instructions += other.instructions;
  barriers += other.barriers;
  return *this;
}

bool Counters::operator==(const Counters &other) const {
  return globalLoadBytes == other.globalLoadBytes &&
         globalStoreBytes == other.globalStoreBytes &&
         globalSectors == other.globalSectors && dramBytes == other.dramBytes &&
         sharedWavefronts == other.sharedWavefronts &&
         sharedBankConflicts == other.sharedBankConflicts &&
         mmaFlops == other.mmaFlops && instructions == other.instructions &&
         barriers == other.barriers;
}
